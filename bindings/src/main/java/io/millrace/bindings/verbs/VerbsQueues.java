package io.millrace.bindings.verbs;

import io.millrace.bindings.Native;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.verbs.verbs_h;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Posting to queue pairs and polling of completion queues: what C does by inline functions that call the provider
 * through a table of its context. Nothing is allocated. One thread at a time for each queue. None of these calls
 * blocks;
 * a provider in software may carry out some of the work in them.
 */
public final class VerbsQueues
{
    private static final long CQ_CONTEXT = verbs_h.IBV_CQ_CONTEXT();
    private static final long QP_CONTEXT = verbs_h.IBV_QP_CONTEXT();
    private static final long POLL_CQ = verbs_h.IBV_CONTEXT_OPS_POLL_CQ();
    private static final long REQ_NOTIFY_CQ = verbs_h.IBV_CONTEXT_OPS_REQ_NOTIFY_CQ();
    private static final long POST_SEND = verbs_h.IBV_CONTEXT_OPS_POST_SEND();
    private static final long POST_RECV = verbs_h.IBV_CONTEXT_OPS_POST_RECV();
    private static final long SRQ_CONTEXT = verbs_h.IBV_SRQ_CONTEXT();
    private static final long POST_SRQ_RECV = verbs_h.IBV_CONTEXT_OPS_POST_SRQ_RECV();
    private static final MethodHandle CALL_3 = Native.linkPointerCritical(3);
    private static final MethodHandle CALL_2 = Native.linkPointerCritical(2);

    private VerbsQueues()
    {
    }

    /**
     * Takes completions.
     *
     * @param cqAddress          completion queue.
     * @param max                how many fit.
     * @param completionsAddress of an array of {@link WorkCompletion}, filled.
     * @return their number; negative when the queue is broken.
     */
    public static int poll(final long cqAddress, final int max, final long completionsAddress)
    {
        try
        {
            return (int)(long)CALL_3.invokeExact(
                function(cqAddress + CQ_CONTEXT, POLL_CQ), cqAddress, (long)max, completionsAddress);
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Has the next completion announced on the channel of a queue, once. Completions that came before are not: poll
     * once
     * more afterwards.
     *
     * @param cqAddress completion queue with a channel.
     * @return 0 or negated errno.
     */
    public static int requestNotification(final long cqAddress)
    {
        try
        {
            return -(int)(long)CALL_2.invokeExact(function(cqAddress + CQ_CONTEXT, REQ_NOTIFY_CQ), cqAddress, 0L);
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Posts a list of send requests.
     *
     * @param qpAddress      queue pair.
     * @param requestAddress first {@link SendRequest} of the list.
     * @param badAddress     64 bits that take the address of the first request that was not taken.
     * @return 0 or negated errno; {@code ENOMEM} when the queue is full.
     */
    public static int postSend(final long qpAddress, final long requestAddress, final long badAddress)
    {
        return post(qpAddress, POST_SEND, requestAddress, badAddress);
    }

    /**
     * Posts a list of receive requests.
     *
     * @param qpAddress      queue pair.
     * @param requestAddress first {@link ReceiveRequest} of the list.
     * @param badAddress     64 bits that take the address of the first request that was not taken.
     * @return 0 or negated errno; {@code ENOMEM} when the queue is full.
     */
    public static int postReceive(final long qpAddress, final long requestAddress, final long badAddress)
    {
        return post(qpAddress, POST_RECV, requestAddress, badAddress);
    }

    /**
     * Posts a list of receive requests for all queue pairs of a shared receive queue.
     *
     * @param srqAddress     shared receive queue.
     * @param requestAddress first {@link ReceiveRequest} of the list.
     * @param badAddress     64 bits that take the address of the first request that was not taken.
     * @return 0 or negated errno; {@code ENOMEM} when the queue is full.
     */
    public static int postSharedReceive(final long srqAddress, final long requestAddress, final long badAddress)
    {
        return post(srqAddress, srqAddress + SRQ_CONTEXT, POST_SRQ_RECV, requestAddress, badAddress);
    }

    private static int post(final long qpAddress, final long offset, final long requestAddress, final long badAddress)
    {
        return post(qpAddress, qpAddress + QP_CONTEXT, offset, requestAddress, badAddress);
    }

    /** Providers answer an error number; some negate it. */
    private static int post(
        final long queueAddress,
        final long contextPointerAddress,
        final long offset,
        final long requestAddress,
        final long badAddress)
    {
        try
        {
            final int status = (int)(long)CALL_3.invokeExact(
                function(contextPointerAddress, offset), queueAddress, requestAddress, badAddress);
            return status > 0 ? -status : status;
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    @SuppressWarnings("restricted")
    private static MemorySegment function(final long contextPointerAddress, final long offset)
    {
        return MemorySegment.ofAddress(NativeMemory.getLong(NativeMemory.getLong(contextPointerAddress) + offset));
    }
}
