package io.millrace.nvmf;

import io.millrace.block.BlockGeometry;

/**
 * A namespace in its subsystem, with its limits and the size that is reported to hosts: that of its device, or the
 * former one until every reactor knows that the device has grown. Any thread reads it.
 */
final class ServedNamespace
{
    private final Namespace namespace;
    private volatile BlockGeometry geometry;
    private volatile QosPolicy qos;

    ServedNamespace(final Namespace namespace)
    {
        this.namespace = namespace;
        geometry = namespace.device().geometry();
    }

    Namespace namespace()
    {
        return namespace;
    }

    /**
     * {@return geometry that is reported to hosts}
     */
    BlockGeometry geometry()
    {
        return geometry;
    }

    /**
     * {@return its limits; null when it has none}
     */
    QosPolicy qos()
    {
        return qos;
    }

    void qos(final QosPolicy policy)
    {
        qos = policy;
    }

    /**
     * Every reactor accepts the present size: it may be reported to hosts.
     *
     * @param shown geometry from now on.
     */
    void geometry(final BlockGeometry shown)
    {
        geometry = shown;
    }
}
