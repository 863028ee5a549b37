package io.millrace.simulation;

import io.millrace.bindings.Errno;
import io.millrace.bindings.linux.Epoll;
import java.net.InetSocketAddress;

/**
 * One end of a TCP connection. What is sent is in flight until the network delivers it, in pieces of any length.
 */
final class Stream extends Descriptor
{
    enum State
    {
        /** Made; not connecting. */
        NEW,
        /** The network decides. */
        CONNECTING,
        /** Bytes flow. */
        CONNECTED,
        /** Reset, or could not connect. */
        FAILED,
        /** Closed by its owner. */
        CLOSED
    }

    InetSocketAddress local;
    InetSocketAddress remote;
    long dueNs;
    /** Nothing of this end arrives before. */
    private long heldUntilNs;
    private final Network network;
    private final Draw draw;
    private final ByteQueue flight;
    private final ByteQueue inbox;
    private final SentPdus pdus;
    private State state = State.NEW;
    private Stream peer;
    private int error;
    private boolean isShutDown;
    private boolean isEndDelivered;
    /** Bytes of this end are lost from now on, without a word. */
    private boolean isSilent;

    Stream(final Network network, final Draw draw)
    {
        this.network = network;
        this.draw = draw;
        pdus = new SentPdus(draw);
        flight = new ByteQueue(draw.of(2_000, 6_000, 20_000));
        inbox = new ByteQueue(draw.of(1_000, 5_000, 20_000));
    }

    State state()
    {
        return state;
    }

    Stream peer()
    {
        return peer;
    }

    boolean isConnected()
    {
        return State.CONNECTED == state;
    }

    void connecting()
    {
        state = State.CONNECTING;
    }

    void join(final Stream accepted)
    {
        peer = accepted;
        accepted.peer = this;
        state = State.CONNECTED;
        accepted.state = State.CONNECTED;
        changed();
    }

    void fail(final int errno)
    {
        if (State.CLOSED != state)
        {
            state = State.FAILED;
            error = errno;
            flight.clear();
            inbox.clear();
            changed();
        }
    }

    /** {@return the error, which is reported once} */
    int takeError()
    {
        final int taken = error;
        error = 0;
        return taken;
    }

    /** Both ends are reset. */
    void reset()
    {
        if (isConnected())
        {
            final Stream other = peer;
            fail(Errno.ECONNRESET);
            if (null != other)
            {
                other.fail(Errno.ECONNRESET);
            }
        }
    }

    /** What this end sends does not arrive any more, and no end of it either. */
    void silence()
    {
        isSilent = true;
    }

    /** What this end has sent, and sends, arrives late, also when it is closed meanwhile. */
    void hold(final long untilNs)
    {
        heldUntilNs = untilNs;
    }

    /** This end is lost, and what it has sent is still on its way: the peer does not know. */
    void lose()
    {
        state = State.FAILED;
        error = Errno.ETIMEDOUT;
        inbox.clear();
        changed();
    }

    long heldUntilNs()
    {
        return heldUntilNs;
    }

    /** {@return what this end sends} */
    SentPdus pdus()
    {
        return pdus;
    }

    /** The process of this end is gone. */
    void vanish(final boolean silently)
    {
        if (isConnected() && null != peer)
        {
            if (silently)
            {
                flight.clear();
                isSilent = true;
            }
            else
            {
                peer.fail(Errno.ECONNRESET);
            }
        }
    }

    void shutdown()
    {
        isShutDown = true;
        network.sent(this);
    }

    void close()
    {
        final boolean wasConnected = isConnected();
        state = State.CLOSED;
        if (!wasConnected || null == peer)
        {
            return;
        }
        isShutDown = true;
        if (inbox.size() > 0 && !isSilent)
        {
            // As Linux does it: data that nobody has read is answered with a reset, which overtakes what is in flight.
            flight.clear();
            peer.fail(Errno.ECONNRESET);
        }
        inbox.clear();
        network.sent(this);
    }

    /** {@return whether the network has something to do for this end} */
    boolean isSending()
    {
        return State.CONNECTING == state ||
            !isSilent && null != peer && (isConnected() || State.CLOSED == state) &&
            (flight.size() > 0 && (peer.inbox.room() > 0 || State.CLOSED == peer.state) ||
            0 == flight.size() && isShutDown && !peer.isEndDelivered && peer.isConnected());
    }

    /** Delivers a piece of what is in flight, or the end of the stream. */
    int deliver()
    {
        if (flight.size() > 0)
        {
            if (State.CLOSED == peer.state)
            {
                flight.clear();
                fail(Errno.ECONNRESET);
                return 0;
            }
            if (!peer.isConnected())
            {
                flight.clear();
                return 0;
            }
            final int most = Math.min(flight.size(), peer.inbox.room());
            final int count = draw.oneIn(3) ? 1 + draw.below(most) : most;
            flight.move(peer.inbox, count);
            peer.changed();
            changed();
            return count;
        }
        peer.isEndDelivered = true;
        peer.changed();
        return 0;
    }

    long send(final long address, final long lengthBytes)
    {
        if (State.FAILED == state)
        {
            final int errno = takeError();
            return 0 == errno ? -Errno.EPIPE : -errno;
        }
        if (isShutDown)
        {
            return -Errno.EPIPE;
        }
        final int room = flight.room();
        if (0 == room || draw.oneIn(64))
        {
            network.sent(this);
            return -Errno.EAGAIN;
        }
        int count = (int)Math.min(room, lengthBytes);
        count = count > 1 && draw.oneIn(16) ? 1 + draw.below(count) : count;
        if (isSilent)
        {
            return count;
        }
        flight.append(address, count);
        pdus.sent(flight, count);
        network.sent(this);
        return count;
    }

    int available()
    {
        return inbox.size();
    }

    long receive(final long address, final long lengthBytes)
    {
        if (inbox.size() > 0)
        {
            final int count = (int)Math.min(inbox.size(), lengthBytes);
            inbox.take(address, count);
            if (null != peer)
            {
                network.sent(peer);
            }
            return count;
        }
        if (State.FAILED == state)
        {
            final int errno = takeError();
            return -errno;
        }
        return isEndDelivered ? 0 : -Errno.EAGAIN;
    }

    @Override
    int ready()
    {
        return switch (state)
        {
            case NEW -> Epoll.EPOLLHUP | Epoll.EPOLLOUT;
            case CONNECTING, CLOSED -> 0;
            case FAILED -> Epoll.EPOLLIN | Epoll.EPOLLOUT | Epoll.EPOLLERR | Epoll.EPOLLHUP;
            case CONNECTED -> (inbox.size() > 0 || isEndDelivered ? Epoll.EPOLLIN : 0) |
                (flight.room() > 0 ? Epoll.EPOLLOUT : 0) | (isShutDown && isEndDelivered ? Epoll.EPOLLHUP : 0);
        };
    }
}
