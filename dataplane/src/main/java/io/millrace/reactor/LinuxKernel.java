package io.millrace.reactor;

import io.millrace.bindings.Errno;
import io.millrace.bindings.linux.Epoll;
import io.millrace.bindings.linux.Files;
import io.millrace.bindings.linux.Sockets;

/**
 * The kernel that this process runs on. Any thread.
 */
public final class LinuxKernel implements Kernel
{
    /** The only one. */
    public static final LinuxKernel INSTANCE = new LinuxKernel();

    private static final int SOCKET_FLAGS = Sockets.SOCK_NONBLOCK | Sockets.SOCK_CLOEXEC;
    private static final int SEND_FLAGS = Sockets.MSG_DONTWAIT | Sockets.MSG_NOSIGNAL;
    private static final long NS_PER_MS = 1_000_000;
    /** Timers that are farther away may be up to 1 ms late. */
    private static final long EXACT_BELOW_NS = 10 * NS_PER_MS;

    /** Cleared for good by the first thread that is refused; others may try once more. */
    private boolean waitsExactly = true;

    private LinuxKernel()
    {
    }

    @Override
    public long nanoTime()
    {
        return System.nanoTime();
    }

    @Override
    public long epochMs()
    {
        return System.currentTimeMillis();
    }

    @Override
    public int close(final int fd)
    {
        return Files.close(fd);
    }

    @Override
    public int eventDescriptor()
    {
        return Files.eventfd(0, Files.EFD_CLOEXEC | Files.EFD_NONBLOCK);
    }

    @Override
    public void signal(final int fd)
    {
        EventSignal.send(fd);
    }

    @Override
    public int epollCreate()
    {
        return Epoll.create(Epoll.EPOLL_CLOEXEC);
    }

    @Override
    public int epollControl(final int epollFd, final int operation, final int fd, final long eventAddress)
    {
        return Epoll.control(epollFd, operation, fd, eventAddress);
    }

    @Override
    public int epollPoll(final int epollFd, final long eventsAddress, final int eventsMax)
    {
        return Epoll.poll(epollFd, eventsAddress, eventsMax);
    }

    @Override
    public int epollWait(
        final int epollFd,
        final long eventsAddress,
        final int eventsMax,
        final long timespecAddress,
        final long timeoutNs)
    {
        if (waitsExactly && timeoutNs < EXACT_BELOW_NS)
        {
            final int ready = Epoll.waitForNs(epollFd, eventsAddress, eventsMax, timespecAddress, timeoutNs);
            // Not supported by the kernel, or rejected by a filter of system calls.
            if (-Errno.ENOSYS != ready && -Errno.EPERM != ready)
            {
                return ready;
            }
            waitsExactly = false;
        }
        // Rounded up: rounded down the reactor would spin through the last millisecond.
        return Epoll.waitFor(epollFd, eventsAddress, eventsMax, (int)((timeoutNs + NS_PER_MS - 1) / NS_PER_MS));
    }

    @Override
    public int socket(final int family)
    {
        return Sockets.socket(family, Sockets.SOCK_STREAM | SOCKET_FLAGS, 0);
    }

    @Override
    public int bind(final int fd, final long address, final int lengthBytes)
    {
        return Sockets.bind(fd, address, lengthBytes);
    }

    @Override
    public int listen(final int fd, final int backlog)
    {
        return Sockets.listen(fd, backlog);
    }

    @Override
    public int accept(final int fd)
    {
        return Sockets.accept4(fd, 0, 0, SOCKET_FLAGS);
    }

    @Override
    public int connect(final int fd, final long address, final int lengthBytes)
    {
        return Sockets.connect(fd, address, lengthBytes);
    }

    @Override
    public int shutdown(final int fd, final int how)
    {
        return Sockets.shutdown(fd, how);
    }

    @Override
    public int setSocketOption(
        final int fd, final int level, final int option, final long address, final int lengthBytes)
    {
        return Sockets.setsockopt(fd, level, option, address, lengthBytes);
    }

    @Override
    public int getSocketOption(
        final int fd, final int level, final int option, final long address, final long lengthAddress)
    {
        return Sockets.getsockopt(fd, level, option, address, lengthAddress);
    }

    @Override
    public int socketName(final int fd, final long address, final long lengthAddress)
    {
        return Sockets.getsockname(fd, address, lengthAddress);
    }

    @Override
    public int peerName(final int fd, final long address, final long lengthAddress)
    {
        return Sockets.getpeername(fd, address, lengthAddress);
    }

    @Override
    public int available(final int fd, final long resultAddress)
    {
        return Sockets.available(fd, resultAddress);
    }

    @Override
    public long receive(final int fd, final long address, final long lengthBytes)
    {
        return Sockets.recv(fd, address, lengthBytes, Sockets.MSG_DONTWAIT);
    }

    @Override
    public long receiveMessage(final int fd, final long messageAddress)
    {
        return Sockets.recvmsg(fd, messageAddress, Sockets.MSG_DONTWAIT);
    }

    @Override
    public long send(final int fd, final long address, final long lengthBytes)
    {
        return Sockets.send(fd, address, lengthBytes, SEND_FLAGS);
    }

    @Override
    public long sendMessage(final int fd, final long messageAddress)
    {
        return Sockets.sendmsg(fd, messageAddress, SEND_FLAGS);
    }
}
