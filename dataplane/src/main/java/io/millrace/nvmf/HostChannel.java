package io.millrace.nvmf;

/**
 * State of a host of a subsystem on one reactor, shared by the host's I/O queues there. Single-threaded.
 */
final class HostChannel
{
    private final String hostNqn;
    private RateLimiter rateLimiter;
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
     * {@return its rate limiter on this reactor; null when it never had limits}
     */
    RateLimiter rateLimiter()
    {
        return rateLimiter;
    }

    void rateLimiter(final RateLimiter newRateLimiter)
    {
        rateLimiter = newRateLimiter;
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
