package io.millrace.nvmf.rdma;

import io.millrace.memory.Segments;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.request.Request;
import io.millrace.rdma.endpoint.RdmaQueuePair;
import io.millrace.rdma.endpoint.RegionKeys;

/**
 * Reads the data of writes out of their hosts' memory, by one RDMA READ for each part of a payload, into the buffer of
 * its request. As many at a time as both devices allow: more would block the answers behind them in the send queue, so
 * they wait here. Its queue's reactor only; nothing is allocated.
 */
final class DataReader
{
    private final RdmaQueue queue;
    private final RegionKeys keys;
    private final int readsMax;
    private final RequestList queued = new RequestList();
    private int outstanding;

    /**
     * Reads nothing yet.
     *
     * @param queue    that reads.
     * @param keys     of registered memory.
     * @param readsMax RDMA READs at a time.
     */
    DataReader(final RdmaQueue queue, final RegionKeys keys, final int readsMax)
    {
        this.queue = queue;
        this.keys = keys;
        this.readsMax = readsMax;
    }

    /**
     * Reads the data of a request, now or when there is room.
     *
     * @param request with a buffer.
     */
    void add(final Request request)
    {
        request.transportState(TransferState.READ_QUEUED);
        queued.add(request);
        post();
    }

    /**
     * Takes a request back.
     *
     * @param request of {@link #add}.
     * @return false when its data is being read.
     */
    boolean cancel(final Request request)
    {
        if (TransferState.READ_QUEUED == request.transportState() && queued.remove(request))
        {
            request.transportState(TransferState.NONE);
            return true;
        }
        return false;
    }

    /** Posts what there is room for. */
    void post()
    {
        while (!queued.isEmpty() && outstanding < readsMax && 0 != queue.pair().sendRoom())
        {
            final Request request = queued.first();
            queued.removeFirst();
            post(request);
        }
    }

    private void post(final Request request)
    {
        final RdmaQueuePair pair = queue.pair();
        final Segments data = request.data();
        final long key = 1 == data.count() ? keys.localKey(data.address(0), data.lengthBytes(0)) : RegionKeys.NO_KEY;
        if (RegionKeys.NO_KEY == key)
        {
            request.transportState(TransferState.NONE);
            queue.queuePair().dispatcher().onDataError(request, NvmeStatus.TRANSIENT_TRANSPORT_ERROR);
            return;
        }
        request.transportState(TransferState.READING);
        outstanding++;
        queue.onPosted(request);
        pair.segment(data.address(0), data.lengthBytes(0), (int)key).postRead(WorkId.of(WorkId.READ, request.tag()),
            true, request.dataPointer().address() + request.partOffset(), request.dataPointer().key());
    }

    /**
     * The data of a request is here.
     *
     * @param request of {@link #add}.
     */
    void onRead(final Request request)
    {
        outstanding--;
        request.transportState(TransferState.NONE);
        queue.queuePair().dispatcher().onDataReceived(request);
    }

    boolean isAnyOutstanding()
    {
        return 0 != outstanding;
    }

    /** Forgets what waits; what was posted is flushed. */
    void close()
    {
        queued.clear();
    }
}
