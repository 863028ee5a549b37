package io.millrace.reactor;

/**
 * Called when a timer of a {@link Reactor} expires. Called on the reactor's thread only.
 */
@FunctionalInterface
public interface TimerListener
{
    /**
     * The deadline has passed.
     *
     * @param nowNs the cycle's clock.
     */
    void onTimer(long nowNs);
}
