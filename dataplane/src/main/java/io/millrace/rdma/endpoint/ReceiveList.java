package io.millrace.rdma.endpoint;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.verbs.ReceiveRequest;
import io.millrace.bindings.verbs.ScatterGatherEntry;
import java.lang.foreign.Arena;

/**
 * Receive requests in native memory, as a device takes them in one list. Reactor's thread; nothing is allocated after
 * construction. Not used once its memory is freed.
 */
final class ReceiveList
{
    private final long requestsAddress;
    private final long segmentsAddress;
    private final int requestsMax;
    private final int segmentsBytes;
    private int count;

    /**
     * Is empty.
     *
     * @param arena       of its memory.
     * @param requestsMax of the list, at least 1.
     * @param segmentsMax of a request.
     */
    ReceiveList(final Arena arena, final int requestsMax, final int segmentsMax)
    {
        this.requestsMax = requestsMax;
        segmentsBytes = segmentsMax * ScatterGatherEntry.SIZE_BYTES;
        requestsAddress = arena.allocate((long)requestsMax * ReceiveRequest.SIZE_BYTES, Long.BYTES).address();
        segmentsAddress = arena.allocate(Math.max(1L, (long)requestsMax * segmentsBytes), Long.BYTES).address();
    }

    /**
     * Appends a request.
     *
     * @param id       that its completion has.
     * @param from     address of its segments, which are copied.
     * @param segments how many.
     * @return whether the list is full.
     */
    boolean add(final long id, final long from, final int segments)
    {
        final long request = requestsAddress + (long)count * ReceiveRequest.SIZE_BYTES;
        final long to = segmentsAddress + (long)count * segmentsBytes;
        // A call of the JVM's copy routine would cost more than these words: there is one segment mostly.
        for (int i = 0; i < segments * ScatterGatherEntry.SIZE_BYTES; i += Long.BYTES)
        {
            NativeMemory.putLong(to + i, NativeMemory.getLong(from + i));
        }
        ReceiveRequest.id(request, id);
        ReceiveRequest.segments(request, to);
        ReceiveRequest.segmentCount(request, segments);
        ReceiveRequest.next(request, 0L);
        if (0 != count)
        {
            ReceiveRequest.next(request - ReceiveRequest.SIZE_BYTES, request);
        }
        count++;
        return requestsMax == count;
    }

    int count()
    {
        return count;
    }

    /**
     * {@return how many of a list that was taken a provider has refused: one and all behind it}
     *
     * @param posted       how many the list had.
     * @param firstRefused address of that request, as the provider has it; none when it is in another list.
     */
    int refused(final int posted, final long firstRefused)
    {
        final long index = (firstRefused - requestsAddress) / ReceiveRequest.SIZE_BYTES;
        return firstRefused < requestsAddress || index >= posted ? 0 : posted - (int)index;
    }

    /** {@return address of its first request; the list is empty then, once the device has copied it} */
    long take()
    {
        count = 0;
        return requestsAddress;
    }
}
