package io.millrace.block.file;

import io.millrace.memory.AddressRanges;
import io.millrace.memory.MemoryListener;
import io.millrace.memory.MemoryRegion;
import io.millrace.memory.MemoryRole;
import io.millrace.reactor.Reactor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * Buffers that are announced, for the rings of one device: each ring has them registered, those that came after the
 * ring too. The kernel takes changes of a running ring from the ring's thread alone, so a change waits until every
 * reactor has made it. Only buffers are registered, not memory that devices lend: each ring would pin all of it.
 * <p>
 * I/O works without: what the kernel refuses is a note.
 */
final class RegisteredMemory implements MemoryListener
{
    private final String name;
    private final Consumer<String> onNote;
    private final Map<RegisteredBuffers, Reactor> rings = new ConcurrentHashMap<>();
    private AddressRanges ranges = AddressRanges.NONE;

    /**
     * Has no memory and no rings yet.
     *
     * @param name   of the device.
     * @param onNote notified when memory is not registered; any thread.
     */
    RegisteredMemory(final String name, final Consumer<String> onNote)
    {
        this.name = name;
        this.onNote = onNote;
    }

    @Override
    public String name()
    {
        return "device " + name;
    }

    /**
     * Registers the present memory with a ring, and all that comes until it {@link #leave leaves}. On the thread that
     * makes the ring.
     *
     * @param buffers of the ring, none yet.
     * @param reactor that will use the ring.
     */
    synchronized void join(final RegisteredBuffers buffers, final Reactor reactor)
    {
        add(buffers, ranges);
        rings.put(buffers, reactor);
    }

    /**
     * The ring is closed now. Any thread; does not wait.
     *
     * @param buffers of the ring.
     */
    void leave(final RegisteredBuffers buffers)
    {
        rings.remove(buffers);
    }

    @Override
    public void onMapped(final MemoryRegion region)
    {
        add(region, region.address(), region.lengthBytes());
    }

    @Override
    public void onGrown(final MemoryRegion region, final long addedAddress, final long addedBytes)
    {
        add(region, addedAddress, addedBytes);
    }

    @Override
    public void onGrowthRevoked(final MemoryRegion region, final long addedAddress, final long addedBytes)
    {
        remove(addedAddress, addedBytes);
    }

    @Override
    public void onUnmapped(final MemoryRegion region)
    {
        if (region.isHostAddressable())
        {
            remove(region.address(), region.reservedBytes());
        }
    }

    private void add(final MemoryRegion region, final long address, final long lengthBytes)
    {
        if (MemoryRole.BUFFERS != region.role() || !region.isHostAddressable())
        {
            return;
        }
        AddressRanges added = AddressRanges.NONE;
        for (long done = 0; done < lengthBytes; done += RegisteredBuffers.BUFFER_BYTES_MAX)
        {
            added = added.with(
                address + done, Math.min(lengthBytes - done, RegisteredBuffers.BUFFER_BYTES_MAX), 0);
        }
        final AddressRanges all = added;
        final List<CompletableFuture<Void>> changes;
        synchronized (this)
        {
            for (int i = 0; i < all.count(); i++)
            {
                ranges = ranges.with(all.start(i), all.end(i) - all.start(i), 0);
            }
            changes = onEachRing((buffers) -> add(buffers, all));
        }
        await(changes);
    }

    private void add(final RegisteredBuffers buffers, final AddressRanges added)
    {
        final String refusal = buffers.add(added);
        if (null != refusal)
        {
            onNote.accept(refusal);
        }
    }

    private void remove(final long address, final long lengthBytes)
    {
        final List<CompletableFuture<Void>> changes;
        synchronized (this)
        {
            if (ranges.count() == ranges.without(address, lengthBytes).count())
            {
                return;
            }
            ranges = ranges.without(address, lengthBytes);
            changes = onEachRing((buffers) -> buffers.remove(address, lengthBytes));
        }
        await(changes);
    }

    private List<CompletableFuture<Void>> onEachRing(final Consumer<RegisteredBuffers> change)
    {
        final List<CompletableFuture<Void>> changes = new ArrayList<>();
        rings.forEach((buffers, reactor) -> changes.add(reactor.call(() ->
        {
            // Closed rings have left on this thread.
            if (rings.containsKey(buffers))
            {
                change.accept(buffers);
            }
            return null;
        })));
        return changes;
    }

    /** Without the lock, so that rings of other reactors can be made meanwhile. */
    private static void await(final List<CompletableFuture<Void>> changes)
    {
        Reactor.checkMayBlock("a change of registered buffers");
        for (final CompletableFuture<Void> change : changes)
        {
            try
            {
                change.join();
            }
            catch (final CompletionException e)
            {
                if (!(e.getCause() instanceof RejectedExecutionException))
                {
                    throw e;
                }
                // The reactor has ended, so nothing uses the ring any more.
            }
        }
    }
}
