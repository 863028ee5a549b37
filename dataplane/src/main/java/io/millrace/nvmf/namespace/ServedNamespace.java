package io.millrace.nvmf.namespace;

import io.millrace.block.BlockGeometry;
import io.millrace.nvmf.qos.QosPolicy;

/**
 * A namespace in its subsystem, with its limits and the size that is reported to hosts: that of its device, or the
 * former one until every reactor knows that the device has grown. Any thread reads it.
 */
public final class ServedNamespace
{
    private final Namespace namespace;
    private volatile BlockGeometry geometry;
    private volatile QosPolicy qos;

    /**
     * A namespace without limits, of the size of its device.
     *
     * @param namespace to serve.
     */
    public ServedNamespace(final Namespace namespace)
    {
        this.namespace = namespace;
        geometry = namespace.device().geometry();
    }

    /**
     * {@return the namespace}
     */
    public Namespace namespace()
    {
        return namespace;
    }

    /**
     * {@return geometry that is reported to hosts}
     */
    public BlockGeometry geometry()
    {
        return geometry;
    }

    /**
     * {@return its limits; null when it has none}
     */
    public QosPolicy qos()
    {
        return qos;
    }

    /**
     * Replaces its limits.
     *
     * @param policy limits from now on; null for none.
     */
    public void qos(final QosPolicy policy)
    {
        qos = policy;
    }

    /**
     * Every reactor accepts the present size: it may be reported to hosts.
     *
     * @param shown geometry from now on.
     */
    public void geometry(final BlockGeometry shown)
    {
        geometry = shown;
    }
}
