package io.millrace.block;

/**
 * A block device as configured. Shared by all reactors; made and closed off the reactors. Only its size may change, see
 * {@link GrowableDevice}.
 */
public interface BlockDevice extends AutoCloseable
{
    /**
     * {@return the name it is configured and reported under}
     */
    String name();

    /**
     * {@return location of its blocks, for messages: a path or the address of a drive; empty when it stores them
     * itself}
     */
    default String location()
    {
        return "";
    }

    /**
     * {@return size, block size, present limits and capabilities; any thread}
     */
    BlockGeometry geometry();

    /**
     * Opens one reactor's channel to the device. Called on that reactor, which it never blocks: longer work is done by
     * another thread, and the listener called in a later cycle. An open cannot be cancelled; a caller that does not
     * need the channel any more closes it in {@link OpenListener#onOpened}. A device may be opened more than once on a
     * reactor, each channel with a context of its own.
     *
     * @param context  what the channel may use of the reactor.
     * @param listener notified once, on the reactor, maybe before this returns.
     */
    void open(ReactorContext context, OpenListener listener);

    /**
     * Frees the device. Off the reactors, after every channel has closed; may block.
     */
    @Override
    void close();
}
