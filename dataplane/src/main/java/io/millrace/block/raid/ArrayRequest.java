package io.millrace.block.raid;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.MemoryHold;
import io.millrace.block.MemoryQuarantine;
import io.millrace.memory.Segments;

/**
 * A request to an array while its stripes are worked on. A pooled slot of a channel; the reactor's only.
 */
final class ArrayRequest
{
    private final MemoryQuarantine quarantine;
    private BlockRequest request;
    /** Address of a strip of zeroes, of a request that has no payload; else 0. */
    private long zeroes;
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

    /**
     * Begins.
     *
     * @param newRequest    to the array.
     * @param blockShift    of the array.
     * @param zeroesAddress of a strip of zeroes, which take the place of a payload that the request does not have.
     */
    void begin(final BlockRequest newRequest, final int blockShift, final long zeroesAddress)
    {
        request = newRequest;
        zeroes = BlockOperation.WRITE_ZEROES == newRequest.operation() ? zeroesAddress : 0;
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
        return request.operation().changesData();
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
     * {@return whether a part of the payload has one address}
     */
    boolean isContiguous()
    {
        return 0 != zeroes || 1 == request.segments().count();
    }

    /**
     * {@return address of what is written from an offset on, within a strip, when the payload is contiguous}
     *
     * @param offset on the array.
     */
    long payloadAddress(final long offset)
    {
        return 0 != zeroes ? zeroes : request.segments().address(0) + payloadOffset(offset);
    }

    /**
     * Selects a part of the payload.
     *
     * @param offset on the array.
     * @param length in bytes, within a strip.
     * @param into   the pieces of the part.
     */
    void slicePayload(final long offset, final int length, final Segments into)
    {
        if (0 != zeroes)
        {
            into.set(zeroes, length);
        }
        else
        {
            request.segments().slice(payloadOffset(offset), length, into);
        }
    }

    /**
     * Copies a part of the payload.
     *
     * @param offset      on the array.
     * @param destination address.
     * @param length      in bytes, within a strip.
     */
    void copyPayload(final long offset, final long destination, final int length)
    {
        if (0 != zeroes)
        {
            NativeMemory.fill(destination, length, (byte)0);
        }
        else
        {
            request.segments().copyOut(payloadOffset(offset), destination, length);
        }
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

    /**
     * A part is left out.
     *
     * @param newNextOffset behind the part.
     */
    void skip(final long newNextOffset)
    {
        nextOffset = newNextOffset;
    }

    /**
     * {@return whether a part has failed}
     */
    boolean hasFailed()
    {
        return BlockStatus.SUCCESS != status;
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
