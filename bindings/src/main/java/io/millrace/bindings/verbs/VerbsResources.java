package io.millrace.bindings.verbs;

import io.millrace.bindings.Native;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.verbs.verbs_h;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Protection domains, memory regions, completion channels and completion queues of libibverbs, by address. Set-up only:
 * most ask the kernel. Any thread, but one at a time for each object. Callers make
 * sure
 * that {@link VerbsCalls#capability} is available; otherwise calls throw {@link IllegalStateException}.
 */
public final class VerbsResources
{
    private static final long MR_LKEY = verbs_h.IBV_MR_LKEY();
    private static final long MR_RKEY = verbs_h.IBV_MR_RKEY();
    private static final long CHANNEL_FD = verbs_h.IBV_COMP_CHANNEL_FD();
    private static final long CONTEXT_DEVICE = verbs_h.IBV_CONTEXT_DEVICE();
    private static final long CONTEXT_ASYNC_FD = verbs_h.IBV_CONTEXT_ASYNC_FD();
    private static final long QP_NUMBER = verbs_h.IBV_QP_NUMBER();
    private static final long CQ_ENTRIES = verbs_h.IBV_CQ_CQE();

    private VerbsResources()
    {
    }

    /**
     * Makes a protection domain.
     *
     * @param contextAddress open device.
     * @return its address, or negated errno.
     */
    public static long allocatePd(final long contextAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.addressResult(capture, (long)Handles.ALLOC_PD.invokeExact(capture, contextAddress));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Frees a protection domain.
     *
     * @param pdAddress of {@link #allocatePd}; nothing is in it any more.
     * @return 0 or negated errno.
     */
    public static int deallocatePd(final long pdAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return VerbsErrors.status(capture, (long)Handles.DEALLOC_PD.invokeExact(capture, pdAddress));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Pins memory and makes it a region. Takes milliseconds a gigabyte.
     *
     * @param pdAddress   protection domain.
     * @param address     of the memory.
     * @param lengthBytes of the memory, up to what the device says.
     * @param access      {@code IBV_ACCESS_*}.
     * @return address of the region, or negated errno; {@code ENOMEM} also when the process may not lock so much
     *     memory.
     */
    public static long registerMr(final long pdAddress, final long address, final long lengthBytes, final int access)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.addressResult(
                capture, (long)Handles.REG_MR.invokeExact(capture, pdAddress, address, lengthBytes, (long)access));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Frees a region; its keys are invalid then.
     *
     * @param mrAddress of {@link #registerMr}; no work request uses it.
     * @return 0 or negated errno.
     */
    public static int deregisterMr(final long mrAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return VerbsErrors.status(capture, (long)Handles.DEREG_MR.invokeExact(capture, mrAddress));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Makes a channel on which completion queues announce completions.
     *
     * @param contextAddress open device.
     * @return its address, or negated errno.
     */
    public static long createChannel(final long contextAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.addressResult(capture, (long)Handles.CREATE_CHANNEL.invokeExact(capture, contextAddress));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Frees a channel.
     *
     * @param channelAddress of {@link #createChannel}; no completion queue uses it.
     * @return 0 or negated errno.
     */
    public static int destroyChannel(final long channelAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return VerbsErrors.status(capture, (long)Handles.DESTROY_CHANNEL.invokeExact(capture, channelAddress));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Makes a completion queue.
     *
     * @param contextAddress open device.
     * @param entries        at least; the device may make more.
     * @param userAddress    any number, which {@link #cqEvent} answers.
     * @param channelAddress of {@link #createChannel}, or 0.
     * @return its address, or negated errno.
     */
    public static long createCq(
        final long contextAddress, final int entries, final long userAddress, final long channelAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.addressResult(
                capture, (long)Handles.CREATE_CQ.invokeExact(
                    capture, contextAddress, (long)entries, userAddress, channelAddress, 0L));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Frees a completion queue. Waits until all its events have been acknowledged.
     *
     * @param cqAddress of {@link #createCq}; no queue pair uses it.
     * @return 0 or negated errno.
     */
    public static int destroyCq(final long cqAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return VerbsErrors.status(capture, (long)Handles.DESTROY_CQ.invokeExact(capture, cqAddress));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Takes an event from a channel. Blocks until one comes: call when the descriptor is readable.
     *
     * @param channelAddress channel.
     * @param cqOutAddress   64 bits that take the address of the completion queue.
     * @param userOutAddress 64 bits that take its number.
     * @return 0 or negated errno.
     */
    public static int cqEvent(final long channelAddress, final long cqOutAddress, final long userOutAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return VerbsErrors.status(
                capture, (long)Handles.GET_CQ_EVENT.invokeExact(capture, channelAddress, cqOutAddress, userOutAddress));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Says that events of a completion queue are dealt with.
     *
     * @param cqAddress completion queue.
     * @param count     of events.
     */
    public static void acknowledgeCqEvents(final long cqAddress, final int count)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            final long ignored = (long)Handles.ACK_CQ_EVENTS.invokeExact(capture, cqAddress, (long)count);
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Changes attributes of a queue pair.
     *
     * @param qpAddress         queue pair.
     * @param attributesAddress of {@link QueuePairState}.
     * @param mask              {@code IBV_QP_*} of those that are changed.
     * @return 0 or negated errno.
     */
    public static int modifyQp(final long qpAddress, final long attributesAddress, final int mask)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return VerbsErrors.status(
                capture, (long)Handles.MODIFY_QP.invokeExact(capture, qpAddress, attributesAddress, (long)mask));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Takes an asynchronous event of a device. Blocks until one comes, unless the descriptor is non-blocking.
     *
     * @param contextAddress open device.
     * @param eventAddress   of an {@link AsyncEvent}, filled.
     * @return 0 or negated errno; {@code EAGAIN} when a non-blocking descriptor has none.
     */
    public static int asyncEvent(final long contextAddress, final long eventAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return VerbsErrors.status(
                capture, (long)Handles.GET_ASYNC_EVENT.invokeExact(capture, contextAddress, eventAddress));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Says that an asynchronous event is dealt with: what it is about is destroyed only then.
     *
     * @param eventAddress as {@link #asyncEvent} filled it.
     */
    public static void acknowledgeAsyncEvent(final long eventAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            final long ignored = (long)Handles.ACK_ASYNC_EVENT.invokeExact(capture, eventAddress);
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * {@return the descriptor that is readable while a device has asynchronous events}
     *
     * @param contextAddress open device.
     */
    public static int asyncDescriptor(final long contextAddress)
    {
        return NativeMemory.getInt(contextAddress + CONTEXT_ASYNC_FD);
    }

    /**
     * {@return the address of the {@link VerbsDevice} of an open device}
     *
     * @param contextAddress open device.
     */
    public static long device(final long contextAddress)
    {
        return NativeMemory.getLong(contextAddress + CONTEXT_DEVICE);
    }

    /**
     * {@return the number of a queue pair}
     *
     * @param qpAddress queue pair.
     */
    public static int queuePairNumber(final long qpAddress)
    {
        return NativeMemory.getInt(qpAddress + QP_NUMBER);
    }

    /**
     * {@return the key of a region for work requests}
     *
     * @param mrAddress of {@link #registerMr}.
     */
    public static int localKey(final long mrAddress)
    {
        return NativeMemory.getInt(mrAddress + MR_LKEY);
    }

    /**
     * {@return the key of a region for the peer}
     *
     * @param mrAddress of {@link #registerMr}.
     */
    public static int remoteKey(final long mrAddress)
    {
        return NativeMemory.getInt(mrAddress + MR_RKEY);
    }

    /**
     * {@return the descriptor that is readable while a channel has events}
     *
     * @param channelAddress of {@link #createChannel}.
     */
    public static int channelDescriptor(final long channelAddress)
    {
        return NativeMemory.getInt(channelAddress + CHANNEL_FD);
    }

    /**
     * {@return how many completions a queue holds}
     *
     * @param cqAddress of {@link #createCq}.
     */
    public static int entries(final long cqAddress)
    {
        return NativeMemory.getInt(cqAddress + CQ_ENTRIES);
    }

    private static final class Handles
    {
        private static final MethodHandle ALLOC_PD = link("ibv_alloc_pd", verbs_h.ibv_alloc_pd$descriptor());
        private static final MethodHandle DEALLOC_PD = link("ibv_dealloc_pd", verbs_h.ibv_dealloc_pd$descriptor());
        private static final MethodHandle REG_MR = link("ibv_reg_mr", verbs_h.ibv_reg_mr$descriptor());
        private static final MethodHandle DEREG_MR = link("ibv_dereg_mr", verbs_h.ibv_dereg_mr$descriptor());
        private static final MethodHandle CREATE_CHANNEL =
            link("ibv_create_comp_channel", verbs_h.ibv_create_comp_channel$descriptor());
        private static final MethodHandle DESTROY_CHANNEL =
            link("ibv_destroy_comp_channel", verbs_h.ibv_destroy_comp_channel$descriptor());
        private static final MethodHandle CREATE_CQ = link("ibv_create_cq", verbs_h.ibv_create_cq$descriptor());
        private static final MethodHandle DESTROY_CQ = link("ibv_destroy_cq", verbs_h.ibv_destroy_cq$descriptor());
        private static final MethodHandle GET_CQ_EVENT =
            link("ibv_get_cq_event", verbs_h.ibv_get_cq_event$descriptor());
        private static final MethodHandle MODIFY_QP = link("ibv_modify_qp", verbs_h.ibv_modify_qp$descriptor());
        private static final MethodHandle GET_ASYNC_EVENT =
            link("ibv_get_async_event", verbs_h.ibv_get_async_event$descriptor());
        private static final MethodHandle ACK_ASYNC_EVENT =
            link("ibv_ack_async_event", verbs_h.ibv_ack_async_event$descriptor());
        private static final MethodHandle ACK_CQ_EVENTS =
            link("ibv_ack_cq_events", verbs_h.ibv_ack_cq_events$descriptor());

        private static MethodHandle link(final String function, final FunctionDescriptor descriptor)
        {
            return VerbsCalls.library().linkErrno(function, descriptor);
        }
    }
}
