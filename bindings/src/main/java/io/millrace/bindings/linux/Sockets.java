package io.millrace.bindings.linux;

import io.millrace.bindings.Native;
import io.millrace.bindings.generated.linux.linux_h;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Socket calls ({@code socket(2)}, {@code recv(2)}, {@code sendmsg(2)} and their kin). Addresses are raw; structures
 * are laid out by the caller with {@link SocketAddress} and {@link MessageHeader}. The receive and send calls are
 * linked as critical: use them on non-blocking sockets only.
 */
public final class Sockets
{
    /** IPv4. */
    public static final int AF_INET = linux_h.AF_INET();
    /** IPv6. */
    public static final int AF_INET6 = linux_h.AF_INET6();
    /** Byte stream. */
    public static final int SOCK_STREAM = linux_h.SOCK_STREAM();
    /** Non-blocking from the start. */
    public static final int SOCK_NONBLOCK = linux_h.SOCK_NONBLOCK();
    /** Closed on exec. */
    public static final int SOCK_CLOEXEC = linux_h.SOCK_CLOEXEC();
    /** Socket-level options. */
    public static final int SOL_SOCKET = linux_h.SOL_SOCKET();
    /** Reuse an address in TIME_WAIT. */
    public static final int SO_REUSEADDR = linux_h.SO_REUSEADDR();
    /** Pending error, cleared when read. */
    public static final int SO_ERROR = linux_h.SO_ERROR();
    /** Send buffer size. */
    public static final int SO_SNDBUF = linux_h.SO_SNDBUF();
    /** Receive buffer size. */
    public static final int SO_RCVBUF = linux_h.SO_RCVBUF();
    /** Probe idle peers. */
    public static final int SO_KEEPALIVE = linux_h.SO_KEEPALIVE();
    /** Busy-poll the device queue for so many microseconds. */
    public static final int SO_BUSY_POLL = linux_h.SO_BUSY_POLL();
    /** TCP-level options. */
    public static final int IPPROTO_TCP = linux_h.IPPROTO_TCP();
    /** Send small segments at once. */
    public static final int TCP_NODELAY = linux_h.TCP_NODELAY();
    /** Acknowledge at once. */
    public static final int TCP_QUICKACK = linux_h.TCP_QUICKACK();
    /** Milliseconds until unacknowledged data ends the connection. */
    public static final int TCP_USER_TIMEOUT = linux_h.TCP_USER_TIMEOUT();
    /** IPv6-level options. */
    public static final int IPPROTO_IPV6 = linux_h.IPPROTO_IPV6();
    /** An IPv6 socket that takes no IPv4 connections. */
    public static final int IPV6_V6ONLY = linux_h.IPV6_V6ONLY();
    /** Do not block. */
    public static final int MSG_DONTWAIT = linux_h.MSG_DONTWAIT();
    /** No SIGPIPE. */
    public static final int MSG_NOSIGNAL = linux_h.MSG_NOSIGNAL();
    /** More follows soon. */
    public static final int MSG_MORE = linux_h.MSG_MORE();
    /** Stop sending. */
    public static final int SHUT_WR = linux_h.SHUT_WR();
    /** Stop both ways. */
    public static final int SHUT_RDWR = linux_h.SHUT_RDWR();

    /** {@code ioctl}: how much can be received, 32 bits; of Linux on all processors that are supported. */
    private static final long FIONREAD = 0x541B;

    private static final MethodHandle SOCKET = Native.linkErrno("socket", linux_h.socket$descriptor());
    private static final MethodHandle BIND = Native.linkErrno("bind", linux_h.bind$descriptor());
    private static final MethodHandle LISTEN = Native.linkErrno("listen", linux_h.listen$descriptor());
    private static final MethodHandle CONNECT = Native.linkErrno("connect", linux_h.connect$descriptor());
    private static final MethodHandle ACCEPT4 = Native.linkErrno("accept4", linux_h.accept4$descriptor());
    private static final MethodHandle SHUTDOWN = Native.linkErrno("shutdown", linux_h.shutdown$descriptor());
    private static final MethodHandle SETSOCKOPT = Native.linkErrno("setsockopt", linux_h.setsockopt$descriptor());
    private static final MethodHandle GETSOCKOPT = Native.linkErrno("getsockopt", linux_h.getsockopt$descriptor());
    private static final MethodHandle GETSOCKNAME = Native.linkErrno("getsockname", linux_h.getsockname$descriptor());
    private static final MethodHandle GETPEERNAME = Native.linkErrno("getpeername", linux_h.getpeername$descriptor());
    private static final MethodHandle RECV = Native.linkCriticalErrno("recv", linux_h.recv$descriptor());
    private static final MethodHandle RECVMSG = Native.linkCriticalErrno("recvmsg", linux_h.recvmsg$descriptor());
    private static final MethodHandle SEND = Native.linkCriticalErrno("send", linux_h.send$descriptor());
    private static final MethodHandle SENDMSG = Native.linkCriticalErrno("sendmsg", linux_h.sendmsg$descriptor());

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
            return Native.intResult(capture, (long)SOCKET.invokeExact(
                capture, (long)family, (long)type, (long)protocol));
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
     * @param lengthBytes length in bytes.
     * @return 0 or negated errno.
     */
    public static int bind(final int fd, final long address, final int lengthBytes)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.intResult(capture, (long)BIND.invokeExact(capture, (long)fd, address, (long)lengthBytes));
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
            return Native.intResult(capture, (long)LISTEN.invokeExact(capture, (long)fd, (long)backlog));
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
     * @param lengthBytes length in bytes.
     * @return 0 or negated errno ({@code EINPROGRESS} on a non-blocking socket).
     */
    public static int connect(final int fd, final long address, final int lengthBytes)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.intResult(capture, (long)CONNECT.invokeExact(capture, (long)fd, address, (long)lengthBytes));
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
            return Native.intResult(capture, (long)ACCEPT4.invokeExact(
                capture, (long)fd, address, lengthAddress, (long)flags));
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
            return Native.intResult(capture, (long)SHUTDOWN.invokeExact(capture, (long)fd, (long)how));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * How many bytes can be received now.
     *
     * @param fd            connected socket.
     * @param resultAddress of 32 bits, where the count goes.
     * @return 0 or negated errno.
     */
    public static int available(final int fd, final long resultAddress)
    {
        return Files.ioctl(fd, FIONREAD, resultAddress);
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
            return Native.intResult(capture, (long)SETSOCKOPT.invokeExact(
                capture, (long)fd, (long)level, (long)option, address, (long)lengthBytes));
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
            return Native.intResult(capture, (long)GETSOCKOPT.invokeExact(
                capture, (long)fd, (long)level, (long)option, address, lengthAddress));
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
            return Native.intResult(capture, (long)GETSOCKNAME.invokeExact(capture, (long)fd, address, lengthAddress));
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
            return Native.intResult(capture, (long)GETPEERNAME.invokeExact(capture, (long)fd, address, lengthAddress));
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
            return Native.result(capture, (long)RECV.invokeExact(capture, (long)fd, address, lengthBytes, (long)flags));
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
            return Native.result(capture, (long)RECVMSG.invokeExact(capture, (long)fd, messageAddress, (long)flags));
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
            return Native.result(capture, (long)SEND.invokeExact(capture, (long)fd, address, lengthBytes, (long)flags));
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
            return Native.result(capture, (long)SENDMSG.invokeExact(capture, (long)fd, messageAddress, (long)flags));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }
}
