package io.millrace.memory;

import io.millrace.reactor.Reactor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The memory of a data plane that payload may lie in, and those who have to know of it. Every listener is notified of
 * every region, in the order in which listeners were added; of what goes away in the opposite order. A listener that is
 * added later is notified of what is there, and one that is removed lets go of it.
 * <p>
 * A region is never unmapped while a listener holds it. A listener that refuses a region, or its growth, undoes it:
 * those notified before let go again, and the owner gets the reason.
 * <p>
 * Any thread but a reactor's. One change at a time: others wait for it, since a listener may take a while to pin
 * memory.
 */
public final class MemoryRegistry
{
    private final ReentrantLock lock = new ReentrantLock();
    private final List<MemoryRegion> regions = new ArrayList<>();
    private final List<MemoryListener> listeners = new ArrayList<>();

    /**
     * Creates a registry without regions and listeners.
     */
    public MemoryRegistry()
    {
        // Both come later.
    }

    /**
     * Makes a registry of buffers.
     *
     * @param buffers each in no registry yet.
     * @return a registry without listeners.
     */
    public static MemoryRegistry of(final DmaMemory... buffers)
    {
        final MemoryRegistry registry = new MemoryRegistry();
        for (final DmaMemory memory : buffers)
        {
            registry.add(memory, MemoryRole.BUFFERS);
        }
        return registry;
    }

    /**
     * Announces memory. From now on its growth is announced too, and it is unmapped only when every listener has let
     * go. Does nothing when it is here already.
     *
     * @param memory in no other registry.
     * @param role   what it is for.
     * @throws MemoryException naming the listener that cannot do without it and why; the owner should close it.
     */
    public void add(final DmaMemory memory, final MemoryRole role)
    {
        memory.announceTo(this, role);
    }

    /**
     * Announces memory that somebody else has mapped.
     *
     * @param region that was never added before.
     * @throws MemoryException naming the listener that cannot do without it and why, or that still holds the refused
     *                         region, which has to be {@link #remove removed} then.
     */
    public void add(final MemoryRegion region)
    {
        if (!region.isImported())
        {
            throw new IllegalArgumentException(region + " is not imported");
        }
        map(region);
    }

    /**
     * Has every listener let go of memory that somebody else has mapped, who may unmap it then.
     *
     * @param region that was {@link #add(MemoryRegion) added}.
     * @throws MemoryException naming the listener that still holds it: it has to stay mapped, and may be removed again.
     */
    public void remove(final MemoryRegion region)
    {
        if (!region.isImported())
        {
            throw new IllegalArgumentException(region + " is not imported: close its memory");
        }
        unmap(region);
    }

    /**
     * {@return the regions that are announced now, in the order in which they came}
     */
    public List<MemoryRegion> regions()
    {
        begin();
        try
        {
            return regions.stream().filter(MemoryRegistry::isAnnounced).toList();
        }
        finally
        {
            lock.unlock();
        }
    }

    /**
     * Adds a listener and notifies it of all regions.
     *
     * @param listener that is not added now.
     * @throws RuntimeException as the listener threw it when it cannot do without a region; it is not added, and has
     *                          let go of the regions before.
     */
    public void addListener(final MemoryListener listener)
    {
        begin();
        try
        {
            if (isKnown(listener))
            {
                throw new IllegalStateException(listener.name() + " listens already, or still holds memory");
            }
            replay(listener);
            listeners.add(listener);
        }
        finally
        {
            lock.unlock();
        }
    }

    private void replay(final MemoryListener listener)
    {
        for (final MemoryRegion region : regions)
        {
            if (isAnnounced(region))
            {
                try
                {
                    listener.onMapped(region);
                }
                catch (final RuntimeException e)
                {
                    letGoOfAll(listener).forEach(e::addSuppressed);
                    throw e;
                }
                region.holders().add(listener);
            }
        }
    }

    /**
     * Removes a listener, which lets go of all regions. Does nothing when it is not there.
     *
     * @param listener is notified of no further region.
     * @throws MemoryException when it still holds one: that stays mapped until a further call, of this method or of the
     *                         region's owner, has the listener let go.
     */
    public void removeListener(final MemoryListener listener)
    {
        begin();
        try
        {
            listeners.removeIf((other) -> other == listener);
            throwIfAny(letGoOfAll(listener));
        }
        finally
        {
            lock.unlock();
        }
    }

    /** Announces a region, or throws and has everybody let go. */
    void map(final MemoryRegion region)
    {
        begin();
        try
        {
            if (MemoryRegion.State.NEW != region.state())
            {
                throw new IllegalStateException(region + " was announced before");
            }
            for (final MemoryRegion other : regions)
            {
                if (region.overlaps(other))
                {
                    throw new IllegalArgumentException(region + " overlaps " + other);
                }
            }
            regions.add(region);
            for (final MemoryListener listener : listeners)
            {
                try
                {
                    listener.onMapped(region);
                }
                catch (final RuntimeException e)
                {
                    final MemoryException refused = refused(region.toString(), listener, e);
                    leave(region).forEach(refused::addSuppressed);
                    throw refused;
                }
                region.holders().add(listener);
            }
            region.state(MemoryRegion.State.MAPPED);
        }
        finally
        {
            lock.unlock();
        }
    }

    /** Announces what a region gets, which is mapped; or throws and has everybody let go of it. */
    void grow(final MemoryRegion region, final long addedAddress, final long addedBytes)
    {
        begin();
        try
        {
            if (MemoryRegion.State.MAPPED != region.state())
            {
                throw new MemoryException(region + " cannot grow: it is " + region.state(), null);
            }
            final List<MemoryListener> holders = region.holders();
            for (int i = 0; i < holders.size(); i++)
            {
                try
                {
                    holders.get(i).onGrown(region, addedAddress, addedBytes);
                }
                catch (final RuntimeException e)
                {
                    final MemoryException refused = refused(addedBytes + " bytes more of memory", holders.get(i), e);
                    revoke(region, addedAddress, addedBytes, i, refused);
                    throw refused;
                }
            }
            region.lengthBytes(region.lengthBytes() + addedBytes);
        }
        finally
        {
            lock.unlock();
        }
    }

    private static void revoke(
        final MemoryRegion region,
        final long addedAddress,
        final long addedBytes,
        final int count,
        final MemoryException refused)
    {
        for (int i = count - 1; i >= 0; i--)
        {
            try
            {
                region.holders().get(i).onGrowthRevoked(region, addedAddress, addedBytes);
            }
            catch (final RuntimeException e)
            {
                region.state(MemoryRegion.State.FROZEN);
                refused.addSuppressed(e);
            }
        }
    }

    /**
     * {@return how far the region is}
     *
     * @param region of any state.
     */
    MemoryRegion.State stateOf(final MemoryRegion region)
    {
        begin();
        try
        {
            return region.state();
        }
        finally
        {
            lock.unlock();
        }
    }

    /** Has everybody let go of a region, or throws. */
    void unmap(final MemoryRegion region)
    {
        begin();
        try
        {
            if (!regions.contains(region))
            {
                return;
            }
            throwIfAny(leave(region));
        }
        finally
        {
            lock.unlock();
        }
    }

    /** Answers who still holds the region, and why. */
    private List<MemoryException> leave(final MemoryRegion region)
    {
        region.state(MemoryRegion.State.LEAVING);
        final List<MemoryException> failures = new ArrayList<>();
        for (final MemoryListener holder : List.copyOf(region.holders()).reversed())
        {
            letGo(region, holder, failures);
        }
        if (region.holders().isEmpty())
        {
            region.state(MemoryRegion.State.GONE);
            regions.remove(region);
        }
        return failures;
    }

    private List<MemoryException> letGoOfAll(final MemoryListener listener)
    {
        final List<MemoryException> failures = new ArrayList<>();
        for (final MemoryRegion region : regions.reversed())
        {
            if (isHolder(region, listener))
            {
                letGo(region, listener, failures);
            }
        }
        return failures;
    }

    private static void letGo(
        final MemoryRegion region, final MemoryListener listener, final List<MemoryException> failures)
    {
        try
        {
            listener.onUnmapped(region);
            region.holders().removeIf((holder) -> holder == listener);
        }
        catch (final RuntimeException e)
        {
            failures.add(new MemoryException(region + " stays mapped, since " + listener.name() +
                " did not let go of it (" + e.getMessage() + ")", e));
        }
    }

    private static void throwIfAny(final List<MemoryException> failures)
    {
        if (!failures.isEmpty())
        {
            final MemoryException first = failures.removeFirst();
            failures.forEach(first::addSuppressed);
            throw first;
        }
    }

    private boolean isKnown(final MemoryListener listener)
    {
        return listeners.stream().anyMatch((other) -> other == listener) ||
            regions.stream().anyMatch((region) -> isHolder(region, listener));
    }

    private static boolean isHolder(final MemoryRegion region, final MemoryListener listener)
    {
        return region.holders().stream().anyMatch((holder) -> holder == listener);
    }

    private static boolean isAnnounced(final MemoryRegion region)
    {
        return MemoryRegion.State.MAPPED == region.state() || MemoryRegion.State.FROZEN == region.state();
    }

    private static MemoryException refused(
        final String what, final MemoryListener listener, final RuntimeException cause)
    {
        return new MemoryException(what + " refused by " + listener.name() + ": " + cause.getMessage(), cause);
    }

    private void begin()
    {
        Reactor.checkMayBlock("a change of registered memory");
        if (lock.isHeldByCurrentThread())
        {
            throw new IllegalStateException("a memory listener uses the registry that calls it");
        }
        lock.lock();
    }
}
