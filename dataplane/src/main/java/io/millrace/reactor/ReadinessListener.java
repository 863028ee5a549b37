package io.millrace.reactor;

/**
 * Called when a descriptor that was registered with a {@link Reactor} is ready. Called on the reactor's thread only.
 */
@FunctionalInterface
public interface ReadinessListener
{
    /**
     * The descriptor is ready; level-triggered, so this is called again while it stays ready.
     *
     * @param events {@code EPOLL*} bits of {@link io.millrace.bindings.linux.Epoll}.
     */
    void onReady(int events);
}
