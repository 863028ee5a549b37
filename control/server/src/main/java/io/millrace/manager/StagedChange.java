package io.millrace.manager;

import io.millrace.control.message.Command;
import io.millrace.control.setting.Units;
import io.millrace.control.state.StateEditor;
import java.util.ArrayList;
import java.util.List;

/**
 * A change of several commands in a session: its commands and the resulting state. The manager's thread.
 */
final class StagedChange
{
    /** Most commands: what two hundred thousand namespaces with their devices take. */
    private static final int COMMANDS_MAX = 400_000;

    private final String comment;
    private final StateEditor editor;
    private final List<Command> commands = new ArrayList<>();

    StagedChange(final String comment, final StateEditor editor)
    {
        this.comment = comment;
        this.editor = editor;
    }

    /** Adds a command; throws ControlException if it is refused, returns why it changes nothing, or empty. */
    String add(final Command command)
    {
        final String noChange = editor.noChange(command);
        if (noChange.isEmpty())
        {
            editor.apply(command);
            commands.add(command);
        }
        return noChange;
    }

    boolean isFull()
    {
        return commands.size() >= COMMANDS_MAX;
    }

    String comment()
    {
        return comment.isEmpty() ? Units.count(commands.size(), "command") + ": " +
            CommandDescriptions.of(commands) : comment;
    }

    List<Command> commands()
    {
        return commands;
    }
}
