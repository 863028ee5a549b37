package io.millrace.messaging;

import io.millrace.messaging.transport.EndpointStatus;
import org.agrona.DirectBuffer;

/**
 * Owner of an endpoint. Called on the reactor's thread; it must not block. It may use the endpoint in each call. When
 * it throws anything but a {@link VirtualMachineError}, which ends the process, the endpoint's connection ends with
 * {@link EndpointStatus#HANDLER_FAILED}.
 */
public interface EndpointHandler
{
    /**
     * Requests can be made. Regions of an earlier connection are gone: export them again here.
     *
     * @param endpoint that is connected.
     */
    default void onConnected(final Endpoint endpoint)
    {
    }

    /**
     * A message came, each once and in the order in which the peer sent them.
     *
     * @param endpoint that received it.
     * @param buffer   that has the message until this returns.
     * @param offset   of the message in bytes.
     * @param length   of the message in bytes.
     */
    void onMessage(Endpoint endpoint, DirectBuffer buffer, int offset, int length);

    /**
     * A request ended. Its memory is the caller's again. Messages end in their order, reads and writes in any.
     *
     * @param endpoint that it was made of.
     * @param id       that it was made with.
     * @param status   {@link EndpointStatus#SUCCESS}: a message was delivered, a read or write is done. Any other: the
     *                 request may have taken effect or not.
     */
    default void onCompletion(final Endpoint endpoint, final long id, final EndpointStatus status)
    {
    }

    /**
     * After a request was {@link SubmitResult#BACK_PRESSURED}: room is there, or one of the reads and writes under way
     * has ended. Try again.
     *
     * @param endpoint that has room.
     */
    default void onWritable(final Endpoint endpoint)
    {
    }

    /**
     * The connection has ended, or an attempt to connect has failed: it is called for each one. Another attempt
     * follows, whatever the status is: also after {@link EndpointStatus#PEER_CLOSED}, {@link EndpointStatus#REJECTED},
     * {@link EndpointStatus#NOT_AUTHENTICATED} and {@link EndpointStatus#INCOMPATIBLE}; close the endpoint here to end
     * that. All requests have been completed, with the status of the connection.
     *
     * @param endpoint that connects again.
     * @param status   why.
     * @param reason   in a sentence, with what to check.
     */
    default void onDisconnected(final Endpoint endpoint, final EndpointStatus status, final String reason)
    {
    }

    /**
     * The endpoint has ended; no call follows. All requests have been completed.
     *
     * @param endpoint that has ended.
     * @param status   why.
     * @param reason   in a sentence, with what to check.
     */
    default void onClosed(final Endpoint endpoint, final EndpointStatus status, final String reason)
    {
    }
}
