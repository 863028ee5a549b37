package io.millrace.nvmf.tcp;

import io.millrace.nvmf.connection.ConnectionCounters;
import io.millrace.status.DataPlaneCounters;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counters of the connections of a transport, with what only NVMe/TCP has. Events of the control path only, never of an
 * I/O. Any thread.
 */
public final class TcpCounters extends ConnectionCounters
{
    private final AtomicLong acceptPauses = new AtomicLong();
    private final AtomicLong headerDigestErrors = new AtomicLong();
    private final AtomicLong dataDigestErrors = new AtomicLong();
    private final AtomicLong peerTerminations = new AtomicLong();

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
            case ACCEPT_PAUSES -> acceptPauses();
            case HEADER_DIGEST_ERRORS -> headerDigestErrors();
            case DATA_DIGEST_ERRORS -> dataDigestErrors();
            case HOST_TERMINATIONS -> peerTerminations();
            default -> super.get(value);
        };
    }

    /**
     * {@return how often accepting paused because the process had no descriptors or memory left}
     */
    public long acceptPauses()
    {
        return acceptPauses.get();
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
     * {@return H2CTermReq received}
     */
    public long peerTerminations()
    {
        return peerTerminations.get();
    }

    void onAcceptPaused()
    {
        acceptPauses.incrementAndGet();
    }

    void onHeaderDigestError()
    {
        headerDigestErrors.incrementAndGet();
    }

    void onDataDigestError()
    {
        dataDigestErrors.incrementAndGet();
    }

    void onPeerTermination()
    {
        peerTerminations.incrementAndGet();
    }
}
