package io.millrace.messaging;

import io.millrace.messaging.transport.TransportKind;
import io.millrace.messaging.transport.TransportReason;

/**
 * The transport of a connection and the reason of its choice. Immutable; any thread.
 *
 * @param kind   of the transport.
 * @param reason of the choice.
 * @param text   the reason in a sentence, with what to check when it is not RDMA.
 */
public record TransportChoice(TransportKind kind, TransportReason reason, String text)
{
    /**
     * {@return for example {@code TCP: libibverbs cannot be used: ...}}
     */
    @Override
    public String toString()
    {
        return kind + ": " + text;
    }
}
