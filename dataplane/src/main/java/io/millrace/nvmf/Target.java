package io.millrace.nvmf;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * What is served: subsystems, and the addresses they are reached at. Any thread may call it.
 */
public final class Target
{
    private final TargetConfig config;

    /**
     * Makes a target that serves nothing yet but the discovery service.
     *
     * @param config limits of it.
     */
    public Target(final TargetConfig config)
    {
        this.config = config;
    }

    /**
     * {@return limits it was made with}
     */
    public TargetConfig config()
    {
        return config;
    }

    /**
     * Begins to serve a subsystem. Hosts with a discovery controller are told.
     *
     * @param subsystem to serve.
     * @throws IllegalArgumentException when the name is taken.
     */
    public void addSubsystem(final Subsystem subsystem)
    {
    }

    /**
     * Ends serving a subsystem: its controllers are disconnected. Hosts with a discovery controller are told.
     *
     * @param nqn of it.
     * @return done when no reactor uses its devices any more; false when there was none.
     */
    public CompletableFuture<Boolean> removeSubsystem(final String nqn)
    {
        return CompletableFuture.completedFuture(false);
    }

    /**
     * {@return a subsystem, or null when there is none}
     *
     * @param nqn of it; the discovery service's name included.
     */
    public Subsystem subsystem(final String nqn)
    {
        return null;
    }

    /**
     * {@return what is served, without the discovery service}
     */
    public List<Subsystem> subsystems()
    {
        return List.of();
    }

    /**
     * Tells discovery of an address. A wildcard address is reported as the one that the asking host came in on.
     *
     * @param address that a transport listens on.
     */
    public void addListener(final TransportAddress address)
    {
    }

    /**
     * Takes an address out of discovery.
     *
     * @param address that was added.
     * @return false when it was not there.
     */
    public boolean removeListener(final TransportAddress address)
    {
        return false;
    }

    /**
     * {@return addresses that transports listen on}
     */
    public List<TransportAddress> listeners()
    {
        return List.of();
    }

    /**
     * {@return how often the discovery log has changed}
     */
    public long discoveryGeneration()
    {
        return 0;
    }
}
