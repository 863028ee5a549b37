package io.millrace.block.nvme.queue;

import java.io.Serial;

/**
 * A controller misbehaves, or refuses a command that the driver needs. Thrown on its own thread only and caught there.
 * The message is a sentence whose subject, the drive, is put in front of it.
 */
public final class ControllerFailure extends RuntimeException
{
    @Serial
    private static final long serialVersionUID = 1L;

    private final boolean isRefusal;

    /**
     * It misbehaved: earlier commands may still be executed until it is stopped.
     *
     * @param message that goes on after the drive's name.
     */
    public ControllerFailure(final String message)
    {
        this(message, false);
    }

    private ControllerFailure(final String message, final boolean isRefusal)
    {
        super(message);
        this.isRefusal = isRefusal;
    }

    /**
     * {@return a failure of a controller that works: it answered a command with an error}
     *
     * @param message that goes on after the drive's name.
     */
    public static ControllerFailure refusal(final String message)
    {
        return new ControllerFailure(message, true);
    }

    /**
     * {@return whether the controller works, and has answered a command with an error}
     */
    public boolean isRefusal()
    {
        return isRefusal;
    }
}
