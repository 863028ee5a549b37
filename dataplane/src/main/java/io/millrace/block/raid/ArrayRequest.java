package io.millrace.block.raid;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.MemoryHold;
import io.millrace.block.MemoryQuarantine;
import io.millrace.memory.Segments;
import java.util.function.Consumer;

/**
 * A request of a host to an array while its stripes are worked on. A pooled slot of a channel; the reactor's only.
 */
final class ArrayRequest extends StripedRequest
{
    private final MemoryQuarantine quarantine;
    private final Consumer<ArrayRequest> onEnd;
    private BlockRequest request;
    /** Address of a strip of zeroes, of a request that has no payload; else 0. */
    private long zeroes;
    private long startOffset;
    private int holdCount;
    private MemoryHold hold;
    /** Next of the list that it is in. */
    ArrayRequest next;

    /**
     * Creates a slot.
     *
     * @param quarantine of the reactor.
     * @param onEnd      gets it when it is done, to {@link #complete} it.
     */
    ArrayRequest(final MemoryQuarantine quarantine, final Consumer<ArrayRequest> onEnd)
    {
        this.quarantine = quarantine;
        this.onEnd = onEnd;
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
        startOffset = newRequest.lba() << blockShift;
        begin(startOffset, startOffset + ((long)newRequest.blocks() << blockShift));
        holdCount = 0;
        hold = null;
    }

    BlockRequest request()
    {
        return request;
    }

    @Override
    BlockOperation operation()
    {
        return request.operation();
    }

    @Override
    boolean forceUnitAccess()
    {
        return request.forceUnitAccess();
    }

    /**
     * {@return whether no stripe request was made for any of it}
     */
    boolean isUntouched()
    {
        return startOffset == nextOffset() && 0 == nextRow();
    }

    /**
     * {@return offset in the payload of an offset on the array}
     *
     * @param offset on the array.
     */
    int payloadOffset(final long offset)
    {
        return (int)(offset - startOffset);
    }

    @Override
    long payloadAddress(final long offset)
    {
        return 0 != zeroes ? zeroes : request.segments().addressAt(payloadOffset(offset));
    }

    @Override
    int payloadRun(final long offset)
    {
        return 0 != zeroes ? Integer.MAX_VALUE : request.segments().runAt(payloadOffset(offset));
    }

    @Override
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

    @Override
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

    /** Nothing more is issued: the channel closes. */
    void abandon()
    {
        skip(endOffset());
        fail(BlockStatus.ABORTED);
    }

    @Override
    void failedAs(final BlockRequest part, final BlockStatus status, final BlockDevice device)
    {
        request.failedAs(part, device);
    }

    @Override
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

    @Override
    boolean isHeld()
    {
        return 0 != holdCount;
    }

    @Override
    void end()
    {
        onEnd.accept(this);
    }

    /** Completes the request. */
    void complete()
    {
        final BlockRequest completed = request;
        request = null;
        if (0 == holdCount)
        {
            completed.complete(status());
        }
        else
        {
            final MemoryHold completedHold = quarantine.completeHeld(completed, status());
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
