package io.millrace.block;

import io.millrace.reactor.Poller;

/**
 * One reactor's way to a device. Single-threaded: every call is made on the reactor that opened it. The owner registers
 * the channel as a poller with its reactor, whatever the device.
 */
public interface BlockChannel extends Poller, AutoCloseable
{
    /**
     * Hands a request to the device. On true the request belongs to the channel until its completion listener is
     * called, which may happen before this returns. The request's ranges and segments have been checked by the
     * submitter against {@link BlockGeometry}; violations are programmer's errors.
     * <p>
     * False means that the channel is full, or that another request is in the way: a device that shares its memory
     * between reactors refuses a request that meets a writer or a loan. The request is untouched then and still the
     * submitter's, which tries again in a later cycle.
     *
     * @param request filled and idle.
     * @return false when the request cannot be taken now.
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
     * {@return whether somebody is kept from writing by memory that the device lent}
     *
     * @param request that it was lent to; its lba and block count are still those of the read.
     */
    default boolean isLoanWanted(final BlockRequest request)
    {
        return false;
    }

    /**
     * {@return how many requests the channel owns now}
     */
    int inFlight();

    /**
     * Completes what can be completed in bounded time, the rest with {@link BlockStatus#ABORTED}, and frees the
     * channel. Before that its owner has removed it from the reactor's pollers and given back what was lent.
     * <p>
     * Hardware that stopped answering may still write to the memory of a read that ended so; that memory must not be
     * given to anything else as long as the process lives.
     */
    @Override
    void close();
}
