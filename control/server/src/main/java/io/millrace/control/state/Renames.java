package io.millrace.control.state;

import io.millrace.control.message.Command;
import io.millrace.control.message.NamespaceSpec;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Renames of {@link SameArrays} that have another name in a desired state. Immutable.
 *
 * @param commands  in an order in which each name is free when an array gets it.
 * @param obstacles a sentence for each that is not possible since another array has its name: to change the members of
 *                  both, and then their namespaces, would give hosts the data of the other one.
 */
record Renames(List<Command.RenameDevice> commands, List<String> obstacles)
{
    /** Copies the lists. */
    Renames
    {
        commands = List.copyOf(commands);
        obstacles = List.copyOf(obstacles);
    }

    /**
     * {@return renames from one state to another}
     *
     * @param actual  state.
     * @param desired state.
     */
    static Renames between(final DesiredState actual, final DesiredState desired)
    {
        final List<Command.RenameDevice> found = new SameArrays(actual, desired).renamed();
        final List<Command.RenameDevice> waiting = new ArrayList<>(found);
        waiting.removeIf((each) -> isUsed(each.name(), actual) || isReplaced(each, found, actual, desired));
        final List<Command.RenameDevice> ordered = takeInOrder(waiting, actual);
        return new Renames(ordered, RenameObstacles.of(
            found.stream().filter((each) -> !ordered.contains(each)).toList(), waiting, actual));
    }

    /** One that has a name of another one follows that, when it is renamed itself; others are left. */
    private static List<Command.RenameDevice> takeInOrder(
        final List<Command.RenameDevice> left, final DesiredState actual)
    {
        final Set<String> names = new HashSet<>(actual.devices().keySet());
        final List<Command.RenameDevice> ordered = new ArrayList<>();
        for (boolean isFreed = true; isFreed;)
        {
            isFreed = false;
            for (final Command.RenameDevice each : List.copyOf(left))
            {
                if (names.add(each.newName()))
                {
                    names.remove(each.name());
                    left.remove(each);
                    ordered.add(each);
                    isFreed = true;
                }
            }
        }
        return ordered;
    }

    /** Whether another array has its name then, of which its namespaces become, or nothing says that they do not. */
    private static boolean isReplaced(
        final Command.RenameDevice rename, final List<Command.RenameDevice> found, final DesiredState actual,
        final DesiredState desired)
    {
        final Set<UUID> namespaces = namespaces(actual).filter((each) -> each.device().equals(rename.name()))
            .map(NamespaceSpec::uuid).collect(Collectors.toSet());
        final List<NamespaceSpec> after =
            namespaces(desired).filter((each) -> namespaces.contains(each.uuid())).toList();
        return desired.devices().containsKey(rename.name()) &&
            (after.stream().anyMatch((each) -> !each.device().equals(rename.newName())) ||
            after.isEmpty() && found.stream().noneMatch((each) -> each.newName().equals(rename.name())));
    }

    private static Stream<NamespaceSpec> namespaces(final DesiredState state)
    {
        return state.subsystems().values().stream().flatMap((each) -> each.namespaces().values().stream());
    }

    /** A device over an array names it: both are made anew. */
    private static boolean isUsed(final String name, final DesiredState state)
    {
        return state.devices().values().stream().anyMatch((each) -> each.bases().contains(name));
    }

    /**
     * {@return a state after the renames}
     *
     * @param state that they begin with.
     */
    DesiredState of(final DesiredState state)
    {
        if (commands.isEmpty())
        {
            return state;
        }
        final StateEditor editor = state.edit();
        commands.forEach(editor::apply);
        return editor.state();
    }

    /** {@return first stages of a plan, since the next may need a name of the one before} */
    List<List<StateStep>> stages()
    {
        return commands.stream().map((each) -> List.of(new StateStep(each, StateStep.Effect.CHANGE, false,
            "rename array " + each.name() + " to " + each.newName()))).toList();
    }
}
