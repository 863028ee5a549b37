package io.millrace.nvmf.request;

/**
 * State of a host of a subsystem on one reactor, shared by the host's I/O queues there. Single-threaded.
 */
public final class HostChannel
{
    private final String hostNqn;
    private RateLimiter rateLimiter;
    private int references;

    /**
     * A host without limits and queues.
     *
     * @param hostNqn of the host.
     */
    public HostChannel(final String hostNqn)
    {
        this.hostNqn = hostNqn;
    }

    /**
     * {@return NQN of the host}
     */
    public String hostNqn()
    {
        return hostNqn;
    }

    /**
     * {@return its rate limiter on this reactor; null when it never had limits}
     */
    public RateLimiter rateLimiter()
    {
        return rateLimiter;
    }

    /**
     * Replaces its rate limiter.
     *
     * @param newRateLimiter null for none.
     */
    public void rateLimiter(final RateLimiter newRateLimiter)
    {
        rateLimiter = newRateLimiter;
    }

    /**
     * One more queue of the host is here.
     */
    public void retain()
    {
        references++;
    }

    /**
     * A queue is gone.
     *
     * @return whether it was the last.
     */
    public boolean release()
    {
        references--;
        return 0 == references;
    }
}
