package io.millrace.nvmf.initiator;

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
}
