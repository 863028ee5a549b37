package io.millrace.control.state;

import io.millrace.control.message.Command;
import io.millrace.control.message.DeviceSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Sentences on arrays that cannot get the name of another one. Stateless. */
final class RenameObstacles
{
    private RenameObstacles()
    {
    }

    /**
     * {@return a sentence for each cycle of names, and one for each other array whose name in the desired state another
     * array has}
     *
     * @param refused renames that are not in the plan.
     * @param waiting those of them that wait for a name alone.
     * @param actual  state.
     */
    static List<String> of(
        final List<Command.RenameDevice> refused, final List<Command.RenameDevice> waiting, final DesiredState actual)
    {
        final Map<String, String> newNames = new HashMap<>();
        waiting.forEach((each) -> newNames.put(each.name(), each.newName()));
        final Set<String> told = new HashSet<>();
        final List<String> sentences = new ArrayList<>();
        for (final Command.RenameDevice each : refused)
        {
            final List<String> cycle = cycle(each.name(), newNames);
            if (!cycle.isEmpty())
            {
                if (told.addAll(cycle))
                {
                    sentences.add("arrays " + String.join(", ", cycle) + " would get the names of each other: rename " +
                        "one of them to a third name first (millrace raid rename " + cycle.getFirst() +
                        " NAME), then apply this again");
                }
            }
            else if (isArray(actual.devices().get(each.newName())))
            {
                sentences.add("array " + each.newName() + " would have the members of array " + each.name() +
                    ", which is another one: rename or delete array " + each.newName() + " first");
            }
        }
        return List.copyOf(sentences);
    }

    /** {@return names of which each becomes the next one, and the last one the first; empty: it is in no such cycle} */
    private static List<String> cycle(final String name, final Map<String, String> newNames)
    {
        final List<String> names = new ArrayList<>();
        for (String each = name; null != each && !names.contains(each); each = newNames.get(each))
        {
            names.add(each);
        }
        return name.equals(newNames.get(names.getLast())) ? names : List.of();
    }

    private static boolean isArray(final DeviceSpec device)
    {
        return null != device && SameArrays.hasMembers(device);
    }
}
