package io.millrace.messaging;

/**
 * State of an endpoint.
 */
public enum EndpointState
{
    /** An attempt to connect is under way. */
    CONNECTING,
    /** Requests can be made. */
    CONNECTED,
    /** Waits for the next attempt to connect. */
    DISCONNECTED,
    /** Ended. */
    CLOSED
}
