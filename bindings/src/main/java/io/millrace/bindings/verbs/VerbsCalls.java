package io.millrace.bindings.verbs;

import io.millrace.bindings.Architecture;
import io.millrace.bindings.Capability;
import io.millrace.bindings.Errno;
import io.millrace.bindings.Native;
import io.millrace.bindings.NativeLibrary;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.verbs.ibv_gid_entry;
import io.millrace.bindings.generated.verbs.verbs_h;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;

/**
 * Calls of libibverbs. Its functions report errors in three ways: as their result, in {@code errno} with -1 or NULL, or
 * negated; here all answer a negated {@code errno}. Set-up only: most ask the kernel and may block. Any thread; a
 * context is closed by one thread, when no other uses it. Callers make sure that {@link #capability} is available;
 * otherwise calls throw {@link IllegalStateException}.
 */
public final class VerbsCalls
{
    /** Most entries of a GID table that one call asks for: their size is 16 bits long in the kernel's interface. */
    public static final int GIDS_MAX = 0xFFFF / (int)ibv_gid_entry.sizeof();

    private static final long EXTENDED_ABI = -1L;
    private static final long ABI_COMPAT = Architecture.current().verbsContextAbiCompatOffset();
    private static final long SIZE = verbs_h.VERBS_CONTEXT_SZ();
    private static final long QUERY_PORT = verbs_h.VERBS_CONTEXT_QUERY_PORT();
    private static final long QUERY_DEVICE_EX = verbs_h.VERBS_CONTEXT_QUERY_DEVICE_EX();

    private VerbsCalls()
    {
    }

    /**
     * {@return whether libibverbs can be used, and which package to install when not} Loads it on the first call.
     */
    public static Capability capability()
    {
        return Library.VERBS.capability();
    }

    /**
     * Finds the devices of this machine.
     *
     * @param countAddress 32 bits that take the number of devices.
     * @return address of an array of {@link VerbsDevice} addresses, for {@link #freeDeviceList}; or negated errno,
     *     {@code ENOSYS} when the kernel has no {@code ib_uverbs}.
     */
    public static long getDeviceList(final long countAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.addressResult(capture, (long)Handles.GET_DEVICE_LIST.invokeExact(capture, countAddress));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Frees what {@link #getDeviceList} answered; devices that are not open are then invalid.
     *
     * @param listAddress of the list.
     */
    public static void freeDeviceList(final long listAddress)
    {
        try
        {
            final long ignored = (long)Handles.FREE_DEVICE_LIST.invokeExact(Native.capture(), listAddress);
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Opens a device, that is, its {@code /dev/infiniband/uverbsN}.
     *
     * @param deviceAddress {@link VerbsDevice}.
     * @return address of the context, or negated errno.
     */
    public static long openDevice(final long deviceAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.addressResult(capture, (long)Handles.OPEN_DEVICE.invokeExact(capture, deviceAddress));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Closes a device. All that was made of it is gone before.
     *
     * @param contextAddress of {@link #openDevice}.
     * @return 0 or negated errno.
     */
    public static int closeDevice(final long contextAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return VerbsErrors.status(capture, (long)Handles.CLOSE_DEVICE.invokeExact(capture, contextAddress));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Asks for the attributes of a device; what a provider without extended attributes does not say is 0.
     *
     * @param contextAddress    open device.
     * @param attributesAddress of {@link DeviceAttributes}, filled.
     * @return 0 or negated errno.
     */
    public static int queryDevice(final long contextAddress, final long attributesAddress)
    {
        NativeMemory.fill(attributesAddress, DeviceAttributes.SIZE_BYTES, (byte)0);
        try
        {
            final MemorySegment capture = Native.capture();
            final MemorySegment extended = extended(contextAddress, QUERY_DEVICE_EX);
            if (MemorySegment.NULL != extended)
            {
                final int status = VerbsErrors.status(capture, (long)Pointers.CALL_4.invokeExact(extended, capture,
                    contextAddress, 0L, attributesAddress, (long)DeviceAttributes.SIZE_BYTES));
                if (-Errno.EOPNOTSUPP != status && -Errno.ENOSYS != status)
                {
                    return status;
                }
            }
            return VerbsErrors.status(
                capture, (long)Handles.QUERY_DEVICE.invokeExact(capture, contextAddress, attributesAddress));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Asks for the attributes of a port. The function that libibverbs exports under this name fills a shorter
     * structure of former versions; this is the present one.
     *
     * @param contextAddress    open device.
     * @param port              number, from 1.
     * @param attributesAddress of {@link PortAttributes}, filled.
     * @return 0 or negated errno; {@code EOPNOTSUPP} when libibverbs is older than that function.
     */
    public static int queryPort(final long contextAddress, final int port, final long attributesAddress)
    {
        NativeMemory.fill(attributesAddress, PortAttributes.SIZE_BYTES, (byte)0);
        final MemorySegment function = extended(contextAddress, QUERY_PORT);
        if (MemorySegment.NULL == function)
        {
            return -Errno.EOPNOTSUPP;
        }
        try
        {
            final MemorySegment capture = Native.capture();
            return VerbsErrors.status(capture, (long)Pointers.CALL_4.invokeExact(function, capture,
                contextAddress, (long)port, attributesAddress, (long)PortAttributes.SIZE_BYTES));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Reads the GIDs of all ports of a device that are in use.
     *
     * @param contextAddress open device.
     * @param entriesAddress of an array of {@link GidEntry}, filled.
     * @param entriesMax     how many fit; fewer than there are is an error. At most {@link #GIDS_MAX} are asked for.
     * @return their number or negated errno.
     */
    public static int queryGidTable(final long contextAddress, final long entriesAddress, final int entriesMax)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return (int)(long)Handles.QUERY_GID_TABLE.invokeExact(
                capture, contextAddress, entriesAddress, (long)Math.min(entriesMax, GIDS_MAX), 0L,
                ibv_gid_entry.sizeof());
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Reads a partition key of a port.
     *
     * @param contextAddress open device.
     * @param port           number, from 1.
     * @param index          in the port's table.
     * @param keyAddress     16 bits that take the key, in network byte order.
     * @return 0 or negated errno.
     */
    public static int queryPkey(final long contextAddress, final int port, final int index, final long keyAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return VerbsErrors.status(capture, (long)Handles.QUERY_PKEY.invokeExact(
                capture, contextAddress, (long)port, (long)index, keyAddress));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Finds a function of {@code struct verbs_context}, which lies before the context and grows at its beginning.
     *
     * @param contextAddress open device.
     * @param distance       of the pointer to it, before the context.
     * @return the function; {@link MemorySegment#NULL} itself when the library, or the provider, does not have it.
     */
    @SuppressWarnings("restricted")
    static MemorySegment extended(final long contextAddress, final long distance)
    {
        if (EXTENDED_ABI != NativeMemory.getLong(contextAddress + ABI_COMPAT))
        {
            return MemorySegment.NULL;
        }
        // The size counts the ibv_context too, whose last field abi_compat is.
        final long before = NativeMemory.getLong(contextAddress - SIZE) - (ABI_COMPAT + Long.BYTES);
        final long pointer = before < distance ? 0L : NativeMemory.getLong(contextAddress - distance);
        return 0L == pointer ? MemorySegment.NULL : MemorySegment.ofAddress(pointer);
    }

    /** The library, for what else links functions of it. */
    static NativeLibrary library()
    {
        return Library.VERBS;
    }

    /** Loaded when the first call, or the question whether there is one, needs it. */
    private static final class Library
    {
        private static final NativeLibrary VERBS = VerbsEnvironment.probe("verbs library",
            "install libibverbs1 and ibverbs-providers (Debian) or libibverbs (Fedora) of rdma-core 32 or newer",
            "libibverbs.so.1", List.of(
                "ibv_get_device_list", "ibv_free_device_list", "ibv_open_device", "ibv_close_device",
                "ibv_query_device", "_ibv_query_gid_table", "ibv_query_pkey",
                "ibv_alloc_pd", "ibv_dealloc_pd", "ibv_reg_mr", "ibv_dereg_mr",
                "ibv_create_comp_channel", "ibv_destroy_comp_channel", "ibv_create_cq", "ibv_destroy_cq",
                "ibv_get_cq_event", "ibv_ack_cq_events",
                "ibv_modify_qp", "ibv_get_async_event", "ibv_ack_async_event",
                "ibv_create_srq", "ibv_modify_srq", "ibv_destroy_srq", "ibv_create_ah", "ibv_destroy_ah"));
    }

    private static final class Handles
    {
        private static final MethodHandle GET_DEVICE_LIST =
            link("ibv_get_device_list", verbs_h.ibv_get_device_list$descriptor());
        private static final MethodHandle FREE_DEVICE_LIST =
            link("ibv_free_device_list", verbs_h.ibv_free_device_list$descriptor());
        private static final MethodHandle OPEN_DEVICE = link("ibv_open_device", verbs_h.ibv_open_device$descriptor());
        private static final MethodHandle CLOSE_DEVICE =
            link("ibv_close_device", verbs_h.ibv_close_device$descriptor());
        private static final MethodHandle QUERY_DEVICE =
            link("ibv_query_device", verbs_h.ibv_query_device$descriptor());
        private static final MethodHandle QUERY_GID_TABLE =
            link("_ibv_query_gid_table", verbs_h._ibv_query_gid_table$descriptor());
        private static final MethodHandle QUERY_PKEY = link("ibv_query_pkey", verbs_h.ibv_query_pkey$descriptor());

        private static MethodHandle link(final String function, final FunctionDescriptor descriptor)
        {
            return Library.VERBS.linkErrno(function, descriptor);
        }
    }

    /** Functions of contexts, by the number of their arguments. */
    private static final class Pointers
    {
        private static final MethodHandle CALL_4 = Native.linkPointerErrno(4);
    }
}
