package io.millrace.nvmf.transport;

import io.millrace.status.DataPlaneCounters;

/**
 * What a transport counts of its connections, by the names under which the status file shows it. Any thread, reactors
 * included: allocates nothing.
 */
public interface TransportCounters
{
    /**
     * {@return the counter; 0 where this transport has nothing to count}
     *
     * @param value one that {@link DataPlaneCounters.Value#isOfConnections() is of connections}.
     */
    long get(DataPlaneCounters.Value value);
}
