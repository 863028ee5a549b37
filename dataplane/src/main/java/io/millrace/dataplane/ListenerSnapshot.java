package io.millrace.dataplane;

import java.net.InetSocketAddress;

/**
 * An NVMe/TCP listener. Immutable.
 *
 * @param address       with the port as taken.
 * @param discoveryOnly whether no other subsystem than discovery is reached there.
 */
public record ListenerSnapshot(InetSocketAddress address, boolean discoveryOnly)
{
}
