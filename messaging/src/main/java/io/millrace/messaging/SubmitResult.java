package io.millrace.messaging;

/**
 * Whether a request was taken. Only {@link #ACCEPTED} is followed by a completion.
 */
public enum SubmitResult
{
    /** Its completion follows. */
    ACCEPTED,
    /** Too much is unacknowledged, or waits to be sent: {@link EndpointHandler#onWritable} follows. */
    BACK_PRESSURED,
    /** There is no connection now; {@link EndpointHandler#onConnected} follows when there is. */
    NOT_CONNECTED,
    /** The message is larger than the peer takes. */
    TOO_LONG,
    /** The endpoint was closed. */
    CLOSED
}
