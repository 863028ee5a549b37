package io.millrace.reactor;

/**
 * Told when a descriptor that was registered with a {@link Reactor} is ready. Called on the reactor's thread only.
 */
@FunctionalInterface
public interface ReadinessListener
{
    /**
     * The descriptor is ready; level-triggered, so it is told again while it stays so.
     *
     * @param events {@code EPOLL*} bits of {@link io.millrace.bindings.linux.Epoll}.
     */
    void onReady(int events);
}
