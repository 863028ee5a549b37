package io.millrace.nvmf;

/**
 * What one reactor knows of a host on a subsystem, shared by the host's I/O queues there. Single-threaded.
 */
final class HostChannel
{
    private final String hostNqn;
    private QosGate gate;
    private int references;

    HostChannel(final String hostNqn)
    {
        this.hostNqn = hostNqn;
    }

    String hostNqn()
    {
        return hostNqn;
    }

    /**
     * {@return its limits here; null when it never had some}
     */
    QosGate gate()
    {
        return gate;
    }

    void gate(final QosGate newGate)
    {
        gate = newGate;
    }

    void retain()
    {
        references++;
    }

    /**
     * A queue is gone.
     *
     * @return whether it was the last.
     */
    boolean release()
    {
        references--;
        return 0 == references;
    }
}
