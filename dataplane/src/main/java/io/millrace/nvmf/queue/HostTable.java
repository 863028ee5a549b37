package io.millrace.nvmf.queue;

import io.millrace.status.StatusPart;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Hosts that have, or had, I/O queue pairs on one reactor: the counters of a host that reconnects continue. Of
 * disconnected hosts, the latest {@link #GONE_MAX} are kept. Single-threaded; control path.
 */
final class HostTable
{
    /** Bounds the number of disconnected hosts, since a host may use any name. */
    static final int GONE_MAX = 256;

    private final StatusPart status;
    /** Disconnected hosts are in the order in which they left. */
    private final Map<String, HostCounters> hosts = new LinkedHashMap<>();
    private int gone;

    HostTable(final StatusPart status)
    {
        this.status = status;
    }

    /**
     * A host has one more I/O queue pair here.
     *
     * @param hostNqn of the host, without control characters.
     * @return where to count what it does.
     */
    HostCounters join(final String hostNqn)
    {
        HostCounters host = hosts.get(hostNqn);
        if (null == host)
        {
            host = new HostCounters(hostNqn, status);
            hosts.put(hostNqn, host);
        }
        else if (0 == host.queuePairs())
        {
            gone--;
        }
        host.queuePairs(host.queuePairs() + 1);
        return host;
    }

    /**
     * A connection of a host has ended.
     *
     * @param host from {@link #join}.
     */
    void leave(final HostCounters host)
    {
        host.queuePairs(host.queuePairs() - 1);
        if (0 == host.queuePairs())
        {
            hosts.remove(host.hostNqn());
            if (host.hasCounted())
            {
                hosts.put(host.hostNqn(), host);
                gone++;
                forget();
            }
        }
    }

    private void forget()
    {
        final Iterator<HostCounters> each = hosts.values().iterator();
        while (gone > GONE_MAX)
        {
            final HostCounters host = each.next();
            if (0 == host.queuePairs())
            {
                each.remove();
                host.release();
                gone--;
            }
        }
    }
}
