package io.millrace.manager.change;

import io.millrace.control.message.Command;
import io.millrace.control.setting.Units;
import io.millrace.control.state.StateEditor;
import java.util.ArrayList;
import java.util.List;

/**
 * A change of several commands in a session: its commands and the resulting state. The manager's thread.
 */
public final class StagedChange
{
    /** Most commands: what two hundred thousand namespaces with their devices take. */
    private static final int COMMANDS_MAX = 400_000;

    private final String comment;
    private final StateEditor editor;
    private final List<Command> commands = new ArrayList<>();

    /**
     * Begins a change.
     *
     * @param comment of the version.
     * @param editor  of the state that the commands are checked with.
     */
    public StagedChange(final String comment, final StateEditor editor)
    {
        this.comment = comment;
        this.editor = editor;
    }

    /**
     * Adds a command.
     *
     * @param command that changes the desired state.
     * @return why it changes nothing; empty: it does.
     * @throws io.millrace.control.message.ControlException if it is refused.
     */
    public String add(final Command command)
    {
        final String noChange = editor.noChange(command);
        if (noChange.isEmpty())
        {
            editor.apply(command);
            commands.add(command);
        }
        return noChange;
    }

    /** {@return whether no more commands fit} */
    public boolean isFull()
    {
        return commands.size() >= COMMANDS_MAX;
    }

    /** {@return the comment of the version; may be empty} */
    public String comment()
    {
        return comment.isEmpty() ? Units.count(commands.size(), "command") + ": " +
            CommandDescriptions.of(commands) : comment;
    }

    /** {@return the commands so far, in order} */
    public List<Command> commands()
    {
        return commands;
    }
}
