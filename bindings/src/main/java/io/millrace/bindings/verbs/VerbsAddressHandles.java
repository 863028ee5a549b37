package io.millrace.bindings.verbs;

import io.millrace.bindings.Native;
import io.millrace.bindings.generated.verbs.verbs_h;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Address handles of libibverbs, by address: where datagrams go. Set-up only: each call asks the kernel. Any thread,
 * but
 * one at a time for each handle. Callers make sure that {@link VerbsCalls#capability} is available; otherwise calls
 * throw {@link IllegalStateException}.
 */
public final class VerbsAddressHandles
{
    private VerbsAddressHandles()
    {
    }

    /**
     * Makes an address handle.
     *
     * @param pdAddress         protection domain.
     * @param attributesAddress {@code struct ibv_ah_attr}, such as an event of the connection manager has.
     * @return its address, or negated errno.
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
     * Frees an address handle.
     *
     * @param handleAddress of {@link #create}; no outstanding request uses it.
     * @return 0 or negated errno.
     */
    public static int destroy(final long handleAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return VerbsErrors.status(capture, (long)Handles.DESTROY.invokeExact(capture, handleAddress));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    private static final class Handles
    {
        private static final MethodHandle CREATE = link("ibv_create_ah", verbs_h.ibv_create_ah$descriptor());
        private static final MethodHandle DESTROY = link("ibv_destroy_ah", verbs_h.ibv_destroy_ah$descriptor());

        private static MethodHandle link(final String function, final FunctionDescriptor descriptor)
        {
            return VerbsCalls.library().linkErrno(function, descriptor);
        }
    }
}
