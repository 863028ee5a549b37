package io.millrace.block.raid;

import io.millrace.block.BlockStatus;

/**
 * Rewrites blocks that members could not read, from the others, as the places come in {@link RepairQueue}. One row unit
 * at a time, which all of its members are read for again: what is readable by then, since a host has overwritten it, is
 * left alone. What comes of blocks that have a checksum mismatch is not written. The reactor's only.
 */
final class BlockRepairs
{
    private final RaidDevice device;
    private final RaidChannel channel;
    private final CheckRequest request;
    /** Null of an array without checksums. */
    private final ChecksumWindow window;
    private final WorkListener onDone = this::onDone;
    private long nextOffset;
    private long endOffset;
    private boolean isBusy;

    /**
     * Repairs nothing yet.
     *
     * @param device  with the queue; of redundancy.
     * @param channel to the members.
     */
    BlockRepairs(final RaidDevice device, final RaidChannel channel)
    {
        this.device = device;
        this.channel = channel;
        window = null == device.pages().checksums() ? null : new ChecksumWindow(device, channel, 2);
        request = channel.newCheckRequest().verifying(window);
    }

    /**
     * {@return whether a stripe request is under way}
     */
    boolean isBusy()
    {
        return isBusy || null != window && window.isBusy();
    }

    /**
     * {@return whether there is nothing to begin before a completion}
     */
    boolean canSleep()
    {
        return isBusy() || device.wrongReads().isEmpty() && nextOffset == endOffset && device.repairs().isEmpty();
    }

    /**
     * Begins the next rows when the last have ended.
     *
     * @return stripe requests that were begun.
     */
    int poll()
    {
        announceWrong();
        if (isBusy())
        {
            return 0;
        }
        if (nextOffset == endOffset && !takePlace())
        {
            leaveWindow();
            return 0;
        }
        if (null != window && !window.move(nextOffset))
        {
            return 1;
        }
        isBusy = true;
        final long offset = nextOffset;
        nextOffset += CheckRequest.ROW_UNIT_BYTES;
        channel.begin(request, Purpose.REPAIR, offset, CheckRequest.ROW_UNIT_BYTES, onDone);
        return 1;
    }

    private void announceWrong()
    {
        for (String each = device.wrongReads().next(); null != each; each = device.wrongReads().next())
        {
            device.reports().announce(each);
        }
    }

    /** Nothing is repaired before another call of {@link #poll}: no page of checksums stays for it. */
    void leaveWindow()
    {
        if (null != window)
        {
            window.leave();
        }
    }

    private boolean takePlace()
    {
        final long place = device.repairs().take();
        if (RepairQueue.NONE == place)
        {
            return false;
        }
        final long offset = RepairQueue.offset(place);
        nextOffset = offset & -CheckRequest.ROW_UNIT_BYTES;
        endOffset = offset + RepairQueue.length(place) + CheckRequest.ROW_UNIT_BYTES - 1 &
            -CheckRequest.ROW_UNIT_BYTES;
        return true;
    }

    private void onDone(final BlockStatus status)
    {
        isBusy = false;
        if (BlockStatus.SUCCESS == status)
        {
            device.onRepaired(request.repairedSlots());
        }
    }
}
