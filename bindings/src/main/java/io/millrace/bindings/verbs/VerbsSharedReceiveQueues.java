package io.millrace.bindings.verbs;

import io.millrace.bindings.Native;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.verbs.verbs_h;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Shared receive queues of libibverbs, by address. Set-up only: each call asks the kernel. Any thread, but one at a
 * time
 * for each queue. Callers make sure that {@link VerbsCalls#capability} is available; otherwise calls throw
 * {@link IllegalStateException}.
 */
public final class VerbsSharedReceiveQueues
{
    /** Size of {@code struct ibv_srq_init_attr}. */
    public static final int ATTRIBUTES_BYTES = (int)verbs_h.IBV_SRQ_INIT_ATTR_SIZE();
    private static final long MAX_REQUESTS = verbs_h.IBV_SRQ_INIT_ATTR_MAX_WR();
    private static final long MAX_SEGMENTS = verbs_h.IBV_SRQ_INIT_ATTR_MAX_SGE();
    private static final long LIMIT = verbs_h.IBV_SRQ_INIT_ATTR_LIMIT();
    private static final long ATTRIBUTES = verbs_h.IBV_SRQ_INIT_ATTR_ATTR();

    private VerbsSharedReceiveQueues()
    {
    }

    /**
     * Fills the attributes of a new queue.
     *
     * @param address  of {@link #ATTRIBUTES_BYTES}.
     * @param requests outstanding at once.
     * @param segments of a request.
     */
    public static void attributes(final long address, final int requests, final int segments)
    {
        NativeMemory.fill(address, ATTRIBUTES_BYTES, (byte)0);
        NativeMemory.putInt(address + MAX_REQUESTS, requests);
        NativeMemory.putInt(address + MAX_SEGMENTS, segments);
    }

    /**
     * {@return outstanding requests, as they were asked for or granted}
     *
     * @param address of {@link #ATTRIBUTES_BYTES}.
     */
    public static int requests(final long address)
    {
        return NativeMemory.getInt(address + MAX_REQUESTS);
    }

    /**
     * {@return segments of a request, as they were asked for or granted}
     *
     * @param address of {@link #ATTRIBUTES_BYTES}.
     */
    public static int segments(final long address)
    {
        return NativeMemory.getInt(address + MAX_SEGMENTS);
    }

    /**
     * {@return the limit, of attributes that {@link #limit} filled}
     *
     * @param address of {@link #ATTRIBUTES_BYTES}.
     */
    public static int limit(final long address)
    {
        return NativeMemory.getInt(address + LIMIT);
    }

    /**
     * Sets the limit in attributes.
     *
     * @param address of {@link #ATTRIBUTES_BYTES}.
     * @param value   requests; with fewer the device reports {@code IBV_EVENT_SRQ_LIMIT_REACHED}, once.
     */
    public static void limit(final long address, final int value)
    {
        NativeMemory.putInt(address + LIMIT, value);
    }

    /**
     * Makes a shared receive queue.
     *
     * @param pdAddress         protection domain.
     * @param attributesAddress of {@link #attributes}; what was granted is written back.
     * @return its address, or negated errno; {@code ENOSYS} or {@code EOPNOTSUPP} when the device has none.
     */
    public static long create(final long pdAddress, final long attributesAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.addressResult(
                capture, (long)Handles.CREATE.invokeExact(capture, pdAddress, attributesAddress));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Sets the limit of a queue, once it is created: it is disarmed by its event.
     *
     * @param srqAddress        of {@link #create}.
     * @param attributesAddress whose {@link #limit} is taken.
     * @return 0 or negated errno.
     */
    public static int modifyLimit(final long srqAddress, final long attributesAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return VerbsErrors.status(capture, (long)Handles.MODIFY.invokeExact(
                capture, srqAddress, attributesAddress + ATTRIBUTES, (long)Verbs.IBV_SRQ_LIMIT));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Frees a shared receive queue.
     *
     * @param srqAddress of {@link #create}; no queue pair uses it.
     * @return 0 or negated errno; {@code EBUSY} while a queue pair uses it.
     */
    public static int destroy(final long srqAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return VerbsErrors.status(capture, (long)Handles.DESTROY.invokeExact(capture, srqAddress));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    private static final class Handles
    {
        private static final MethodHandle CREATE = link("ibv_create_srq", verbs_h.ibv_create_srq$descriptor());
        private static final MethodHandle MODIFY = link("ibv_modify_srq", verbs_h.ibv_modify_srq$descriptor());
        private static final MethodHandle DESTROY = link("ibv_destroy_srq", verbs_h.ibv_destroy_srq$descriptor());

        private static MethodHandle link(final String function, final FunctionDescriptor descriptor)
        {
            return VerbsCalls.library().linkErrno(function, descriptor);
        }
    }
}
