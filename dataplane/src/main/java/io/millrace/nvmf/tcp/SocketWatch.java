package io.millrace.nvmf.tcp;

import io.millrace.bindings.linux.Epoll;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReadinessListener;

/**
 * How a group learns that a connection's socket has something: from the reactor's epoll, or by asking in every cycle.
 * Its connection's reactor only.
 */
final class SocketWatch
{
    /** How a group learns that the socket has something. */
    enum Temperature
    {
        /** From the reactor's epoll. */
        COLD,
        /** By asking in every cycle; epoll watches as well, so that turning cold again costs nothing. */
        HOT,
        /** By asking in every cycle, for so long now that epoll has been told not to watch. */
        GLOWING
    }

    /** A hot socket for which epoll's own work at each arrival is no longer worth while. */
    private static final long GLOW_AFTER_NS = 1_000_000;

    private final Reactor reactor;
    private final int fd;
    /** Events that epoll watches for. */
    private int interest;
    private boolean reads = true;
    private boolean writes;
    private Temperature temperature = Temperature.COLD;
    private long hotSinceNs;
    private long lastDataNs;

    SocketWatch(final Reactor reactor, final int fd)
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

    Temperature temperature()
    {
        return temperature;
    }

    /**
     * Data came.
     *
     * @param nowNs the cycle's clock.
     */
    void onData(final long nowNs)
    {
        lastDataNs = nowNs;
        if (Temperature.HOT == temperature && nowNs - hotSinceNs > GLOW_AFTER_NS)
        {
            temperature = Temperature.GLOWING;
            apply();
        }
    }

    /**
     * The socket is asked in every cycle from now on.
     *
     * @param nowNs the cycle's clock.
     */
    void heat(final long nowNs)
    {
        temperature = Temperature.HOT;
        hotSinceNs = nowNs;
    }

    /**
     * The socket is no longer asked; epoll finds what comes, and what has come already.
     */
    void cool()
    {
        temperature = Temperature.COLD;
        apply();
    }

    /**
     * {@return whether nothing has come for so long}
     *
     * @param nowNs   the cycle's clock.
     * @param afterNs how long.
     */
    boolean isSilent(final long nowNs, final long afterNs)
    {
        return nowNs - lastDataNs > afterNs;
    }

    /**
     * Says what the connection waits for.
     *
     * @param wantsData data, as long as the socket is not asked anyway.
     * @param wantsRoom room to send.
     */
    void want(final boolean wantsData, final boolean wantsRoom)
    {
        reads = wantsData;
        writes = wantsRoom;
        apply();
    }

    private void apply()
    {
        final int wanted = (reads && Temperature.GLOWING != temperature ? Epoll.EPOLLIN : 0) |
            (writes ? Epoll.EPOLLOUT : 0);
        if (wanted != interest)
        {
            interest = wanted;
            reactor.modify(fd, wanted);
        }
    }
}
