package io.millrace.block;

/**
 * Counts the memory of requests that a channel ended although its device may still read or write that memory. The
 * memory stays with its owner, who uses it for nothing else until the {@link MemoryHold} is released. One reactor's;
 * other threads may read the numbers as they were a moment ago.
 */
public final class MemoryQuarantine
{
    private static final Runnable NONE = () ->
    {
    };

    private final Runnable onChanged;
    private long bytes;
    private long heldCount;

    /** Creates an empty quarantine without a listener. */
    public MemoryQuarantine()
    {
        this(NONE);
    }

    /**
     * Has none yet.
     *
     * @param onChanged run whenever {@link #bytes()} has changed.
     */
    public MemoryQuarantine(final Runnable onChanged)
    {
        this.onChanged = onChanged;
    }

    /**
     * Ends a request whose memory the device may still use. Called by the channel instead of
     * {@link BlockRequest#complete(BlockStatus)}.
     *
     * @param request to end.
     * @param status  that it ends with; success only when the answer lies in other memory, that was lent.
     * @return hold, to be released when the device has completed the request, or has been reset.
     */
    public MemoryHold completeHeld(final BlockRequest request, final BlockStatus status)
    {
        final long heldBytes = request.segments().totalBytes();
        final MemoryHold hold = new MemoryHold(this, heldBytes);
        heldCount++;
        change(heldBytes);
        // A request without memory has nothing to keep.
        completeWith(request, status, 0 == heldBytes ? null : hold);
        return hold;
    }

    /**
     * Ends a request on behalf of another one whose memory the device may still use: that of a wrapper.
     *
     * @param request to end.
     * @param status  that it ends with.
     * @param hold    of the request below; null when nothing is held.
     */
    public static void completeWith(final BlockRequest request, final BlockStatus status, final MemoryHold hold)
    {
        if (null == hold)
        {
            request.complete(status);
        }
        else
        {
            request.complete(status, hold);
        }
    }

    void change(final long difference)
    {
        bytes += difference;
        onChanged.run();
    }

    /**
     * {@return bytes of payload that the device may still use}
     */
    public long bytes()
    {
        return bytes;
    }
}
