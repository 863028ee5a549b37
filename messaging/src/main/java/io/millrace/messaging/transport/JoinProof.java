package io.millrace.messaging.transport;

/**
 * Proves that a further stream belongs to a connection. One connection's.
 */
public interface JoinProof
{
    /**
     * Writes the proof of a stream.
     *
     * @param stream number.
     * @param to     address of its 16 bytes.
     */
    void write(int stream, long to);

    /**
     * Checks the proof of a stream, each number once.
     *
     * @param stream number.
     * @param at     address of its 16 bytes.
     * @return whether it is right.
     */
    boolean takes(int stream, long at);
}
