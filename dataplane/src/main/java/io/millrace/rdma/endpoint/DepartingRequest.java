package io.millrace.rdma.endpoint;

import io.millrace.rdma.core.RdmaCore;

/**
 * A request to connect that one connection manager gives to another. Until the other has taken it, it is on the event
 * channel of the first one, which cannot be destroyed before. Any thread: whoever comes first decides, and the other
 * waits for the call.
 */
final class DepartingRequest
{
    private final RdmaCore core;
    private final long idAddress;
    private volatile boolean hasLeft;

    DepartingRequest(final RdmaCore core, final long idAddress)
    {
        this.core = core;
        this.idAddress = idAddress;
    }

    /** {@return whether nothing of it is on the first channel any more} */
    boolean hasLeft()
    {
        return hasLeft;
    }

    /**
     * Takes it to another channel.
     *
     * @param channelAddress of the other connection manager.
     * @return false when it was refused before, or cannot be taken there.
     */
    synchronized boolean take(final long channelAddress)
    {
        // An event that the first channel took between is lost: the limits of time end such a connection.
        if (hasLeft || core.migrateId(idAddress, channelAddress) < 0)
        {
            refuse();
            return false;
        }
        hasLeft = true;
        return true;
    }

    /** Refuses it, unless it has left. */
    synchronized void refuse()
    {
        if (!hasLeft)
        {
            core.reject(idAddress, 0L, 0);
            core.destroyId(idAddress);
            hasLeft = true;
        }
    }
}
