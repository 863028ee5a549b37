package io.millrace.block;

/**
 * Notified when a channel has closed.
 */
@FunctionalInterface
public interface CloseListener
{
    /**
     * The channel is gone: each of its requests has completed, and the device uses no memory of its requests, except
     * what {@link MemoryQuarantine} counts. On the reactor of the channel, maybe before {@code close} returns.
     *
     * @param channel that has closed.
     */
    void onClosed(BlockChannel channel);
}
