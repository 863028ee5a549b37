package io.millrace.reactor;

/**
 * What a reactor, and what runs on it, takes from the operating system: the clock, readiness of descriptors, sockets.
 * Production has one, {@link LinuxKernel}; tests have a simulated one. Whoever calls it in I/O keeps it in a final
 * field. Calls are those of the manual pages, with structures at native addresses; each answers a value or a negated
 * {@code errno}. Any thread, as the kernel's calls.
 */
public interface Kernel
{
    /**
     * {@return nanoseconds, in the manner of {@link System#nanoTime()}}
     */
    long nanoTime();

    /**
     * {@return milliseconds since 1970, in the manner of {@link System#currentTimeMillis()}}
     */
    long epochMs();

    /**
     * {@code close(2)}.
     *
     * @param fd descriptor.
     * @return 0 or negated errno.
     */
    int close(int fd);

    /**
     * {@code eventfd(2)}, closed on exec and non-blocking, with a count of 0.
     *
     * @return descriptor or negated errno.
     */
    int eventDescriptor();

    /**
     * Adds one to an event descriptor.
     *
     * @param fd from {@link #eventDescriptor}; a count that is full is as good as a signal.
     */
    void signal(int fd);

    /**
     * {@code epoll_create1(2)}, closed on exec.
     *
     * @return descriptor or negated errno.
     */
    int epollCreate();

    /**
     * {@code epoll_ctl(2)}.
     *
     * @param epollFd      set of descriptors.
     * @param operation    {@code EPOLL_CTL_*}.
     * @param fd           descriptor that is added, changed or removed.
     * @param eventAddress of an {@link io.millrace.bindings.linux.EpollEvent}.
     * @return 0 or negated errno.
     */
    int epollControl(int epollFd, int operation, int fd, long eventAddress);

    /**
     * {@code epoll_wait(2)} without waiting.
     *
     * @param epollFd       set of descriptors.
     * @param eventsAddress room for events.
     * @param eventsMax     how many fit.
     * @return count of events or negated errno.
     */
    int epollPoll(int epollFd, long eventsAddress, int eventsMax);

    /**
     * {@code epoll_pwait2(2)}, or {@code epoll_wait(2)} where the wait is long or there is no other, which may end up
     * to 1 ms late.
     *
     * @param epollFd         set of descriptors.
     * @param eventsAddress   room for events.
     * @param eventsMax       how many fit.
     * @param timespecAddress scratch room of 16 bytes.
     * @param timeoutNs       how long at most; above 0.
     * @return count of events or negated errno.
     */
    int epollWait(int epollFd, long eventsAddress, int eventsMax, long timespecAddress, long timeoutNs);

    /**
     * {@code socket(2)}: a stream, non-blocking and closed on exec.
     *
     * @param family {@code AF_INET} or {@code AF_INET6}.
     * @return descriptor or negated errno.
     */
    int socket(int family);

    /**
     * {@code bind(2)}.
     *
     * @param fd          socket.
     * @param address     of a {@link io.millrace.bindings.linux.SocketAddress}.
     * @param lengthBytes of it.
     * @return 0 or negated errno.
     */
    int bind(int fd, long address, int lengthBytes);

    /**
     * {@code listen(2)}.
     *
     * @param fd      bound socket.
     * @param backlog connections that may wait.
     * @return 0 or negated errno.
     */
    int listen(int fd, int backlog);

    /**
     * {@code accept4(2)}: non-blocking and closed on exec.
     *
     * @param fd listening socket.
     * @return descriptor or negated errno.
     */
    int accept(int fd);

    /**
     * {@code connect(2)}.
     *
     * @param fd          socket.
     * @param address     of a {@link io.millrace.bindings.linux.SocketAddress}.
     * @param lengthBytes of it.
     * @return 0 or negated errno.
     */
    int connect(int fd, long address, int lengthBytes);

    /**
     * {@code shutdown(2)}.
     *
     * @param fd  socket.
     * @param how {@code SHUT_*}.
     * @return 0 or negated errno.
     */
    int shutdown(int fd, int how);

    /**
     * {@code setsockopt(2)}.
     *
     * @param fd          socket.
     * @param level       of the option.
     * @param option      number.
     * @param address     of its value.
     * @param lengthBytes of the value.
     * @return 0 or negated errno.
     */
    int setSocketOption(int fd, int level, int option, long address, int lengthBytes);

    /**
     * {@code getsockopt(2)}.
     *
     * @param fd            socket.
     * @param level         of the option.
     * @param option        number.
     * @param address       room for its value.
     * @param lengthAddress of the length, 32 bits, in and out.
     * @return 0 or negated errno.
     */
    int getSocketOption(int fd, int level, int option, long address, long lengthAddress);

    /**
     * {@code getsockname(2)}.
     *
     * @param fd            socket.
     * @param address       room for a {@link io.millrace.bindings.linux.SocketAddress}.
     * @param lengthAddress of its length, 32 bits, in and out.
     * @return 0 or negated errno.
     */
    int socketName(int fd, long address, long lengthAddress);

    /**
     * {@code getpeername(2)}.
     *
     * @param fd            socket.
     * @param address       room for a {@link io.millrace.bindings.linux.SocketAddress}.
     * @param lengthAddress of its length, 32 bits, in and out.
     * @return 0 or negated errno.
     */
    int peerName(int fd, long address, long lengthAddress);

    /**
     * {@code ioctl(2)} with {@code FIONREAD}: how many bytes can be received now, which a {@link #receiveMessage} that
     * follows takes if it has room for them.
     *
     * @param fd            connected socket.
     * @param resultAddress of 32 bits, where the count goes.
     * @return 0 or negated errno.
     */
    int available(int fd, long resultAddress);

    /**
     * {@code recv(2)} with {@code MSG_DONTWAIT}.
     *
     * @param fd          socket.
     * @param address     where to.
     * @param lengthBytes at most.
     * @return bytes, 0 at the end of the stream, or negated errno.
     */
    long receive(int fd, long address, long lengthBytes);

    /**
     * {@code recvmsg(2)} with {@code MSG_DONTWAIT}.
     *
     * @param fd             socket.
     * @param messageAddress of a {@link io.millrace.bindings.linux.MessageHeader}.
     * @return bytes, 0 at the end of the stream, or negated errno.
     */
    long receiveMessage(int fd, long messageAddress);

    /**
     * {@code send(2)} with {@code MSG_DONTWAIT} and {@code MSG_NOSIGNAL}.
     *
     * @param fd          socket.
     * @param address     of the bytes.
     * @param lengthBytes how many.
     * @return bytes taken or negated errno.
     */
    long send(int fd, long address, long lengthBytes);

    /**
     * {@code sendmsg(2)} with {@code MSG_DONTWAIT} and {@code MSG_NOSIGNAL}.
     *
     * @param fd             socket.
     * @param messageAddress of a {@link io.millrace.bindings.linux.MessageHeader}.
     * @return bytes taken or negated errno.
     */
    long sendMessage(int fd, long messageAddress);
}
