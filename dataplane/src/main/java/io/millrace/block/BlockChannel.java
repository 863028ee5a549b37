package io.millrace.block;

import io.millrace.reactor.Poller;

/**
 * One reactor's channel to a device. Single-threaded: every call is made on the reactor that opened it.
 * <p>
 * The owner polls the channel in each cycle while {@link #inFlight()} is above 0, while it closes too, and asks
 * {@link #canSleep()} then. At other times it need not: other work of a channel is triggered by the reactor's timers,
 * commands and descriptors. So an unused device costs nothing in a cycle.
 */
public interface BlockChannel extends Poller
{
    /**
     * Hands a request to the device. On true the request belongs to the channel until its completion listener is
     * called, which may happen before this returns. The request's ranges and segments, with the domain of their
     * memory, have been checked by the submitter against {@link BlockGeometry}; violations are programming errors.
     * <p>
     * False means that the channel is full, or that another request conflicts: a device that shares its memory between
     * reactors refuses a request that meets a writer or a loan. The request is untouched then and still the
     * submitter's, which tries again in a later cycle.
     *
     * @param request filled and idle.
     * @return false when the request cannot be taken now.
     */
    boolean submit(BlockRequest request);

    /**
     * Returns memory that the device lent for a completed read ({@link BlockRequest#lent()}).
     *
     * @param request that was lent to; its lba and block count are still those of the read.
     */
    default void releaseLoan(final BlockRequest request)
    {
        throw new IllegalStateException("this device lends nothing: " + request);
    }

    /**
     * {@return whether a writer waits for memory that the device lent}
     *
     * @param request that it was lent to; its lba and block count are still those of the read.
     */
    default boolean isLoanWanted(final BlockRequest request)
    {
        return false;
    }

    /**
     * {@return whether it lends memory for writes, see {@link #lendForWrite}}
     */
    default boolean lendsForWrites()
    {
        return false;
    }

    /**
     * Lends memory for a part of a write, whose payload is put there in place of a copy. Nobody else reads or writes
     * these blocks meanwhile, so they are to be filled and given back at once, before anything is waited for. Each is
     * given back whole, with the new data or all of the old. So a device lends only where a write of more than a block
     * may be stored in parts, and stores at once what must be stable.
     *
     * @param offsetBytes of the part on the device, a multiple of the block size; within its geometry.
     * @param lengthBytes of the part, a multiple of the block size; positive, at most its largest transfer.
     * @return address of the part; 0 when it is not available now: the write is submitted with a buffer of its own.
     */
    default long lendForWrite(final long offsetBytes, final int lengthBytes)
    {
        return 0;
    }

    /**
     * Returns memory that was lent for a write.
     *
     * @param offsetBytes as it was lent.
     * @param lengthBytes as it was lent.
     */
    default void releaseWritten(final long offsetBytes, final int lengthBytes)
    {
        throw new IllegalStateException("this device lends nothing for writes");
    }

    /**
     * {@return how many requests the channel owns now; it is polled while there are some}
     */
    int inFlight();

    /**
     * Begins to close: nothing is submitted afterwards, and its owner has given back what was lent. Requests in flight
     * complete normally or, where the device takes too long, with {@link BlockStatus#ABORTED}. Called once; does not
     * block.
     * <p>
     * A device that has not completed a request may still write to its memory. Such a request completes with a
     * {@link BlockRequest#hold()}, and its memory must not be given to anything else until the hold is released, which
     * may be after the channel has closed.
     *
     * @param listener notified once, on the reactor, maybe before this returns.
     */
    void close(CloseListener listener);
}
