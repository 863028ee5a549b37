package io.millrace.block;

import io.millrace.reactor.Reactor;

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
     * {@return size, block size, limits and abilities as they are now; any thread}
     */
    BlockGeometry geometry();

    /**
     * Opens one reactor's way to the device. Called on that reactor's thread.
     *
     * @param reactor whose thread will use the channel.
     * @return a channel for that reactor alone.
     * @throws BlockDeviceException when the device cannot be opened there.
     */
    BlockChannel open(Reactor reactor);

    /**
     * Frees the device. Every channel must have been closed before.
     */
    @Override
    void close();
}
