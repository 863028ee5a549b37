package io.millrace.messaging;

import io.millrace.messaging.transport.EndpointStatus;
import java.net.InetSocketAddress;

/**
 * When and how an endpoint connects: RDMA first, when it is enabled and available, then TCP; again after a delay that
 * doubles. One endpoint's.
 */
final class Reconnection
{
    private static final long NO_TIMER = -1;

    private final Messaging messaging;
    private final InetSocketAddress peer;
    private Endpoint endpoint;
    private long delayNs;
    private long connectedNs;
    private long timerId = NO_TIMER;
    private boolean isStopped;

    Reconnection(final Messaging messaging, final InetSocketAddress peer)
    {
        this.messaging = messaging;
        this.peer = peer;
        delayNs = messaging.context().reconnectDelayMinNs();
    }

    void start(final Endpoint of)
    {
        endpoint = of;
        messaging.connector().connect(endpoint, peer, this);
    }

    boolean isStopped()
    {
        return isStopped;
    }

    /** {@return whether another attempt follows} */
    boolean isWanted(final EndpointStatus status)
    {
        return !isStopped && messaging.context().reconnects() && EndpointStatus.CLOSED != status;
    }

    void connectByTcp(final EndpointStatus status, final String reason)
    {
        messaging.connector().onRdmaFailed(endpoint, peer, status, reason);
    }

    void onConnected()
    {
        connectedNs = messaging.reactor().nowNs();
    }

    /** A peer that ends each connection at once is not asked at the smallest delay for ever. */
    void onDisconnected()
    {
        if (messaging.reactor().nowNs() - connectedNs >= messaging.context().reconnectDelayMaxNs())
        {
            delayNs = messaging.context().reconnectDelayMinNs();
        }
    }

    /** Connects again after the delay. */
    void later()
    {
        if (isStopped)
        {
            return;
        }
        timerId = messaging.reactor().schedule(messaging.reactor().nowNs() + delayNs, (_) ->
        {
            timerId = NO_TIMER;
            messaging.connector().connect(endpoint, peer, this);
        });
        delayNs = Math.min(2 * delayNs, messaging.context().reconnectDelayMaxNs());
    }

    void stop()
    {
        isStopped = true;
        if (NO_TIMER != timerId)
        {
            messaging.reactor().cancel(timerId);
            timerId = NO_TIMER;
        }
    }
}
