package io.millrace.nvmf.rdma;

import io.millrace.memory.Segments;
import io.millrace.nvme.CompletionQueueEntry;
import io.millrace.nvmf.request.Request;
import io.millrace.nvmf.transport.DataPointer;
import io.millrace.rdma.endpoint.RdmaQueuePair;
import io.millrace.rdma.endpoint.RegionKeys;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Sends answers: payload by RDMA WRITE out of the memory where it lies, then the completion by SEND, which ends both.
 * Answers for which the send queue has no room wait, and so do those whose lent memory no device can read and for whose
 * copy there is no buffer. Its queue's reactor only; nothing is allocated.
 */
final class ResponseSender
{
    /** Of an RDMA WRITE: what every device takes. A payload in more pieces takes more of them. */
    static final int SEGMENTS_MAX = 4;

    private final RdmaQueue queue;
    private final CapsuleBuffers buffers;
    private final int[] numbers;
    private final int localKey;
    private final RegionKeys keys;
    private final RequestList queued = new RequestList();
    private final UnsafeBuffer view = new UnsafeBuffer(0, 0);
    private final CompletionQueueEntry completion = new CompletionQueueEntry();

    /**
     * Has nothing to send.
     *
     * @param queue    that sends.
     * @param buffers  of its reactor.
     * @param numbers  of the places for its responses, by tag.
     * @param localKey of their memory.
     * @param keys     of registered memory.
     */
    ResponseSender(
        final RdmaQueue queue,
        final CapsuleBuffers buffers,
        final int[] numbers,
        final int localKey,
        final RegionKeys keys)
    {
        this.queue = queue;
        this.buffers = buffers;
        this.numbers = numbers;
        this.localKey = localKey;
        this.keys = keys;
    }

    /**
     * Sends an answer, now or when there is room.
     *
     * @param request that is answered, or a part of whose payload is sent.
     */
    void add(final Request request)
    {
        request.transportState(TransferState.RESPONSE_QUEUED);
        request.transferredBytes(0);
        queued.add(request);
        post();
    }

    /**
     * Posts what there is room for. An answer that waits for a buffer to copy lent memory to lets others pass: the
     * buffer may be one of theirs.
     */
    void post()
    {
        Request passed = null;
        while (!queued.isEmpty() && passed != queued.first())
        {
            final Request request = queued.first();
            if (post(request))
            {
                queued.removeFirst();
            }
            else if (0 == queue.pair().sendRoom() || TransferState.RESPONSE_QUEUED != request.transportState())
            {
                return;
            }
            else
            {
                passed = null == passed ? request : passed;
                queued.removeFirst();
                queued.add(request);
            }
        }
    }

    boolean isEmpty()
    {
        return queued.isEmpty();
    }

    /** {@return whether the first answer waits for a buffer to copy lent memory to, which nothing announces} */
    boolean awaitsCopy()
    {
        return !queued.isEmpty() && 0 != queue.pair().sendRoom();
    }

    /** Copies memory that writers wait for out of answers that wait, of which the device has nothing. */
    void copyWantedLoans()
    {
        for (Request request = queued.first(); null != request; request = request.next())
        {
            if (TransferState.RESPONSE_QUEUED == request.transportState() && request.isLoanWanted() &&
                request.copyLoan())
            {
                queue.onCopied();
            }
        }
    }

    private boolean post(final Request request)
    {
        if (request.sendsData() && !postData(request))
        {
            return false;
        }
        if (!request.isLastPart())
        {
            return true;
        }
        final RdmaQueuePair pair = queue.pair();
        if (0 == pair.sendRoom())
        {
            return false;
        }
        final long address = buffers.responseAddress(numbers[request.tag()]);
        view.wrap(address, CompletionQueueEntry.SIZE_BYTES);
        completion.wrap(view, 0);
        queue.queuePair().writeCompletion(request, completion);
        request.transportState(TransferState.SENDING);
        queue.onPosted(request);
        pair.segment(address, CompletionQueueEntry.SIZE_BYTES, localKey);
        final long id = WorkId.of(WorkId.RESPONSE, request.tag());
        final DataPointer pointer = request.dataPointer();
        if (DataPointer.Kind.KEYED == pointer.kind() && pointer.invalidatesKey())
        {
            pair.postSendWithInvalidate(id, true, pointer.key());
        }
        else
        {
            pair.postSend(id, true);
        }
        return true;
    }

    /** {@return false when some of it is left} */
    private boolean postData(final Request request)
    {
        final RdmaQueuePair pair = queue.pair();
        final int lengthBytes = request.dataLength();
        while (request.transferredBytes() < lengthBytes)
        {
            if (0 == pair.sendRoom())
            {
                return false;
            }
            final int begin = request.transferredBytes();
            final int bytes = gather(request.data(), begin);
            if (0 == bytes)
            {
                if (TransferState.SENDING == request.transportState() || !request.blockRequest().lent())
                {
                    queue.fail("memory of an answer is not registered with the RDMA device");
                    return false;
                }
                if (!request.copyLoan())
                {
                    return false;
                }
                queue.onCopied();
                continue;
            }
            final boolean isEndOfPart = begin + bytes == lengthBytes && !request.isLastPart();
            request.transportState(TransferState.SENDING);
            request.transferredBytes(begin + bytes);
            queue.onPosted(request);
            pair.postWrite(WorkId.of(isEndOfPart ? WorkId.PART : WorkId.WRITE, request.tag()), isEndOfPart,
                request.dataPointer().address() + request.partOffset() + begin, request.dataPointer().key());
        }
        return true;
    }

    /** Adds the next pieces to the next request. {@return their length; 0 when one of all has no key} */
    private int gather(final Segments data, final int begin)
    {
        final RdmaQueuePair pair = queue.pair();
        int offset = 0;
        int index = 0;
        // What was posted before ends with a piece.
        while (offset < begin)
        {
            offset += data.lengthBytes(index++);
        }
        if (0 == begin && !isRegistered(data))
        {
            return 0;
        }
        int bytes = 0;
        final int end = Math.min(data.count(), index + SEGMENTS_MAX);
        for (; index < end; index++)
        {
            final long address = data.address(index);
            final int length = data.lengthBytes(index);
            final long key = keys.localKey(address, length);
            if (RegionKeys.NO_KEY == key)
            {
                queue.fail("memory of an answer is not registered with the RDMA device any more");
                return bytes;
            }
            pair.segment(address, length, (int)key);
            bytes += length;
        }
        return bytes;
    }

    private boolean isRegistered(final Segments data)
    {
        for (int i = 0; i < data.count(); i++)
        {
            if (RegionKeys.NO_KEY == keys.localKey(data.address(i), data.lengthBytes(i)))
            {
                return false;
            }
        }
        return true;
    }

    /** Forgets what waits; what was posted is flushed. */
    void close()
    {
        queued.clear();
    }
}
