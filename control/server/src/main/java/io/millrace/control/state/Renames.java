package io.millrace.control.state;

import io.millrace.control.device.DeviceType;
import io.millrace.control.device.DeviceTypes;
import io.millrace.control.device.OnChange;
import io.millrace.control.message.Command;
import io.millrace.control.message.DeviceSpec;
import java.util.ArrayList;
import java.util.List;

/**
 * Arrays that have another name in a desired state: one is gone, and one is new with most of its members. Immutable.
 *
 * @param commands in the order of the names.
 */
record Renames(List<Command.RenameDevice> commands)
{
    private static final String MEMBERS = "members";

    /** Copies the list. */
    Renames
    {
        commands = List.copyOf(commands);
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
            if (hasMembers(was) && !desired.devices().containsKey(was.name()) && !isUsed(was.name(), actual))
            {
                desired.devices().values().stream()
                    .filter((each) -> was.type().equals(each.type()) && !actual.devices().containsKey(each.name()))
                    .filter((each) -> holds(was, each, actual, desired))
                    .forEach((each) -> found.add(new Command.RenameDevice(was.name(), each.name())));
            }
        }
        // Members of one may be in two, and those of two in one: that is no rename.
        return new Renames(found.stream().filter((each) -> 1 == found.stream().filter((other) ->
            each.name().equals(other.name()) || each.newName().equals(other.newName())).count()).toList());
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

    /** {@return a stage of a plan; empty: there are none} */
    List<StateStep> steps()
    {
        return commands.stream().map((each) -> new StateStep(each, StateStep.Effect.CHANGE, false,
            "rename array " + each.name() + " to " + each.newName())).toList();
    }
}
