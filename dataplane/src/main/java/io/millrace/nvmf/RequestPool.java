package io.millrace.nvmf;

import io.millrace.block.BlockCompletionListener;
import io.millrace.nvme.SubmissionQueueEntry;
import java.lang.foreign.Arena;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A reactor's slots for commands. Grows in chunks when all are in use and never shrinks, so that after warm-up nothing
 * is allocated. How many there can be is bounded by the queue depths of the connections. Single-threaded.
 */
final class RequestPool implements AutoCloseable
{
    private static final int CHUNK = 64;

    private final Arena arena = Arena.ofShared();
    private final BlockCompletionListener listener;
    private Request free;
    private int size;
    private int used;

    /**
     * Makes a pool without slots.
     *
     * @param listener told when the block request of a slot completes.
     */
    RequestPool(final BlockCompletionListener listener)
    {
        this.listener = listener;
    }

    /**
     * {@return a slot}
     */
    Request acquire()
    {
        if (null == free)
        {
            grow();
        }
        final Request request = free;
        free = request.next();
        request.next(null);
        used++;
        return request;
    }

    /**
     * Gives a slot back.
     *
     * @param request that nobody uses any more.
     */
    void release(final Request request)
    {
        if (RequestPhase.IDLE == request.phase())
        {
            throw new IllegalStateException("slot was given back twice");
        }
        request.phase(RequestPhase.IDLE);
        request.nextSerial();
        request.next(free);
        free = request;
        used--;
    }

    /**
     * {@return slots there are}
     */
    int size()
    {
        return size;
    }

    /**
     * {@return slots in use}
     */
    int used()
    {
        return used;
    }

    @Override
    public void close()
    {
        arena.close();
    }

    private void grow()
    {
        final int entryBytes = SubmissionQueueEntry.SIZE_BYTES;
        final long address = arena.allocate((long)CHUNK * entryBytes, entryBytes).address();
        for (int i = CHUNK - 1; i >= 0; i--)
        {
            final Request request = new Request(
                new UnsafeBuffer(address + (long)i * entryBytes, entryBytes), listener);
            request.next(free);
            free = request;
        }
        size += CHUNK;
    }
}
