package io.millrace.nvmf.tcp;

import io.millrace.bindings.linux.Epoll;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReadinessListener;

/**
 * Detects that a connection's socket is ready: by the reactor's epoll, or by polling the socket in every cycle. Its
 * connection's reactor only.
 */
final class SocketReadiness
{
    /** How data on the socket is detected. */
    enum PollMode
    {
        /** By the reactor's epoll. */
        EPOLL,
        /** By polling in every cycle; epoll watches too, so that the end of polling costs nothing. */
        HYBRID,
        /** By polling in every cycle, for so long that the socket was removed from epoll's interest. */
        BUSY_POLL
    }

    /** Time of polling after which epoll's work at each arrival is avoided. */
    private static final long BUSY_POLL_AFTER_NS = 1_000_000;

    private final Reactor reactor;
    private final int fd;
    /** Events that epoll watches for. */
    private int interest;
    private boolean reads = true;
    private boolean writes;
    private PollMode pollMode = PollMode.EPOLL;
    private long pollingSinceNs;
    private long lastDataNs;

    SocketReadiness(final Reactor reactor, final int fd)
    {
        this.reactor = reactor;
        this.fd = fd;
    }

    void start(final ReadinessListener listener)
    {
        interest = Epoll.EPOLLIN;
        reactor.register(fd, interest, listener);
    }

    void stop()
    {
        reactor.deregister(fd);
    }

    PollMode pollMode()
    {
        return pollMode;
    }

    /**
     * Data came.
     *
     * @param nowNs the cycle's clock.
     */
    void onData(final long nowNs)
    {
        lastDataNs = nowNs;
        if (PollMode.HYBRID == pollMode && nowNs - pollingSinceNs > BUSY_POLL_AFTER_NS)
        {
            pollMode = PollMode.BUSY_POLL;
            apply();
        }
    }

    /**
     * The socket is polled in every cycle from now on.
     *
     * @param nowNs the cycle's clock.
     */
    void startPolling(final long nowNs)
    {
        pollMode = PollMode.HYBRID;
        pollingSinceNs = nowNs;
    }

    /**
     * The socket is no longer polled; epoll reports new data, and data that has already arrived.
     */
    void stopPolling()
    {
        pollMode = PollMode.EPOLL;
        apply();
    }

    /**
     * {@return whether no data has arrived for a time}
     *
     * @param nowNs   the cycle's clock.
     * @param afterNs how long.
     */
    boolean isSilent(final long nowNs, final long afterNs)
    {
        return nowNs - lastDataNs > afterNs;
    }

    /**
     * Sets the events that the connection waits for.
     *
     * @param wantsData data, while the socket is not polled.
     * @param wantsRoom room to send.
     */
    void setInterest(final boolean wantsData, final boolean wantsRoom)
    {
        reads = wantsData;
        writes = wantsRoom;
        apply();
    }

    private void apply()
    {
        final int wanted = (reads && PollMode.BUSY_POLL != pollMode ? Epoll.EPOLLIN : 0) |
            (writes ? Epoll.EPOLLOUT : 0);
        if (wanted != interest)
        {
            interest = wanted;
            reactor.modify(fd, wanted);
        }
    }
}
