package io.millrace.nvmf.tcp;

import io.millrace.nvmf.transport.TransportCounters;
import io.millrace.status.DataPlaneCounters;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counters of the connections of a transport. Events of the control path only, never of an I/O. Any thread.
 */
public final class TcpCounters implements TransportCounters
{
    private final AtomicLong accepted = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong refusedPending = new AtomicLong();
    private final AtomicLong refusedConnects = new AtomicLong();
    private final AtomicLong refusedDiscovery = new AtomicLong();
    private final AtomicLong pending = new AtomicLong();
    private final AtomicLong discovery = new AtomicLong();
    private final AtomicLong acceptPauses = new AtomicLong();
    private final AtomicLong closed = new AtomicLong();
    private final AtomicLong connectTimeouts = new AtomicLong();
    private final AtomicLong dataTimeouts = new AtomicLong();
    private final AtomicLong sendTimeouts = new AtomicLong();
    private final AtomicLong headerDigestErrors = new AtomicLong();
    private final AtomicLong dataDigestErrors = new AtomicLong();
    private final AtomicLong stalledCapsules = new AtomicLong();
    private final AtomicLong deferredCapsules = new AtomicLong();
    private final AtomicLong copiedLoans = new AtomicLong();
    private final AtomicLong peerTerminations = new AtomicLong();
    private volatile String lastCloseReason = "";

    /**
     * For the transport alone.
     */
    TcpCounters()
    {
    }

    @Override
    public long get(final DataPlaneCounters.Value value)
    {
        return switch (value)
        {
            case ACCEPTED -> accepted();
            case REFUSED -> refused();
            case CLOSED -> closed();
            case ACCEPT_PAUSES -> acceptPauses();
            case CONNECT_TIMEOUTS -> connectTimeouts();
            case HEADER_DIGEST_ERRORS -> headerDigestErrors();
            case DATA_DIGEST_ERRORS -> dataDigestErrors();
            case STALLED_CAPSULES -> stalledCapsules();
            case COPIED_LOANS -> copiedLoans();
            case HOST_TERMINATIONS -> peerTerminations();
            case DATA_TIMEOUTS -> dataTimeouts();
            case SEND_TIMEOUTS -> sendTimeouts();
            case REFUSED_PENDING -> refusedPending();
            case REFUSED_CONNECTS -> refusedConnects();
            case PENDING_CONNECTIONS -> pending();
            case REFUSED_DISCOVERY -> refusedDiscovery();
            case DISCOVERY_CONNECTIONS -> discovery();
            case DEFERRED_CAPSULES -> deferredCapsules();
            case STATE, MEMORY_BYTES, DMA_BYTES, DMA_HUGEPAGE_BYTES -> 0;
        };
    }

    /**
     * {@return connections accepted}
     */
    public long accepted()
    {
        return accepted.get();
    }

    /**
     * {@return connections closed at once because the reactors had no room for more}
     */
    public long refused()
    {
        return refused.get();
    }

    /**
     * {@return of the connections that were {@link #refused()}, those closed as too many had not sent a Connect
     * command that
     *     succeeded, in all or from their address}
     */
    public long refusedPending()
    {
        return refusedPending.get();
    }

    /**
     * {@return Connect commands refused as there were too many connections, in all or from their address}
     */
    public long refusedConnects()
    {
        return refusedConnects.get();
    }

    /**
     * {@return Connect commands refused as there were too many discovery controllers, in all or from their address}
     */
    public long refusedDiscovery()
    {
        return refusedDiscovery.get();
    }

    /**
     * {@return discovery controllers now}
     */
    public long discovery()
    {
        return discovery.get();
    }

    /**
     * {@return connections now whose Connect command has not succeeded yet}
     */
    public long pending()
    {
        return pending.get();
    }

    /**
     * {@return how often accepting paused because the process had no descriptors or memory left}
     */
    public long acceptPauses()
    {
        return acceptPauses.get();
    }

    /**
     * {@return connections closed, whatever the reason}
     */
    public long closed()
    {
        return closed.get();
    }

    /**
     * {@return connections closed because no Connect command succeeded in time}
     */
    public long connectTimeouts()
    {
        return connectTimeouts.get();
    }

    /**
     * {@return connections closed because data that was asked for did not come in time}
     */
    public long dataTimeouts()
    {
        return dataTimeouts.get();
    }

    /**
     * {@return connections closed because the host did not take answers in time}
     */
    public long sendTimeouts()
    {
        return sendTimeouts.get();
    }

    /**
     * {@return PDUs whose header digest was wrong; each ended its connection}
     */
    public long headerDigestErrors()
    {
        return headerDigestErrors.get();
    }

    /**
     * {@return PDUs whose data digest was wrong; each failed its command}
     */
    public long dataDigestErrors()
    {
        return dataDigestErrors.get();
    }

    /**
     * {@return capsules that waited in their connection, which received nothing meanwhile: for a buffer, a slot or a
     *     turn}
     */
    public long stalledCapsules()
    {
        return stalledCapsules.get();
    }

    /**
     * {@return capsules that were deferred as they waited for a slot while data was awaited}
     */
    public long deferredCapsules()
    {
        return deferredCapsules.get();
    }

    /**
     * {@return answers whose data was copied, and the memory given back to its device, because a host did not read them
     *     while somebody waited to write it}
     */
    public long copiedLoans()
    {
        return copiedLoans.get();
    }

    /**
     * {@return H2CTermReq received}
     */
    public long peerTerminations()
    {
        return peerTerminations.get();
    }

    /**
     * {@return why the last connection was closed, empty when none was}
     */
    public String lastCloseReason()
    {
        return lastCloseReason;
    }

    void onAccepted()
    {
        accepted.incrementAndGet();
    }

    void onRefused()
    {
        refused.incrementAndGet();
    }

    void onRefused(final ConnectionAdmission.Limit limit)
    {
        switch (limit)
        {
            case PENDING, PENDING_PER_ADDRESS ->
            {
                refused.incrementAndGet();
                refusedPending.incrementAndGet();
            }
            case CONNECTIONS, CONNECTIONS_PER_ADDRESS -> refusedConnects.incrementAndGet();
            case DISCOVERY, DISCOVERY_PER_ADDRESS -> refusedDiscovery.incrementAndGet();
        }
    }

    void onDiscovery(final int change)
    {
        discovery.addAndGet(change);
    }

    void onPending(final int change)
    {
        pending.addAndGet(change);
    }

    void onAcceptPaused()
    {
        acceptPauses.incrementAndGet();
    }

    void onClosed(final String reason)
    {
        lastCloseReason = reason;
        closed.incrementAndGet();
    }

    void onConnectTimeout()
    {
        connectTimeouts.incrementAndGet();
    }

    void onDataTimeout()
    {
        dataTimeouts.incrementAndGet();
    }

    void onSendTimeout()
    {
        sendTimeouts.incrementAndGet();
    }

    void onHeaderDigestError()
    {
        headerDigestErrors.incrementAndGet();
    }

    void onDataDigestError()
    {
        dataDigestErrors.incrementAndGet();
    }

    void onStalled()
    {
        stalledCapsules.incrementAndGet();
    }

    void onDeferred()
    {
        deferredCapsules.incrementAndGet();
    }

    void onCopiedLoans(final int count)
    {
        copiedLoans.addAndGet(count);
    }

    void onPeerTermination()
    {
        peerTerminations.incrementAndGet();
    }
}
