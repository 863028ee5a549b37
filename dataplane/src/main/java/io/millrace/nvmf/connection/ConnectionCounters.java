package io.millrace.nvmf.connection;

import io.millrace.nvmf.transport.TransportCounters;
import io.millrace.status.DataPlaneCounters;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counters of the connections of a transport, of what every transport has. Events of the control path only, never of an
 * I/O. Any thread.
 */
public class ConnectionCounters implements TransportCounters
{
    private final AtomicLong accepted = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong refusedPending = new AtomicLong();
    private final AtomicLong refusedConnects = new AtomicLong();
    private final AtomicLong refusedDiscovery = new AtomicLong();
    private final AtomicLong discovery = new AtomicLong();
    private final AtomicLong pending = new AtomicLong();
    private final AtomicLong closed = new AtomicLong();
    private final AtomicLong connectTimeouts = new AtomicLong();
    private final AtomicLong dataTimeouts = new AtomicLong();
    private final AtomicLong sendTimeouts = new AtomicLong();
    private final AtomicLong stalledCapsules = new AtomicLong();
    private final AtomicLong deferredCapsules = new AtomicLong();
    private final AtomicLong copiedLoans = new AtomicLong();
    private volatile String lastCloseReason = "";

    /**
     * All are zero.
     */
    public ConnectionCounters()
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
            case CONNECT_TIMEOUTS -> connectTimeouts();
            case STALLED_CAPSULES -> stalledCapsules();
            case COPIED_LOANS -> copiedLoans();
            case DATA_TIMEOUTS -> dataTimeouts();
            case SEND_TIMEOUTS -> sendTimeouts();
            case REFUSED_PENDING -> refusedPending();
            case REFUSED_CONNECTS -> refusedConnects();
            case PENDING_CONNECTIONS -> pending();
            case REFUSED_DISCOVERY -> refusedDiscovery();
            case DISCOVERY_CONNECTIONS -> discovery();
            case DEFERRED_CAPSULES -> deferredCapsules();
            case ACCEPT_PAUSES, HEADER_DIGEST_ERRORS, DATA_DIGEST_ERRORS, HOST_TERMINATIONS, STATE, MEMORY_BYTES,
                DMA_BYTES, DMA_HUGEPAGE_BYTES -> 0;
        };
    }

    /**
     * {@return connections accepted}
     */
    public final long accepted()
    {
        return accepted.get();
    }

    /**
     * {@return connections closed at once because the reactors had no room for more}
     */
    public final long refused()
    {
        return refused.get();
    }

    /**
     * {@return of the connections that were {@link #refused()}, those closed as too many had not sent a Connect
     * command that
     *     succeeded, in all or from their address}
     */
    public final long refusedPending()
    {
        return refusedPending.get();
    }

    /**
     * {@return Connect commands refused as there were too many connections, in all or from their address}
     */
    public final long refusedConnects()
    {
        return refusedConnects.get();
    }

    /**
     * {@return Connect commands refused as there were too many discovery controllers, in all or from their address}
     */
    public final long refusedDiscovery()
    {
        return refusedDiscovery.get();
    }

    /**
     * {@return discovery controllers now}
     */
    public final long discovery()
    {
        return discovery.get();
    }

    /**
     * {@return connections now whose Connect command has not succeeded yet}
     */
    public final long pending()
    {
        return pending.get();
    }

    /**
     * {@return connections closed, whatever the reason}
     */
    public final long closed()
    {
        return closed.get();
    }

    /**
     * {@return connections closed because no Connect command succeeded in time}
     */
    public final long connectTimeouts()
    {
        return connectTimeouts.get();
    }

    /**
     * {@return connections closed because data that was asked for did not come in time}
     */
    public final long dataTimeouts()
    {
        return dataTimeouts.get();
    }

    /**
     * {@return connections closed because the host did not take answers in time}
     */
    public final long sendTimeouts()
    {
        return sendTimeouts.get();
    }

    /**
     * {@return capsules that waited in their connection, which received nothing meanwhile: for a buffer, a slot or a
     *     turn}
     */
    public final long stalledCapsules()
    {
        return stalledCapsules.get();
    }

    /**
     * {@return capsules that were deferred as they waited for a slot while data was awaited}
     */
    public final long deferredCapsules()
    {
        return deferredCapsules.get();
    }

    /**
     * {@return answers whose data was copied, and the memory given back to its device, because a host did not read them
     *     while somebody waited to write it}
     */
    public final long copiedLoans()
    {
        return copiedLoans.get();
    }

    /**
     * {@return why the last connection was closed, empty when none was}
     */
    public final String lastCloseReason()
    {
        return lastCloseReason;
    }

    /** A connection was accepted. */
    public final void onAccepted()
    {
        accepted.incrementAndGet();
    }

    /** A connection was closed at once as there is no room for more. */
    public final void onRefused()
    {
        refused.incrementAndGet();
    }

    /**
     * A connection or its Connect command was refused.
     *
     * @param limit that is reached.
     */
    final void onRefused(final ConnectionAdmission.Limit limit)
    {
        switch (limit)
        {
            case PENDING, PENDING_PER_ADDRESS ->
            {
                refused.incrementAndGet();
                refusedPending.incrementAndGet();
            }
            case CAPSULES, RDMA_CONNECTIONS -> refused.incrementAndGet();
            case CONNECTIONS, CONNECTIONS_PER_ADDRESS -> refusedConnects.incrementAndGet();
            case DISCOVERY, DISCOVERY_PER_ADDRESS -> refusedDiscovery.incrementAndGet();
        }
    }

    final void onDiscovery(final int change)
    {
        discovery.addAndGet(change);
    }

    final void onPending(final int change)
    {
        pending.addAndGet(change);
    }

    /**
     * A connection was closed.
     *
     * @param reason why, in words.
     */
    public final void onClosed(final String reason)
    {
        lastCloseReason = reason;
        closed.incrementAndGet();
    }

    /** No Connect command succeeded in time. */
    public final void onConnectTimeout()
    {
        connectTimeouts.incrementAndGet();
    }

    /** Data that was asked for did not come in time. */
    public final void onDataTimeout()
    {
        dataTimeouts.incrementAndGet();
    }

    /** A host did not take answers in time. */
    public final void onSendTimeout()
    {
        sendTimeouts.incrementAndGet();
    }

    /** A capsule waits in its connection. */
    public final void onStalled()
    {
        stalledCapsules.incrementAndGet();
    }

    /** A capsule was deferred. */
    public final void onDeferred()
    {
        deferredCapsules.incrementAndGet();
    }

    /**
     * Data of answers was copied.
     *
     * @param count answers.
     */
    public final void onCopiedLoans(final int count)
    {
        copiedLoans.addAndGet(count);
    }
}
