package io.millrace.dataplane.snapshot;

import io.millrace.dataplane.config.ListenerProvider;
import io.millrace.nvmf.transport.TransportAddress;

/**
 * Where hosts reach the data plane over NVMe-oF. Immutable.
 *
 * @param address       with the port as taken.
 * @param discoveryOnly whether no other subsystem than discovery is reached there.
 * @param listening     whether hosts reach it; not while it waits for a device that was removed.
 * @param provider      whose target serves it.
 */
public record ListenerSnapshot(
    TransportAddress address, boolean discoveryOnly, boolean listening, ListenerProvider provider)
{
    /**
     * One of Millrace's own target that hosts reach.
     *
     * @param address       with the port as taken.
     * @param discoveryOnly whether no other subsystem than discovery is reached there.
     */
    public ListenerSnapshot(final TransportAddress address, final boolean discoveryOnly)
    {
        this(address, discoveryOnly, true, ListenerProvider.MILLRACE);
    }
}
