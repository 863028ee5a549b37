package io.millrace.control.service;

import io.millrace.control.wire.ResponseWriter;

/**
 * One or more messages that wait in a session for their turn. Encoded when they are offered, so that what waits is
 * small. The service's thread.
 */
interface Outgoing
{
    /** Encodes the message whose turn it is; answers its length in bytes. */
    int encode(ResponseWriter writer);

    /** That message was sent; answers whether no other follows. */
    default boolean onSent()
    {
        return true;
    }
}
