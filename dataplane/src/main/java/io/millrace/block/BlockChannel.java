package io.millrace.block;

import io.millrace.reactor.Poller;

/**
 * One reactor's way to a device. Single-threaded: every call is made on the reactor that opened it. The owner registers the
 * channel as a poller with its reactor; a channel whose device completes everything within {@link #submit} has nothing to
 * poll.
 */
public interface BlockChannel extends Poller, AutoCloseable
{
    /**
     * Hands a request to the device. On true the request belongs to the channel until its completion listener is called,
     * which may happen before this returns. The request's ranges and segments have been checked by the submitter against
     * {@link BlockGeometry}; violations are programmer's errors.
     *
     * @param request filled and idle.
     * @return false when the channel is full now; the submitter keeps the request and tries again in a later cycle.
     */
    boolean submit(BlockRequest request);

    /**
     * Takes back memory that the device lent for a completed read ({@link BlockRequest#lent()}).
     *
     * @param request that was lent to; its lba and block count are still those of the read.
     */
    default void giveBack(final BlockRequest request)
    {
        throw new IllegalStateException("this device lends nothing: " + request);
    }

    /**
     * {@return how many requests the channel owns now}
     */
    int inFlight();

    /**
     * Completes what can be completed, the rest with {@link BlockStatus#ABORTED}, and frees the channel.
     */
    @Override
    void close();
}
