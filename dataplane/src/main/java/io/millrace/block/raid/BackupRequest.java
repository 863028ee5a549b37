package io.millrace.block.raid;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;

/**
 * Copies rows of a stripe of the old layout in the head: each member its own, parity included, to the place of its
 * journal, or back. So a member that is lost meanwhile is computed from the others as anywhere else.
 */
final class BackupRequest extends ReshapeRequest
{
    private final boolean isRestore;
    private long buffer;

    /**
     * A request of its owner.
     *
     * @param channel   that it is of.
     * @param isRestore whether rows are copied back.
     */
    BackupRequest(final RaidChannel channel, final boolean isRestore)
    {
        super(channel);
        this.isRestore = isRestore;
    }

    @Override
    protected BlockStatus plan()
    {
        if (!isRestore && BlockStatus.SUCCESS != problem())
        {
            return problem();
        }
        buffer = acquireAreas(map.old().memberCount());
        if (0 == buffer)
        {
            return null;
        }
        issuing(StripeState.READING);
        for (int slot = 0; slot < map.old().memberCount(); slot++)
        {
            if (isCopied(slot))
            {
                copy(slot, BlockOperation.READ, isRestore);
            }
        }
        issued();
        return BlockStatus.SUCCESS;
    }

    /** Whether a member is there, and can read what is copied. */
    private boolean isCopied(final int slot)
    {
        return view.isWritable(slot) && 0 == (badSlots & 1L << slot);
    }

    private void copy(final int slot, final BlockOperation operation, final boolean isBackup)
    {
        final long offset =
            isBackup ? map.backupOffset(stripe, start) : (stripe << map.layout().stripShift()) + start;
        part(slot, operation, offset, length).addSegment(buffer + (long)slot * areaBytes(), length);
        submit(slot);
    }

    @Override
    protected void onRead()
    {
        issuing(StripeState.WRITING);
        for (int slot = 0; slot < map.old().memberCount(); slot++)
        {
            if (isCopied(slot))
            {
                copy(slot, BlockOperation.WRITE, !isRestore);
            }
        }
        issued();
    }

    @Override
    protected void onUnreadable()
    {
        if (!isRestore)
        {
            super.onUnreadable();
            return;
        }
        for (long left = badSlots; 0 != left; left &= left - 1)
        {
            // Its rows were overwritten in part.
            channel.device().onMemberFailed(view.member(Long.numberOfTrailingZeros(left)),
                "cannot read the backup of rows that are restored");
        }
    }
}
