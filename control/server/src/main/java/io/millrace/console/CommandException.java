package io.millrace.console;

import java.io.Serial;

/**
 * A command cannot go on; its message is the one line the user gets.
 */
public final class CommandException extends RuntimeException
{
    @Serial
    private static final long serialVersionUID = 1L;

    private final int exitCode;

    /**
     * Made by a command.
     *
     * @param exitCode of {@link ExitCode}.
     * @param message  of one line: what, value, bound, remedy.
     */
    public CommandException(final int exitCode, final String message)
    {
        super(message);
        this.exitCode = exitCode;
    }

    /**
     * Made by a command.
     *
     * @param exitCode of {@link ExitCode}.
     * @param message  of one line: what, value, bound, remedy.
     * @param cause    shown with {@code MILLRACE_DEBUG=1}.
     */
    public CommandException(final int exitCode, final String message, final Throwable cause)
    {
        super(message, cause);
        this.exitCode = exitCode;
    }

    /**
     * {@return what the process ends with}
     */
    public int exitCode()
    {
        return exitCode;
    }
}
