package io.millrace.messaging;

/**
 * Owner of a listener. Called on the reactor's thread.
 */
@FunctionalInterface
public interface EndpointAcceptor
{
    /**
     * A peer has connected, from an allowed address and with the right secret.
     *
     * @param endpoint of the peer; requests can be made from {@link EndpointHandler#onConnected} on.
     * @return its handler, or null to reject the peer.
     */
    EndpointHandler onEndpoint(Endpoint endpoint);
}
