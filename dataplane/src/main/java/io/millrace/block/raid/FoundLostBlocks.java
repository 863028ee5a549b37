package io.millrace.block.raid;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.raid.format.LostBlocksPage;
import io.millrace.block.raid.format.MemberArea;
import io.millrace.block.raid.format.Slot;
import io.millrace.block.raid.format.Superblock;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The lost-block list that was found on a member. Immutable; set-up only.
 *
 * @param entries  as a {@link LostBlocksPage} has them.
 * @param sequence of the copy.
 * @param isWhole  whether both copies have them, else they are to be stored again: without this one, the other may be
 *                 of before a crash, and lack blocks.
 */
record FoundLostBlocks(long[] entries, long sequence, boolean isWhole)
{
    /** Of a member that has none. */
    static final FoundLostBlocks NONE = new FoundLostBlocks(new long[0], 0, true);

    /**
     * Reads the list of a member.
     *
     * @param io         to read with.
     * @param device     of the member.
     * @param slot       of the member, as a superblock has it.
     * @param superblock of the array.
     * @return the newer of its copies.
     * @throws BlockDeviceException when the slot has a list and no copy can be used: nobody knows what must not be
     *                              read.
     */
    static FoundLostBlocks read(
        final MemberIo io, final BlockDevice device, final Slot slot, final Superblock superblock)
    {
        if (!slot.hasLostBlocks())
        {
            return NONE;
        }
        FoundLostBlocks newest = null;
        BlockDeviceException problem = null;
        try (MemberIo.Member member = io.open(device))
        {
            for (int which = 0; which < MemberArea.LOST_BLOCKS_COUNT; which++)
            {
                try
                {
                    final UnsafeBuffer page = new UnsafeBuffer(
                        member.read(MemberArea.lostBlocksOffset(which), LostBlocksPage.BYTES));
                    if (LostBlocksPage.isValid(page, 0, superblock))
                    {
                        newest = newer(newest, LostBlocksPage.entries(page, 0), LostBlocksPage.sequence(page, 0));
                    }
                }
                catch (final BlockDeviceException e)
                {
                    problem = e;
                }
            }
        }
        if (null == newest)
        {
            throw new BlockDeviceException("device " + device.name() + " has lost blocks, and no copy of their list " +
                "that can be used" + (null == problem ? "" : " (" + problem.getMessage() + ')') + ": replace it",
                problem);
        }
        return newest;
    }

    private static FoundLostBlocks newer(final FoundLostBlocks other, final long[] entries, final long sequence)
    {
        return null != other && other.sequence >= sequence ?
            new FoundLostBlocks(other.entries, other.sequence, other.sequence == sequence) :
            new FoundLostBlocks(entries, sequence, false);
    }

    /**
     * Gives a member the list.
     *
     * @param member whose device it was found on.
     */
    void give(final RaidMember member)
    {
        member.lostBlocks().assembled(entries, sequence, isWhole);
    }
}
