package io.millrace.nvmf.tcp;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeException;
import io.millrace.bindings.linux.Epoll;
import io.millrace.bindings.linux.SocketAddress;
import io.millrace.bindings.linux.Sockets;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.Kernel;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReadinessListener;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;

/**
 * One listening socket. Accepts on the reactor of the first group and hands every connection to the group that has the
 * fewest I/O queues, see {@link #place}. When the process has no descriptors left it pauses, so that the pending
 * connection does not spin it.
 */
final class TcpAcceptor implements ReadinessListener, AutoCloseable
{
    static final int BACKLOG = 1024;
    /** Accepting is bounded: an accepted connection costs about 10 µs, and I/O goes on meanwhile. */
    private static final int ACCEPTS_PER_TURN = 16;
    static final long PAUSE_NS = 100_000_000L;
    /** Interval of reports of a lasting shortage. */
    private static final long REPORT_INTERVAL_NS = 60_000_000_000L;

    /** Too many open files in the system ({@code asm-generic/errno-base.h}). */
    private static final int ENFILE = 23;
    /** No buffer space ({@code asm-generic/errno.h}). */
    private static final int ENOBUFS = 105;

    private final List<TcpPollGroup> groups;
    private final Reactor reactor;
    private final TcpTransportConfig config;
    private final TcpCounters counters;
    private final int fd;
    private final TransportAddress local;
    private boolean isClosed;
    private boolean hasReported;
    private long reportedNs;

    private TcpAcceptor(
        final List<TcpPollGroup> groups,
        final TcpTransportConfig config,
        final TcpCounters counters,
        final int fd,
        final TransportAddress local)
    {
        this.groups = groups;
        this.config = config;
        this.counters = counters;
        this.fd = fd;
        this.local = local;
        reactor = groups.get(0).reactor();
    }

    /**
     * Binds and listens; accepts nothing yet. Any thread.
     *
     * @param address  to listen on; port 0 for any.
     * @param groups   that connections are given to.
     * @param config   of the transport.
     * @param counters of the transport.
     * @return the listening socket.
     * @throws IllegalStateException naming address, reason and remedy, when it cannot be listened on.
     */
    static TcpAcceptor listen(
        final InetSocketAddress address,
        final List<TcpPollGroup> groups,
        final TcpTransportConfig config,
        final TcpCounters counters)
    {
        if (address.isUnresolved())
        {
            throw new IllegalStateException("cannot listen on " + address.getHostString() + ':' + address.getPort() +
                ": the name has no address: use a numeric address of this machine");
        }
        final Kernel kernel = groups.get(0).reactor().kernel();
        final int fd = NativeException.check("socket", kernel.socket(SocketAddress.family(address)));
        try (Arena arena = Arena.ofConfined())
        {
            final SocketSetup setup = new SocketSetup(kernel, arena);
            setup.set(fd, Sockets.SOL_SOCKET, Sockets.SO_REUSEADDR, 1);
            if (Sockets.AF_INET6 == SocketAddress.family(address))
            {
                setup.set(fd, Sockets.IPPROTO_IPV6, Sockets.IPV6_V6ONLY, 1);
            }
            int result = setup.bind(fd, address);
            if (result >= 0)
            {
                result = kernel.listen(fd, BACKLOG);
            }
            if (result < 0)
            {
                throw new IllegalStateException(describe(address, -result), new NativeException("bind", -result));
            }
            return new TcpAcceptor(groups, config, counters, fd,
                TransportAddress.tcp(Objects.requireNonNull(setup.name(fd))));
        }
        catch (final RuntimeException e)
        {
            kernel.close(fd);
            throw e;
        }
    }

    /**
     * {@return the address it listens on, with the port it got}
     */
    TransportAddress local()
    {
        return local;
    }

    /**
     * Begins to accept. On the first group's reactor.
     */
    void start()
    {
        reactor.register(fd, Epoll.EPOLLIN, this);
    }

    @Override
    public void onReady(final int events)
    {
        for (int i = 0; i < ACCEPTS_PER_TURN; i++)
        {
            final int accepted = reactor.kernel().accept(fd);
            if (accepted >= 0)
            {
                onAccepted(accepted);
            }
            else if (isShortage(-accepted))
            {
                pause(-accepted);
                return;
            }
            else if (-Errno.EAGAIN == accepted)
            {
                return;
            }
            // Any other error is one of the connection that was to be accepted, and it has ended: see accept(2).
        }
    }

    /**
     * Stops listening. On the first group's reactor.
     */
    @Override
    public void close()
    {
        reactor.deregister(fd);
        reactor.kernel().close(fd);
        isClosed = true;
    }

    private void pause(final int errno)
    {
        counters.onAcceptPaused();
        final long nowNs = reactor.nowNs();
        if (!hasReported || nowNs - reportedNs >= REPORT_INTERVAL_NS)
        {
            hasReported = true;
            reportedNs = nowNs;
            groups.get(0).pollGroup().target().listener().onError("no new connections at " +
                local.hostAndPort() + " for now: " + Errno.describe(errno) +
                ": raise the limit of open files (ulimit -n, LimitNOFILE) or connect fewer hosts");
        }
        reactor.modify(fd, 0);
        reactor.schedule(nowNs + PAUSE_NS, this::onPauseOver);
    }

    private void onPauseOver(final long nowNs)
    {
        if (!isClosed)
        {
            reactor.modify(fd, Epoll.EPOLLIN);
        }
    }

    private void onAccepted(final int accepted)
    {
        final TcpPollGroup chosen = place();
        if (null == chosen)
        {
            counters.onRefused();
            reactor.kernel().close(accepted);
            return;
        }
        chosen.assignedCount().incrementAndGet();
        if (!chosen.handOver(accepted))
        {
            chosen.assignedCount().decrementAndGet();
            counters.onRefused();
            reactor.kernel().close(accepted);
        }
    }

    /**
     * {@return the group for a new connection; null when all have as many as they may}
     * What kind of queue a connection becomes is known only from its Connect command. So one without that counts as an
     * I/O queue, and admin queues, which have little to do, decide between groups that are equal otherwise. A host
     * connects its admin queue before the others, so those are spread evenly.
     */
    private TcpPollGroup place()
    {
        TcpPollGroup chosen = null;
        int fewestIo = Integer.MAX_VALUE;
        int fewest = Integer.MAX_VALUE;
        for (int i = 0; i < groups.size(); i++)
        {
            final TcpPollGroup group = groups.get(i);
            final int count = group.assignedCount().get();
            final int ioCount = count - group.adminCount().get();
            if (count < config.connectionsMax() && (ioCount < fewestIo || ioCount == fewestIo && count < fewest))
            {
                fewestIo = ioCount;
                fewest = count;
                chosen = group;
            }
        }
        return chosen;
    }

    private static boolean isShortage(final int errno)
    {
        return Errno.EMFILE == errno || ENFILE == errno || Errno.ENOMEM == errno || ENOBUFS == errno;
    }

    private static String describe(final InetSocketAddress address, final int errno)
    {
        final String remedy = switch (errno)
        {
            case Errno.EADDRINUSE -> "stop what listens there, or choose another port";
            case Errno.EADDRNOTAVAIL -> "use an address of this machine, or 0.0.0.0 for all of them";
            case Errno.EACCES, Errno.EPERM -> "choose a port from 1024 up, or let the process bind lower ones";
            default -> "choose another address or port";
        };
        return "cannot listen on " + address.getAddress().getHostAddress() + ':' + address.getPort() + ": " +
            Errno.describe(errno) + ": " + remedy;
    }
}
