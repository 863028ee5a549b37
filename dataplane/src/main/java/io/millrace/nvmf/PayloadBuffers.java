package io.millrace.nvmf;

import io.millrace.bindings.NativeMemory;
import io.millrace.memory.BufferPool;

/**
 * Memory for what commands carry: buffers of a reactor's pool, and what devices lend. A command that has to wait is
 * carried out again from its beginning when it has what it waited for. Single-threaded.
 */
final class PayloadBuffers
{
    private final BufferPool pool;

    PayloadBuffers(final BufferPool pool)
    {
        this.pool = pool;
    }

    /**
     * Gets a buffer, or waits for one.
     *
     * @param request     that needs it.
     * @param lengthBytes up to the largest transfer.
     * @return whether the request has its buffer.
     */
    boolean acquire(final Request request, final int lengthBytes)
    {
        if (RequestPayload.NONE != request.payload())
        {
            return true;
        }
        final long address = pool.acquire(lengthBytes);
        if (0 == address)
        {
            request.phase(RequestPhase.AWAITING_BUFFER);
            pool.await(request, lengthBytes);
            return false;
        }
        give(request, address, lengthBytes);
        return true;
    }

    /**
     * Gets the host's data into a buffer, or waits for it. The data pointer has been checked.
     *
     * @param request     whose data it is.
     * @param lengthBytes of the data.
     * @return whether it is there.
     */
    boolean receive(final Request request, final int lengthBytes)
    {
        if (RequestPayload.RECEIVED == request.payload())
        {
            return true;
        }
        final boolean isInCapsule = DataPointer.isInCapsule(request.entry());
        if (!acquire(request, lengthBytes))
        {
            if (isInCapsule)
            {
                request.phase(RequestPhase.CAPSULE_AWAITING_BUFFER);
            }
            return false;
        }
        request.data(request.bufferAddress(), lengthBytes);
        if (isInCapsule)
        {
            NativeMemory.copy(request.inCapsuleAddress() + request.entry().sglAddress(), request.bufferAddress(),
                lengthBytes);
            request.payload(RequestPayload.RECEIVED);
            return true;
        }
        request.phase(RequestPhase.RECEIVING);
        request.queuePair().transport().receiveData(request);
        return false;
    }

    /**
     * A request has its buffer.
     *
     * @param request     that asked for it.
     * @param address     of the buffer.
     * @param lengthBytes that was asked for.
     */
    static void give(final Request request, final long address, final int lengthBytes)
    {
        request.buffer(address, lengthBytes);
        request.payload(RequestPayload.BUFFERED);
    }

    /**
     * Ends waiting for a buffer.
     *
     * @param request that waits.
     */
    void cancel(final Request request)
    {
        pool.cancel(request);
    }

    /**
     * Takes the buffer of a request back.
     *
     * @param request with a buffer.
     */
    void release(final Request request)
    {
        pool.release(request.bufferAddress(), request.pooledLength());
        request.buffer(0, 0);
    }

    /**
     * Copies what a device lent into a buffer, and gives it back to the device.
     *
     * @param request that it was lent to.
     * @return false when there is no buffer now.
     */
    boolean copyLoan(final Request request)
    {
        final int lengthBytes = request.dataLength();
        final long address = pool.acquire(lengthBytes);
        if (0 == address)
        {
            return false;
        }
        NativeMemory.copy(request.dataAddress(), address, lengthBytes);
        request.namespace().device().giveBack(request);
        request.buffer(address, lengthBytes);
        request.data(address, lengthBytes);
        return true;
    }
}
