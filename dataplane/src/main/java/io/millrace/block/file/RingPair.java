package io.millrace.block.file;

import io.millrace.bindings.linux.IoUring;
import io.millrace.bindings.linux.SubmissionEntry;

/**
 * The rings of one channel. There is normally one; with polled completions a second one serves operations that cannot
 * be polled (flush, allocation, transfers that the kernel splits), and also all data when the drive refuses polling.
 * Single-threaded.
 */
final class RingPair implements AutoCloseable
{
    /** Cookie of entries that belong to no request. */
    static final long CANCEL_COOKIE = -1;

    private final Ring first;
    private final Ring control;
    private Ring data;
    private int polledInFlight;

    private RingPair(final Ring first, final Ring control)
    {
        this.first = first;
        this.control = control;
        data = first;
    }

    /**
     * Makes the rings. Any thread; they are used once they are {@link #enable enabled}.
     *
     * @param opener   of rings.
     * @param depth    most entries outstanding.
     * @param isPolled whether completions of data are polled from the drive.
     * @return one ring or two.
     * @throws io.millrace.bindings.NativeException when a ring is unavailable.
     */
    static RingPair open(final RingOpener opener, final int depth, final boolean isPolled)
    {
        final Ring first = opener.open(depth, isPolled);
        if (!isPolled)
        {
            return new RingPair(first, first);
        }
        try
        {
            return new RingPair(first, opener.open(depth, false));
        }
        catch (final RuntimeException e)
        {
            first.close();
            throw e;
        }
    }

    /**
     * Begins to use the rings. On the thread that will enter them.
     */
    void enable()
    {
        first.enable();
        if (hasTwoRings())
        {
            control.enable();
        }
    }

    /**
     * {@return the ring that data began with, the only one when there is one}
     */
    Ring first()
    {
        return first;
    }

    /**
     * {@return the ring for operations without data; it can signal}
     */
    Ring control()
    {
        return control;
    }

    boolean hasTwoRings()
    {
        return first != control;
    }

    /**
     * {@return the ring that a transfer goes through; buffers are registered with {@link #first()}}
     *
     * @param canBePolled whether its completion would be found by polling.
     */
    Ring dataRing(final boolean canBePolled)
    {
        return canBePolled ? data : control;
    }

    /**
     * {@return an entry to fill for a transfer of data}
     *
     * @param ring of {@link #dataRing}.
     */
    long nextDataEntry(final Ring ring)
    {
        if (ring != control)
        {
            polledInFlight++;
        }
        return ring.nextEntry();
    }

    /**
     * {@return an entry to fill for anything else}
     */
    long nextControlEntry()
    {
        return control.nextEntry();
    }

    /**
     * Counts a completion of the polled ring.
     */
    void onPolledCompletion()
    {
        polledInFlight--;
    }

    /**
     * Sends data through the other ring from now on.
     *
     * @return false when that was so already.
     */
    boolean stopPolling()
    {
        final boolean wasPolling = data != control;
        data = control;
        return wasPolling;
    }

    /**
     * Switches signals on before the reactor sleeps.
     *
     * @return false when something would not be signalled.
     */
    boolean arm()
    {
        return 0 == polledInFlight && 0 == control.unsubmitted() && control.arm();
    }

    /**
     * Asks the kernel to cancel outstanding I/O.
     */
    void cancelAll()
    {
        cancelAll(first);
        if (hasTwoRings())
        {
            cancelAll(control);
        }
    }

    @Override
    public void close()
    {
        RegisteredBuffers.forgetFile(first);
        first.close();
        if (hasTwoRings())
        {
            RegisteredBuffers.forgetFile(control);
            control.close();
        }
    }

    private static void cancelAll(final Ring ring)
    {
        SubmissionEntry.set(ring.nextEntry(), IoUring.IORING_OP_ASYNC_CANCEL, 0, -1, 0, 0, 0,
            IoUring.IORING_ASYNC_CANCEL_ALL | IoUring.IORING_ASYNC_CANCEL_ANY, CANCEL_COOKIE, 0);
    }
}
