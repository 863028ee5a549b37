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

    /** {@return which of those whose collected requests leave at the end of a poll follows; null: it is the last} */
    CompletionTarget nextListed();

    /** Another one follows, or none. */
    void nextListed(CompletionTarget target);

    /** A poll of the completion queue has ended; it is in its list no more. */
    void onPolled();
}
