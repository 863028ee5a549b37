package io.millrace.block;

import io.millrace.memory.DmaMemory;
import java.util.List;

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
     * {@return devices that it is made of, which it opens channels to; they are closed after it. Any thread}
     */
    default List<BlockDevice> members()
    {
        return List.of();
    }

    /**
     * {@return the memory that reads may be answered from, instead of being copied; other devices may prepare to access
     * it. Always the same, while each may grow. Any thread}
     */
    default List<DmaMemory> lentMemory()
    {
        return List.of();
    }

    /**
     * {@return health, and progress of what it is doing on its own; any thread, does not block}
     */
    default DeviceStatus status()
    {
        return DeviceStatus.ONLINE;
    }

    /**
     * The device has been added to a data plane, whose reactors run. Called once at most, off the reactors. Channels
     * may have been opened before.
     *
     * @param services to report changes of {@link #status()} to, and to do work of its own with, until {@link #close}.
     */
    default void start(final DeviceServices services)
    {
        // Most devices have no status but ONLINE and do nothing on their own.
    }

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
     * Frees the device. Off the reactors, after every channel has closed and its own work has ended; may block.
     */
    @Override
    void close();

    /**
     * Frees the device as {@link #close} does, and removes what opening it made: the start that it was for failed, and
     * no host was connected.
     */
    default void abandon()
    {
        close();
    }
}
