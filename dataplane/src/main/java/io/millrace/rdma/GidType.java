package io.millrace.rdma;

import io.millrace.bindings.verbs.Verbs;

/**
 * What packets a GID of a port stands for. Immutable; any thread.
 */
public enum GidType
{
    /** InfiniBand; also the one GID of an iWARP port. */
    IB("IB"),
    /** Ethernet packets of a type of their own: within one segment. */
    ROCE_V1("RoCE v1"),
    /** UDP over IPv4 or IPv6: may be routed. */
    ROCE_V2("RoCE v2");

    private final String text;

    GidType(final String text)
    {
        this.text = text;
    }

    /**
     * {@return the type by its number, {@code IBV_GID_TYPE_*}}
     *
     * @param type number.
     */
    static GidType of(final int type)
    {
        return Verbs.IBV_GID_TYPE_ROCE_V2 == type ? ROCE_V2 : Verbs.IBV_GID_TYPE_ROCE_V1 == type ? ROCE_V1 : IB;
    }

    /**
     * {@return the name that users know, as {@code ibv_devinfo} has it}
     */
    @Override
    public String toString()
    {
        return text;
    }
}
