package io.millrace.manager.plane;

import io.millrace.control.message.Command;
import java.util.HashSet;
import java.util.Set;

/**
 * Renames of a plan that were refused or withheld: another array may still have the name that one was going to get, and
 * steps behind them would be made on that. One thread.
 */
final class UnfinishedRenames
{
    private final Set<String> names = new HashSet<>();

    /** A step was refused or withheld, which may be a rename. */
    void add(final Command step)
    {
        if (step instanceof final Command.RenameDevice rename)
        {
            names.add(rename.name());
            names.add(rename.newName());
        }
    }

    /** {@return whether a step names a device that may be another one} */
    boolean concern(final Command command)
    {
        return !names.isEmpty() && switch (command)
        {
            case final Command.RenameDevice rename -> names.contains(rename.name()) || names.contains(rename.newName());
            case final Command.CreateDevice create -> names.contains(create.device().name()) ||
                create.device().bases().stream().anyMatch(names::contains);
            case final Command.DeleteDevice delete -> names.contains(delete.name());
            case final Command.ModifyDevice modify -> names.contains(modify.name());
            case final Command.ResizeDevice resize -> names.contains(resize.name());
            case final Command.AddNamespace add -> names.contains(add.namespace().device());
            default -> false;
        };
    }
}
