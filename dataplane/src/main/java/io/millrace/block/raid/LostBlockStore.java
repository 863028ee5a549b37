package io.millrace.block.raid;

import io.millrace.block.BlockStatus;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Stores the {@link LostBlocks} of members: one member's list at a time, both copies one after the other, after what
 * was written on the member is stable. Beside all other metadata, which may wait for writes that wait for this.
 * {@link ArrayWork}'s, on its reactor.
 */
final class LostBlockStore
{
    private final RaidDevice device;
    private final LostBlockChanges changes;
    private final MemberWrites lists;
    private final int blockShift;
    private final Deque<LostBlockWrite> writes = new ArrayDeque<>();
    /** Whose blocks leave the list that is being written. */
    private final List<LostBlockWrite> current = new ArrayList<>();
    private RaidMember member;
    private long[] base;
    private long[] written;
    /** Whether lists of members may have to be stored. */
    private boolean hasUnstored = true;
    /** Members of which published superblocks say that they have a list. */
    private Set<RaidMember> announced;
    /** Those of superblocks that are being written. */
    private Set<RaidMember> announcing = Set.of();
    /** Members that have failed, which the view may not say yet: they may never end what they would be asked for. */
    private final Set<RaidMember> failed = new HashSet<>();

    /**
     * Stores nothing yet.
     *
     * @param device  with the members.
     * @param channel to them.
     */
    LostBlockStore(final RaidDevice device, final RaidChannel channel)
    {
        this.device = device;
        changes = device.lostBlockChanges();
        blockShift = device.geometry().blockShift();
        lists = new MemberWrites(channel, device.pages().lostBlocksTargets());
        announced = recorded(device.view());
    }

    /**
     * Says which blocks of members were lost before this start: an operator may not know of those that were listed when
     * the array was stopped, and nobody else says again which are still to be overwritten.
     */
    void announceFound()
    {
        final ArrayView view = device.view();
        for (int slot = 0; slot < view.slotCount(); slot++)
        {
            final int count = view.isWritable(slot) ? view.member(slot).lostBlocks().count() : 0;
            if (0 != count)
            {
                final long first = view.member(slot).lostBlocks().first(0, blockShift);
                device.reports().announceLoss("slot " + slot + " (" + view.member(slot) + "): " + count +
                    (1 == count ? " block was" : " blocks were") + " lost before this start: the first at byte " +
                    first + " of the member's data (" + HostPlace.of(device, slot, first) + "); overwrite " +
                    (1 == count ? "it" : "them") + " from a host");
            }
        }
    }

    /**
     * {@return whether a list is being written}
     */
    boolean isBusy()
    {
        return null != member;
    }

    private Set<RaidMember> recorded(final ArrayView view)
    {
        final Set<RaidMember> members = new HashSet<>();
        for (int slot = 0; slot < view.slotCount(); slot++)
        {
            if (view.isWritable(slot) && view.member(slot).lostBlocks().isRecorded())
            {
                members.add(view.member(slot));
            }
        }
        return members;
    }

    /**
     * Superblocks are filled.
     *
     * @param view that they are of.
     */
    void onSuperblocksFilled(final ArrayView view)
    {
        announcing = recorded(view);
        // Until they are stable, those before or these may be what is found.
        announced.retainAll(announcing);
    }

    /** Superblocks that were filled last are stable. */
    void onSuperblocksStored()
    {
        announced = new HashSet<>(announcing);
    }

    /**
     * {@return whether superblocks do not say of each list that it counts}
     */
    boolean isUnannounced()
    {
        return !announced.containsAll(recorded(device.view()));
    }

    /**
     * {@return whether all lists are as they would be found after a crash}
     */
    boolean isDurable()
    {
        return canSleep() && !isBusy() && !isUnannounced();
    }

    /**
     * {@return whether there is nothing to begin before a completion}
     */
    boolean canSleep()
    {
        return isBusy() || changes.isEmpty() && writes.isEmpty() && !hasUnstored;
    }

    /**
     * Begins to write the next list when the last has been written.
     *
     * @return 1 when one was begun, else 0.
     */
    int poll()
    {
        if (isBusy())
        {
            return 0;
        }
        if (!failed.isEmpty())
        {
            failed.removeIf((each) -> !device.view().isWritten(each));
        }
        hasUnstored |= changes.takeLost();
        for (LostBlockWrite each = changes.nextWrite(); null != each; each = changes.nextWrite())
        {
            writes.add(each);
        }
        if (!writes.isEmpty())
        {
            begin(writes.getFirst().member());
            return 1;
        }
        if (hasUnstored)
        {
            for (final RaidMember each : device.raidMembers())
            {
                if (!each.lostBlocks().isStored() && isWritten(each))
                {
                    begin(each);
                    return 1;
                }
            }
            hasUnstored = false;
        }
        return 0;
    }

    private boolean isWritten(final RaidMember of)
    {
        return !failed.contains(of) && device.view().isWritten(of);
    }

    private void begin(final RaidMember of)
    {
        member = of;
        base = of.lostBlocks().entries();
        written = base;
        writes.removeIf((each) -> of == each.member() && current.add(each));
        for (final LostBlockWrite each : current)
        {
            written = each.remove(written, blockShift);
        }
        if (!isWritten(of))
        {
            // One that has left is as if it had ended just before: nobody reads it, and it has not failed.
            onEnded(device.view().isWritten(of) ? BlockStatus.DEVICE_ERROR : BlockStatus.SUCCESS);
            return;
        }
        device.pages().fillLostBlocks(of, written, of.lostBlocks().nextSequence());
        lists.begin(List.of(of), true, this::onWritten);
    }

    private void onWritten(final long failures)
    {
        if (0 != failures)
        {
            lists.report(failures);
            onEnded(BlockStatus.DEVICE_ERROR);
            return;
        }
        final LostBlocks list = member.lostBlocks();
        long[] left = written;
        if (list.entries() != base)
        {
            // Blocks were lost meanwhile; none that was written, since those rows are still locked.
            left = list.entries();
            for (final LostBlockWrite each : current)
            {
                left = each.remove(left, blockShift);
            }
            hasUnstored = true;
        }
        list.onStored(written);
        list.entries(left);
        // Health says how many are lost.
        device.reports().onChanged();
        onEnded(BlockStatus.SUCCESS);
    }

    private void onEnded(final BlockStatus how)
    {
        for (final LostBlockWrite each : current)
        {
            each.onStored(how);
        }
        current.clear();
        member = null;
        device.channels().onProgress();
    }

    /**
     * A member has failed: what it may never end is not awaited, and nothing more is begun on it.
     *
     * @param without member of the array.
     */
    void onFailed(final RaidMember without)
    {
        failed.add(without);
        if (without == member)
        {
            lists.onFailed(without);
        }
    }
}
