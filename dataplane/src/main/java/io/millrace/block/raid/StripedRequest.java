package io.millrace.block.raid;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.MemoryHold;
import io.millrace.memory.Segments;

/**
 * A range of an array with its payload, which {@link StripeRequest}s are parts of: how much of it they were made for,
 * and how they went. A pooled slot of a channel; the reactor's only.
 */
abstract class StripedRequest
{
    private BlockStatus status;
    private long nextOffset;
    private long endOffset;
    private int nextRow;
    private int outstanding;

    /**
     * Begins: no stripe request was made yet.
     *
     * @param offset on the array of the first byte.
     * @param end    offset behind the last.
     */
    protected final void begin(final long offset, final long end)
    {
        status = BlockStatus.SUCCESS;
        nextOffset = offset;
        endOffset = end;
        nextRow = 0;
        outstanding = 0;
    }

    /**
     * Has more at its end.
     *
     * @param end offset on the array behind the last byte.
     */
    protected final void extend(final long end)
    {
        endOffset = end;
    }

    /**
     * {@return what is done}
     */
    abstract BlockOperation operation();

    final boolean isWrite()
    {
        return operation().changesData();
    }

    /**
     * {@return whether what is written has to be stable when it ends}
     */
    abstract boolean forceUnitAccess();

    /**
     * {@return how it went so far}
     */
    final BlockStatus status()
    {
        return status;
    }

    /**
     * {@return offset on the array that no stripe request was made for yet}
     */
    final long nextOffset()
    {
        return nextOffset;
    }

    /**
     * {@return offset on the array behind the request}
     */
    final long endOffset()
    {
        return endOffset;
    }

    /**
     * {@return whether a stripe request was made for all of it}
     */
    final boolean isIssued()
    {
        return nextOffset == endOffset;
    }

    /**
     * {@return address of a byte of the payload}
     *
     * @param offset of the byte on the array.
     */
    abstract long payloadAddress(long offset);

    /**
     * {@return how many bytes of the payload lie one behind the other at {@link #payloadAddress}, at least; within a
     * strip}
     *
     * @param offset of the first byte on the array.
     */
    abstract int payloadRun(long offset);

    /**
     * Selects a part of the payload.
     *
     * @param offset on the array.
     * @param length in bytes, within a strip.
     * @param into   the pieces of the part.
     */
    abstract void slicePayload(long offset, int length, Segments into);

    /**
     * Copies a part of the payload.
     *
     * @param offset      on the array.
     * @param destination address.
     * @param length      in bytes, within a strip.
     */
    abstract void copyPayload(long offset, long destination, int length);

    /**
     * {@return row of the stripe at {@link #nextOffset} that is next, for arrays with parity}
     */
    final int nextRow()
    {
        return nextRow;
    }

    /**
     * A part is taken care of: a stripe request was made for it, or another request has it.
     *
     * @param newNextOffset behind the part, or of its stripe when other rows of that are left.
     * @param newNextRow    of the stripe at that offset.
     */
    final void issued(final long newNextOffset, final int newNextRow)
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
    final void skip(final long newNextOffset)
    {
        nextOffset = newNextOffset;
    }

    /**
     * {@return whether a part has failed}
     */
    final boolean hasFailed()
    {
        return BlockStatus.SUCCESS != status;
    }

    final void fail(final BlockStatus failure)
    {
        status = BlockStatus.SUCCESS == status ? failure : status;
    }

    /**
     * A part is going to fail it.
     *
     * @param part   of a member.
     * @param status that its stripe request ends with.
     * @param device of the member.
     */
    abstract void failedAs(BlockRequest part, BlockStatus status, BlockDevice device);

    /**
     * A member may still use the request's memory though its part of the request has ended.
     *
     * @param held by the member.
     */
    abstract void hold(MemoryHold held);

    /**
     * {@return whether a member still uses memory: the slot cannot be used again yet}
     */
    abstract boolean isHeld();

    /**
     * A part has ended.
     *
     * @return whether it was the last, and the request is to {@link #end}.
     */
    final boolean onPartEnded()
    {
        outstanding--;
        return isDone();
    }

    /**
     * {@return whether everything was issued and has ended}
     */
    final boolean isDone()
    {
        return 0 == outstanding && isIssued();
    }

    /** It is done: whoever waits for it is notified, and the slot is free. */
    abstract void end();
}
