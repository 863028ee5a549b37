package io.millrace.messaging.tcp;

import io.millrace.bindings.Errno;
import io.millrace.bindings.linux.Epoll;
import io.millrace.messaging.transport.EndpointStatus;
import io.millrace.messaging.transport.Eviction;
import io.millrace.messaging.transport.LinkException;
import io.millrace.messaging.transport.LinkSizes;
import io.millrace.messaging.wire.FrameHeader;
import io.millrace.messaging.wire.Hello;
import io.millrace.reactor.Reactor;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.agrona.collections.Long2ObjectHashMap;

/**
 * Listens at an address, and reads hellos: of peers that ask for a link, and of further streams. One reactor's.
 */
public final class TcpAcceptor implements StreamHandler, AutoCloseable
{
    private static final int BACKLOG = 256;
    private static final int ACCEPTS_PER_EVENT = 16;
    /** Streams whose hello has not come: more end others, so that whoever says nothing keeps nobody out. */
    private static final int PENDING_MAX = 256;
    /** Without descriptors or memory a connection waits in the backlog so long before it is tried again. */
    private static final long PAUSE_NS = 100_000_000L;
    private static final int ENFILE = 23;
    private static final int ENOBUFS = 105;

    /** How the acceptor stands. */
    private enum State
    {
        /** Accepts. */
        LISTENING,
        /** Has no descriptor or memory for another connection, which was reported. */
        SHORT,
        /** Listens no more. */
        CLOSED
    }

    private final Reactor reactor;
    private final LinkSizes sizes;
    private final long helloTimeoutNs;
    private final Predicate<InetAddress> allowed;
    private final Function<InetAddress, String> refusal;
    private final Consumer<TcpLink> onLink;
    private final BiConsumer<InetSocketAddress, String> onRejected;
    private final SecureRandom random;
    private final int fd;
    private final InetSocketAddress local;
    private final List<Pending> pending = new ArrayList<>();
    private final List<TcpStream> ended = new ArrayList<>();
    private final Long2ObjectHashMap<TcpLink> links = new Long2ObjectHashMap<>();
    private State state = State.LISTENING;

    /** A stream that waits for its hello. */
    private record Pending(TcpStream stream, InetSocketAddress peer, long deadlineNs)
    {
    }

    /**
     * Listens.
     *
     * @param reactor        of the links.
     * @param address        where at; port 0 for any free one.
     * @param sizes          of this side.
     * @param helloTimeoutNs from the connection to the hello.
     * @param allowed        addresses that may connect.
     * @param refusal        why no link is made for the peer of an address now, or null; asked before anything is
     *     made.
     * @param onLink         gets each link: it sets its handler and polls it.
     * @param onRejected     gets who was refused, and why.
     * @param random         source of nonces.
     * @throws LinkException when the address cannot be listened at.
     */
    public TcpAcceptor(
        final Reactor reactor,
        final InetSocketAddress address,
        final LinkSizes sizes,
        final long helloTimeoutNs,
        final Predicate<InetAddress> allowed,
        final Function<InetAddress, String> refusal,
        final Consumer<TcpLink> onLink,
        final BiConsumer<InetSocketAddress, String> onRejected,
        final SecureRandom random)
    {
        this.reactor = reactor;
        this.sizes = sizes;
        this.helloTimeoutNs = helloTimeoutNs;
        this.allowed = allowed;
        this.refusal = refusal;
        this.onLink = onLink;
        this.onRejected = onRejected;
        this.random = random;
        fd = SocketOptions.listen(reactor.kernel(), address, BACKLOG);
        local = SocketOptions.localAddress(reactor.kernel(), fd);
        reactor.register(fd, Epoll.EPOLLIN, (_) -> onReady());
    }

    /**
     * {@return the address, with its port}
     */
    public InetSocketAddress address()
    {
        return local;
    }

    private void onReady()
    {
        // What is told of a rejection may close this.
        for (int i = 0; i < ACCEPTS_PER_EVENT && State.CLOSED != state; i++)
        {
            final int accepted = reactor.kernel().accept(fd);
            if (accepted < 0)
            {
                if (isShortage(-accepted))
                {
                    pause(-accepted);
                }
                return;
            }
            state = State.LISTENING;
            accept(accepted);
        }
    }

    private static boolean isShortage(final int errno)
    {
        return Errno.EMFILE == errno || ENFILE == errno || Errno.ENOMEM == errno || ENOBUFS == errno;
    }

    /** The listening socket stays ready: without a pause the reactor would do nothing else. */
    private void pause(final int errno)
    {
        reactor.modify(fd, 0);
        reactor.schedule(reactor.nowNs() + PAUSE_NS, (_) ->
        {
            if (State.CLOSED != state)
            {
                reactor.modify(fd, Epoll.EPOLLIN);
            }
        });
        if (State.LISTENING == state)
        {
            state = State.SHORT;
            onRejected.accept(local, "connections wait: " + Errno.describe(errno) +
                (Errno.EMFILE == errno ? ": raise the limit of open files (ulimit -n)" : ""));
        }
    }

    private void accept(final int accepted)
    {
        final InetSocketAddress peer;
        try
        {
            peer = SocketOptions.peerAddress(reactor.kernel(), accepted);
        }
        catch (final LinkException e)
        {
            // It has gone already.
            reactor.kernel().close(accepted);
            return;
        }
        final String refusal = allowed.test(peer.getAddress()) ? null : "its address is not allowed";
        if (null == refusal && pending.size() >= PENDING_MAX)
        {
            reject(Eviction.choose(pending, (each) -> each.peer.getAddress(), peer.getAddress()),
                "more than " + PENDING_MAX + " connections have not said hello");
        }
        if (null != refusal || State.CLOSED == state)
        {
            reactor.kernel().close(accepted);
            onRejected.accept(peer, null == refusal ? "the listener was closed" : refusal);
            return;
        }
        try (Arena arena = Arena.ofConfined())
        {
            SocketOptions.set(reactor.kernel(), accepted, arena.allocate(Long.BYTES, Long.BYTES).address(),
                sizes.silenceNs());
        }
        final TcpStream stream =
            new TcpStream(reactor, accepted, TcpStream.State.HELLO, sizes.slotBytes(), this);
        pending.add(new Pending(stream, peer, reactor.nowNs() + helloTimeoutNs));
    }

    /**
     * Reads hellos.
     *
     * @return how much was done.
     */
    public int poll()
    {
        int work = 0;
        // What is told of a rejection may close this, which rejects all that are pending.
        for (int i = pending.size() - 1; i >= 0 && i < pending.size(); i--)
        {
            final Pending each = pending.get(i);
            work += each.stream.poll();
            if (TcpStream.State.HELLO == each.stream.state() && reactor.nowNs() - each.deadlineNs >= 0)
            {
                reject(each, "it did not say hello in time");
            }
        }
        freeEnded();
        return work;
    }

    private void freeEnded()
    {
        for (int i = ended.size() - 1; i >= 0; i--)
        {
            ended.remove(i).free();
        }
    }

    /**
     * {@return whether nothing is to be done before a descriptor is ready}
     */
    public boolean canSleep()
    {
        for (int i = 0; i < pending.size(); i++)
        {
            if (!pending.get(i).stream.canSleep())
            {
                return false;
            }
        }
        return ended.isEmpty();
    }

    private Pending take(final TcpStream stream)
    {
        for (int i = 0; i < pending.size(); i++)
        {
            if (pending.get(i).stream == stream)
            {
                return pending.remove(i);
            }
        }
        throw new IllegalStateException("a stream is pending until its hello came");
    }

    private void reject(final Pending each, final String reason)
    {
        pending.remove(each);
        each.stream.close();
        ended.add(each.stream);
        onRejected.accept(each.peer, reason);
    }

    @Override
    public void onHello(final TcpStream stream, final long helloAddress)
    {
        final Pending each = take(stream);
        final String reason = Hello.invalid(helloAddress);
        if (null != reason)
        {
            refuse(each, EndpointStatus.INCOMPATIBLE, reason);
            return;
        }
        final long connectionId = Hello.connectionId(helloAddress);
        if (0 == connectionId)
        {
            final String noLink = refusal.apply(each.peer.getAddress());
            if (null != noLink)
            {
                refuse(each, EndpointStatus.REJECTED, noLink);
                return;
            }
            final byte[] nonce = new byte[Hello.NONCE_BYTES];
            random.nextBytes(nonce);
            final TcpLink link = new TcpLink(reactor, each.peer, sizes, nonce, newId());
            links.put(link.connectionId(), link);
            link.accept(stream, helloAddress);
            onLink.accept(link);
            return;
        }
        final TcpLink link = links.get(connectionId);
        if (null == link || !link.join(stream, helloAddress))
        {
            // Nothing is said to it: it takes what comes for bulk.
            pending.add(each);
            reject(each, "it belongs to no connection here");
        }
    }

    /** It learns the version of this side, and so why. */
    private void refuse(final Pending each, final EndpointStatus status, final String reason)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final int bytes = Hello.SIZE_BYTES + FrameHeader.SIZE_BYTES;
            final long hello = arena.allocate(bytes, Long.BYTES).address();
            Hello.write(hello, 0, sizes.slotBytes(), sizes.receiveDepth(), sizes.messageBytesMax(), 0L);
            FrameHeader.write(hello + Hello.SIZE_BYTES, FrameHeader.GOODBYE, 0, 0L, 0L, status.ordinal());
            each.stream.sendAtOnce(hello, bytes);
        }
        pending.add(each);
        reject(each, reason);
    }

    private long newId()
    {
        long id;
        do
        {
            id = random.nextLong();
        }
        while (0 == id || links.containsKey(id));
        return id;
    }

    /**
     * A link has ended.
     *
     * @param link of this acceptor.
     */
    public void remove(final TcpLink link)
    {
        links.remove(link.connectionId());
    }

    @Override
    public void onConnected(final TcpStream stream)
    {
        throw new IllegalStateException("an accepted stream is connected");
    }

    @Override
    public void onFrame(final TcpStream stream, final long address, final int payloadBytes)
    {
        throw new IllegalStateException("frames come after the hello");
    }

    @Override
    public long onBulk(final TcpStream stream, final long headerAddress)
    {
        throw new IllegalStateException("bulk comes after the hello");
    }

    @Override
    public void onPayload(final TcpStream stream)
    {
        throw new IllegalStateException("bulk comes after the hello");
    }

    @Override
    public void onFailed(final TcpStream stream, final EndpointStatus status, final String reason)
    {
        final Pending each = take(stream);
        pending.add(each);
        reject(each, reason);
    }

    /** Ends listening; links go on. A second call does nothing. */
    @Override
    public void close()
    {
        if (State.CLOSED != state)
        {
            state = State.CLOSED;
            reactor.deregister(fd);
            reactor.kernel().close(fd);
            while (!pending.isEmpty())
            {
                reject(pending.getLast(), "the listener was closed");
            }
            // One of them may be what is polled now.
            reactor.execute(this::freeEnded);
        }
    }
}
