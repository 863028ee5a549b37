package io.millrace.control.wire;

import io.millrace.control.message.Command;
import io.millrace.control.message.CommandHeader;
import io.millrace.control.message.CommandId;

/**
 * Tells whether a command can be sent, before it waits in a line. Belongs to one thread.
 */
public final class CommandCheck
{
    private static final CommandHeader NO_IDS = new CommandHeader(0, 0, CommandId.NONE, 0);

    private final RequestWriter writer = new RequestWriter();

    /**
     * Makes a check.
     */
    public CommandCheck()
    {
    }

    /**
     * Checks a command.
     *
     * @param command to be sent.
     * @throws IllegalArgumentException when a text or the number of fault rules cannot be sent; says which, and why.
     */
    public void check(final Command command)
    {
        writer.command(NO_IDS, command);
    }
}
