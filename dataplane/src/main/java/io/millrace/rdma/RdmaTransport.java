package io.millrace.rdma;

import io.millrace.bindings.verbs.Verbs;

/**
 * What carries RDMA on a port. Immutable; any thread.
 */
public enum RdmaTransport
{
    /** InfiniBand, with a subnet manager. */
    INFINIBAND("InfiniBand"),
    /** RDMA over Converged Ethernet, version 1 or 2 by GID. */
    ROCE("RoCE"),
    /** RDMA over TCP. */
    IWARP("iWARP"),
    /** Another one, such as usNIC, over which there are no reliable connections. */
    OTHER("other");

    private final String text;

    RdmaTransport(final String text)
    {
        this.text = text;
    }

    /**
     * The transport of a port: verbs have InfiniBand and RoCE as one, apart by link layer.
     *
     * @param transportType of the device, {@code IBV_TRANSPORT_*}.
     * @param linkLayer     of the port, {@code IBV_LINK_LAYER_*}; unspecified is InfiniBand, as in former kernels.
     * @return the transport.
     */
    static RdmaTransport of(final int transportType, final int linkLayer)
    {
        if (Verbs.IBV_TRANSPORT_IWARP == transportType)
        {
            return IWARP;
        }
        if (Verbs.IBV_TRANSPORT_IB != transportType)
        {
            return OTHER;
        }
        return Verbs.IBV_LINK_LAYER_ETHERNET == linkLayer ? ROCE : INFINIBAND;
    }

    /**
     * {@return the name that users know}
     */
    @Override
    public String toString()
    {
        return text;
    }
}
