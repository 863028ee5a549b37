package io.millrace.cli.control;

import io.millrace.cli.control.ControlOptions.AnswerTimeout;
import io.millrace.console.ByteSize;
import io.millrace.console.CommandException;
import io.millrace.console.CommandGroup;
import io.millrace.console.Confirmation;
import io.millrace.console.ExitCode;
import io.millrace.console.TimeSpan;
import io.millrace.control.codec.DeviceType;
import io.millrace.control.codec.Role;
import io.millrace.control.message.DeviceSettings;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.FaultRuleSpec;
import io.millrace.pci.PciAddress;
import io.millrace.pci.PciException;
import io.millrace.control.setting.Units;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

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
    /** Types of device: values of the option. */
    enum Type
    {
        /** In memory. */
        memory,
        /** Discards data. */
        none("null"),
        /** In a file or on a block device. */
        file,
        /** A namespace of a drive bound to vfio-pci. */
        nvme,
        /** Another device, with faults. */
        fault;

        private final String word;

        Type()
        {
            word = name();
        }

        Type(final String word)
        {
            this.word = word;
        }

        @Override
        public String toString()
        {
            return word;
        }
    }

    /** Whether completions are polled: values of the option. */
    enum Polling
    {
        /** Where the drive can. */
        auto(io.millrace.control.codec.Polling.AUTO),
        /** Always. */
        on(io.millrace.control.codec.Polling.ON),
        /** Never. */
        off(io.millrace.control.codec.Polling.OFF);

        private final io.millrace.control.codec.Polling value;

        Polling(final io.millrace.control.codec.Polling value)
        {
            this.value = value;
        }

        io.millrace.control.codec.Polling value()
        {
            return value;
        }
    }

    private static final long MILLIS = 1_000_000L;

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
        description = "Create a device.", footerHeading = "%nExamples:%n", footer = {
            "  millrace device create mem0 --size 1GiB                    in memory",
            "  millrace device create f0 --path /srv/f0.img --size 10GiB  in a file",
            "  millrace device create disk0 --path /dev/nvme0n1           through the kernel",
            "  millrace device create nvme0 --address 0000:01:00.0        user-space driver",
            "  millrace device create bad0 --base mem0 --seed 7           with faults",
            "  millrace device create sink --type null --size 1TiB        discards data"})
    int create(
        @Mixin final ControlOptions control,
        @Parameters(paramLabel = "NAME", description = "Name of the device.") final String name,
        @Option(names = {"-t", "--type"}, paramLabel = "TYPE", converter = TypeConverter.class,
            completionCandidates = TypeConverter.Candidates.class,
            description = "memory, file, nvme, fault or null. Default: derived from the other options, else memory.")
        final Type type,
        @Option(names = {"-s", "--size"}, paramLabel = "SIZE", converter = ByteSize.class, defaultValue = "0",
            description = "Size with a unit, such as 1GiB. Default: the size of the file or drive.")
        final long sizeBytes,
        @Option(names = {"-b", "--block-size"}, paramLabel = "BYTES", defaultValue = "4096",
            description = "512 or 4096. Default: 4096.") final int blockSizeBytes,
        @Option(names = {"-p", "--path"}, paramLabel = "FILE", description = "Regular file or block device, " +
            "in a directory of the data plane's control.device-directories.")
        final Path path,
        @Option(names = {"-a", "--address"}, paramLabel = "ADDRESS",
            description = "PCI address of a drive bound to vfio-pci, such as 0000:01:00.0; see 'millrace drive list'.")
        final String address,
        @Option(names = "--nsid", paramLabel = "N",
            description = "Namespace of the drive, from 1. Default: 1.") final Integer nsid,
        @Option(names = "--base", paramLabel = "DEVICE", completionCandidates = LiveNames.Devices.class,
            description = "Device below the fault device.")
        final String base,
        @Option(names = "--queue-depth", paramLabel = "N", defaultValue = "0",
            description = "Outstanding requests of each reactor to the file or drive. Default: 256.")
            final int queueDepth,
        @Option(names = "--read-only", description = "Reject writes to the file.") final boolean readOnly,
        @Option(names = "--preallocate", negatable = true, defaultValue = "true", fallbackValue = "true",
            description = "Allocate all space of the file now, so that a full disk is detected now. Default: yes.")
        final boolean preallocate,
        @Option(names = "--polling", paramLabel = "auto|on|off",
            description = "Whether completions of the file are polled from its drive. Default: auto, where supported.")
        final Polling polling,
        @Option(names = "--command-timeout", paramLabel = "TIME", converter = TimeSpan.class,
            description = "Time after which a command of the drive is aborted. Default: 30s.")
        final Long commandTimeoutMs,
        @Option(names = "--interrupts", description = "Use interrupts, so that reactors may sleep while commands are " +
        "outstanding.")
        final boolean interrupts,
        @Option(names = "--unsafe-noiommu",
            description = "Use the drive without an IOMMU, where a wrong address may overwrite any memory.")
        final boolean unsafeNoIommu,
        @Option(names = "--seed", paramLabel = "N", defaultValue = "0",
            description = "Seed of the fault device's random choices. Default: 0.") final long seed)
    {
        final Type wanted = null != type ? type :
            null != path ? Type.file : null != address ? Type.nvme : null != base ? Type.fault : Type.memory;
        only(Type.file, wanted, "--path", path);
        only(Type.nvme, wanted, "--address", address);
        only(Type.nvme, wanted, "--nsid", nsid);
        only(Type.fault, wanted, "--base", base);
        only(Type.file, wanted, "--polling", polling);
        only(Type.nvme, wanted, "--command-timeout", commandTimeoutMs);
        only(Type.nvme, wanted, "--interrupts", interrupts ? true : null);
        only(Type.nvme, wanted, "--unsafe-noiommu", unsafeNoIommu ? true : null);
        final DeviceSpec device = switch (wanted)
        {
            case memory -> DeviceSpec.memory(name, needed(sizeBytes, wanted), blockSizeBytes);
            case none -> DeviceSpec.nullDevice(name, needed(sizeBytes, wanted), blockSizeBytes);
            case file -> new DeviceSpec(name, DeviceType.FILE, sizeBytes, blockSizeBytes, queueDepth, readOnly,
                preallocate, 0, needed(path, "--path", wanted).toAbsolutePath().normalize().toString(),
                DeviceSettings.file(null == polling ? io.millrace.control.codec.Polling.AUTO : polling.value()));
            case nvme ->
                drive(name, needed(address, "--address", wanted), null == nsid ? 1 : nsid, sizeBytes, queueDepth)
                .with(DeviceSettings.drive(null == commandTimeoutMs ? 0 : commandTimeoutMs * MILLIS, interrupts,
                unsafeNoIommu));
            case fault -> DeviceSpec.fault(name, needed(base, "--base", wanted), seed);
        };
        return control.report(Role.ADMIN, AnswerTimeout.LONG, (client) ->
        {
            client.createDevice(device);
            return "device " + name + " created";
        });
    }

    private static DeviceSpec drive(
        final String name, final String address, final int nsid, final long sizeBytes, final int queueDepth)
    {
        if (nsid < 1)
        {
            throw new CommandException(ExitCode.USAGE, "--nsid " + nsid + " is below 1: use that of a namespace");
        }
        if (0 != sizeBytes)
        {
            throw new CommandException(ExitCode.USAGE,
                "--size does not belong to a nvme device, which is as large as its namespace: leave it out");
        }
        try
        {
            return new DeviceSpec(name, DeviceType.NVME, 0, 0, queueDepth, false, false, 0,
                PciAddress.parse(address).toString() + '/' + nsid);
        }
        catch (final PciException e)
        {
            throw new CommandException(ExitCode.USAGE,
                "--address " + e.getMessage() + "; 'millrace drive list' shows the drives", e);
        }
    }

    private static void only(final Type type, final Type wanted, final String option, final Object value)
    {
        if (null != value && type != wanted)
        {
            throw new CommandException(ExitCode.USAGE, option + " does not belong to a " + wanted +
                " device: leave it or --type out");
        }
    }

    private static long needed(final long sizeBytes, final Type type)
    {
        if (0 == sizeBytes)
        {
            throw new CommandException(ExitCode.USAGE, "a " + type + " device needs a size: add --size, such as 1GiB");
        }
        return sizeBytes;
    }

    private static <T> T needed(final T value, final String option, final Type type)
    {
        if (null == value)
        {
            throw new CommandException(ExitCode.USAGE, "a " + type + " device needs " + option + ": add it");
        }
        return value;
    }

    @Command(name = "delete", mixinStandardHelpOptions = true,
        description = {
            "Delete devices that nothing uses.", "Data of memory devices is lost; files are kept."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace device delete file0", "  millrace device delete mem0 mem1 --yes"})
    int delete(
        @Mixin final ControlOptions control,
        @Mixin final Confirmation confirmation,
        @Parameters(arity = "1..*", paramLabel = "NAME", completionCandidates = LiveNames.Devices.class,
            description = "Devices to delete, in this order.")
        final List<String> names)
    {
        return control.reportEach(Role.ADMIN, names,
            (link, name) -> new ImpactCheck(link, confirmation).confirmDeleteDevice(name), (client, name) ->
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
        final boolean isMore = size.startsWith("+");
        final long givenBytes = new ByteSize().convert(isMore ? size.substring(1) : size);
        return control.report(Role.ADMIN, AnswerTimeout.LONG, (client) ->
        {
            final long sizeBytes = isMore ?
                Math.addExact(client.devices(name).getFirst().sizeBytes(), givenBytes) : givenBytes;
            client.resizeDevice(name, sizeBytes);
            return "device " + name + " has " + Units.size(sizeBytes);
        });
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
        @Option(names = {"-r", "--rule"}, paramLabel = "KEY=VALUE,...", converter = FaultRuleOption.class,
            description = "effect=error|delay|torn-write|lost-write|hang, operations=read+write+flush+write-zeroes+" +
                "deallocate+compare+verify+copy, first-block=N, last-block=N, status=media-error|device-error|" +
                "capacity-exceeded|compare-failure|not-supported|write-protected|out-of-range|aborted, delay=TIME, " +
                "every=N, probability=0.01, count=N; effect is needed. Repeatable.")
        final List<FaultRuleSpec> rules,
        @Option(names = "--clear", description = "Remove all rules.") final boolean clear)
    {
        if (clear == (null != rules))
        {
            throw new CommandException(ExitCode.USAGE, "give rules with --rule, or --clear, and not both");
        }
        return control.report(Role.OPERATOR, (client) ->
        {
            client.setFaultRules(name, clear ? List.of() : rules);
            return "device " + name + " has " + (clear ? "no fault rules" :
                1 == rules.size() ? "1 fault rule" : rules.size() + " fault rules");
        });
    }
}
