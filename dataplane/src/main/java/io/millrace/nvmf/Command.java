package io.millrace.nvmf;

import io.millrace.nvmf.queue.CommandHandler;

/**
 * A supported command, as listed in the tables of admin and I/O commands and in the commands supported and effects log
 * page.
 *
 * @param opcode       opcode.
 * @param effects      bits {@code EFFECT_*} of {@code LogPageId}.
 * @param onDiscovery  whether discovery controllers take it too.
 * @param handler      that executes the command.
 */
record Command(int opcode, int effects, boolean onDiscovery, CommandHandler handler)
{
    /**
     * {@return a table by opcode}
     *
     * @param commands to put in.
     */
    static Command[] table(final Command... commands)
    {
        final Command[] table = new Command[256];
        for (final Command command : commands)
        {
            if (null != table[command.opcode()])
            {
                throw new IllegalStateException("opcode " + Integer.toHexString(command.opcode()) + "h is registered " +
                    "twice");
            }
            table[command.opcode()] = command;
        }
        return table;
    }
}
