package io.millrace.rdma.endpoint;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeException;
import io.millrace.bindings.verbs.VerbsSharedReceiveQueues;
import io.millrace.bindings.verbs.WorkCompletion;
import io.millrace.rdma.RdmaException;
import io.millrace.rdma.core.RdmaCore;
import java.lang.foreign.Arena;

/**
 * Receive requests for many connections of a reactor on a device: whichever gets a message takes one. So memory for
 * messages follows the load of all, not the number of connections. A connection's {@link ConnectionHandler} names the
 * queue when its queue pair is made, and is given its messages, with the id of the request. Requests end in any order.
 * A queue without requests lets peers wait, and then fail as {@link CompletionStatus#RECEIVER_NOT_READY}.
 * <p>
 * Made by {@link RdmaDomain#sharedReceiveQueue}, and closed with it at the latest. Reactor's thread; nothing is
 * allocated for a request.
 */
public final class SharedReceiveQueue implements CompletionTarget, AutoCloseable
{
    /** Of a queue pair's number of 24 bits. */
    private static final int PAGE_BITS = 12;
    private static final int PAGE_MASK = (1 << PAGE_BITS) - 1;

    private final RdmaDomain domain;
    private final RdmaCore core;
    private final CompletionQueue completions;
    private final SharedReceiveListener listener;
    private final NextRequest next;
    private final ReceiveList list;
    private final DoorbellList.Entry doorbell;
    private final int depth;
    private final int slot;
    private final long srqAddress;
    private final long[] ids;
    private final boolean[] isPosted;
    private final int[] free;
    private int freeCount;
    /** By number, upper half first: a table of two levels is read without a search. */
    private final RdmaQueuePair[][] pairs = new RdmaQueuePair[1 << PAGE_BITS][];
    private int users;
    private boolean isClosed;
    private boolean isHolding;

    SharedReceiveQueue(
        final RdmaDomain domain,
        final RdmaCore core,
        final CompletionQueue completions,
        final int depth,
        final int segments,
        final SharedReceiveListener listener)
    {
        this.domain = domain;
        this.core = core;
        this.completions = completions;
        this.depth = depth;
        this.listener = listener;
        slot = completions.add(this, depth);
        try (Arena arena = Arena.ofConfined())
        {
            final long attributes =
                arena.allocate(VerbsSharedReceiveQueues.ATTRIBUTES_BYTES, Long.BYTES).address();
            VerbsSharedReceiveQueues.attributes(attributes, depth, segments);
            srqAddress = domain.events().create(
                () -> core.createSharedReceiveQueue(domain.memory().pdAddress(), attributes));
        }
        if (srqAddress < 0)
        {
            completions.remove(slot, depth);
            throw new RdmaException("no shared receive queue of " + depth + " requests with " + segments +
                " segments on " + domain.deviceName() + ": " + Errno.describe((int)-srqAddress) +
                "; the device has its limits in: millrace rdma devices");
        }
        next = new NextRequest(segments, 1);
        list = next.receives(Math.min(RdmaQueuePair.LIST_MAX, depth));
        doorbell = completions.doorbells().entry(this::ring);
        ids = new long[depth];
        isPosted = new boolean[depth];
        free = new int[depth];
        for (int i = 0; i < depth; i++)
        {
            free[i] = depth - 1 - i;
        }
        freeCount = depth;
    }

    long srqAddress()
    {
        return srqAddress;
    }

    CompletionQueue completions()
    {
        return completions;
    }

    /**
     * {@return how many requests can be posted now}
     */
    public int room()
    {
        return isClosed ? 0 : freeCount;
    }

    /**
     * Adds a segment to the next request.
     *
     * @param address     of the memory, in a region of the domain that the device may write.
     * @param lengthBytes of the memory, unsigned.
     * @param localKey    of the region.
     * @return this queue.
     * @throws IllegalStateException when there are as many as it was made for.
     */
    public SharedReceiveQueue segment(final long address, final int lengthBytes, final int localKey)
    {
        next.segment(address, lengthBytes, localKey);
        return this;
    }

    /**
     * Has requests collected from now on: what is posted while its messages are reported leaves at the end of that poll
     * of its completion queue, as one list; what is posted at another time, at the end of the next poll, which the
     * reactor does in each of its cycles, or with {@link #ring}. A list of 32 is full, and leaves at once.
     */
    public void holdUntilPolled()
    {
        isHolding = true;
    }

    /**
     * Posts what was collected, and goes on to collect.
     *
     * @return whether anything was collected.
     */
    public boolean ring()
    {
        if (isClosed || 0 == list.count())
        {
            return false;
        }
        if (0 != core.postSharedReceive(srqAddress, list.take(), next.badAddress()))
        {
            // As with a queue pair: what the provider does not take ends the connections.
            onBroken();
        }
        return true;
    }

    /**
     * Posts a buffer for the next message of any of its connections.
     *
     * @param id that its completion is reported with.
     * @return false when there is no room, or the queue is closed; the device has not seen the request then.
     */
    public boolean postReceive(final long id)
    {
        final int segments = next.takeSegments();
        if (isClosed || 0 == freeCount)
        {
            return false;
        }
        freeCount--;
        final int place = free[freeCount];
        ids[place] = id;
        isPosted[place] = true;
        if (list.add(RequestId.receive(slot, place), next.segmentsAddress(), segments) || !isHolding)
        {
            ring();
        }
        else
        {
            doorbell.ringWhenPolled();
        }
        return true;
    }

    /**
     * Has the listener notified, once, when fewer requests are outstanding. Posts what was collected.
     *
     * @param requests 1 to the depth; 0: never.
     * @throws RdmaException when the device refuses.
     */
    public void limit(final int requests)
    {
        if (requests < 0 || requests > depth)
        {
            throw new IllegalArgumentException("limit " + requests + ": must be 0 to " + depth);
        }
        if (isClosed)
        {
            throw new IllegalStateException("the shared receive queue is closed");
        }
        // The device counts what it has.
        ring();
        try (Arena arena = Arena.ofConfined())
        {
            final long attributes =
                arena.allocate(VerbsSharedReceiveQueues.ATTRIBUTES_BYTES, Long.BYTES).address();
            VerbsSharedReceiveQueues.attributes(attributes, depth, 1);
            VerbsSharedReceiveQueues.limit(attributes, requests);
            final int status = core.limitSharedReceiveQueue(srqAddress, attributes);
            if (status < 0)
            {
                throw new RdmaException("no limit of " + requests + " requests on " + domain.deviceName() +
                    ": ibv_modify_srq: " + Errno.describe(-status));
            }
        }
    }

    /** A queue pair takes its requests from here. */
    void join(final int number, final RdmaQueuePair pair)
    {
        final int page = number >>> PAGE_BITS & PAGE_MASK;
        if (null == pairs[page])
        {
            pairs[page] = new RdmaQueuePair[1 << PAGE_BITS];
        }
        pairs[page][number & PAGE_MASK] = pair;
        users++;
    }

    /** A queue pair has been destroyed. */
    void leave(final int number)
    {
        pairs[number >>> PAGE_BITS & PAGE_MASK][number & PAGE_MASK] = null;
        users--;
    }

    @Override
    public void onSent(final int sequence, final int status)
    {
        throw new IllegalStateException("a shared receive queue sends nothing");
    }

    @Override
    public void onReceived(final int sequence, final int status, final long entry)
    {
        if (sequence < 0 || sequence >= depth || !isPosted[sequence])
        {
            return;
        }
        isPosted[sequence] = false;
        free[freeCount] = sequence;
        freeCount++;
        final int number = WorkCompletion.queuePair(entry);
        final RdmaQueuePair[] page = pairs[number >>> PAGE_BITS & PAGE_MASK];
        final RdmaQueuePair pair = null == page ? null : page[number & PAGE_MASK];
        if (null == pair)
        {
            listener.onReturned(ids[sequence]);
        }
        else
        {
            pair.onShared(ids[sequence], status, entry);
        }
    }

    @Override
    public void onBroken()
    {
        for (final RdmaQueuePair[] page : pairs)
        {
            for (int i = 0; null != page && i < page.length; i++)
            {
                if (null != page[i])
                {
                    page[i].onBroken();
                }
            }
        }
    }

    void onLimit()
    {
        listener.onLimit(this);
    }

    /**
     * Frees the queue; what is outstanding comes back. A second call does nothing.
     *
     * @throws IllegalStateException while a connection uses it.
     */
    @Override
    public void close()
    {
        if (isClosed)
        {
            return;
        }
        if (0 != users)
        {
            throw new IllegalStateException("a shared receive queue cannot be closed: " + users +
                " connections use it; close them and wait for onClosed");
        }
        final int status = destroy();
        if (-Errno.EIO != status)
        {
            NativeException.check("ibv_destroy_srq", status);
        }
        end();
    }

    /** {@return 0 or negated errno} */
    private int destroy()
    {
        return domain.events().destroy(srqAddress, () -> core.destroySharedReceiveQueue(srqAddress));
    }

    /** Its domain is closed: the device frees with its context what it does not free now. */
    void abandon()
    {
        if (!isClosed)
        {
            destroy();
            end();
        }
    }

    private void end()
    {
        isClosed = true;
        next.close();
        completions.remove(slot, depth);
        domain.remove(this);
        for (int i = 0; i < depth; i++)
        {
            if (isPosted[i])
            {
                isPosted[i] = false;
                listener.onReturned(ids[i]);
            }
        }
    }
}
