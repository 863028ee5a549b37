package io.millrace.rdma.endpoint;

import io.millrace.rdma.core.RdmaCore;

/**
 * Where datagrams for a peer go: an address handle, and number and key of its queue pair. Made by
 * {@link DatagramQueuePair#resolve}; closed with the queue pair at the latest. Reactor's thread.
 */
public final class DatagramPeer implements AutoCloseable
{
    private final RdmaCore core;
    private final DatagramQueuePair owner;
    private final long handleAddress;
    private final int queuePair;
    private final int queueKey;
    private boolean isClosed;

    DatagramPeer(
        final RdmaCore core,
        final DatagramQueuePair owner,
        final long handleAddress,
        final int queuePair,
        final int queueKey)
    {
        this.core = core;
        this.owner = owner;
        this.handleAddress = handleAddress;
        this.queuePair = queuePair;
        this.queueKey = queueKey;
    }

    /**
     * {@return the number of its queue pair, by which its datagrams are known}
     */
    public int number()
    {
        return queuePair;
    }

    long handleAddress()
    {
        return handleAddress;
    }

    int queueKey()
    {
        return queueKey;
    }

    /** {@return whether datagrams of a queue pair can go there} */
    boolean isOf(final DatagramQueuePair pair)
    {
        return owner == pair && !isClosed;
    }

    /**
     * Frees the address handle; the datagrams to it have been reported. A second call does nothing.
     */
    @Override
    public void close()
    {
        if (!isClosed)
        {
            isClosed = true;
            core.destroyAddressHandle(handleAddress);
            owner.remove(this);
        }
    }
}
