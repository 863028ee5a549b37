package io.millrace.block.raid;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.MemoryHold;
import io.millrace.memory.Segments;

/**
 * Writes of hosts, one behind the other in a stripe, that members are written as one: with one write of each strip, and
 * parity computed once. The payload stays where it is. When it does not succeed, each of the writes is tried alone, so
 * that only those end with an error that have part in its cause: one may be stored behind a later one of the same
 * blocks that was sent before it ended, and has ended, since NVMe orders neither. A pooled slot of a channel; the
 * reactor's only; nothing is allocated.
 * <pre>
 *   FREE - begin -> OPEN - close -> CLOSED - end -> FREE
 *                                      |              ^
 *                                      + end, failed -> ALONE, one write after the other
 * </pre>
 */
final class GatheredWrite extends StripedRequest
{
    /** Most pieces of payload, and most writes. */
    static final int PIECES_MAX = 128;

    /** How far it is. */
    private enum State
    {
        /** In the pool. */
        FREE,
        /** Writes may be added. */
        OPEN,
        /** All of it is written at once. */
        CLOSED,
        /** Its writes are tried one after the other. */
        ALONE
    }

    private final RaidChannel channel;
    private final SequentialWrites owner;
    private final int stripBytes;
    private final ArrayRequest[] writes = new ArrayRequest[PIECES_MAX];
    /** Offsets on the array of the writes, and behind the last. */
    private final long[] starts = new long[PIECES_MAX + 1];
    private final long[] pieceOffsets = new long[PIECES_MAX];
    private final long[] pieceAddresses = new long[PIECES_MAX];
    private final int[] pieceLengths = new int[PIECES_MAX];
    private final Segments slice = new Segments();
    private State state = State.FREE;
    private boolean forceUnitAccess;
    private int pieceCount;
    private int writeCount;
    /** That is tried alone. */
    private int alone;
    /** Next of the list that it is in. */
    GatheredWrite next;

    /**
     * Creates a slot.
     *
     * @param channel that it is of.
     * @param owner   that begins it, and gets it back.
     */
    GatheredWrite(final RaidChannel channel, final SequentialWrites owner)
    {
        this.channel = channel;
        this.owner = owner;
        stripBytes = channel.layout().stripBytes();
    }

    /**
     * Begins without writes.
     *
     * @param offset on the array of the first that will be added.
     */
    void open(final long offset)
    {
        begin(offset, offset);
        state = State.OPEN;
        forceUnitAccess = false;
        pieceCount = 0;
        writeCount = 0;
    }

    /**
     * {@return whether writes may be added}
     */
    boolean isOpen()
    {
        return State.OPEN == state;
    }

    /**
     * Adds a part of a write at the end.
     *
     * @param write of a host.
     * @param from  offset on the array of the part, which is the end of this.
     * @param to    offset behind the part.
     * @return whether there is room for it.
     */
    boolean add(final ArrayRequest write, final long from, final long to)
    {
        int count = pieceCount;
        for (long at = from; at < to;)
        {
            if (PIECES_MAX == count || !fitsStrip(count, at))
            {
                return false;
            }
            pieceOffsets[count] = at;
            pieceAddresses[count] = write.payloadAddress(at);
            pieceLengths[count] = (int)Math.min(to - at, write.payloadRun(at));
            at += pieceLengths[count];
            count++;
        }
        pieceCount = count;
        writes[writeCount] = write;
        starts[writeCount] = from;
        writeCount++;
        starts[writeCount] = to;
        forceUnitAccess |= write.forceUnitAccess();
        extend(to);
        return true;
    }

    /** Whether one request to a member can have all pieces of a strip with one more. */
    private boolean fitsStrip(final int count, final long at)
    {
        final int other = count - Segments.COUNT_MAX;
        return other < 0 || pieceOffsets[other] + pieceLengths[other] <= (at & -stripBytes);
    }

    /** Nothing more is added. */
    void close()
    {
        state = State.OPEN == state ? State.CLOSED : state;
    }

    @Override
    BlockOperation operation()
    {
        return BlockOperation.WRITE;
    }

    @Override
    boolean forceUnitAccess()
    {
        return State.ALONE == state ? writes[alone].forceUnitAccess() : forceUnitAccess;
    }

    /** Index of the piece that has a byte. */
    private int pieceOf(final long offset)
    {
        int low = 0;
        int high = pieceCount - 1;
        while (low < high)
        {
            final int middle = low + high + 1 >>> 1;
            if (pieceOffsets[middle] <= offset)
            {
                low = middle;
            }
            else
            {
                high = middle - 1;
            }
        }
        return low;
    }

    @Override
    long payloadAddress(final long offset)
    {
        final int piece = pieceOf(offset);
        return pieceAddresses[piece] + offset - pieceOffsets[piece];
    }

    @Override
    int payloadRun(final long offset)
    {
        final int piece = pieceOf(offset);
        return (int)(pieceOffsets[piece] + pieceLengths[piece] - offset);
    }

    @Override
    void slicePayload(final long offset, final int length, final Segments into)
    {
        into.clear();
        int piece = pieceOf(offset);
        int skip = (int)(offset - pieceOffsets[piece]);
        for (int left = length; left > 0; piece++)
        {
            final int part = Math.min(left, pieceLengths[piece] - skip);
            into.add(pieceAddresses[piece] + skip, part);
            left -= part;
            skip = 0;
        }
    }

    @Override
    void copyPayload(final long offset, final long destination, final int length)
    {
        slicePayload(offset, length, slice);
        slice.copyOut(0, destination, length);
    }

    /** Whether its writes share how it ends. */
    private boolean isFinal(final BlockStatus status)
    {
        return BlockStatus.SUCCESS == status || BlockStatus.ABORTED == status || 1 == writeCount ||
            channel.isClosing() || null != channel.device().view().failure();
    }

    @Override
    void failedAs(final BlockRequest part, final BlockStatus status, final BlockDevice device)
    {
        if (State.ALONE == state)
        {
            writes[alone].failedAs(part, status, device);
        }
        else if (isFinal(status))
        {
            for (int i = 0; i < writeCount; i++)
            {
                writes[i].failedAs(part, status, device);
            }
        }
    }

    @Override
    void hold(final MemoryHold held)
    {
        if (State.ALONE == state)
        {
            writes[alone].hold(held);
            return;
        }
        for (int i = 0; i < writeCount; i++)
        {
            writes[i].hold(held);
        }
    }

    @Override
    boolean isHeld()
    {
        // Its memory is that of its writes, which know.
        return false;
    }

    @Override
    void end()
    {
        if (State.ALONE == state)
        {
            endAlone();
        }
        else if (isFinal(status()))
        {
            final BlockStatus status = status();
            if (BlockStatus.SUCCESS == status && writeCount > 1)
            {
                channel.writeCounts().onGathered(writeCount);
            }
            for (int i = 0; i < writeCount; i++)
            {
                end(i, status);
            }
            free();
        }
        else
        {
            state = State.ALONE;
            tryAlone(0);
        }
    }

    /** The channel closes before any of it was written. */
    void abandon()
    {
        skip(endOffset());
        fail(BlockStatus.ABORTED);
        if (isDone())
        {
            end();
        }
    }

    private void endAlone()
    {
        int next = alone + 1;
        end(alone, status());
        // A channel that closes does not wait for what has not begun.
        final boolean isOver = BlockStatus.ABORTED == status() || channel.isClosing();
        for (; isOver && next < writeCount; next++)
        {
            end(next, BlockStatus.ABORTED);
        }
        if (next < writeCount)
        {
            tryAlone(next);
        }
        else
        {
            free();
        }
    }

    private void tryAlone(final int index)
    {
        alone = index;
        begin(starts[index], starts[index + 1]);
        owner.tryAgain(this);
    }

    private void end(final int index, final BlockStatus status)
    {
        final ArrayRequest write = writes[index];
        writes[index] = null;
        if (BlockStatus.SUCCESS != status)
        {
            write.fail(status);
        }
        if (write.onPartEnded())
        {
            write.end();
        }
    }

    private void free()
    {
        state = State.FREE;
        owner.onFree(this);
    }
}
