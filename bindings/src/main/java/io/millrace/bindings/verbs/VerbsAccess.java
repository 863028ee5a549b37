package io.millrace.bindings.verbs;

import io.millrace.bindings.Capability;
import io.millrace.bindings.Errno;
import io.millrace.bindings.Native;
import io.millrace.bindings.NativeLibrary;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.verbs.verbs_h;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;

/**
 * Memory windows of libibverbs and regions of memory that has a dma-buf, by address. Set-up only: each call asks the
 * kernel. Any thread, but one at a time for each object. Callers make sure that {@link VerbsCalls#capability} is
 * available; otherwise calls throw {@link IllegalStateException}.
 */
public final class VerbsAccess
{
    private static final long PD_CONTEXT = verbs_h.IBV_PD_CONTEXT();
    private static final long MW_CONTEXT = verbs_h.IBV_MW_CONTEXT();
    private static final long MW_KEY = verbs_h.IBV_MW_RKEY();
    private static final long ALLOC_MW = verbs_h.IBV_CONTEXT_OPS_ALLOC_MW();
    private static final long DEALLOC_MW = verbs_h.IBV_CONTEXT_OPS_DEALLOC_MW();

    private VerbsAccess()
    {
    }

    /**
     * Makes a memory window of type 2, which is bound by a request of the send queue.
     *
     * @param pdAddress protection domain.
     * @return its address, or negated errno; {@code EOPNOTSUPP} when the device has none.
     */
    public static long allocateWindow(final long pdAddress)
    {
        final MemorySegment function = function(pdAddress + PD_CONTEXT, ALLOC_MW);
        if (0L == function.address())
        {
            return -Errno.EOPNOTSUPP;
        }
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.addressResult(
                capture, (long)Pointers.CALL_2.invokeExact(function, capture, pdAddress, (long)Verbs.IBV_MW_TYPE_2));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Frees a memory window; its key is invalid then.
     *
     * @param windowAddress of {@link #allocateWindow}.
     * @return 0 or negated errno.
     */
    public static int deallocateWindow(final long windowAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return VerbsErrors.status(capture, (long)Pointers.CALL_1.invokeExact(
                function(windowAddress + MW_CONTEXT, DEALLOC_MW), capture, windowAddress));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * {@return the key of a memory window; a binding changes its lowest 8 bits}
     *
     * @param windowAddress of {@link #allocateWindow}.
     */
    public static int windowKey(final long windowAddress)
    {
        return NativeMemory.getInt(windowAddress + MW_KEY);
    }

    /**
     * Sets the key of a memory window after it was bound by a request: providers name the window by it.
     *
     * @param windowAddress of {@link #allocateWindow}.
     * @param value         to set.
     */
    public static void windowKey(final long windowAddress, final int value)
    {
        NativeMemory.putInt(windowAddress + MW_KEY, value);
    }

    /**
     * {@return whether memory that has a dma-buf can be registered} The kernel and the device decide too.
     */
    public static Capability dmaBufCapability()
    {
        return DmaBuf.LIBRARY.capability();
    }

    /**
     * Makes a region of memory that has a dma-buf: memory of another device, maybe without an address here.
     *
     * @param pdAddress   protection domain.
     * @param offset      in the dma-buf.
     * @param lengthBytes of the region.
     * @param address     by which requests name its begin.
     * @param fd          dma-buf.
     * @param access      {@code IBV_ACCESS_*}.
     * @return address of the region, for {@link VerbsResources#deregisterMr}, or negated errno; {@code EOPNOTSUPP} when
     *     the library, the kernel or the device cannot.
     */
    public static long registerDmaBuf(
        final long pdAddress,
        final long offset,
        final long lengthBytes,
        final long address,
        final int fd,
        final int access)
    {
        if (!DmaBuf.LIBRARY.capability().isAvailable())
        {
            return -Errno.EOPNOTSUPP;
        }
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.addressResult(capture, (long)DmaBuf.REGISTER.invokeExact(
                capture, pdAddress, offset, lengthBytes, address, (long)fd, (long)access));
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

    /** Functions of contexts, by the number of their arguments. */
    private static final class Pointers
    {
        private static final MethodHandle CALL_1 = Native.linkPointerErrno(1);
        private static final MethodHandle CALL_2 = Native.linkPointerErrno(2);
    }

    /** Newer than the other functions, so looked for by itself. */
    private static final class DmaBuf
    {
        private static final NativeLibrary LIBRARY = VerbsEnvironment.probe("regions of dma-bufs",
            "install libibverbs1 (Debian) or libibverbs (Fedora) of rdma-core 34 or newer",
            "libibverbs.so.1", List.of("ibv_reg_dmabuf_mr"));
        private static final MethodHandle REGISTER = LIBRARY.capability().isAvailable() ?
            LIBRARY.linkErrno("ibv_reg_dmabuf_mr", verbs_h.ibv_reg_dmabuf_mr$descriptor()) : null;
    }
}
