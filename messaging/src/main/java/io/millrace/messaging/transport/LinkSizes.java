package io.millrace.messaging.transport;

/**
 * Sizes and the limit of time of one side of a connection. Immutable; any thread.
 *
 * @param slotBytes       of a receive slot: the largest frame.
 * @param receiveDepth    receive slots.
 * @param messageBytesMax largest message that is received.
 * @param sendBufferBytes of frames that wait to be sent.
 * @param bulkBytesMax    of memory for large messages, in each direction.
 * @param streams         of a TCP connection.
 * @param silenceNs       until a peer whose kernel acknowledges nothing is taken for gone, on each stream.
 */
public record LinkSizes(
    int slotBytes,
    int receiveDepth,
    long messageBytesMax,
    int sendBufferBytes,
    long bulkBytesMax,
    int streams,
    long silenceNs)
{
    /** Receive slots that are not for messages and their acknowledgements. */
    private static final int OTHER_SLOTS = 16;

    /**
     * {@return how many messages a peer with so many receive slots takes before it acknowledges the first}
     *
     * @param receiveDepth of the peer.
     */
    public static int window(final int receiveDepth)
    {
        return (receiveDepth - OTHER_SLOTS) / 2;
    }
}
