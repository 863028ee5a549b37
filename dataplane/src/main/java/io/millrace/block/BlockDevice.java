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
     * {@return where its blocks are, for messages: a path or the address of a drive; empty when they are nowhere else}
     */
    default String place()
    {
        return "";
    }

    /**
     * {@return size, block size, limits and abilities as they are now; any thread}
     */
    BlockGeometry geometry();

    /**
     * Opens one reactor's way to the device. Called on that reactor, which it never blocks: what takes longer is done
     * by another thread, and the listener called by a later cycle. An open cannot be taken back; whoever does not need
     * the channel any more closes it in {@link OpenListener#onOpened}. A device may be opened more than once on a
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
