package io.millrace.nvmf;

import io.millrace.block.BlockGeometry;

/**
 * A namespace in its subsystem, with the size that hosts are told: that of its device, or still the former one while a
 * device has grown and not every reactor knows it; and its limits. Any thread reads it.
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
     * {@return what hosts are told}
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
     * Every reactor takes the present size: hosts may be told.
     *
     * @param shown geometry from now on.
     */
    void geometry(final BlockGeometry shown)
    {
        geometry = shown;
    }
}
