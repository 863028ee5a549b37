package io.millrace.messaging.transport;

/**
 * Owner of a link. Called on the reactor's thread, from a poller, never within a call of
 * the link by its owner.
 */
public interface LinkHandler
{
    /**
     * Both hellos have been exchanged, and are valid; frames can be sent.
     *
     * @param helloSent     address of the hello of this side.
     * @param helloReceived address of the hello of the peer; both until this returns.
     */
    void onOpen(long helloSent, long helloReceived);

    /**
     * A frame came.
     *
     * @param address      of its header; until this returns.
     * @param payloadBytes that follow the header, and are there.
     */
    void onFrame(long address, int payloadBytes);

    /**
     * Something came: a frame, or a part of bulk that is not whole.
     */
    void onReceived();

    /**
     * {@return how many messages were delivered, which a goodbye acknowledges}
     */
    long delivered();

    /**
     * A read or write ended. Its local memory is free.
     *
     * @param operation number that it was begun with.
     * @param status    how.
     */
    void onOperation(int operation, EndpointStatus status);

    /**
     * The link has ended. Nothing uses the memory of its operations or of its pool any more; those that were not
     * reported end with this status.
     *
     * @param status how.
     * @param reason in a sentence, with what to check.
     */
    void onClosed(EndpointStatus status, String reason);
}
