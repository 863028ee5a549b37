package io.millrace.nvmf.initiator;

import io.millrace.nvme.identify.ControllerInfo;
import java.util.concurrent.CompletableFuture;

/**
 * Receives the events of a {@link RemoteController}. Called on the controller's reactor; must not block.
 */
public interface ControllerListener
{
    /** Does nothing. */
    ControllerListener NONE = new ControllerListener()
    {
    };

    /**
     * The state changed.
     *
     * @param controller whose.
     * @param state      it is in now.
     * @param reason     in one sentence; empty when all is well.
     */
    default void onState(final RemoteController controller, final ControllerState state, final String reason)
    {
    }

    /**
     * The controller reported an event. The log page that it names has been read, so the next event of its type can
     * come.
     *
     * @param controller that reported it.
     * @param event      double word 0 of the completion, for {@link io.millrace.nvme.AsyncEvent}.
     */
    default void onAsyncEvent(final RemoteController controller, final int event)
    {
    }

    /**
     * An association was made, for the first time or again. Admin commands may be sent; I/O queues are connected, and
     * the controller becomes live, when what this returns is done. A failure ends the association like any other.
     *
     * @param controller that was connected.
     * @param info       that it reported.
     * @return done on the controller's reactor.
     */
    default CompletableFuture<Void> onAssociated(final RemoteController controller, final ControllerInfo info)
    {
        return CompletableFuture.completedFuture(null);
    }

    /**
     * An association has ended, and every command that was outstanding has been given back by its queue. Called once an
     * association, before the next attempt to connect.
     *
     * @param controller  whose.
     * @param isQuiesced  whether the controller has confirmed that it was reset: none of its commands is executed from
     *                    now on. If not, some may be until {@link ControllerInfo#commandEndMs} has passed.
     */
    default void onDisassociated(final RemoteController controller, final boolean isQuiesced)
    {
    }
}
