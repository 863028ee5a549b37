package io.millrace.block.raid;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;

/** Copies of a part of a strip (RAID 1, 10) that are compared, or rewritten where a member cannot read. */
final class MirrorCheckRequest extends CheckRequest
{
    private int copyCount;
    private long strip;
    private int offsetInStrip;
    /** Copies that are read, by bit: those of the plan, while a rebuild goes on. */
    private long readable;
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

    @Override
    protected BlockStatus planReads()
    {
        copyCount = view.layout().copyCount();
        readable = 0;
        for (int copy = 0; copy < copyCount; copy++)
        {
            readable |= isReadable(layout.slot(strip, copy), memberOffset(copy) + length) ? 1L << copy : 0;
        }
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
        issuing(StripeState.READING);
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
        while (copy < copyCount && 0 == (readable & 1L << copy))
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
            int equal = 0;
            int count = 0;
            for (int copy = first; copy < copyCount; copy = nextReadable(copy + 1))
            {
                count++;
                equal += isEqual(first, copy) ? 1 : 0;
            }
            if (count > 1)
            {
                comparing();
            }
            finish(equal == count ? BlockStatus.SUCCESS : BlockStatus.COMPARE_FAILURE);
            return;
        }
        if (Purpose.RECONCILE == purpose)
        {
            reconcile(first);
            return;
        }
        issuing(StripeState.WRITING);
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

    private boolean isEqual(final int copy, final int other)
    {
        return copy == other || -1 == NativeMemory.mismatch(area(copy), area(other), length);
    }

    /** Writes what more than half of the copies have over the others; without such a majority, the first copy. */
    private void reconcile(final int first)
    {
        final int majority = majority(first);
        final int source = majority < 0 ? first : majority;
        issuing(StripeState.WRITING);
        for (int copy = first; copy < copyCount; copy = nextReadable(copy + 1))
        {
            if (!isEqual(source, copy))
            {
                final int slot = layout.slot(strip, copy);
                if (majority >= 0)
                {
                    identified(slot);
                }
                part(slot, BlockOperation.WRITE, memberOffset(copy), length).addSegment(area(source), length);
                submit(slot);
            }
        }
        issued();
    }

    /** A copy that more than half of those that were read are equal to; -1: none. */
    private int majority(final int first)
    {
        for (int candidate = first; candidate < copyCount; candidate = nextReadable(candidate + 1))
        {
            int equal = 0;
            int count = 0;
            for (int copy = first; copy < copyCount; copy = nextReadable(copy + 1))
            {
                count++;
                equal += isEqual(candidate, copy) ? 1 : 0;
            }
            if (equal > count / 2)
            {
                return candidate;
            }
        }
        return -1;
    }
}
