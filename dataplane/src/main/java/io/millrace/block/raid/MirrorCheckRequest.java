package io.millrace.block.raid;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;

/** Copies of a part of a strip (RAID 1, 10) that are compared, or rewritten where a member cannot read. */
final class MirrorCheckRequest extends CheckRequest
{
    private final int copyCount;
    private long strip;
    private int offsetInStrip;
    private long buffer;

    /**
     * A request of its owner.
     *
     * @param channel that it is of.
     */
    MirrorCheckRequest(final RaidChannel channel)
    {
        super(channel);
        copyCount = layout.copyCount();
    }

    @Override
    protected void place(final long offset)
    {
        strip = offset >>> layout.stripShift();
        offsetInStrip = (int)(offset & layout.stripBytes() - 1);
    }

    @Override
    protected long memberOffset()
    {
        return memberOffset(0);
    }

    private long memberOffset(final int copy)
    {
        return (layout.memberStrip(strip, copy) << layout.stripShift()) + offsetInStrip;
    }

    private boolean isReadable(final int copy)
    {
        return isReadable(layout.slot(strip, copy), memberOffset(copy) + length);
    }

    @Override
    protected BlockStatus planReads()
    {
        final int first = nextReadable(0);
        if (first == copyCount)
        {
            return BlockStatus.MEDIA_ERROR;
        }
        buffer = acquireBuffer(copyCount * length);
        if (0 == buffer)
        {
            return null;
        }
        issuing(State.READING);
        for (int copy = first; copy < copyCount; copy = nextReadable(copy + 1))
        {
            final int slot = layout.slot(strip, copy);
            part(slot, BlockOperation.READ, memberOffset(copy), length).addSegment(area(copy), length);
            submit(slot);
        }
        issued();
        return BlockStatus.SUCCESS;
    }

    private int nextReadable(final int from)
    {
        int copy = from;
        while (copy < copyCount && !isReadable(copy))
        {
            copy++;
        }
        return copy;
    }

    private long area(final int copy)
    {
        return buffer + (long)copy * length;
    }

    @Override
    protected void onRead()
    {
        final int first = nextReadable(0);
        if (Purpose.CHECK == purpose)
        {
            boolean isEqual = true;
            for (int copy = nextReadable(first + 1); copy < copyCount; copy = nextReadable(copy + 1))
            {
                isEqual &= -1 == NativeMemory.mismatch(area(first), area(copy), length);
            }
            finish(isEqual ? BlockStatus.SUCCESS : BlockStatus.COMPARE_FAILURE);
            return;
        }
        issuing(State.WRITING);
        for (int copy = 0; copy < copyCount; copy++)
        {
            final int slot = layout.slot(strip, copy);
            if (repairs(slot, memberOffset(copy) + length))
            {
                part(slot, BlockOperation.WRITE, memberOffset(copy), length).addSegment(area(first), length);
                submit(slot);
            }
        }
        issued();
    }
}
