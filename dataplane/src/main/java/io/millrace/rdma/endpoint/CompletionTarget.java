package io.millrace.rdma.endpoint;

/**
 * Whose requests complete in a {@link CompletionQueue}. Reactor's thread.
 */
interface CompletionTarget
{
    /** A send request ended, as {@code IBV_WC_*} says. */
    void onSent(int sequence, int status);

    /** A receive request ended; the entry is valid during the call. */
    void onReceived(int sequence, int status, long entry);

    /** The completion queue has failed, and with it the device. */
    void onBroken();
}
