package io.millrace.control.message;

import java.util.UUID;

/**
 * Names one command in 128 bits. A data plane answers a command that changes something and whose id it saw lately
 * as it did then, and does nothing; so a command may be sent again when its answer was lost.
 *
 * @param high upper half.
 * @param low  lower half.
 */
public record CommandId(long high, long low)
{
    /** No id: the command is carried out each time it is sent. */
    public static final CommandId NONE = new CommandId(0, 0);

    /**
     * {@return an id that no other command has}
     */
    public static CommandId random()
    {
        final UUID uuid = UUID.randomUUID();
        return new CommandId(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits());
    }
}
