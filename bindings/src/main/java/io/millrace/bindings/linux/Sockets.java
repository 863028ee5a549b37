package io.millrace.bindings.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.millrace.bindings.Native;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Socket calls ({@code socket(2)}, {@code recv(2)}, {@code sendmsg(2)} and their kin). Addresses are raw; structures are
 * laid out by the caller with {@link SocketAddress} and {@link MessageHeader}. The receive and send calls are linked as
 * critical: use them on non-blocking sockets only.
 */
public final class Sockets
{
    /** IPv4. */
    public static final int AF_INET = 2;
    /** IPv6. */
    public static final int AF_INET6 = 10;
    /** Byte stream. */
    public static final int SOCK_STREAM = 1;
    /** Non-blocking from the start. */
    public static final int SOCK_NONBLOCK = 0x800;
    /** Closed on exec. */
    public static final int SOCK_CLOEXEC = 0x80000;
    /** Socket-level options. */
    public static final int SOL_SOCKET = 1;
    /** Reuse an address in TIME_WAIT. */
    public static final int SO_REUSEADDR = 2;
    /** Pending error, cleared when read. */
    public static final int SO_ERROR = 4;
    /** Send buffer size. */
    public static final int SO_SNDBUF = 7;
    /** Receive buffer size. */
    public static final int SO_RCVBUF = 8;
    /** Probe idle peers. */
    public static final int SO_KEEPALIVE = 9;
    /** Busy-poll the device queue for so many microseconds. */
    public static final int SO_BUSY_POLL = 46;
    /** TCP-level options. */
    public static final int IPPROTO_TCP = 6;
    /** Send small segments at once. */
    public static final int TCP_NODELAY = 1;
    /** Acknowledge at once. */
    public static final int TCP_QUICKACK = 12;
    /** Milliseconds until unacknowledged data ends the connection. */
    public static final int TCP_USER_TIMEOUT = 18;
    /** IPv6-level options. */
    public static final int IPPROTO_IPV6 = 41;
    /** An IPv6 socket that takes no IPv4 connections. */
    public static final int IPV6_V6ONLY = 26;
    /** Do not block. */
    public static final int MSG_DONTWAIT = 0x40;
    /** No SIGPIPE. */
    public static final int MSG_NOSIGNAL = 0x4000;
    /** More follows soon. */
    public static final int MSG_MORE = 0x8000;
    /** Stop sending. */
    public static final int SHUT_WR = 1;
    /** Stop both ways. */
    public static final int SHUT_RDWR = 2;

    private static final MethodHandle SOCKET = Native.linkErrno("socket",
        FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle BIND = Native.linkErrno("bind",
        FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT));
    private static final MethodHandle LISTEN = Native.linkErrno("listen",
        FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle CONNECT = Native.linkErrno("connect",
        FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT));
    private static final MethodHandle ACCEPT4 = Native.linkErrno("accept4",
        FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));
    private static final MethodHandle SHUTDOWN = Native.linkErrno("shutdown",
        FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle SETSOCKOPT = Native.linkErrno("setsockopt",
        FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT));
    private static final MethodHandle GETSOCKOPT = Native.linkErrno("getsockopt",
        FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle GETSOCKNAME = Native.linkErrno("getsockname",
        FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle GETPEERNAME = Native.linkErrno("getpeername",
        FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle RECV = Native.linkCriticalErrno("recv",
        FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));
    private static final MethodHandle RECVMSG = Native.linkCriticalErrno("recvmsg",
        FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT));
    private static final MethodHandle SEND = Native.linkCriticalErrno("send",
        FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));
    private static final MethodHandle SENDMSG = Native.linkCriticalErrno("sendmsg",
        FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT));

    private Sockets()
    {
    }

    /**
     * Makes a socket.
     *
     * @param family   {@link #AF_INET} or {@link #AF_INET6}.
     * @param type     {@link #SOCK_STREAM} with flags.
     * @param protocol 0 for the usual one.
     * @return descriptor or negated errno.
     */
    public static int socket(final int family, final int type, final int protocol)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.result(capture, (int)SOCKET.invokeExact(capture, family, type, protocol));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Binds a socket to an address.
     *
     * @param fd          socket.
     * @param address     of a {@code sockaddr}.
     * @param lengthBytes of it.
     * @return 0 or negated errno.
     */
    public static int bind(final int fd, final long address, final int lengthBytes)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.result(capture, (int)BIND.invokeExact(capture, fd, address, lengthBytes));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Listens for connections.
     *
     * @param fd      socket.
     * @param backlog of connections not yet accepted.
     * @return 0 or negated errno.
     */
    public static int listen(final int fd, final int backlog)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.result(capture, (int)LISTEN.invokeExact(capture, fd, backlog));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Starts or makes a connection.
     *
     * @param fd          socket.
     * @param address     of a {@code sockaddr}.
     * @param lengthBytes of it.
     * @return 0 or negated errno ({@code EINPROGRESS} on a non-blocking socket).
     */
    public static int connect(final int fd, final long address, final int lengthBytes)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.result(capture, (int)CONNECT.invokeExact(capture, fd, address, lengthBytes));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Takes a connection from the backlog.
     *
     * @param fd            listening socket.
     * @param address       room for the peer's {@code sockaddr}, or 0.
     * @param lengthAddress address of its length, or 0.
     * @param flags         {@link #SOCK_NONBLOCK}, {@link #SOCK_CLOEXEC}.
     * @return descriptor or negated errno.
     */
    public static int accept4(final int fd, final long address, final long lengthAddress, final int flags)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.result(capture, (int)ACCEPT4.invokeExact(capture, fd, address, lengthAddress, flags));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Ends one or both directions.
     *
     * @param fd  socket.
     * @param how {@link #SHUT_WR} or {@link #SHUT_RDWR}.
     * @return 0 or negated errno.
     */
    public static int shutdown(final int fd, final int how)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.result(capture, (int)SHUTDOWN.invokeExact(capture, fd, how));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Sets an option.
     *
     * @param fd          socket.
     * @param level       of the option.
     * @param option      number.
     * @param address     of its value.
     * @param lengthBytes of its value.
     * @return 0 or negated errno.
     */
    public static int setsockopt(
        final int fd, final int level, final int option, final long address, final int lengthBytes)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.result(capture,
                (int)SETSOCKOPT.invokeExact(capture, fd, level, option, address, lengthBytes));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Reads an option.
     *
     * @param fd            socket.
     * @param level         of the option.
     * @param option        number.
     * @param address       of room for its value.
     * @param lengthAddress of the room's length, updated.
     * @return 0 or negated errno.
     */
    public static int getsockopt(
        final int fd, final int level, final int option, final long address, final long lengthAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.result(capture,
                (int)GETSOCKOPT.invokeExact(capture, fd, level, option, address, lengthAddress));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * The socket's own address.
     *
     * @param fd            socket.
     * @param address       of room for a {@code sockaddr}.
     * @param lengthAddress of the room's length, updated.
     * @return 0 or negated errno.
     */
    public static int getsockname(final int fd, final long address, final long lengthAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.result(capture, (int)GETSOCKNAME.invokeExact(capture, fd, address, lengthAddress));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * The peer's address.
     *
     * @param fd            socket.
     * @param address       of room for a {@code sockaddr}.
     * @param lengthAddress of the room's length, updated.
     * @return 0 or negated errno.
     */
    public static int getpeername(final int fd, final long address, final long lengthAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.result(capture, (int)GETPEERNAME.invokeExact(capture, fd, address, lengthAddress));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Receives without blocking.
     *
     * @param fd          non-blocking socket.
     * @param address     of the buffer.
     * @param lengthBytes of the buffer.
     * @param flags       {@link #MSG_DONTWAIT}.
     * @return bytes received, 0 at the end of the stream, or negated errno.
     */
    public static long recv(final int fd, final long address, final long lengthBytes, final int flags)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.result(capture, (long)RECV.invokeExact(capture, fd, address, lengthBytes, flags));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Receives into several buffers without blocking.
     *
     * @param fd             non-blocking socket.
     * @param messageAddress of a {@link MessageHeader}.
     * @param flags          {@link #MSG_DONTWAIT}.
     * @return bytes received, 0 at the end of the stream, or negated errno.
     */
    public static long recvmsg(final int fd, final long messageAddress, final int flags)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.result(capture, (long)RECVMSG.invokeExact(capture, fd, messageAddress, flags));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Sends without blocking.
     *
     * @param fd          non-blocking socket.
     * @param address     of the bytes.
     * @param lengthBytes how many.
     * @param flags       {@link #MSG_DONTWAIT}, {@link #MSG_NOSIGNAL}.
     * @return bytes taken, or negated errno.
     */
    public static long send(final int fd, final long address, final long lengthBytes, final int flags)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.result(capture, (long)SEND.invokeExact(capture, fd, address, lengthBytes, flags));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Sends from several buffers without blocking.
     *
     * @param fd             non-blocking socket.
     * @param messageAddress of a {@link MessageHeader}.
     * @param flags          {@link #MSG_DONTWAIT}, {@link #MSG_NOSIGNAL}.
     * @return bytes taken, or negated errno.
     */
    public static long sendmsg(final int fd, final long messageAddress, final int flags)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.result(capture, (long)SENDMSG.invokeExact(capture, fd, messageAddress, flags));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }
}
