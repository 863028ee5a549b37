package io.millrace.block.nvme;

import io.millrace.bindings.NativeException;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import java.util.concurrent.RejectedExecutionException;

/**
 * Opens a channel: it is created on the controller's thread, with the reactor's queue pair when there is none yet, and
 * attached to the pair on the reactor, which waits for nothing. Opens that come while the pair is created or deleted
 * are executed after that, since the controller's thread runs one task at a time.
 */
final class ChannelOpening
{
    private final NvmeController controller;
    private final NvmeDevice device;
    private final ReactorContext context;
    private final OpenListener listener;

    /**
     * Creates an opening that has not begun.
     *
     * @param controller of the device.
     * @param device     of the channel.
     * @param context    of the channel.
     * @param listener   notified on the reactor, in a later cycle.
     */
    ChannelOpening(
        final NvmeController controller,
        final NvmeDevice device,
        final ReactorContext context,
        final OpenListener listener)
    {
        this.controller = controller;
        this.device = device;
        this.context = context;
        this.listener = listener;
    }

    /** On the reactor. */
    void begin()
    {
        controller.callLater(() -> controller.make(device, context)).whenComplete(this::answer);
    }

    /** On the controller's thread, or on the reactor when that thread has ended. */
    private void answer(final NvmeChannel made, final Throwable failure)
    {
        try
        {
            context.reactor().execute(() ->
            {
                if (null == made)
                {
                    listener.onOpenFailed(controller.refusal(failure));
                }
                else
                {
                    onMade(made);
                }
            });
        }
        catch (final RejectedExecutionException ended)
        {
            if (null != made)
            {
                controller.free(made.memory().memory());
            }
        }
    }

    private void onMade(final NvmeChannel made)
    {
        if (QueuePairState.RETIRED == made.pair().state())
        {
            // The pair's last channel has closed in the meantime: another pair is created when it is deleted.
            controller.free(made.memory().memory());
            begin();
            return;
        }
        try
        {
            made.pair().attach(made);
        }
        catch (final NativeException e)
        {
            made.close((closed) -> listener.onOpenFailed(controller.refusal(e)));
            return;
        }
        listener.onOpened(made);
    }
}
