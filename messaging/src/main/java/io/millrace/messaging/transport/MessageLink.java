package io.millrace.messaging.transport;

/**
 * One connection of a transport: frames in their order, one-sided access in any. One reactor's. No call reports to the
 * {@link LinkHandler} by itself: that is {@link #poll}'s.
 */
public interface MessageLink
{
    /** Operations that may be outstanding: numbers are below. */
    int OPERATIONS_MAX = 64;

    /**
     * {@return what carries it}
     */
    TransportKind kind();

    /**
     * {@return memory for large messages that are sent, which the peer reads}
     */
    BulkPool outgoing();

    /**
     * {@return memory for large messages that are received: apart from {@link #outgoing()}, since what both sides send
     * is released only when both have received it}
     */
    BulkPool incoming();

    /**
     * Takes what came, and reports. Bounded.
     *
     * @return how much was done.
     */
    int poll();

    /**
     * Sends what is queued, as far as the network takes it.
     *
     * @return how much was done.
     */
    int flush();

    /**
     * Both sides have proved that they know the secret.
     *
     * @param proof that further streams belong to this connection, where a transport has them.
     */
    void onAuthenticated(JoinProof proof);

    /**
     * {@return whether nothing is to be done before a descriptor is ready or a timer expires}
     */
    boolean canSleep();

    /**
     * Reserves room for a frame.
     *
     * @param frameBytes with its header, up to the slot of the peer.
     * @return where to write it, or 0 when there is no room now. {@link #commit} follows at once.
     */
    long claim(int frameBytes);

    /**
     * Sends the frame that was claimed; it leaves with the next {@link #flush}, or before.
     *
     * @param frameBytes as claimed.
     */
    void commit(int frameBytes);

    /**
     * Reads memory of the peer.
     *
     * @param operation     number, that is not outstanding.
     * @param remoteAddress from the descriptor, plus an offset.
     * @param remoteKey     from the descriptor.
     * @param local         memory.
     * @param localOffset   in it.
     * @param lengthBytes   1 and above.
     */
    void read(
        int operation, long remoteAddress, long remoteKey, MessageMemory local, long localOffset, long lengthBytes);

    /**
     * Writes memory of the peer.
     *
     * @param operation     number, that is not outstanding.
     * @param remoteAddress from the descriptor, plus an offset.
     * @param remoteKey     from the descriptor.
     * @param local         memory.
     * @param localOffset   in it.
     * @param lengthBytes   1 and above.
     */
    void write(
        int operation, long remoteAddress, long remoteKey, MessageMemory local, long localOffset, long lengthBytes);

    /**
     * Lets the peer reach memory, and writes the descriptor.
     *
     * @param memory      of the region.
     * @param offset      of the region in it.
     * @param lengthBytes of the region.
     * @param access      that is allowed.
     * @param descriptor  where its descriptor goes.
     * @return its key here, or 0 when there are too many.
     */
    long export(MessageMemory memory, long offset, long lengthBytes, ExportAccess access, long descriptor);

    /**
     * Takes memory from the peer: the next access fails, and an access that is under way ends the link.
     *
     * @param key from {@link #export}.
     */
    void revoke(long key);

    /**
     * Lets the peer read a large message where it is.
     *
     * @param address     of the message.
     * @param lengthBytes of the message.
     * @param descriptor  where its descriptor goes.
     * @return the key to {@link #withdraw}, or 0 when the transport does not reach it: copy it to {@link #outgoing}.
     */
    long offer(long address, long lengthBytes, long descriptor);

    /**
     * Lets the peer read a large message in a block of {@link #outgoing}.
     *
     * @param block       that has the message at its beginning.
     * @param lengthBytes of the message.
     * @param descriptor  where its descriptor goes.
     * @return the key to {@link #withdraw}, or 0 when there are too many.
     */
    long offer(MessageMemory block, long lengthBytes, long descriptor);

    /**
     * Ends an offer: the message was read.
     *
     * @param key from {@link #offer}.
     */
    void withdraw(long key);

    /**
     * Ends the link once what is queued has been sent, or cannot be. {@link LinkHandler#onClosed} follows from
     * {@link #poll}.
     * Does nothing when it ends already.
     *
     * @param status how.
     * @param reason in a sentence.
     */
    void close(EndpointStatus status, String reason);

    /**
     * Ends the link at once: the peer does not learn why, and cannot delay the end. {@link LinkHandler#onClosed}
     * follows from {@link #poll}. Does nothing when it ends already.
     *
     * @param status how.
     * @param reason in a sentence.
     */
    void abort(EndpointStatus status, String reason);
}
