package io.millrace.cli.local.drive;

import io.millrace.block.BlockDeviceException;
import io.millrace.console.CommandException;
import io.millrace.console.CommandGroup;
import io.millrace.console.ExitCode;
import io.millrace.console.Json;
import io.millrace.console.Terminal;
import io.millrace.pci.PciAddress;
import io.millrace.pci.PciException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.ToIntBiFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code millrace drive}: lists NVMe drives, shows their health, logs and namespaces, resets them, and binds them to
 * vfio-pci or the kernel's driver.
 */
@Command(
    name = "drive",
    description = {
        "List, inspect and reset NVMe drives, and bind them to vfio-pci or to the kernel's driver."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace drive list",
        "  millrace drive bind 0000:01:00.0 --dry-run    show the steps only",
        "  millrace drive unbind 0000:01:00.0            back to the kernel"})
public final class DriveCommand extends CommandGroup
{
    private final DriveScan scan;

    /**
     * Called by picocli.
     */
    public DriveCommand()
    {
        this(Path.of("/"));
    }

    DriveCommand(final Path root)
    {
        scan = new DriveScan(root);
    }

    @Command(name = "list", mixinStandardHelpOptions = true,
        description = "List NVMe drives with driver, use and health.",
        footerHeading = "%nExamples:%n", footer = {
            "  millrace drive list",
            "  millrace drive list -o json | jq -r '.[] | select(.free) | .address'"})
    int list(@Mixin final DriveOutput output)
    {
        return tried(() ->
        {
            final List<Drive> drives = scan.list();
            final Terminal terminal = Terminal.standard();
            if (output.isJson())
            {
                terminal.line(Json.write(drives.stream().map(DriveView::json).toList()));
            }
            else if (drives.isEmpty())
            {
                terminal.line("no NVMe drives");
            }
            else
            {
                DriveView.table(drives).print(terminal, "");
            }
            return ExitCode.OK;
        });
    }

    @Command(name = "bind", mixinStandardHelpOptions = true,
        description = {
            "Bind drives to vfio-pci for the user-space driver.",
            "Refused if a drive is mounted or otherwise in use. Requires root."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace drive bind 0000:01:00.0 --dry-run",
            "  millrace drive bind 0000:01:00.0 --yes --owner millrace"})
    int bind(
        @Mixin final DriveOutput output,
        @Mixin final DriveConfirmation consent,
        @Option(names = "--group", description = "Also bind the other NVMe drives of the IOMMU group.")
        final boolean isGroup,
        @Option(names = "--owner", paramLabel = "USER", defaultValue = "",
            description = "User who may open the drive. Default: root only.") final String owner,
        @Mixin final NoIommuOption risk,
        @Parameters(arity = "1..*", paramLabel = "ADDRESS",
            description = "PCI addresses of the drives, such as 0000:01:00.0; see 'millrace drive list'.")
        final List<String> addresses)
    {
        final DrivePlanner moves = new DrivePlanner(scan);
        addresses.forEach(this::checked);
        return move(output, consent, addresses, (address) -> moves.bind(address, risk.isUnsafe(), isGroup, owner));
    }

    @Command(name = "unbind", mixinStandardHelpOptions = true,
        description = "Bind drives to the kernel's driver. Refused while a process uses them. Requires root.",
        footerHeading = "%nExamples:%n", footer = {"  millrace drive unbind 0000:01:00.0 --yes"})
    int unbind(
        @Mixin final DriveOutput output,
        @Mixin final DriveConfirmation consent,
        @Parameters(arity = "1..*", paramLabel = "ADDRESS",
            description = "PCI addresses of the drives, such as 0000:01:00.0; see 'millrace drive list'.")
        final List<String> addresses)
    {
        addresses.forEach(this::checked);
        return move(output, consent, addresses, new DrivePlanner(scan)::unbind);
    }

    @Command(name = "smart", mixinStandardHelpOptions = true,
        description = {
            "Show the SMART / Health Information log page of a drive. Requires root.",
            "A drive bound to vfio-pci is opened for the duration of the command, if it is not in use."},
        footerHeading = "%nExamples:%n", footer = {"  millrace drive smart 0000:01:00.0 -o json"})
    int smart(
        @Mixin final DriveOutput output,
        @Mixin final NoIommuOption risk,
        @Parameters(paramLabel = "DRIVE", description = "PCI address, or kernel name such as nvme0.")
        final String name)
    {
        return ask(name, risk, (drive, admin) ->
        {
            final DriveHealth health = DriveHealth.of(admin);
            final Terminal terminal = Terminal.standard();
            if (output.isJson())
            {
                terminal.line(Json.write(health.json()));
            }
            else
            {
                terminal.line(health.text());
                health.json().forEach((field, value) -> terminal.line("  " + field + ": " + value));
            }
            return ExitCode.OK;
        });
    }

    @Command(name = "log", mixinStandardHelpOptions = true,
        description = {
            "Show the logs of a drive: health, firmware slots, error log. Requires root.",
            "A drive bound to vfio-pci is opened for the duration of the command, if it is not in use."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace drive log nvme0", "  millrace drive log 0000:01:00.0 --page error --json"})
    int log(
        @Mixin final DriveOutput output,
        @Mixin final NoIommuOption risk,
        @Option(names = "--page", paramLabel = "PAGE", split = ",",
            description = "Log pages to show, of ${COMPLETION-CANDIDATES}. Default: all.")
            final List<DriveLogs.Page> pages,
        @Parameters(paramLabel = "DRIVE", description = "PCI address, or kernel name such as nvme0.")
        final String name)
    {
        return ask(name, risk, (drive, admin) ->
        {
            final DriveLogs logs = new DriveLogs(admin,
                null == pages ? EnumSet.allOf(DriveLogs.Page.class) : EnumSet.copyOf(pages));
            final Terminal terminal = Terminal.standard();
            if (output.isJson())
            {
                terminal.line(Json.write(logs.json(drive.address())));
            }
            else
            {
                logs.print(drive.address(), terminal);
            }
            return ExitCode.OK;
        });
    }

    @Command(name = "namespaces", mixinStandardHelpOptions = true,
        description = {
            "Show the namespaces of a drive: IDs, formats, identifiers. Requires root.",
            "Exits with 1 where the Identify data of one are invalid, with the reason as its message.",
            "A drive bound to vfio-pci is opened for the duration of the command, if it is not in use."},
        footerHeading = "%nExamples:%n", footer = {"  millrace drive namespaces 0000:01:00.0"})
    int namespaces(
        @Mixin final DriveOutput output,
        @Mixin final NoIommuOption risk,
        @Parameters(paramLabel = "DRIVE", description = "PCI address, or kernel name such as nvme0.")
        final String name)
    {
        return ask(name, risk, (drive, admin) ->
        {
            final DriveNamespaces namespaces = new DriveNamespaces(admin);
            final Terminal terminal = Terminal.standard();
            if (output.isJson())
            {
                terminal.line(Json.write(namespaces.json()));
            }
            else
            {
                namespaces.print(terminal);
            }
            return namespaces.areValid() ? ExitCode.OK : ExitCode.FAILURE;
        });
    }

    @Command(name = "reset", mixinStandardHelpOptions = true,
        description = {
            "Reset the controllers of drives. Requires root.",
            "Refused when a drive is mounted or used in any other way. Data is preserved."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace drive reset nvme0 --dry-run", "  millrace drive reset 0000:01:00.0 --yes"})
    int reset(
        @Mixin final DriveOutput output,
        @Mixin final DriveConfirmation consent,
        @Mixin final NoIommuOption risk,
        @Parameters(arity = "1..*", paramLabel = "DRIVE",
            description = "PCI addresses, or kernel names such as nvme0.")
        final List<String> names)
    {
        final DrivePlanner moves = new DrivePlanner(scan);
        names.forEach(this::checkedName);
        return move(output, consent, names, (name) -> moves.reset(name, risk.mode()));
    }

    private int ask(final String name, final NoIommuOption risk, final ToIntBiFunction<Drive, DriveAdmin> question)
    {
        return tried(() ->
        {
            checkedName(name);
            final Drive drive = scan.find(name);
            try (DriveAdmin admin = DriveAdmin.open(drive, risk.mode()))
            {
                return question.applyAsInt(drive, admin);
            }
        });
    }

    private void checkedName(final String name)
    {
        if (!DriveScan.isKernelName(name))
        {
            checked(name);
        }
    }

    private PciAddress checked(final String address)
    {
        try
        {
            return PciAddress.parse(address);
        }
        catch (final PciException e)
        {
            throw new CommandException(ExitCode.USAGE, e.getMessage(), e);
        }
    }

    private int move(
        final DriveOutput output,
        final DriveConfirmation consent,
        final List<String> names,
        final Function<String, DrivePlan> plan)
    {
        return tried(() ->
        {
            // All are checked before the first is changed.
            final List<DrivePlan> moves = names.stream().distinct().map(plan).toList();
            final Terminal terminal = Terminal.standard();
            final boolean isNeeded = moves.stream().anyMatch(DrivePlan::isNeeded);
            if (!output.isJson())
            {
                moves.forEach((move) -> show(terminal, move));
            }
            if (isNeeded && consent.isGiven())
            {
                moves.forEach((move) -> move.steps().forEach((step) -> step.action().run()));
            }
            if (output.isJson())
            {
                terminal.line(Json.write(moves.stream().map((move) -> json(move, consent)).toList()));
            }
            else if (isNeeded)
            {
                terminal.line(consent.isDryRun() ? "nothing was done: --dry-run" : "done");
            }
            return ExitCode.OK;
        });
    }

    private void show(final Terminal terminal, final DrivePlan move)
    {
        if (!move.isNeeded())
        {
            terminal.line(move.address() + " is driven by " + move.to() + " already");
        }
        move.steps().forEach((step) -> terminal.line(step.text()));
    }

    private Map<String, Object> json(final DrivePlan move, final DriveConfirmation consent)
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("address", move.address());
        map.put("before", move.from());
        map.put("after", consent.isDryRun() ? move.to() : scan.find(move.address()).device().driver());
        map.put("steps", move.steps().stream().map(DrivePlan.Step::text).toList());
        map.put("dry-run", consent.isDryRun());
        return map;
    }

    private static int tried(final Callable<Integer> action)
    {
        try
        {
            return action.call();
        }
        catch (final PciException | BlockDeviceException e)
        {
            throw new CommandException(ExitCode.FAILURE, e.getMessage(), e);
        }
        catch (final RuntimeException e)
        {
            throw e;
        }
        catch (final Exception e)
        {
            throw new IllegalStateException(e);
        }
    }
}
