package io.millrace.reactor;

import java.util.Objects;

/**
 * Settings of one reactor. Immutable.
 *
 * @param name      of the reactor and its thread; not blank.
 * @param cpu       to pin the thread to, or -1 to let the kernel choose.
 * @param idle      behaviour without work.
 * @param spinNs    how long after the last work the reactor goes on spinning before it sleeps, 0 or more; not used by
 *                  {@link IdleMode#BUSY_SPIN}.
 */
public record ReactorConfig(String name, int cpu, IdleMode idle, long spinNs)
{
    /** Default of {@link #spinNs()}: 100 µs, several times what waking a sleeping thread takes. */
    public static final long SPIN_NS_DEFAULT = 100_000;

    /** Behaviour of a reactor without work. */
    public enum IdleMode
    {
        /** Spins for {@code spinNs}, then sleeps in the kernel until something is ready. */
        SLEEP,
        /** Never sleeps: lowest latency for a whole core. */
        BUSY_SPIN
    }

    /**
     * Checks the settings; whether the CPU is allowed shows when the reactor starts.
     *
     * @throws IllegalArgumentException naming the setting, its value and its bound.
     */
    public ReactorConfig
    {
        Objects.requireNonNull(idle, "idle");
        if (null == name || name.isBlank())
        {
            throw new IllegalArgumentException("reactor name is blank: give every reactor a name");
        }
        if (cpu < -1 || cpu >= CpuAffinity.CPU_COUNT_MAX)
        {
            throw new IllegalArgumentException("reactor " + name + ": cpu " + cpu + " is not between 0 and " +
                (CpuAffinity.CPU_COUNT_MAX - 1) + ", nor -1 for none");
        }
        if (spinNs < 0)
        {
            throw new IllegalArgumentException("reactor " + name + ": spinNs " + spinNs + " is below 0");
        }
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
