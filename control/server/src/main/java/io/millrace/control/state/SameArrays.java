package io.millrace.control.state;

import io.millrace.control.device.DeviceType;
import io.millrace.control.device.DeviceTypes;
import io.millrace.control.device.OnChange;
import io.millrace.control.message.Command;
import io.millrace.control.message.DeviceSpec;
import java.util.ArrayList;
import java.util.List;

/** Which arrays of two states are the same one: an array is where half of its members are, or more. Immutable. */
final class SameArrays
{
    private static final String MEMBERS = "members";

    private final DesiredState actual;
    private final DesiredState desired;

    SameArrays(final DesiredState actual, final DesiredState desired)
    {
        this.actual = actual;
        this.desired = desired;
    }

    /** {@return arrays that have another name in the desired state, in the order of the actual one} */
    List<Command.RenameDevice> renamed()
    {
        final List<Command.RenameDevice> found = new ArrayList<>();
        for (final DeviceSpec was : actual.devices().values())
        {
            if (hasMembers(was) && !isKept(was.name()))
            {
                desired.devices().values().stream().filter((each) -> was.type().equals(each.type()) &&
                    !isKept(each.name()) && isSame(was, each))
                    .forEach((each) -> found.add(new Command.RenameDevice(was.name(), each.name())));
            }
        }
        // Members of one may be in two, and those of two in one: that is no rename.
        return found.stream().filter((each) -> 1 == found.stream().filter((other) ->
            each.name().equals(other.name()) || each.newName().equals(other.newName())).count()).toList();
    }

    static boolean hasMembers(final DeviceSpec device)
    {
        final DeviceType type = DeviceTypes.find(device.type());
        return null != type && type.hasMembers();
    }

    /** Whether an array is there under its name before and after. */
    private boolean isKept(final String name)
    {
        final DeviceSpec was = actual.devices().get(name);
        final DeviceSpec wanted = desired.devices().get(name);
        return null != was && null != wanted && (!hasMembers(was) || !hasMembers(wanted) || isSame(was, wanted));
    }

    /** With half of its members, it is the same array by their superblocks. */
    private boolean isSame(final DeviceSpec was, final DeviceSpec wanted)
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

    /** Whether a device of the array has what it had. */
    private static boolean stays(final DeviceSpec was, final DeviceSpec wanted)
    {
        return null != was && null != wanted && was.type().equals(wanted.type()) && !was.isOtherIncarnation(wanted) &&
            (0 == wanted.sizeBytes() || wanted.sizeBytes() >= was.sizeBytes()) &&
            NoChange.differences(DeviceTypes.find(was.type()), was, wanted).stream().noneMatch((each) ->
            OnChange.REPLACED == each.onChange() || OnChange.FIXED == each.onChange());
    }
}
