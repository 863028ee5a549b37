package io.millrace.nvmf.request;

/**
 * State of a {@link DeviceChannel}, from the first namespace that needs it to the release by the last.
 * <pre>
 *   WAITING ---(its turn)---> OPENING ---(opened)---> OPEN &lt;---(quarantine)---> SUSPENDED
 *      ^                       |    |                   |                         |
 *      |                   (failed) (released)          +-------(released)--------+
 *  (retry due)                 |    |                                |
 *      |                       v    v                                v
 *      +-------------------- FAILED ABANDONED ---(opened)-------> CLOSING ---(closed)---> CLOSED
 *
 *   WAITING, FAILED ---(released)---> CLOSED        ABANDONED ---(failed)---> CLOSED
 * </pre>
 */
public enum DeviceChannelState
{
    /** To be opened in one of the next cycles. */
    WAITING,
    /** The device has been asked for a channel. */
    OPENING,
    /** Takes requests. */
    OPEN,
    /** The device holds more memory in quarantine than its share, so it gets no commands. */
    SUSPENDED,
    /** Could not be opened; a timer runs until the next attempt. */
    FAILED,
    /** Nobody needs it any more, and the device has not answered yet. */
    ABANDONED,
    /** The device has been asked to close it. */
    CLOSING,
    /** The device has closed it. */
    CLOSED;

    /**
     * {@return whether a command may wait for it to open}
     */
    boolean isPending()
    {
        return WAITING == this || OPENING == this;
    }

    /**
     * {@return whether it was released while the device has not closed it}
     */
    public boolean isLeaving()
    {
        return ABANDONED == this || CLOSING == this;
    }
}
