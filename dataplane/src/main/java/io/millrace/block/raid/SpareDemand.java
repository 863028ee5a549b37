package io.millrace.block.raid;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.MemoryRegistry;
import io.millrace.reactor.Reactor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLongArray;
import org.agrona.concurrent.SystemNanoClock;

/**
 * Whether an array lacks a member and has no spare of its own, since when, and what makes a shared spare the member.
 * The array's own work asks; who owns the shared spares decides which device it gets, off the reactors.
 */
public final class SpareDemand
{
    private final RaidDevice array;
    /** By slot, of {@link SystemNanoClock}: since when it has no member; matters while it has none. */
    private final AtomicLongArray vacantSinceNs;
    /** Of the array's own work: who owns the spares was asked under it. */
    private ArrayView asked;

    /**
     * Of an array as it was assembled.
     *
     * @param array with a view.
     */
    SpareDemand(final RaidDevice array)
    {
        this.array = array;
        vacantSinceNs = new AtomicLongArray(RaidLevel.MEMBERS_MAX);
        final ArrayView view = array.view();
        final long nowNs = SystemNanoClock.INSTANCE.nanoTime();
        for (int slot = 0; slot < view.slotCount(); slot++)
        {
            if (!view.isWritable(slot))
            {
                vacantSinceNs.set(slot, nowNs);
            }
        }
    }

    /**
     * A view is going to be published.
     *
     * @param next view.
     */
    void onView(final ArrayView next)
    {
        final ArrayView present = array.view();
        for (int slot = 0; slot < next.slotCount(); slot++)
        {
            if ((slot >= present.slotCount() || present.isWritable(slot)) && !next.isWritable(slot))
            {
                vacantSinceNs.set(slot, SystemNanoClock.INSTANCE.nanoTime());
            }
        }
    }

    /**
     * Asks for a spare, once for each view: what was refused under one may be possible under another.
     *
     * @param view present one, in which a slot has no member.
     */
    void ask(final ArrayView view)
    {
        if (view != asked)
        {
            asked = view;
            array.reports().onSpareWanted();
        }
    }

    /**
     * {@return whether a spare would take a slot now, unless the array takes one of its own at this moment; any thread}
     */
    public boolean isWanted()
    {
        final ArrayView view = array.view();
        return null == view.failure() && view.vacantSlot() >= 0 && array.hasWork();
    }

    /**
     * {@return since when a slot has no member, of {@link SystemNanoClock}; matters while a spare is wanted; any
     * thread}
     */
    public long sinceNs()
    {
        final ArrayView view = array.view();
        final long nowNs = SystemNanoClock.INSTANCE.nanoTime();
        long longestNs = 0;
        for (int slot = 0; slot < view.slotCount(); slot++)
        {
            longestNs = view.isWritable(slot) ? longestNs : Math.max(longestNs, nowNs - vacantSinceNs.get(slot));
        }
        return nowNs - longestNs;
    }

    /**
     * {@return whether a device could be a member: its blocks, its size and its limits go with the array; any thread}
     *
     * @param device that the array is not made of.
     */
    public boolean fits(final BlockDevice device)
    {
        try
        {
            check(device);
            return true;
        }
        catch (final BlockDeviceException e)
        {
            return false;
        }
    }

    private void check(final BlockDevice device)
    {
        final List<BlockDevice> all = new ArrayList<>(array.members());
        all.add(device);
        MemberGeometries.check(all);
        MemberGeometries.checkFits(array, device);
        if (all.size() > RaidLevel.MEMBERS_MAX)
        {
            throw new BlockDeviceException("an array has at most " + RaidLevel.MEMBERS_MAX + " members and spares");
        }
    }

    /**
     * Makes a device the member of a slot without one, and waits until superblocks say so. It is looked at and erased
     * before, so that it holds a superblock of this array, which says which slot it has, or none.
     *
     * @param device   that nobody else uses from now on.
     * @param registry memory registry of the data plane; null without one.
     * @throws BlockDeviceException when it holds something, does not fit or fails, or the array needs none any more;
     *                              the array has released it unless it is among its members, as while it does not
     *                              answer.
     */
    public void take(final BlockDevice device, final MemoryRegistry registry)
    {
        Reactor.checkMayBlock("a spare that takes a slot");
        check(device);
        prepare(device, registry);
        MembershipSettings.run(array, new MemberChange.TakeSlot(device, new CompletableFuture<>()));
    }

    /**
     * Looks once more at what lies on a device, and erases its ends.
     *
     * @param device   that nothing uses.
     * @param registry memory registry of the data plane; null without one.
     * @throws BlockDeviceException when it holds something, or fails.
     */
    static void prepare(final BlockDevice device, final MemoryRegistry registry)
    {
        try (MemberIo io = new MemberIo(registry))
        {
            final SpareExamination examination = SpareExamination.of(io, device);
            if (!examination.problem().isEmpty())
            {
                throw new BlockDeviceException(examination.problem());
            }
            FoundMember.wipe(io, device);
        }
    }
}
