package io.millrace.messaging.transport;

/**
 * How a request or a connection ended, with what to check. Immutable; any thread.
 */
public enum EndpointStatus
{
    /** Done. */
    SUCCESS("done"),
    /** This side closed the endpoint. */
    CLOSED("this side closed the endpoint"),
    /** The peer closed the endpoint. */
    PEER_CLOSED("the peer closed the endpoint"),
    /** The connection broke. */
    CONNECTION_LOST("the connection broke: check the network, and whether the process of the peer lives"),
    /** Nothing came from the peer for the keep-alive timeout. */
    KEEP_ALIVE_TIMEOUT("nothing came from the peer for the keep-alive timeout: check whether its process is stalled"),
    /** The peer was not reached. */
    UNREACHABLE("the peer was not reached: check address, port, firewall and that it listens"),
    /** The peer did not finish connecting in time. */
    CONNECT_TIMEOUT(
        "the peer did not finish connecting in time: check that it is a messaging endpoint and not stalled"),
    /** The secrets differ. */
    NOT_AUTHENTICATED("the secrets of both sides differ: set the same shared secret"),
    /** The peer does not accept this side. */
    REJECTED("the peer does not accept this side: check its connectionsMax and what its acceptor answers"),
    /** The peer speaks another version, or another protocol. */
    INCOMPATIBLE("the peer speaks another version or another protocol"),
    /** Key, bounds or rights of a region are wrong, or it was revoked. */
    ACCESS_DENIED("the access was refused: check key, bounds and rights of the region, and that it was not revoked"),
    /** A message is larger than its receiver takes. */
    TOO_LONG("a message is larger than its receiver takes: raise messageBytesMax there"),
    /** The peer had no receive request. */
    RECEIVER_NOT_READY("the peer had no receive request: its receive depth is not what it said"),
    /** The peer broke the protocol. */
    PROTOCOL_ERROR("the peer sent what the protocol does not allow: check that both sides run the same release"),
    /** The handler of this side threw. */
    HANDLER_FAILED("the handler of this side threw an exception, which the listener was given"),
    /** Memory or another resource of this side is exhausted. */
    NO_RESOURCES("a resource of this side is exhausted"),
    /** Another failure of the RDMA device. */
    DEVICE_FAILED("the RDMA device reported a failure");

    private static final EndpointStatus[] VALUES = values();
    private final String text;

    EndpointStatus(final String text)
    {
        this.text = text;
    }

    /**
     * {@return what happened and what to check, as a clause}
     */
    public String text()
    {
        return text;
    }

    /**
     * {@return the status of a goodbye; {@link #PEER_CLOSED} when the peer ended by its own choice or for a reason that
     *     is its own}
     *
     * @param number that the peer sent: an ordinal, or one of a later version.
     */
    public static EndpointStatus ofGoodbye(final long number)
    {
        final EndpointStatus status = number > 0 && number < VALUES.length ? VALUES[(int)number] : PEER_CLOSED;
        return switch (status)
        {
            case CLOSED, HANDLER_FAILED, NO_RESOURCES -> PEER_CLOSED;
            default -> status;
        };
    }
}
