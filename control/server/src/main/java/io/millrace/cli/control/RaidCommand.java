package io.millrace.cli.control;

import io.millrace.cli.control.ControlOptions.AnswerTimeout;
import io.millrace.cli.control.view.ArrayScreen;
import io.millrace.cli.control.view.Format;
import io.millrace.cli.control.view.OutputOptions;
import io.millrace.cli.control.view.SharedSpareView;
import io.millrace.cli.control.view.Views;
import io.millrace.console.CommandException;
import io.millrace.console.CommandGroup;
import io.millrace.console.Confirmation;
import io.millrace.console.ExitCode;
import io.millrace.console.Terminal;
import io.millrace.control.codec.ArrayOperation;
import io.millrace.control.codec.Role;
import io.millrace.control.message.ArrayInfo;
import io.millrace.control.message.Command.OperateArray;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.DeviceInfo;
import io.millrace.control.message.DeviceSpec;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code millrace raid}: arrays, their members, scrubs.
 */
@Command(
    name = "raid",
    description = "Create, inspect and scrub arrays; change their members.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace raid create vol0 d0 d1 d2 --level 5 --spare d3",
        "  millrace raid show vol0",
        "  millrace raid scrub vol0 --wait",
        "  millrace raid fail vol0 d1",
        "  millrace raid rename vol0 vol1"})
public final class RaidCommand extends CommandGroup
{
    private static final String TYPE = "raid";

    /**
     * Called by picocli.
     */
    public RaidCommand()
    {
    }

    @Command(name = "list", mixinStandardHelpOptions = true,
        description = {
            "List arrays with their state.",
            "MEMBERS are slots in sync, all slots, and spares behind a +."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace raid list", "  millrace raid list --json"})
    int list(@Mixin final ControlOptions control, @Mixin final OutputOptions output)
    {
        return control.run(Role.READ, (link) -> output.print(Views.ARRAYS, link.client().arrays("")));
    }

    @Command(name = "show", mixinStandardHelpOptions = true,
        description = "Show an array: state, members, what it is doing, and its last scrub.",
        footerHeading = "%nExamples:%n", footer = {
            "  millrace raid show vol0", "  millrace raid show vol0 --output yaml"})
    int show(
        @Mixin final ControlOptions control,
        @Mixin final OutputOptions output,
        @Parameters(paramLabel = "NAME", completionCandidates = LiveNames.Arrays.class,
            description = "Name of the array.") final String name)
    {
        return control.run(Role.READ, (link) ->
        {
            final ArrayInfo array = link.client().arrays(name).getFirst();
            if (Format.table != output.format())
            {
                return output.printOne(Views.ARRAYS, array);
            }
            final Terminal terminal = Terminal.standard();
            ArrayScreen.lines(array, shared(link), terminal).forEach(terminal::line);
            return ExitCode.OK;
        });
    }

    private static List<String> shared(final ControlLink link)
    {
        return SharedSpareView.of(link.client().devices("")).stream().map(DeviceInfo::name).toList();
    }

    @Command(name = "spares", mixinStandardHelpOptions = true,
        description = {
            "List shared spares: devices that take the slot of a member that fails, of any array.",
            "'device set NAME shared-spare=true' makes a device one. A free one whose health is not online may " +
                "not be used; the reason is below the table."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace raid spares", "  millrace raid spares --json"})
    int spares(@Mixin final ControlOptions control, @Mixin final OutputOptions output)
    {
        return control.run(Role.READ, (link) ->
        {
            final List<DeviceInfo> spares = SharedSpareView.of(link.client().devices(""));
            final int code = output.print(SharedSpareView.view(link.client().arrays("")), spares);
            if (Format.table == output.format())
            {
                SharedSpareView.reasons(spares).forEach(Terminal.standard()::line);
            }
            return code;
        });
    }

    @Command(name = "create", mixinStandardHelpOptions = true,
        description = {
            "Create an array of devices, or assemble one that they hold already.",
            "'device create --type raid' has all settings."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace raid create vol0 d0 d1 d2 --level 5 --spare d3",
            "  millrace raid create mirror m0 m1 --level 1",
            "  millrace raid create vol1 d0 d1 d2 d3 d4 d5 d6 --level ec --parity-strips 3",
            "  millrace raid create vol2 d0 d1 d2 --level 5 --journal-device pmem0"})
    int create(
        @Mixin final ControlOptions control,
        @Parameters(index = "0", paramLabel = "NAME", description = "Name of the array.") final String name,
        @Parameters(index = "1..*", arity = "1..*", paramLabel = "DEVICE",
            completionCandidates = LiveNames.Devices.class,
            description = "Members, in the order of the slots of a new array.") final List<String> members,
        @Option(names = {"-l", "--level"}, paramLabel = "LEVEL", required = true,
            description = "RAID level: 0, 1, 5, 6, 10, or ec, an erasure code.") final String level,
        @Option(names = "--parity-strips", paramLabel = "NUMBER",
            description = "Of level ec: strips of parity of each stripe, 1 to 8; as many members may fail.")
        final String parityStrips,
        @Option(names = "--spare", paramLabel = "DEVICE", completionCandidates = LiveNames.Devices.class,
            description = "Device that takes the place of a member that fails. Repeatable.")
        final List<String> spares,
        @Option(names = "--journal", paramLabel = "WHEN",
            description = "Journal writes with parity while the array is degraded, or always. Default: degraded.")
        final String journal,
        @Option(names = "--journal-device", paramLabel = "DEVICE", completionCandidates = LiveNames.Devices.class,
            description = "Fast device that has the journal instead of members.") final String journalDevice,
        @Option(names = "--strip-size", paramLabel = "SIZE",
            description = "Consecutive bytes on one member, a power of two. Default: 64KiB.") final String stripSize,
        @Option(names = "--assume-clean", description = "All members are full of zeroes: no resync.")
        final boolean isAssumedClean,
        @Option(names = "--wipe-signatures", description = "Use devices that hold other data, which is erased.")
        final boolean wipes,
        @Option(names = "--checksums",
            description = "Blocks have checksums, by which a scrub finds the member whose block is wrong.")
        final boolean hasChecksums)
    {
        final Map<String, String> settings = new TreeMap<>();
        settings.put("level", level);
        settings.put(ArrayDevices.MEMBERS, String.join(" ", members));
        putIf(settings, null != spares, ArrayDevices.SPARES, null == spares ? "" : String.join(" ", spares));
        putIf(settings, null != parityStrips, "parity-strips", parityStrips);
        putIf(settings, null != journal, "journal", journal);
        putIf(settings, null != journalDevice, "journal-device", journalDevice);
        putIf(settings, null != stripSize, "strip-size", stripSize);
        putIf(settings, isAssumedClean, "assume-clean", "true");
        putIf(settings, wipes, "wipe-signatures", "true");
        putIf(settings, hasChecksums, "checksums", "true");
        final DeviceSpec device = DeviceOptions.check(new DeviceSpec(name, TYPE, settings), "");
        return control.run(Role.ADMIN, AnswerTimeout.LONG, null, (link) ->
        {
            ArrayDevices.checkExist(link, device.bases());
            link.client().createDevice(device);
            Terminal.standard().line(link.outcome("array " + name + " created"));
            return ExitCode.OK;
        });
    }

    private static void putIf(
        final Map<String, String> settings, final boolean isGiven, final String key, final String value)
    {
        if (isGiven)
        {
            settings.put(key, value);
        }
    }

    @Command(name = "scrub", mixinStandardHelpOptions = true,
        description = {
            "Read all of an array and compare copies, or parity with the data.",
            "Blocks that a member cannot read are rewritten. Mismatches are counted, and repaired with --repair. " +
                "With --wait the exit code is 1 when mismatches are left, rows are lost, nothing could be compared, " +
                "or the scrub did not end; --json and --output print the array then."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace raid scrub vol0", "  millrace raid scrub vol0 --repair --wait",
            "  millrace raid scrub vol0 --stop"})
    int scrub(
        @Mixin final ArrayOptions array,
        @Mixin final OutputOptions output,
        @Option(names = "--repair", description = "Make copies equal, and parity match.") final boolean repairs,
        @Option(names = "--stop", description = "Stop the scrub that runs.") final boolean stops,
        @Option(names = "--wait", description = "Wait for the end, and print the result.") final boolean waits)
    {
        if (stops && (repairs || waits))
        {
            throw new CommandException(ExitCode.USAGE, "--stop: goes with neither --repair nor --wait; leave them out");
        }
        if (output.isGiven() && !waits)
        {
            throw new CommandException(ExitCode.USAGE, "--output and --json: go with --wait; add it");
        }
        final String name = array.name();
        return array.control().run(Role.OPERATOR, (link) ->
        {
            final Terminal terminal = Terminal.standard();
            if (stops)
            {
                link.client().operateArray(name, ArrayOperation.SCRUB_STOP, "");
                terminal.line(link.outcome("scrub of array " + name + " stops"));
                return ExitCode.OK;
            }
            final long beganMs = ScrubWait.began(link.client(), name);
            link.client().operateArray(
                name, repairs ? ArrayOperation.SCRUB_REPAIR : ArrayOperation.SCRUB_CHECK, "");
            if (Format.table == output.format())
            {
                terminal.line(link.outcome(
                    "scrub of array " + name + ' ' + ScrubWait.beginning(link.client(), name, beganMs)));
            }
            return waits ? new ScrubWait(link.client(), name, terminal, output).run(beganMs) : ExitCode.OK;
        });
    }

    @Command(name = "fail", mixinStandardHelpOptions = true,
        description = {
            "Take a member out of service as if it had failed; a spare takes its place.",
            "Refused when the array would lose data."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace raid fail vol0 d1", "  millrace raid fail vol0 d1 --yes"})
    int fail(
        @Mixin final ArrayOptions array,
        @Mixin final Confirmation confirmation,
        @Parameters(index = "1", paramLabel = "MEMBER", completionCandidates = LiveNames.Devices.class,
            description = "Device of the array.") final String member)
    {
        return array.control().run(Role.OPERATOR, AnswerTimeout.LONG, null, (link) ->
        {
            final List<ArrayInfo> found = existing(link, array.name());
            final boolean hasJournal = found.stream().anyMatch((each) -> member.equals(each.journalDevice()));
            final String subject = (hasJournal ? "journal device " : "member ") + member + " of array " + array.name();
            // Of what is missing the command itself says so, and is recorded.
            if (hasJournal || found.stream().flatMap((each) -> each.members().stream())
                .anyMatch((each) -> member.equals(each.device())))
            {
                confirmation.require(Terminal.standard(), subject + " would be taken out of service, and " +
                    (hasJournal ? "members have the journal then" : "is rebuilt when it comes back"));
            }
            link.client().operateArray(array.name(), ArrayOperation.FAIL_MEMBER, member);
            Terminal.standard().line(link.outcome(subject + " is taken out of service"));
            ArrayOptions.noteUnstored(link, "the next start uses " + member +
                " again, so name another device instead of it for device " + array.name());
            return ExitCode.OK;
        });
    }

    /** {@return the array; empty: it is not found or not reachable, which the command itself reports and records} */
    private static List<ArrayInfo> existing(final ControlLink link, final String array)
    {
        try
        {
            return link.client().arrays(array);
        }
        catch (final ControlException _)
        {
            return List.of();
        }
    }

    @Command(name = "add", mixinStandardHelpOptions = true,
        description = "Add a spare to an array.", footerHeading = "%nExamples:%n", footer = {
            "  millrace raid add vol0 d4"})
    int add(
        @Mixin final ArrayOptions array,
        @Parameters(index = "1", paramLabel = "DEVICE", completionCandidates = LiveNames.Devices.class,
            description = "Device to add.") final String device)
    {
        return array.change((each) -> each.add(device), "device " + device + " is a spare of");
    }

    @Command(name = "remove", mixinStandardHelpOptions = true,
        description = "Remove a spare from an array.", footerHeading = "%nExamples:%n", footer = {
            "  millrace raid remove vol0 d4"})
    int remove(
        @Mixin final ArrayOptions array,
        @Parameters(index = "1", paramLabel = "DEVICE", completionCandidates = LiveNames.Devices.class,
            description = "Device to remove.") final String device)
    {
        return array.change((each) -> each.remove(device), "device " + device + " is removed from");
    }

    @Command(name = "replace", mixinStandardHelpOptions = true,
        description = "Replace a member of an array by another device.",
        footerHeading = "%nExamples:%n", footer = {
            "  millrace raid replace vol0 d1 d4"})
    int replace(
        @Mixin final ArrayOptions array,
        @Parameters(index = "1", paramLabel = "OLD", completionCandidates = LiveNames.Devices.class,
            description = "Member to replace.") final String old,
        @Parameters(index = "2", paramLabel = "NEW", completionCandidates = LiveNames.Devices.class,
            description = "Device that takes its place.") final String replacement)
    {
        return array.change((each) -> each.replace(old, replacement),
            "device " + replacement + " replaces " + old + " in");
    }

    @Command(name = "grow", mixinStandardHelpOptions = true,
        description = {
            "Add a member to an array of level 1, 5, 6 or ec, or use the room of members that have become larger, " +
                "while hosts use it.",
            "--add: RAID 1 gets another copy. The data of RAID 5, 6 and ec is spread over the new member, a " +
                "reshape, which cannot be undone.",
            "--size: all levels. What is new is written with zeroes first.",
            "Hosts see the larger size at the end. 'raid show' has the progress."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace raid grow vol0 --add d4", "  millrace raid grow vol0 --size max"})
    int grow(
        @Mixin final ArrayOptions array,
        @Option(names = "--add", paramLabel = "DEVICE", completionCandidates = LiveNames.Devices.class,
            description = "Device that becomes a member; what it holds is erased.") final String device,
        @Option(names = "--size", paramLabel = "SIZE",
            description = "Data of each member: a size, a multiple of the strip, or max, as much as the smallest " +
                "has room for.") final String size)
    {
        if (null == device == (null == size))
        {
            throw new CommandException(ExitCode.USAGE, "give either --add DEVICE or --size SIZE");
        }
        if (null != device)
        {
            return array.change((each) -> each.grow(device), "device " + device + " becomes a member of");
        }
        final String bytes = memberBytes(size);
        return array.control().run(Role.OPERATOR, AnswerTimeout.LONG, null, (link) ->
        {
            link.client().operateArray(array.name(), ArrayOperation.RESIZE_MEMBERS, bytes);
            Terminal.standard().line(link.outcome("array " + array.name() + " grows with its members"));
            return ExitCode.OK;
        });
    }

    @Command(name = "level", mixinStandardHelpOptions = true,
        description = {
            "Make a RAID 5 a RAID 6, or back, while hosts use it.",
            "6 --add: a device becomes a member more, and gets Q of all stripes; two members may fail when it has. " +
                "'raid show' has the progress.",
            "5: the member with Q leaves, and is erased. An array that was created as RAID 6 has Q on all members in " +
                "turn: first '6 --q-last' moves it to the last one, a reshape, which cannot be undone."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace raid level vol0 6 --add d4", "  millrace raid level vol0 6 --q-last",
            "  millrace raid level vol0 5"})
    int level(
        @Mixin final ArrayOptions array,
        @Mixin final Confirmation confirmation,
        @Parameters(index = "1", paramLabel = "LEVEL", description = "5 or 6.") final String level,
        @Option(names = "--add", paramLabel = "DEVICE", completionCandidates = LiveNames.Devices.class,
            description = "Of 6: device that becomes a member of a RAID 5; what it holds is erased.")
        final String device,
        @Option(names = "--q-last",
            description = "Of 6: move Q of all stripes of a RAID 6 to the last member, so that it can become RAID 5.")
        final boolean movesQ)
    {
        if (!ArrayDevices.RAID5.equals(level) && !ArrayDevices.RAID6.equals(level))
        {
            throw new CommandException(ExitCode.USAGE, "LEVEL = " + level + ": only level 5 becomes 6, and back; " +
                "give one of these");
        }
        if (ArrayDevices.RAID6.equals(level) ? movesQ == (null != device) : movesQ || null != device)
        {
            throw new CommandException(ExitCode.USAGE, !ArrayDevices.RAID6.equals(level) ?
                (movesQ ? "--q-last" : "--add") + ": goes with level 6; leave it out" : movesQ ?
                "--add is of a RAID 5, and --q-last of a RAID 6: give one of the two" :
                "level 6 has one member more: give it with --add DEVICE; or move Q of a RAID 6 with --q-last");
        }
        if (movesQ)
        {
            return array.control().run(Role.OPERATOR, AnswerTimeout.LONG, null, (link) ->
            {
                link.client().operateArray(array.name(), ArrayOperation.MOVE_Q, "");
                Terminal.standard().line(link.outcome("array " + array.name() + " is reshaped: Q moves to its last " +
                    "member"));
                return ExitCode.OK;
            });
        }
        if (null != device)
        {
            return array.change((each) -> each.raise(device), "device " + device + " gets Q of");
        }
        return array.control().run(Role.OPERATOR, AnswerTimeout.LONG, null, (link) ->
        {
            final DeviceSpec spec = ArrayDevices.spec(link, array.name());
            final ArrayDevices devices = new ArrayDevices(spec);
            final String leaving = devices.leaving(link.client().arrays(array.name()).getFirst());
            confirmation.require(Terminal.standard(), "array " + array.name() + " would tolerate the failure of one " +
                "member instead of two, and device " + leaving + " would leave it and be erased");
            return ArrayOptions.change(link, spec, devices.lower(leaving),
                "device " + leaving + " has left array " + array.name() + ", which is RAID 5");
        });
    }

    private static String memberBytes(final String size)
    {
        try
        {
            return OperateArray.SIZE_MAX.equals(size) ? size : Long.toString(DeviceCommand.bytes(size));
        }
        catch (final CommandException e)
        {
            throw new CommandException(e.exitCode(), e.getMessage() + ", or " + OperateArray.SIZE_MAX, e);
        }
    }

    @Command(name = "rename", mixinStandardHelpOptions = true,
        description = {
            "Give an array another name while hosts use it.",
            "Its namespaces stay, with their UUIDs. Refused while it is reshaped or resized, or a member is replaced.",
            "With --json or --output the renamed array is printed."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace raid rename vol0 vol1"})
    int rename(
        @Mixin final ArrayOptions array,
        @Mixin final OutputOptions output,
        @Parameters(index = "1", paramLabel = "NEW", description = "Name that no device has.") final String newName)
    {
        return array.control().run(Role.ADMIN, AnswerTimeout.LONG, null, (link) ->
        {
            link.client().renameDevice(array.name(), newName);
            if (output.isGiven())
            {
                return output.printOne(Views.ARRAYS, link.client().arrays(newName).getFirst());
            }
            Terminal.standard().line(link.outcome("array " + array.name() + " is renamed to " + newName));
            ArrayOptions.noteUnstored(link, "write " + newName + " instead of " + array.name() + ", and the uuid of " +
                "each namespace of it ('millrace namespace list -o yaml'),");
            return ExitCode.OK;
        });
    }

    @Command(name = "erase", mixinStandardHelpOptions = true,
        description = {
            "Erase what marks a device as a member of an array, or as something else.",
            "Its first 1 MiB and its last 128 KiB are erased. Refused while something uses the device."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace raid erase d1", "  millrace raid erase d1 --yes"})
    int erase(
        @Mixin final ControlOptions control,
        @Mixin final Confirmation confirmation,
        @Parameters(paramLabel = "DEVICE", completionCandidates = LiveNames.Devices.class,
            description = "Device that nothing uses.") final String device)
    {
        return control.run(Role.ADMIN, AnswerTimeout.LONG, null, (link) ->
        {
            final Terminal terminal = Terminal.standard();
            final String held = link.client().examineDevice(device);
            if (held.isEmpty())
            {
                terminal.line("device " + device + " holds no superblock and no known signature: nothing was done");
                return ExitCode.OK;
            }
            final List<String> arrays = ArrayDevices.naming(link, device);
            confirmation.require(terminal, "device " + device + " holds " + held +
                (arrays.isEmpty() ? "" : " and is named by array " + String.join(", ", arrays)) +
                ": its first 1 MiB and its last 128 KiB would be erased");
            link.client().operateArray(device, ArrayOperation.ERASE_DEVICE, held);
            terminal.line(link.outcome("device " + device + " is erased; it held " + held));
            return ExitCode.OK;
        });
    }
}
