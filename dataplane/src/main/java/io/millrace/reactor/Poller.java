package io.millrace.reactor;

/**
 * Work that a {@link Reactor} does in every cycle. Called on the reactor's thread only.
 */
@FunctionalInterface
public interface Poller
{
    /**
     * Does the pending work, bounded, without blocking.
     *
     * @return how much was done; 0 lets the reactor move towards sleep.
     */
    int poll();

    /**
     * Asked before the reactor sleeps: is there no work that no descriptor announces? A poller that only waits for
     * registered descriptors, timers or commands returns true.
     *
     * @return true when the reactor may sleep.
     */
    default boolean canSleep()
    {
        return true;
    }
}
