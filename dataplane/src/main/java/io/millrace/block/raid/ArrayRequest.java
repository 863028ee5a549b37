package io.millrace.block.raid;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.MemoryHold;
import io.millrace.block.MemoryQuarantine;

/**
 * A request to an array while its stripes are worked on. A pooled slot of a channel; the reactor's only.
 */
final class ArrayRequest
{
    private final MemoryQuarantine quarantine;
    private BlockRequest request;
    private BlockStatus status;
    private long nextOffset;
    private long endOffset;
    private int nextRow;
    private int outstanding;
    private int holdCount;
    private MemoryHold hold;
    /** Next of the list that it is in. */
    ArrayRequest next;

    ArrayRequest(final MemoryQuarantine quarantine)
    {
        this.quarantine = quarantine;
    }

    void begin(final BlockRequest newRequest, final int blockShift)
    {
        request = newRequest;
        status = BlockStatus.SUCCESS;
        nextOffset = newRequest.lba() << blockShift;
        endOffset = nextOffset + ((long)newRequest.blocks() << blockShift);
        nextRow = 0;
        outstanding = 0;
        holdCount = 0;
        hold = null;
    }

    BlockRequest request()
    {
        return request;
    }

    boolean isWrite()
    {
        return BlockOperation.WRITE == request.operation();
    }

    /**
     * {@return offset on the array that no stripe request was made for yet}
     */
    long nextOffset()
    {
        return nextOffset;
    }

    /**
     * {@return offset on the array behind the request}
     */
    long endOffset()
    {
        return endOffset;
    }

    /**
     * {@return whether a stripe request was made for all of it}
     */
    boolean isIssued()
    {
        return nextOffset == endOffset;
    }

    /**
     * {@return offset in the payload of an offset on the array}
     *
     * @param offset on the array.
     */
    int payloadOffset(final long offset)
    {
        return (int)(offset - (endOffset - request.segments().totalBytes()));
    }

    /**
     * {@return row of the stripe at {@link #nextOffset} that is next, for arrays with parity}
     */
    int nextRow()
    {
        return nextRow;
    }

    /**
     * A stripe request was made for a part.
     *
     * @param newNextOffset behind the part, or of its stripe when other rows of that are left.
     * @param newNextRow    of the stripe at that offset.
     */
    void issued(final long newNextOffset, final int newNextRow)
    {
        nextOffset = newNextOffset;
        nextRow = newNextRow;
        outstanding++;
    }

    /** Nothing more is issued: the channel closes. */
    void abandon()
    {
        nextOffset = endOffset;
        fail(BlockStatus.ABORTED);
    }

    void fail(final BlockStatus failure)
    {
        status = BlockStatus.SUCCESS == status ? failure : status;
    }

    /**
     * A member may still use the request's memory though its part of the request has ended.
     *
     * @param held by the member.
     */
    void hold(final MemoryHold held)
    {
        holdCount++;
        held.whenReleased(this::onReleased);
    }

    private void onReleased()
    {
        holdCount--;
        if (0 == holdCount && null != hold)
        {
            final MemoryHold released = hold;
            hold = null;
            released.release();
        }
    }

    /**
     * A stripe request has ended.
     *
     * @return whether it was the last, and the request can be completed.
     */
    boolean onStripeEnded()
    {
        outstanding--;
        return isDone();
    }

    /**
     * {@return whether everything was issued and has ended}
     */
    boolean isDone()
    {
        return 0 == outstanding && isIssued();
    }

    /**
     * {@return whether a member still uses memory: the slot cannot be used again yet}
     */
    boolean isHeld()
    {
        return 0 != holdCount;
    }

    /** Completes the request. */
    void complete()
    {
        final BlockRequest completed = request;
        request = null;
        if (0 == holdCount)
        {
            completed.complete(status);
        }
        else
        {
            final MemoryHold completedHold = quarantine.completeHeld(completed, status);
            if (0 == holdCount)
            {
                completedHold.release();
            }
            else
            {
                hold = completedHold;
            }
        }
    }
}
