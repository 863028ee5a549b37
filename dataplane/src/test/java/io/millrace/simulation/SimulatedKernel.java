package io.millrace.simulation;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.linux.msghdr;
import io.millrace.bindings.linux.Epoll;
import io.millrace.bindings.linux.MessageHeader;
import io.millrace.bindings.linux.SocketAddress;
import io.millrace.bindings.linux.Sockets;
import io.millrace.reactor.Kernel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The operating system of a simulation: one clock and one network for all its processes, each of which has descriptors
 * of its own. The process that runs is set before each turn. The lowest free number is given, as Linux does.
 */
final class SimulatedKernel implements Kernel
{
    private static final int DESCRIPTORS_MAX = 512;
    private static final long IOVEC_SIZE_BYTES = MessageHeader.IOVEC_SIZE_BYTES;

    /** Bytes between a stream and memory: how many moved, 0 at the end of the stream, or a negated errno. */
    private interface Transfer
    {
        long move(long address, long lengthBytes);
    }

    private static final class EventCounter extends Descriptor
    {
        private boolean isSignalled;

        @Override
        int ready()
        {
            return isSignalled ? Epoll.EPOLLIN : 0;
        }
    }

    private static final class Listener extends Descriptor
    {
        private final ArrayDeque<Stream> backlog = new ArrayDeque<>();
        private final InetSocketAddress address;

        private Listener(final InetSocketAddress address)
        {
            this.address = address;
        }

        @Override
        int ready()
        {
            return backlog.isEmpty() ? 0 : Epoll.EPOLLIN;
        }
    }

    private final Descriptor[] descriptors = new Descriptor[DESCRIPTORS_MAX];
    private final List<Listener> listeners = new ArrayList<>();
    private final Network network;
    private final Draw draw;
    private long nowNs = 1_000_000_000L;
    private int process;
    private int nextPort = 40_000;

    SimulatedKernel(final Draw draw)
    {
        this.draw = draw;
        network = new Network(this, draw);
    }

    Network network()
    {
        return network;
    }

    void advance(final long elapsedNs)
    {
        nowNs += elapsedNs;
    }

    /** What is made from now on belongs to a process. */
    void enter(final int id)
    {
        process = id;
    }

    /**
     * {@return whether a reactor's descriptors have news}
     *
     * @param epollFd of the reactor.
     */
    boolean isReady(final int epollFd)
    {
        return ((EpollSet)descriptors[epollFd]).isReady();
    }

    boolean isSet(final int fd, final int id)
    {
        return descriptors[fd] instanceof EpollSet && id == descriptors[fd].process();
    }

    /**
     * {@return the number that is given next}
     */
    int nextDescriptor()
    {
        for (int fd = 3; fd < DESCRIPTORS_MAX; fd++)
        {
            if (null == descriptors[fd])
            {
                return fd;
            }
        }
        throw new IllegalStateException("no descriptor is left: a simulation leaks them");
    }

    /**
     * A process is gone: its sockets are closed, at once and without a word when power was lost.
     *
     * @param id       of the process.
     * @param isSilent peers are not notified.
     */
    void kill(final int id, final boolean isSilent)
    {
        final int before = process;
        process = id;
        for (int fd = 0; fd < DESCRIPTORS_MAX; fd++)
        {
            final Descriptor descriptor = get(fd);
            if (descriptor instanceof final Stream stream)
            {
                stream.vanish(isSilent);
            }
            if (descriptor instanceof Stream || descriptor instanceof Listener)
            {
                close(fd);
            }
        }
        process = before;
    }

    /**
     * {@return open descriptors of a process}
     *
     * @param id of the process.
     */
    int count(final int id)
    {
        int count = 0;
        for (final Descriptor descriptor : descriptors)
        {
            count += null != descriptor && id == descriptor.process() ? 1 : 0;
        }
        return count;
    }

    private int add(final Descriptor descriptor)
    {
        final int fd = nextDescriptor();
        descriptor.process(process);
        descriptors[fd] = descriptor;
        return fd;
    }

    /** {@return what a number stands for in the process that runs; null when it is not one of its} */
    private Descriptor get(final int fd)
    {
        final Descriptor descriptor = fd >= 0 && fd < DESCRIPTORS_MAX ? descriptors[fd] : null;
        return null == descriptor || process != descriptor.process() ? null : descriptor;
    }

    @Override
    public long nanoTime()
    {
        return nowNs;
    }

    @Override
    public long epochMs()
    {
        return 1_700_000_000_000L + nowNs / 1_000_000;
    }

    @Override
    public int close(final int fd)
    {
        final Descriptor descriptor = get(fd);
        if (null == descriptor)
        {
            return -Errno.EBADF;
        }
        descriptors[fd] = null;
        descriptor.leaveSets();
        switch (descriptor)
        {
            case final Stream stream -> stream.close();
            case final Listener listener ->
            {
                listeners.remove(listener);
                listener.backlog.forEach(Stream::close);
            }
            default ->
            {
            }
        }
        return 0;
    }

    @Override
    public int eventDescriptor()
    {
        return add(new EventCounter());
    }

    @Override
    public void signal(final int fd)
    {
        final EventCounter counter = (EventCounter)descriptors[fd];
        counter.isSignalled = true;
        counter.changed();
    }

    @Override
    public int epollCreate()
    {
        return add(new EpollSet());
    }

    @Override
    public int epollControl(final int epollFd, final int operation, final int fd, final long eventAddress)
    {
        final EpollSet set = (EpollSet)descriptors[epollFd];
        final Descriptor descriptor = get(fd);
        if (null == descriptor)
        {
            return -Errno.EBADF;
        }
        return set.control(operation, descriptor, eventAddress);
    }

    @Override
    public int epollPoll(final int epollFd, final long eventsAddress, final int eventsMax)
    {
        return ((EpollSet)descriptors[epollFd]).report(eventsAddress, eventsMax);
    }

    @Override
    public int epollWait(
        final int epollFd,
        final long eventsAddress,
        final int eventsMax,
        final long timespecAddress,
        final long timeoutNs)
    {
        // The simulation ends the sleep when something is ready or the time has come.
        return epollPoll(epollFd, eventsAddress, eventsMax);
    }

    @Override
    public int socket(final int family)
    {
        return add(new Stream(network, draw));
    }

    @Override
    public int bind(final int fd, final long address, final int lengthBytes)
    {
        ((Stream)descriptors[fd]).local = SocketAddress.read(address);
        return 0;
    }

    @Override
    public int listen(final int fd, final int backlog)
    {
        final Stream stream = (Stream)descriptors[fd];
        final Listener listener = new Listener(stream.local);
        listener.process(stream.process());
        descriptors[fd] = listener;
        listeners.add(listener);
        return 0;
    }

    @Override
    public int accept(final int fd)
    {
        if (!(get(fd) instanceof final Listener listener))
        {
            return -Errno.EBADF;
        }
        final Stream stream = listener.backlog.poll();
        return null == stream ? -Errno.EAGAIN : add(stream);
    }

    @Override
    public int connect(final int fd, final long address, final int lengthBytes)
    {
        final Stream stream = (Stream)descriptors[fd];
        stream.remote = SocketAddress.read(address);
        stream.local = new InetSocketAddress(stream.remote.getAddress(), nextPort++);
        network.connect(stream);
        return -Errno.EINPROGRESS;
    }

    /**
     * Ends the attempt of a stream to connect.
     *
     * @param stream of a client.
     */
    void establish(final Stream stream)
    {
        for (final Listener listener : listeners)
        {
            if (listener.address.equals(stream.remote))
            {
                final Stream accepted = new Stream(network, draw);
                accepted.process(listener.process());
                accepted.local = stream.remote;
                accepted.remote = stream.local;
                stream.join(accepted);
                listener.backlog.add(accepted);
                listener.changed();
                return;
            }
        }
        stream.fail(Errno.ECONNREFUSED);
    }

    @Override
    public int shutdown(final int fd, final int how)
    {
        if (!(get(fd) instanceof final Stream stream))
        {
            return -Errno.EBADF;
        }
        stream.shutdown();
        return 0;
    }

    @Override
    public int setSocketOption(
        final int fd, final int level, final int option, final long address, final int lengthBytes)
    {
        return 0;
    }

    @Override
    public int getSocketOption(
        final int fd, final int level, final int option, final long address, final long lengthAddress)
    {
        if (Sockets.SO_ERROR != option)
        {
            return -Errno.EINVAL;
        }
        NativeMemory.putInt(address, ((Stream)descriptors[fd]).takeError());
        return 0;
    }

    @Override
    public int socketName(final int fd, final long address, final long lengthAddress)
    {
        final InetSocketAddress local = switch (get(fd))
        {
            case final Listener listener -> listener.address;
            case final Stream stream -> stream.local;
            case null, default -> null;
        };
        if (null == local)
        {
            return -Errno.EBADF;
        }
        SocketAddress.write(address, local);
        return 0;
    }

    @Override
    public int peerName(final int fd, final long address, final long lengthAddress)
    {
        if (!(get(fd) instanceof final Stream stream) || !stream.isConnected())
        {
            return -Errno.ECONNRESET;
        }
        SocketAddress.write(address, stream.remote);
        return 0;
    }

    @Override
    public int available(final int fd, final long resultAddress)
    {
        if (!(get(fd) instanceof final Stream stream))
        {
            return -Errno.EBADF;
        }
        NativeMemory.putInt(resultAddress, stream.available());
        return 0;
    }

    @Override
    public long receive(final int fd, final long address, final long lengthBytes)
    {
        return get(fd) instanceof final Stream stream ? stream.receive(address, lengthBytes) : -Errno.EBADF;
    }

    @Override
    public long receiveMessage(final int fd, final long messageAddress)
    {
        return get(fd) instanceof final Stream stream ? move(messageAddress, stream::receive) : -Errno.EBADF;
    }

    /** Moves what fits, one vector of a message after the other. */
    private static long move(final long messageAddress, final Transfer transfer)
    {
        final long vectors = NativeMemory.getLong(messageAddress + msghdr.msg_iov$offset());
        final long count = NativeMemory.getLong(messageAddress + msghdr.msg_iovlen$offset());
        long total = 0;
        for (int i = 0; i < count; i++)
        {
            final long vector = vectors + i * IOVEC_SIZE_BYTES;
            final long wanted = NativeMemory.getLong(vector + Long.BYTES);
            if (0 == wanted)
            {
                continue;
            }
            final long moved = transfer.move(NativeMemory.getLong(vector), wanted);
            if (moved <= 0)
            {
                return 0 == total ? moved : total;
            }
            total += moved;
            if (moved < wanted)
            {
                break;
            }
        }
        return total;
    }

    @Override
    public long send(final int fd, final long address, final long lengthBytes)
    {
        return get(fd) instanceof final Stream stream ? stream.send(address, lengthBytes) : -Errno.EBADF;
    }

    @Override
    public long sendMessage(final int fd, final long messageAddress)
    {
        return get(fd) instanceof final Stream stream ? move(messageAddress, stream::send) : -Errno.EBADF;
    }

    /**
     * {@return an address of the simulated network}
     *
     * @param host below 250.
     * @param port of a listener.
     */
    static InetSocketAddress address(final int host, final int port)
    {
        try
        {
            return new InetSocketAddress(InetAddress.getByAddress(new byte[]{10, 0, 0, (byte)(host + 1)}), port);
        }
        catch (final UnknownHostException e)
        {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public String toString()
    {
        return Arrays.toString(descriptors);
    }
}
