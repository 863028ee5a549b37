package io.millrace.bench;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.reactor.Reactor;
import java.util.concurrent.CompletableFuture;

/**
 * A channel that is being opened, for callers that may wait for it.
 */
final class ChannelFuture extends CompletableFuture<BlockChannel> implements OpenListener
{
    /**
     * Opens a channel. Any thread but the reactor's, if it waits for the result.
     *
     * @param device  to open.
     * @param reactor that runs.
     * @return done with the channel, or with why there is none.
     */
    static CompletableFuture<BlockChannel> open(final BlockDevice device, final Reactor reactor)
    {
        final ChannelFuture future = new ChannelFuture();
        reactor.execute(() -> device.open(ReactorContext.of(reactor), future));
        return future;
    }

    @Override
    public void onOpened(final BlockChannel channel)
    {
        complete(channel);
    }

    @Override
    public void onOpenFailed(final BlockDeviceException reason)
    {
        completeExceptionally(reason);
    }
}
