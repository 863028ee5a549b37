package io.millrace.dataplane.snapshot;

import io.millrace.nvmf.transport.TransportAddress;

/**
 * Where hosts reach the data plane over NVMe-oF. Immutable.
 *
 * @param address       with the port as taken.
 * @param discoveryOnly whether no other subsystem than discovery is reached there.
 */
public record ListenerSnapshot(TransportAddress address, boolean discoveryOnly)
{
}
