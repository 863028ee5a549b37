package io.millrace.nvmf.request;

import io.millrace.block.BlockCompletionListener;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.nvmf.config.CapacityLimits;
import java.lang.foreign.Arena;
import java.util.HashMap;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A reactor's slots for commands: as many as the heap was sized for. Allocated in chunks as they are needed, and kept,
 * so that nothing is allocated after warm-up.
 * <p>
 * Half of them are guaranteed to the queue pairs in equal parts. The other half is shared: a queue pair may take
 * another slot while it has fewer shared ones than half of those left, so that busy queue pairs leave some to later
 * ones, and all queue pairs of one host address together take up to a half. A command without a slot waits with its
 * capsule. Single-threaded.
 */
public final class RequestPool implements AutoCloseable
{
    private static final int CHUNK = 64;

    private final Arena arena = Arena.ofShared();
    private final BlockCompletionListener listener;
    private final int sizeMax;
    private final int sureEach;
    private final int sharedMax;
    private final Map<String, RequestShare> shares = new HashMap<>();
    private Request free;
    private int size;
    private int used;
    private int sharedUsed;
    private long waitCount;

    /**
     * Makes a pool without slots.
     *
     * @param listener notified when the block request of a slot completes.
     * @param limits   of slots and connections.
     */
    public RequestPool(final BlockCompletionListener listener, final CapacityLimits limits)
    {
        this.listener = listener;
        sizeMax = limits.requestsPerReactor();
        final int queuePairsMax =
            limits.connections() + limits.discoveryConnections() + limits.pendingConnections();
        sureEach = Math.max(1, sizeMax / 2 / queuePairsMax);
        // Many reactors have few slots each, and then fewer queue pairs than there may be in all.
        sharedMax = sizeMax - (int)Math.min(sizeMax / 2, (long)sureEach * queuePairsMax);
    }

    /**
     * {@return what the queue pairs of a host address hold together; the caller is one more of them until it
     * {@link #leave leaves}. Control path}
     *
     * @param address of the host.
     */
    public RequestShare join(final String address)
    {
        final RequestShare share = shares.computeIfAbsent(address, RequestShare::new);
        share.queuePairs(share.queuePairs() + 1);
        return share;
    }

    /**
     * A queue pair is gone. Slots that it still has, as devices have not ended their commands, count for its address
     * until they are given back: those that connect from there meanwhile have the same share.
     *
     * @param share from {@link #join}.
     */
    public void leave(final RequestShare share)
    {
        share.queuePairs(share.queuePairs() - 1);
        forgetUnused(share);
    }

    private void forgetUnused(final RequestShare share)
    {
        if (0 == share.queuePairs() && 0 == share.used())
        {
            shares.remove(share.address());
        }
    }

    /**
     * {@return whether a queue pair may take one more slot}
     *
     * @param has   how many it has.
     * @param share of its address.
     */
    public boolean mayAcquire(final int has, final RequestShare share)
    {
        return used < sizeMax && (has < sureEach ||
            2 * (has - sureEach) < sharedMax - sharedUsed && 2 * share.used() < sharedMax);
    }

    /**
     * {@return a slot; it {@link #mayAcquire may be acquired}}
     *
     * @param has   how many its queue pair has without it.
     * @param share of its address.
     */
    public Request acquire(final int has, final RequestShare share)
    {
        if (null == free)
        {
            grow();
        }
        final Request request = free;
        free = request.next();
        request.next(null);
        used++;
        if (has >= sureEach)
        {
            sharedUsed++;
            share.used(share.used() + 1);
        }
        return request;
    }

    /**
     * Gives a slot back.
     *
     * @param request that nobody uses any more.
     * @param has     how many its queue pair has without it.
     * @param share   of its address.
     */
    public void release(final Request request, final int has, final RequestShare share)
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
        if (has >= sureEach)
        {
            sharedUsed--;
            share.used(share.used() - 1);
            forgetUnused(share);
        }
    }

    /** A capsule waits for a slot. */
    public void onWait()
    {
        waitCount++;
    }

    /**
     * {@return how often a capsule had to wait for a slot}
     */
    public long waitCount()
    {
        return waitCount;
    }

    /**
     * {@return slots there are}
     */
    public int size()
    {
        return size;
    }

    /**
     * {@return slots in use}
     */
    public int used()
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
        final int count = Math.min(CHUNK, sizeMax - size);
        final long address = arena.allocate((long)count * entryBytes, entryBytes).address();
        for (int i = count - 1; i >= 0; i--)
        {
            final Request request = new Request(
                new UnsafeBuffer(address + (long)i * entryBytes, entryBytes), listener);
            request.next(free);
            free = request;
        }
        size += count;
    }
}
