package io.millrace.block.raid;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import java.util.ArrayList;
import java.util.List;

/**
 * What one reactor asks members for that have lost blocks: a read of one ends as of a block that the drive cannot read,
 * and a write is a {@link LostBlockWrite}. The reactor's only.
 */
final class LostBlockWrites
{
    private final RaidDevice device;
    private final MemberChannels members;
    private final int blockShift;
    /** The member has ended them, and the list is being stored. */
    private final List<LostBlockWrite> waiting = new ArrayList<>();
    private boolean isClosing;

    /**
     * Nothing is written.
     *
     * @param device  with the members.
     * @param members channels to them.
     */
    LostBlockWrites(final RaidDevice device, final MemberChannels members)
    {
        this.device = device;
        this.members = members;
        blockShift = device.geometry().blockShift();
    }

    /**
     * {@return where a request to a member begins in the member's data; negative before that}
     *
     * @param part       to the member.
     * @param blockShift logarithm of the block size.
     */
    static long dataOffset(final BlockRequest part, final int blockShift)
    {
        return (part.lba() << blockShift) - RaidChannel.dataOffsetBytes();
    }

    /**
     * Submits a request to a member that has lost blocks.
     *
     * @param member of the array.
     * @param part   filled and idle.
     * @return false when it has none of them.
     */
    boolean submit(final RaidMember member, final BlockRequest part)
    {
        final long length = (long)part.blocks() << blockShift;
        if (0 == length || !member.lostBlocks().covers(dataOffset(part, blockShift), length, blockShift))
        {
            return false;
        }
        if (BlockOperation.READ == part.operation())
        {
            part.complete(BlockStatus.MEDIA_ERROR);
            return true;
        }
        if (BlockOperation.DEALLOCATE == part.operation() && !member.device().geometry().deallocatedReadsZero())
        {
            // Nobody knows what it leaves.
            return false;
        }
        members.submit(member, new LostBlockWrite(member, part, blockShift, this).request());
        return true;
    }

    /**
     * A member has ended a write.
     *
     * @param write that was submitted to it.
     */
    void onEnded(final LostBlockWrite write)
    {
        write.takeHold();
        if (BlockStatus.SUCCESS != write.request().status() || isClosing)
        {
            write.complete(isClosing ? BlockStatus.ABORTED : write.request().status());
            return;
        }
        waiting.add(write);
        device.lostBlockChanges().add(write);
    }

    /**
     * Ends writes whose member's list was stored, or will not be.
     *
     * @return writes that were ended.
     */
    int poll()
    {
        int count = 0;
        for (int i = waiting.size() - 1; i >= 0; i--)
        {
            final LostBlockWrite write = waiting.get(i);
            // In this order: who ends the work has stored what it took before.
            final boolean hasWork = device.hasWork() && null == device.view().failure();
            final BlockStatus result = write.result();
            if (null != result || !hasWork)
            {
                waiting.remove(i);
                write.complete(null == result ? BlockStatus.DEVICE_ERROR : result);
                count++;
            }
        }
        return count;
    }

    boolean isEmpty()
    {
        return waiting.isEmpty();
    }

    /** Members are closed: writes that are not in a list yet end as aborted. */
    void close()
    {
        isClosing = true;
        for (final LostBlockWrite write : List.copyOf(waiting))
        {
            write.complete(BlockStatus.ABORTED);
        }
        waiting.clear();
    }
}
