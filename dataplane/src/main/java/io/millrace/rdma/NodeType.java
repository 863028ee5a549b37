package io.millrace.rdma;

import io.millrace.bindings.verbs.Verbs;

/**
 * Kind of a device. Immutable; any thread.
 */
public enum NodeType
{
    /** Channel adapter of InfiniBand or RoCE, in hardware or software. */
    CHANNEL_ADAPTER,
    /** Network adapter of iWARP. */
    RNIC,
    /** Another one: a switch or router, or an adapter without reliable connections. */
    OTHER;

    /**
     * {@return the kind by its number, {@code IBV_NODE_*}}
     *
     * @param number of verbs.
     */
    static NodeType of(final int number)
    {
        return Verbs.IBV_NODE_CA == number ? CHANNEL_ADAPTER : Verbs.IBV_NODE_RNIC == number ? RNIC : OTHER;
    }
}
