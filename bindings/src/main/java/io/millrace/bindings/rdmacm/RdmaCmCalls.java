package io.millrace.bindings.rdmacm;

import io.millrace.bindings.Capability;
import io.millrace.bindings.Native;
import io.millrace.bindings.NativeLibrary;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.rdmacm.rdma_event_channel;
import io.millrace.bindings.generated.rdmacm.rdmacm_h;
import io.millrace.bindings.verbs.VerbsEnvironment;
import io.millrace.bindings.verbs.VerbsErrors;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;

/**
 * Calls of librdmacm: connections between RDMA queue pairs by IP addresses. None blocks but those that say so; answers
 * of
 * the network come as events. Control path only; one thread at a time for each channel and what is on it. Callers make
 * sure that {@link #capability} is available; otherwise calls throw {@link IllegalStateException}.
 */
public final class RdmaCmCalls
{
    /** Port space of reliable connections. */
    private static final long TCP = rdmacm_h.RDMA_PS_TCP();
    /** Port space of datagrams. */
    private static final long UDP = rdmacm_h.RDMA_PS_UDP();
    private static final long CHANNEL_FD = rdma_event_channel.fd$offset();

    private RdmaCmCalls()
    {
    }

    /**
     * {@return whether librdmacm can be used, and which package to install when not} Loads it on the first call.
     */
    public static Capability capability()
    {
        return Library.RDMACM.capability();
    }

    /**
     * {@return the descriptor that is readable while a channel has events}
     *
     * @param channelAddress of {@link #createEventChannel}.
     */
    public static int descriptor(final long channelAddress)
    {
        return NativeMemory.getInt(channelAddress + CHANNEL_FD);
    }

    /**
     * Makes a channel on which the events of connections come.
     *
     * @return its address, or negated errno; {@code ENODEV} when the kernel has no {@code rdma_ucm}.
     */
    public static long createEventChannel()
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.addressResult(capture, (long)Handles.CREATE_EVENT_CHANNEL.invokeExact(capture));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Frees a channel.
     *
     * @param channelAddress of {@link #createEventChannel}; without identifiers.
     */
    public static void destroyEventChannel(final long channelAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            final long ignored = (long)Handles.DESTROY_EVENT_CHANNEL.invokeExact(capture, channelAddress);
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Makes an identifier: what a socket is to TCP.
     *
     * @param channelAddress on which its events come.
     * @param idOutAddress   64 bits that take its address.
     * @param userAddress    any number, which {@link ConnectionId#user} answers.
     * @return 0 or negated errno.
     */
    public static int createId(final long channelAddress, final long idOutAddress, final long userAddress)
    {
        return createId(channelAddress, idOutAddress, userAddress, TCP);
    }

    /**
     * Makes an identifier of the port space of datagrams: what a UDP socket is.
     *
     * @param channelAddress on which its events come.
     * @param idOutAddress   64 bits that take its address.
     * @param userAddress    any number, which {@link ConnectionId#user} answers.
     * @return 0 or negated errno.
     */
    public static int createDatagramId(final long channelAddress, final long idOutAddress, final long userAddress)
    {
        return createId(channelAddress, idOutAddress, userAddress, UDP);
    }

    private static int createId(
        final long channelAddress, final long idOutAddress, final long userAddress, final long portSpace)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return VerbsErrors.status(capture, (long)Handles.CREATE_ID.invokeExact(
                capture, channelAddress, idOutAddress, userAddress, portSpace));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Frees an identifier. Waits until all its events have been acknowledged.
     *
     * @param idAddress of {@link #createId}, or of a request to connect; without queue pair.
     * @return 0 or negated errno.
     */
    public static int destroyId(final long idAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return VerbsErrors.status(capture, (long)Handles.DESTROY_ID.invokeExact(capture, idAddress));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Gives an identifier an address of this machine, and with it a device.
     *
     * @param idAddress     identifier.
     * @param socketAddress {@code sockaddr} of any family.
     * @return 0 or negated errno.
     */
    public static int bind(final long idAddress, final long socketAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return VerbsErrors.status(capture, (long)Handles.BIND_ADDR.invokeExact(capture, idAddress, socketAddress));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Finds the device by which an address is reached; the answer is an event.
     *
     * @param idAddress          identifier.
     * @param sourceAddress      {@code sockaddr} of this machine, or 0.
     * @param destinationAddress {@code sockaddr} of the peer.
     * @param timeoutMs          in milliseconds.
     * @return 0 or negated errno.
     */
    public static int resolveAddress(
        final long idAddress, final long sourceAddress, final long destinationAddress, final int timeoutMs)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return VerbsErrors.status(
                capture, (long)Handles.RESOLVE_ADDR.invokeExact(
                    capture, idAddress, sourceAddress, destinationAddress, (long)timeoutMs));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Resolves the route to the peer; the answer is an event.
     *
     * @param idAddress identifier with a device.
     * @param timeoutMs in milliseconds.
     * @return 0 or negated errno.
     */
    public static int resolveRoute(final long idAddress, final int timeoutMs)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return VerbsErrors.status(
                capture, (long)Handles.RESOLVE_ROUTE.invokeExact(capture, idAddress, (long)timeoutMs));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Makes the queue pair of a connection.
     *
     * @param idAddress         identifier with a device.
     * @param pdAddress         protection domain of that device.
     * @param attributesAddress of {@link io.millrace.bindings.verbs.QueuePairAttributes}; what was granted is written
     *                          back.
     * @return 0 or negated errno.
     */
    public static int createQueuePair(final long idAddress, final long pdAddress, final long attributesAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return VerbsErrors.status(
                capture, (long)Handles.CREATE_QP.invokeExact(capture, idAddress, pdAddress, attributesAddress));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Frees the queue pair of an identifier. Does nothing when it has none.
     *
     * @param idAddress identifier.
     */
    public static void destroyQueuePair(final long idAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            final long ignored = (long)Handles.DESTROY_QP.invokeExact(capture, idAddress);
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Asks the peer for a connection; the answer is an event.
     *
     * @param idAddress         identifier with a route and a queue pair.
     * @param parametersAddress of {@link ConnectionParameters}.
     * @return 0 or negated errno.
     */
    public static int connect(final long idAddress, final long parametersAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return VerbsErrors.status(
                capture, (long)Handles.CONNECT.invokeExact(capture, idAddress, parametersAddress));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Takes requests to connect; each is an event.
     *
     * @param idAddress bound identifier.
     * @param backlog   requests that wait to be taken.
     * @return 0 or negated errno.
     */
    public static int listen(final long idAddress, final int backlog)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return VerbsErrors.status(capture, (long)Handles.LISTEN.invokeExact(capture, idAddress, (long)backlog));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Accepts a request to connect.
     *
     * @param idAddress         of the request, with a queue pair.
     * @param parametersAddress of {@link ConnectionParameters}.
     * @return 0 or negated errno.
     */
    public static int accept(final long idAddress, final long parametersAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return VerbsErrors.status(capture, (long)Handles.ACCEPT.invokeExact(capture, idAddress, parametersAddress));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Refuses a request to connect.
     *
     * @param idAddress      of the request.
     * @param privateAddress private data for the peer, or 0.
     * @param privateBytes   its length, up to 148.
     * @return 0 or negated errno.
     */
    public static int reject(final long idAddress, final long privateAddress, final int privateBytes)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return VerbsErrors.status(
                capture, (long)Handles.REJECT.invokeExact(capture, idAddress, privateAddress, (long)privateBytes));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Ends a connection: its queue pair fails, what is outstanding is flushed, and both sides get an event.
     *
     * @param idAddress connected identifier.
     * @return 0 or negated errno.
     */
    public static int disconnect(final long idAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return VerbsErrors.status(capture, (long)Handles.DISCONNECT.invokeExact(capture, idAddress));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Moves an identifier to another event channel, with its events that wait in the kernel. Blocks until those that
     * were taken before are acknowledged.
     *
     * @param idAddress      of {@link #createId}, or of a request to connect.
     * @param channelAddress of {@link #createEventChannel}.
     * @return 0 or negated errno.
     */
    public static int migrateId(final long idAddress, final long channelAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return VerbsErrors.status(
                capture, (long)Handles.MIGRATE_ID.invokeExact(capture, idAddress, channelAddress));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Takes an event. Blocks until one comes, unless the descriptor is non-blocking. That the descriptor was
     * readable is not enough: the library discards some events, the kernel those of an identifier that is destroyed.
     *
     * @param channelAddress  channel.
     * @param eventOutAddress 64 bits that take the address of a {@link ConnectionEvent}.
     * @return 0 or negated errno; {@code EAGAIN} when a non-blocking channel has none.
     */
    public static int event(final long channelAddress, final long eventOutAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return VerbsErrors.status(
                capture, (long)Handles.GET_CM_EVENT.invokeExact(capture, channelAddress, eventOutAddress));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Frees an event.
     *
     * @param eventAddress of {@link #event}.
     * @return 0 or negated errno.
     */
    public static int acknowledge(final long eventAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return VerbsErrors.status(capture, (long)Handles.ACK_CM_EVENT.invokeExact(capture, eventAddress));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Has the library compare its devices with the kernel's. It closes its context of one that was removed, now or with
     * the last identifier on it, and opens all others. Takes milliseconds a device. Any thread.
     *
     * @return whether it did; not when the kernel has no devices, or one of them cannot be opened.
     */
    public static boolean refreshDevices()
    {
        try
        {
            final MemorySegment capture = Native.capture();
            final long list = (long)Handles.GET_DEVICES.invokeExact(capture, 0L);
            if (0L == list)
            {
                return false;
            }
            final long ignored = (long)Handles.FREE_DEVICES.invokeExact(capture, list);
            return true;
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /** Loaded when the first call, or the question whether there is one, needs it. */
    private static final class Library
    {
        private static final NativeLibrary RDMACM = VerbsEnvironment.probe("RDMA connection manager library",
            "install librdmacm1 (Debian) or librdmacm (Fedora) of rdma-core",
            "librdmacm.so.1", List.of(
                "rdma_create_event_channel", "rdma_destroy_event_channel", "rdma_create_id", "rdma_destroy_id",
                "rdma_bind_addr", "rdma_resolve_addr", "rdma_resolve_route", "rdma_create_qp",
                "rdma_destroy_qp", "rdma_connect", "rdma_listen", "rdma_accept",
                "rdma_reject", "rdma_disconnect", "rdma_migrate_id", "rdma_get_cm_event", "rdma_ack_cm_event",
                "rdma_get_devices", "rdma_free_devices"));
    }

    private static final class Handles
    {
        private static final MethodHandle CREATE_EVENT_CHANNEL =
            link("rdma_create_event_channel", rdmacm_h.rdma_create_event_channel$descriptor());
        private static final MethodHandle DESTROY_EVENT_CHANNEL =
            link("rdma_destroy_event_channel", rdmacm_h.rdma_destroy_event_channel$descriptor());
        private static final MethodHandle CREATE_ID = link("rdma_create_id", rdmacm_h.rdma_create_id$descriptor());
        private static final MethodHandle DESTROY_ID = link("rdma_destroy_id", rdmacm_h.rdma_destroy_id$descriptor());
        private static final MethodHandle BIND_ADDR = link("rdma_bind_addr", rdmacm_h.rdma_bind_addr$descriptor());
        private static final MethodHandle RESOLVE_ADDR =
            link("rdma_resolve_addr", rdmacm_h.rdma_resolve_addr$descriptor());
        private static final MethodHandle RESOLVE_ROUTE =
            link("rdma_resolve_route", rdmacm_h.rdma_resolve_route$descriptor());
        private static final MethodHandle CREATE_QP = link("rdma_create_qp", rdmacm_h.rdma_create_qp$descriptor());
        private static final MethodHandle DESTROY_QP = link("rdma_destroy_qp", rdmacm_h.rdma_destroy_qp$descriptor());
        private static final MethodHandle CONNECT = link("rdma_connect", rdmacm_h.rdma_connect$descriptor());
        private static final MethodHandle LISTEN = link("rdma_listen", rdmacm_h.rdma_listen$descriptor());
        private static final MethodHandle ACCEPT = link("rdma_accept", rdmacm_h.rdma_accept$descriptor());
        private static final MethodHandle REJECT = link("rdma_reject", rdmacm_h.rdma_reject$descriptor());
        private static final MethodHandle MIGRATE_ID = link("rdma_migrate_id", rdmacm_h.rdma_migrate_id$descriptor());
        private static final MethodHandle DISCONNECT = link("rdma_disconnect", rdmacm_h.rdma_disconnect$descriptor());
        private static final MethodHandle GET_CM_EVENT =
            link("rdma_get_cm_event", rdmacm_h.rdma_get_cm_event$descriptor());
        private static final MethodHandle ACK_CM_EVENT =
            link("rdma_ack_cm_event", rdmacm_h.rdma_ack_cm_event$descriptor());
        private static final MethodHandle GET_DEVICES =
            link("rdma_get_devices", rdmacm_h.rdma_get_devices$descriptor());
        private static final MethodHandle FREE_DEVICES =
            link("rdma_free_devices", rdmacm_h.rdma_free_devices$descriptor());

        private static MethodHandle link(final String function, final FunctionDescriptor descriptor)
        {
            return Library.RDMACM.linkErrno(function, descriptor);
        }
    }
}
