package io.millrace.control.state;

import io.millrace.control.device.DeviceType;
import io.millrace.control.device.DeviceTypes;
import io.millrace.control.device.OnChange;
import io.millrace.control.message.Command;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.NamespaceSpec;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Arrays that have another name in a desired state: the array of most of their members. Immutable.
 *
 * @param commands  in an order in which each name is free when an array gets it.
 * @param obstacles one sentence for each array whose name in the desired state another one has: to change the members
 *                  of both, and then their namespaces, would give hosts the data of the other one.
 */
record Renames(List<Command.RenameDevice> commands, List<String> obstacles)
{
    private static final String MEMBERS = "members";

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
        final List<Command.RenameDevice> found = new ArrayList<>();
        for (final DeviceSpec was : actual.devices().values())
        {
            if (hasMembers(was) && !isKept(was.name(), actual, desired))
            {
                desired.devices().values().stream().filter((each) -> was.type().equals(each.type()) &&
                    !isKept(each.name(), actual, desired) && holds(was, each, actual, desired))
                    .forEach((each) -> found.add(new Command.RenameDevice(was.name(), each.name())));
            }
        }
        // Members of one may be in two, and those of two in one: that is no rename.
        return inOrder(found.stream().filter((each) -> 1 == found.stream().filter((other) ->
            each.name().equals(other.name()) || each.newName().equals(other.newName())).count()).toList(),
            actual, desired);
    }

    /** One that has a name of another one follows that, when it is renamed itself. */
    private static Renames inOrder(
        final List<Command.RenameDevice> found, final DesiredState actual, final DesiredState desired)
    {
        final Set<String> names = new HashSet<>(actual.devices().keySet());
        final List<Command.RenameDevice> ordered = new ArrayList<>();
        final List<Command.RenameDevice> left = new ArrayList<>(found);
        left.removeIf((each) -> isUsed(each.name(), actual) || isReplaced(each, found, actual, desired));
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
        final List<String> obstacles = found.stream()
            .filter((each) -> !ordered.contains(each) && isArray(actual.devices().get(each.newName())))
            .map((each) -> "array " + each.newName() + " would have the members of array " + each.name() +
            ", which is another one: rename or delete array " + each.newName() + " first").toList();
        return new Renames(ordered, obstacles);
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

    /** Whether an array is there under its name before and after. */
    private static boolean isKept(final String name, final DesiredState actual, final DesiredState desired)
    {
        final DeviceSpec was = actual.devices().get(name);
        final DeviceSpec wanted = desired.devices().get(name);
        return null != was && null != wanted &&
            (!hasMembers(was) || !hasMembers(wanted) || holds(was, wanted, actual, desired));
    }

    private static boolean isArray(final DeviceSpec device)
    {
        return null != device && hasMembers(device);
    }

    /** Whether a new array has half of the members of one or more: it is the same array, by their superblocks. */
    private static boolean holds(
        final DeviceSpec was, final DeviceSpec wanted, final DesiredState actual, final DesiredState desired)
    {
        final List<String> members = members(was);
        final List<String> left = members(wanted);
        return !members.isEmpty() && 2 * members.stream().filter(left::contains)
            .filter((each) -> stays(actual.devices().get(each), desired.devices().get(each))).count() >= members.size();
    }

    private static List<String> members(final DeviceSpec array)
    {
        final String names = array.properties().getOrDefault(MEMBERS, "");
        return names.isEmpty() ? List.of() : List.of(names.split(" "));
    }

    private static boolean hasMembers(final DeviceSpec device)
    {
        final DeviceType type = DeviceTypes.find(device.type());
        return null != type && type.hasMembers();
    }

    /** A device over an array names it: both are made anew. */
    private static boolean isUsed(final String name, final DesiredState state)
    {
        return state.devices().values().stream().anyMatch((each) -> each.bases().contains(name));
    }

    /** Whether a device of the array has what it had. */
    private static boolean stays(final DeviceSpec was, final DeviceSpec wanted)
    {
        return null != was && null != wanted && was.type().equals(wanted.type()) && !was.isOtherIncarnation(wanted) &&
            (0 == wanted.sizeBytes() || wanted.sizeBytes() >= was.sizeBytes()) &&
            NoChange.differences(DeviceTypes.find(was.type()), was, wanted).stream().noneMatch((each) ->
            OnChange.REPLACED == each.onChange() || OnChange.FIXED == each.onChange());
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
