package io.millrace.cli.control;

import io.millrace.cli.control.view.Views;
import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.control.codec.Kind;
import io.millrace.control.message.ArrayInfo;
import io.millrace.control.message.Command;
import io.millrace.control.message.DeviceInfo;
import io.millrace.control.message.DeviceSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Members and spares in the settings of an array, and what changes them. One thread.
 */
final class ArrayDevices
{
    static final String MEMBERS = "members";
    static final String SPARES = "spares";
    static final String LEVEL = "level";
    static final String RAID5 = "5";
    static final String RAID6 = "6";
    private static final String TYPE = "raid";

    private final String name;
    private final String level;
    private final List<String> members;
    private final List<String> spares;

    /**
     * Those of an array.
     *
     * @param device of type raid.
     */
    ArrayDevices(final DeviceSpec device)
    {
        name = device.name();
        level = device.properties().getOrDefault(LEVEL, "");
        members = list(device, MEMBERS);
        spares = list(device, SPARES);
    }

    /**
     * {@return the settings of an array: of a manager those of the desired state}
     *
     * @param link to either.
     * @param name of the device.
     * @throws CommandException when it is no array.
     */
    static DeviceSpec spec(final ControlLink link, final String name)
    {
        final DeviceSpec device = Views.DEVICES.cast(link.client().execute(
            new Command.List(Kind.DEVICE, name, Reports.shown(link, false))).resources()).getFirst().spec();
        if (!TYPE.equals(device.type()))
        {
            throw new CommandException(ExitCode.FAILURE, "device " + name + " is no array, but of type " +
                device.type() + ": 'millrace raid list' lists arrays");
        }
        return device;
    }

    private static List<DeviceSpec> all(final ControlLink link)
    {
        return Views.DEVICES.cast(link.client().execute(
            new Command.List(Kind.DEVICE, "", Reports.shown(link, false))).resources()).stream()
            .map(DeviceInfo::spec).toList();
    }

    /**
     * Refuses names of devices that do not exist: to a data plane they could be members that are missing.
     *
     * @param link  to a data plane or a manager.
     * @param names of devices.
     * @throws CommandException naming those that do not exist.
     */
    static void checkExist(final ControlLink link, final List<String> names)
    {
        final List<String> known = all(link).stream().map(DeviceSpec::name).toList();
        final List<String> unknown = names.stream().filter((each) -> !known.contains(each)).toList();
        if (!unknown.isEmpty())
        {
            throw refusal((1 == unknown.size() ? "device " : "devices ") + String.join(", ", unknown) +
                (1 == unknown.size() ? " does" : " do") + " not exist: 'millrace device list' lists devices");
        }
    }

    /**
     * {@return names of the arrays that name a device: of a manager those of the desired state}
     *
     * @param link   to either.
     * @param device name of the device.
     */
    static List<String> naming(final ControlLink link, final String device)
    {
        return all(link).stream().filter((each) -> TYPE.equals(each.type()) && each.bases().contains(device))
            .map(DeviceSpec::name).toList();
    }

    private static List<String> list(final DeviceSpec device, final String key)
    {
        final String text = device.properties().getOrDefault(key, "");
        return new ArrayList<>(text.isEmpty() ? List.of() : List.of(text.split(" ")));
    }

    /** Settings that change when a spare is added. */
    Map<String, String> add(final String device)
    {
        if (members.contains(device) || spares.contains(device))
        {
            throw refusal("device " + device + " belongs to array " + name + " already");
        }
        spares.add(device);
        return Map.of(SPARES, String.join(" ", spares));
    }

    /** Settings that change when a spare is removed. */
    Map<String, String> remove(final String device)
    {
        if (members.contains(device))
        {
            throw refusal("device " + device + " is a member of array " + name +
                ": 'millrace raid replace' puts another in its place");
        }
        if (!spares.remove(device))
        {
            throw refusal("device " + device + " does not belong to array " + name + ": its spares are " +
                (spares.isEmpty() ? "none" : String.join(", ", spares)));
        }
        return Map.of(SPARES, String.join(" ", spares));
    }

    /** Settings that change when another device, maybe a spare, takes the place of a member. */
    Map<String, String> replace(final String old, final String replacement)
    {
        final int place = members.indexOf(old);
        if (place < 0 && spares.contains(old))
        {
            throw refusal("device " + old + " is named in the spares of array " + name + ": when it has taken the " +
                "slot of a member that failed, 'millrace raid replace " + name + " FAILED " + old +
                "' names it in the members (" + String.join(", ", members) + ") first");
        }
        if (place < 0)
        {
            throw refusal("device " + old + " is no member of array " + name + ": its members are " +
                String.join(", ", members));
        }
        if (members.contains(replacement))
        {
            throw refusal("device " + replacement + " is a member of array " + name + " already");
        }
        members.set(place, replacement);
        return spares.remove(replacement) ?
            Map.of(MEMBERS, String.join(" ", members), SPARES, String.join(" ", spares)) :
            Map.of(MEMBERS, String.join(" ", members));
    }

    /** Settings that change when a device becomes one member more. */
    Map<String, String> grow(final String device)
    {
        if (spares.contains(device))
        {
            throw refusal("device " + device + " is a spare of array " + name + ": 'millrace raid remove " + name +
                " " + device + "' first");
        }
        if (members.contains(device))
        {
            throw refusal("device " + device + " is a member of array " + name + " already");
        }
        members.add(device);
        return Map.of(MEMBERS, String.join(" ", members));
    }

    /** Settings that change when a RAID 5 becomes RAID 6, with Q on a device that becomes one member more. */
    Map<String, String> raise(final String device)
    {
        checkLevel(RAID6);
        return Map.of(LEVEL, RAID6, MEMBERS, grow(device).get(MEMBERS));
    }

    private void checkLevel(final String wanted)
    {
        if (wanted.equals(level))
        {
            throw refusal("array " + name + " is of level " + level + " already");
        }
    }

    /**
     * {@return name of the device that leaves when a RAID 6 becomes RAID 5: the one with Q, in the last slot; where
     * that has none, the one that is named and has no slot}
     *
     * @param array as it is.
     */
    String leaving(final ArrayInfo array)
    {
        if (RAID5.equals(level) && RAID6.equals(array.level()))
        {
            throw refusal("array " + name + " is RAID 6, and level is 5 in its settings, which are older: add the " +
                "device of its last slot with 'millrace raid level " + name + " 6 --add DEVICE' first");
        }
        checkLevel(RAID5);
        if (RAID6.equals(array.level()) && ArrayInfo.NO_SLOT == array.qSlot())
        {
            if ("reshape".equals(array.operation()))
            {
                throw refusal("array " + name + " is being reshaped: change its level when that has ended");
            }
            throw refusal("array " + name + " has Q on all members in turn: 'millrace raid level " + name +
                " 6 --q-last' moves it to the last one; change the level when that has ended");
        }
        final List<ArrayInfo.Member> slots = array.members().stream().filter(ArrayInfo.Member::isInSlot).toList();
        final String last = slots.isEmpty() ? "" : slots.getLast().device();
        final List<String> others = new ArrayList<>(members);
        slots.forEach((each) -> others.remove(each.device()));
        if (members.contains(last) || last.isEmpty() && 1 == others.size())
        {
            return last.isEmpty() ? others.getFirst() : last;
        }
        throw refusal("the members of array " + name + " (" + String.join(", ", members) + ") do not name the device " +
            "of its last slot" + (last.isEmpty() ? "" : ", " + last) +
            ": name the devices of all slots in members first");
    }

    /** Settings that change when a RAID 6 becomes RAID 5, and a device leaves. */
    Map<String, String> lower(final String device)
    {
        members.remove(device);
        return Map.of(LEVEL, RAID5, MEMBERS, String.join(" ", members));
    }

    private static CommandException refusal(final String sentence)
    {
        return new CommandException(ExitCode.FAILURE, sentence);
    }
}
