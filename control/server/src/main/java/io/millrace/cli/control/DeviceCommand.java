package io.millrace.cli.control;

import io.millrace.cli.control.ControlOptions.AnswerTimeout;
import io.millrace.cli.control.view.OutputOptions;
import io.millrace.cli.control.view.Views;
import io.millrace.console.ByteSize;
import io.millrace.console.CommandException;
import io.millrace.console.CommandGroup;
import io.millrace.console.ExitCode;
import io.millrace.console.Terminal;
import io.millrace.control.client.ControlClient;
import io.millrace.control.codec.Role;
import io.millrace.control.message.DeviceInfo;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.setting.Units;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/**
 * {@code millrace device}: block devices.
 */
@Command(
    name = "device",
    description = "List, create, delete and resize block devices, and inject faults.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace device create mem0 --size 1GiB",
        "  millrace device create file0 --path /srv/volumes/vol0.img --size 10GiB",
        "  millrace device create nvme0 --address 0000:01:00.0",
        "  millrace device list",
        "  millrace device resize mem0 2GiB"})
public final class DeviceCommand extends CommandGroup
{
    private static final String RULES = "rules";

    /**
     * Called by picocli.
     */
    public DeviceCommand()
    {
    }

    @Command(name = "list", mixinStandardHelpOptions = true,
        description = "List devices.", footerHeading = "%nExamples:%n", footer = {
            "  millrace device list", "  millrace device list mem0 --output yaml"})
    int list(
        @Mixin final ControlOptions control,
        @Mixin final OutputOptions output,
        @Parameters(arity = "0..1", paramLabel = "NAME", defaultValue = "",
            completionCandidates = LiveNames.Devices.class,
            description = "Only this device.") final String name)
    {
        return control.run(Role.READ, (link) -> output.print(Views.DEVICES, link.client().devices(name)));
    }

    @Command(name = "errors", mixinStandardHelpOptions = true,
        description = {
            "List the distinct errors of devices in use: operation, cause, count, times and blocks.",
            "They are kept until the namespace is removed or the data plane stops."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace device errors", "  millrace device errors vol0 --json"})
    int errors(
        @Mixin final ControlOptions control,
        @Mixin final OutputOptions output,
        @Parameters(arity = "0..1", paramLabel = "NAME", defaultValue = "",
            completionCandidates = LiveNames.Devices.class,
            description = "Only errors of this device.") final String name)
    {
        return control.run(Role.READ, (link) -> output.print(Views.DEVICE_ERRORS, link.client().deviceErrors(name)));
    }

    @Command(name = "create", mixinStandardHelpOptions = true,
        description = "Create a device.", abbreviateSynopsis = true, footerHeading = "%nExamples:%n", footer = {
            "  millrace device create mem0 --size 1GiB                    in memory",
            "  millrace device create f0 --path /srv/f0.img --size 10GiB  in a file",
            "  millrace device create disk0 --path /dev/nvme0n1           through the kernel",
            "  millrace device create nvme0 --address 0000:01:00.0        user-space driver",
            "  millrace device create bad0 --base mem0 --seed 7           with faults",
            "  millrace device create vol0 --level 5 --members a,b,c      a RAID 5 array",
            "  millrace device create sink --type discard --size 1TiB     discards data"})
    int create(
        @Mixin final ControlOptions control,
        @Parameters(paramLabel = "NAME", description = "Name of the device.") final String name,
        @Mixin final DeviceOptions options)
    {
        final DeviceSpec device = options.device(name);
        return control.report(Role.ADMIN, AnswerTimeout.LONG, (client) ->
        {
            client.createDevice(device);
            return "device " + name + " created";
        });
    }

    @Command(name = "set", mixinStandardHelpOptions = true,
        description = "Apply settings of a device while it serves.", footerHeading = "%nExamples:%n", footer = {
            "  millrace device set bad0 rules=effect=error,every=100"})
    int set(
        @Mixin final ControlOptions control,
        @Parameters(paramLabel = "NAME", completionCandidates = LiveNames.Devices.class,
            description = "Name of the device.") final String name,
        @Parameters(arity = "1..*", paramLabel = "KEY=VALUE",
            description = "Setting that is applied while the device serves; an empty value restores the default.")
        final List<String> changes)
    {
        final Map<String, String> properties = new TreeMap<>();
        for (final String each : changes)
        {
            final int sign = each.indexOf('=');
            if (sign < 1)
            {
                throw new CommandException(ExitCode.USAGE, "'" + each + "' is no setting: write KEY=VALUE");
            }
            if (null != properties.put(each.substring(0, sign), each.substring(sign + 1)))
            {
                throw new CommandException(ExitCode.USAGE, each.substring(0, sign) + " is given twice: keep one");
            }
        }
        return control.run(Role.OPERATOR, (link) ->
        {
            DeviceOptions.checkChange(link.client().devices(name).getFirst().spec(), properties);
            link.client().modifyDevice(name, properties);
            Terminal.standard().line(link.outcome("device " + name + ": " + properties.entrySet().stream()
                .map((each) -> each.getKey() +
                (each.getValue().isEmpty() ? " has its default" : " is " + each.getValue()) + " now")
                .collect(Collectors.joining(", "))));
            // What an array has let go of is taken back otherwise, and erased.
            if (properties.containsKey(ArrayDevices.MEMBERS) || properties.containsKey(ArrayDevices.SPARES))
            {
                ArrayOptions.noteUnstored(
                    link, "change " + String.join(" and ", properties.keySet()) + " of device " + name);
            }
            return ExitCode.OK;
        });
    }

    @Command(name = "delete", mixinStandardHelpOptions = true,
        description = {
            "Delete devices that nothing uses.", "Data of memory devices is lost; files are kept."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace device delete file0", "  millrace device delete mem0 mem1 --yes"})
    int delete(
        @Mixin final ControlOptions control,
        @Mixin final Removal removal,
        @Parameters(arity = "1..*", paramLabel = "NAME", completionCandidates = LiveNames.Devices.class,
            description = "Devices to delete, in this order.")
        final List<String> names)
    {
        return removal.run(control, Views.DEVICES, "", names, DeviceInfo::name,
            ImpactCheck::confirmDeleteDevice, (client, name) ->
            {
                client.deleteDevice(name);
                return "device " + name + " deleted";
            });
    }

    @Command(name = "resize", mixinStandardHelpOptions = true,
        description = "Grow a device; connected hosts are notified.",
        footerHeading = "%nExamples:%n", footer = {
            "  millrace device resize mem0 2GiB", "  millrace device resize mem0 +512MiB"})
    int resize(
        @Mixin final ControlOptions control,
        @Parameters(paramLabel = "NAME", completionCandidates = LiveNames.Devices.class,
            description = "Name of the device.") final String name,
        @Parameters(paramLabel = "SIZE", description = "New size, or with a leading + the increase.")
        final String size)
    {
        return grow(control, name, size, "device ", (_, _) ->
        {
        });
    }

    /**
     * Grows a device.
     *
     * @param control options of the session.
     * @param name    of the device.
     * @param size    new size, or with a leading + the increase.
     * @param kind    of it, for the line that is printed.
     * @param check   with the name, before.
     * @return exit code.
     */
    static int grow(
        final ControlOptions control,
        final String name,
        final String size,
        final String kind,
        final BiConsumer<ControlClient, String> check)
    {
        final boolean isMore = size.startsWith("+");
        final long givenBytes = bytes(isMore ? size.substring(1) : size);
        return control.report(Role.ADMIN, AnswerTimeout.LONG, (client) ->
        {
            check.accept(client, name);
            final long sizeBytes = isMore ?
                Math.addExact(client.devices(name).getFirst().sizeBytes(), givenBytes) : givenBytes;
            client.resizeDevice(name, sizeBytes);
            return kind + name + " has " + Units.size(sizeBytes);
        });
    }

    static long bytes(final String size)
    {
        try
        {
            return new ByteSize().convert(size);
        }
        catch (final TypeConversionException e)
        {
            throw new CommandException(ExitCode.USAGE, "SIZE = " + size + ": " + e.getMessage(), e);
        }
    }

    @Command(name = "faults", mixinStandardHelpOptions = true,
        description = {
            "Replace the fault rules of a fault device.",
            "Requests that hang because of the former rules are released. Rules are evaluated in order: delays add " +
                "up, and the first other effect that applies is used."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace device faults bad0 --rule effect=error,operations=read,every=100",
            "  millrace device faults bad0 -r effect=delay,delay=10ms -r effect=hang,count=1",
            "  millrace device faults bad0 --clear"})
    int faults(
        @Mixin final ControlOptions control,
        @Parameters(paramLabel = "NAME", completionCandidates = LiveNames.Devices.class,
            description = "Name of the fault device.") final String name,
        @Option(names = {"-r", "--rule"}, paramLabel = "KEY=VALUE,...",
            description = "Keys: effect, which is needed, one of error, delay, torn-write, lost-write, hang and " +
                "power-loss; operations, of read, write, flush, write-zeroes, deallocate, compare, verify and copy, " +
                "joined by +; first-block and last-block, numbers; status, one of media-error, device-error, " +
                "capacity-exceeded, compare-failure, not-supported, write-protected, out-of-range and aborted; " +
                "delay, a time; every and count, numbers; probability, such as 0.01. Repeatable.")
        final List<String> rules,
        @Option(names = "--clear", description = "Remove all rules.") final boolean clear)
    {
        if (clear == (null != rules))
        {
            throw new CommandException(ExitCode.USAGE, "give rules with --rule, or --clear, and not both");
        }
        final String text = clear ? "" : String.join(" ", rules);
        DeviceOptions.check(DeviceSpec.fault(name, name, 0).with(RULES, text), "--");
        return control.report(Role.OPERATOR, (client) ->
        {
            client.modifyDevice(name, Map.of(RULES, text));
            return "device " + name + " has " + (clear ? "no fault rules" :
                1 == rules.size() ? "1 fault rule" : rules.size() + " fault rules");
        });
    }
}
