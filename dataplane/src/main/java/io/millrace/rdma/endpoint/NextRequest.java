package io.millrace.rdma.endpoint;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.verbs.ScatterGatherEntry;
import io.millrace.bindings.verbs.SendRequest;
import java.lang.foreign.Arena;

/**
 * The next request of a queue pair in native memory, as the device takes it: its segments and what its kind of request
 * needs. Reactor's thread; nothing is allocated after construction. Once it is closed, what is set is ignored.
 */
final class NextRequest implements AutoCloseable
{
    private final Arena arena = Arena.ofShared();
    private final int heldMax;
    private final long sendsAddress;
    private long sendAddress;
    private final long badAddress = arena.allocate(Long.BYTES, Long.BYTES).address();
    private final long allSegmentsAddress;
    private long segmentsAddress;
    private final int segmentsMax;
    /** Requests of the list that are complete; the one that is being made lies behind them. */
    private int heldCount;
    private int segmentCount;
    private long segmentBytes;
    private boolean isClosed;

    /**
     * Has no segments yet.
     *
     * @param segmentsMax of a request.
     * @param heldMax     requests of a list of the send queue, at least 1.
     */
    NextRequest(final int segmentsMax, final int heldMax)
    {
        this.segmentsMax = segmentsMax;
        this.heldMax = heldMax;
        sendsAddress = arena.allocate((long)heldMax * SendRequest.SIZE_BYTES, Long.BYTES).address();
        sendAddress = sendsAddress;
        allSegmentsAddress = arena.allocate(
            (long)heldMax * segmentsMax * ScatterGatherEntry.SIZE_BYTES, Long.BYTES).address();
        segmentsAddress = allSegmentsAddress;
    }

    /** {@return a list of receive requests, whose memory ends with this} */
    ReceiveList receives(final int requestsMax)
    {
        return new ReceiveList(arena, requestsMax, segmentsMax);
    }

    boolean isClosed()
    {
        return isClosed;
    }

    /** {@return where the first request that was not taken is stored} */
    long badAddress()
    {
        return badAddress;
    }

    void segment(final long address, final int lengthBytes, final int localKey)
    {
        if (segmentCount == segmentsMax)
        {
            throw new IllegalStateException("a request has at most " + segmentsMax + " segments");
        }
        if (isClosed)
        {
            return;
        }
        final long entry = segmentsAddress + (long)segmentCount * ScatterGatherEntry.SIZE_BYTES;
        ScatterGatherEntry.memory(entry, address);
        ScatterGatherEntry.length(entry, lengthBytes);
        ScatterGatherEntry.localKey(entry, localKey);
        segmentCount++;
        segmentBytes += Integer.toUnsignedLong(lengthBytes);
    }

    /** {@return whether its data can be copied into a request that holds so many bytes} */
    boolean fitsInline(final int inlineBytes)
    {
        return 0 != segmentCount && segmentBytes <= inlineBytes;
    }

    /** {@return how many segments there are: the following request has none} */
    int takeSegments()
    {
        final int count = segmentCount;
        segmentCount = 0;
        segmentBytes = 0;
        return count;
    }

    void remote(final long remoteAddress, final int remoteKey)
    {
        if (!isClosed)
        {
            SendRequest.remoteAddress(sendAddress, remoteAddress);
            SendRequest.remoteKey(sendAddress, remoteKey);
        }
    }

    /** {@return the bytes of the segments} */
    long bytes()
    {
        return segmentBytes;
    }

    void datagram(final long handleAddress, final int queuePair, final int queueKey)
    {
        if (!isClosed)
        {
            SendRequest.datagram(sendAddress, handleAddress, queuePair, queueKey);
        }
    }

    void invalidatedKey(final int key)
    {
        if (!isClosed)
        {
            SendRequest.invalidatedKey(sendAddress, key);
        }
    }

    void window(
        final MemoryWindow window, final RdmaRegion region, final long address, final long bytes, final int access)
    {
        if (!isClosed)
        {
            SendRequest.window(sendAddress, window.windowAddress(), window.nextKey());
            SendRequest.range(sendAddress, region.mrAddress(), address, bytes, access);
        }
    }

    void immediate(final int value)
    {
        if (!isClosed)
        {
            SendRequest.immediate(sendAddress, value);
        }
    }

    void atomic(final long remoteAddress, final int remoteKey, final long compareOrAdd)
    {
        if (!isClosed)
        {
            SendRequest.atomicAddress(sendAddress, remoteAddress);
            SendRequest.atomicCompareOrAdd(sendAddress, compareOrAdd);
            SendRequest.atomicKey(sendAddress, remoteKey);
        }
    }

    void swap(final long value)
    {
        if (!isClosed)
        {
            SendRequest.atomicSwap(sendAddress, value);
        }
    }

    /** {@return address of a complete request for the send queue} */
    long send(final long id, final int segments, final int opcode, final int flags)
    {
        SendRequest.id(sendAddress, id);
        SendRequest.segments(sendAddress, segmentsAddress);
        SendRequest.segmentCount(sendAddress, segments);
        SendRequest.opcode(sendAddress, opcode);
        SendRequest.flags(sendAddress, flags);
        SendRequest.next(sendAddress, 0L);
        return sendAddress;
    }

    int heldCount()
    {
        return heldCount;
    }

    /** Appends the request that was completed last to the list. {@return whether the list is full} */
    boolean hold()
    {
        if (0 != heldCount)
        {
            SendRequest.next(sendAddress - SendRequest.SIZE_BYTES, sendAddress);
        }
        heldCount++;
        sendAddress += SendRequest.SIZE_BYTES;
        segmentsAddress += (long)segmentsMax * ScatterGatherEntry.SIZE_BYTES;
        return heldMax == heldCount;
    }

    /** {@return address of the first request of the list} */
    long firstHeld()
    {
        return sendsAddress;
    }

    /** The device has copied the list. What is being made goes on in its first place. */
    void restart()
    {
        heldCount = 0;
        sendAddress = sendsAddress;
        if (0 != segmentCount)
        {
            NativeMemory.copy(
                segmentsAddress, allSegmentsAddress, (long)segmentCount * ScatterGatherEntry.SIZE_BYTES);
        }
        segmentsAddress = allSegmentsAddress;
    }

    /** {@return address of the segments of the request that is being made} */
    long segmentsAddress()
    {
        return segmentsAddress;
    }

    @Override
    public void close()
    {
        isClosed = true;
        arena.close();
    }
}
