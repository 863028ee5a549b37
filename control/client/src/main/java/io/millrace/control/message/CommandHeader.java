package io.millrace.control.message;

import java.util.Objects;

/**
 * What comes before every command.
 *
 * @param sessionId     of the session it was sent in.
 * @param correlationId chosen by the client; the answer has it.
 * @param commandId     names the command beyond sessions, or {@link CommandId#NONE}.
 * @param term          of the manager that sends it; 0: not from a manager; {@link #DIRECT}: a direct change that
 *                      bypasses the manager.
 */
public record CommandHeader(long sessionId, long correlationId, CommandId commandId, long term)
{
    /** Instead of a term: the sender knows that it passes by the manager in charge. */
    public static final long DIRECT = -1;

    /**
     * Rejects null.
     */
    public CommandHeader
    {
        Objects.requireNonNull(commandId, "commandId");
    }
}
