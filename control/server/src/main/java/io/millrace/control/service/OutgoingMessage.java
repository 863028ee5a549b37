package io.millrace.control.service;

import io.millrace.control.wire.ResponseWriter;

/**
 * One or more messages in the send queue of a session. Encoded when they are offered, to keep the queue small. The
 * service's thread.
 */
interface OutgoingMessage
{
    /** Encodes the next message; returns its length in bytes. */
    int encode(ResponseWriter writer);

    /** The message was sent; returns whether it was the last. */
    default boolean onSent()
    {
        return true;
    }
}
