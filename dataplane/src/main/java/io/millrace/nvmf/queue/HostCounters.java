package io.millrace.nvmf.queue;

import io.millrace.status.IoCounters;
import io.millrace.status.StatusPart;

/**
 * I/O counters of one host on one reactor, over all subsystems and queue pairs. The record is allocated by the first
 * I/O command. Reactor only.
 */
final class HostCounters
{
    private final String hostNqn;
    private final StatusPart status;
    private IoCounters io;
    private int queuePairs;

    HostCounters(final String hostNqn, final StatusPart status)
    {
        this.hostNqn = hostNqn;
        this.status = status;
    }

    String hostNqn()
    {
        return hostNqn;
    }

    /**
     * {@return where to count}
     */
    IoCounters io()
    {
        if (null == io)
        {
            io = status.host(hostNqn);
        }
        return io;
    }

    /**
     * {@return whether something was counted}
     */
    boolean hasCounted()
    {
        return null != io;
    }

    /**
     * {@return I/O queue pairs that the host has on the reactor}
     */
    int queuePairs()
    {
        return queuePairs;
    }

    void queuePairs(final int count)
    {
        queuePairs = count;
    }

    /**
     * The host is no longer in the table.
     */
    void release()
    {
        if (null != io)
        {
            io.release();
            io = null;
        }
    }
}
