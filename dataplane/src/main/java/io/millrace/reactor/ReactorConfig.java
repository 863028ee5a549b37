package io.millrace.reactor;

/**
 * Settings of one reactor. Immutable.
 *
 * @param name      of the reactor and its thread.
 * @param cpu       to pin the thread to, or -1 to let the kernel choose.
 * @param idle      what to do when there is no work.
 * @param spinNs    how long after the last work the reactor goes on spinning before it sleeps; not used by
 *                  {@link IdleMode#BUSY_SPIN}.
 */
public record ReactorConfig(String name, int cpu, IdleMode idle, long spinNs)
{
    /** Default of {@link #spinNs()}: 100 µs, a little over two wake-ups of a sleeping thread. */
    public static final long SPIN_NS_DEFAULT = 100_000;

    /** What a reactor does when there is no work. */
    public enum IdleMode
    {
        /** Spins for {@code spinNs}, then sleeps in the kernel until something is ready. */
        SLEEP,
        /** Never sleeps: lowest latency for a whole core. */
        BUSY_SPIN
    }

    /**
     * A reactor with default idle behaviour.
     *
     * @param name of the reactor.
     * @param cpu  to pin to, or -1.
     * @return its settings.
     */
    public static ReactorConfig of(final String name, final int cpu)
    {
        return new ReactorConfig(name, cpu, IdleMode.SLEEP, SPIN_NS_DEFAULT);
    }
}
