package io.millrace.drive;

import io.millrace.block.BlockDeviceException;
import io.millrace.console.CommandException;
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
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code millrace drive}: which NVMe drives there are, what they say of themselves, and giving them to VFIO and back.
 */
@Command(
    name = "drive",
    description = {
        "List NVMe drives, ask and reset them, give them to VFIO to be driven from here, and back to the kernel."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace drive list",
        "  millrace drive bind 0000:01:00.0 --dry-run    what would be done",
        "  millrace drive unbind 0000:01:00.0            back to the kernel"})
public final class DriveCommand implements Runnable
{
    private final DriveScan scan;

    @Spec
    private CommandSpec spec;

    /**
     * Made by the command line.
     */
    public DriveCommand()
    {
        this(Path.of("/"));
    }

    DriveCommand(final Path root)
    {
        scan = new DriveScan(root);
    }

    @Override
    public void run()
    {
        throw new ParameterException(spec.commandLine(), "no command given; one of " +
            spec.subcommands().keySet().stream().collect(Collectors.joining(", ")));
    }

    @Command(name = "list", mixinStandardHelpOptions = true,
        description = "List the NVMe drives: who drives them, who uses them, how they are.",
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
            "Give drives to VFIO, so that a process can drive them itself.",
            "Refused when a drive is mounted or used in any other way. Takes root."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace drive bind 0000:01:00.0 --dry-run",
            "  millrace drive bind 0000:01:00.0 --yes --owner millrace"})
    int bind(
        @Mixin final DriveOutput output,
        @Mixin final DriveConsent consent,
        @Option(names = "--group", description = "Other NVMe drives of the same IOMMU group go along.")
        final boolean isGroup,
        @Option(names = "--owner", paramLabel = "USER", defaultValue = "",
            description = "Let this user open the drive. Default: root alone.") final String owner,
        @Mixin final DriveRisk risk,
        @Parameters(arity = "1..*", paramLabel = "ADDRESS",
            description = "PCI addresses of the drives, such as 0000:01:00.0; see 'millrace drive list'.")
        final List<String> addresses)
    {
        final DriveMoves moves = new DriveMoves(scan);
        addresses.forEach(this::checked);
        return move(output, consent, addresses, (address) -> moves.bind(address, risk.isUnsafe(), isGroup, owner));
    }

    @Command(name = "unbind", mixinStandardHelpOptions = true,
        description = "Give drives back to the kernel. Refused while a process drives them. Takes root.",
        footerHeading = "%nExamples:%n", footer = {"  millrace drive unbind 0000:01:00.0 --yes"})
    int unbind(
        @Mixin final DriveOutput output,
        @Mixin final DriveConsent consent,
        @Parameters(arity = "1..*", paramLabel = "ADDRESS",
            description = "PCI addresses of the drives, such as 0000:01:00.0; see 'millrace drive list'.")
        final List<String> addresses)
    {
        addresses.forEach(this::checked);
        return move(output, consent, addresses, new DriveMoves(scan)::unbind);
    }

    @Command(name = "smart", mixinStandardHelpOptions = true,
        description = {
            "Show the health of a drive: its SMART / Health Information log page. Takes root.",
            "A drive that VFIO has and nobody uses is taken for that, and let go."},
        footerHeading = "%nExamples:%n", footer = {"  millrace drive smart 0000:01:00.0 -o json"})
    int smart(
        @Mixin final DriveOutput output,
        @Mixin final DriveRisk risk,
        @Parameters(paramLabel = "DRIVE", description = "Its address, or the kernel's name of it, such as nvme0.")
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
        });
    }

    @Command(name = "log", mixinStandardHelpOptions = true,
        description = {
            "Show a drive's logs: health, firmware slots, commands that failed. Takes root.",
            "A drive that VFIO has and nobody uses is taken for that, and let go."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace drive log nvme0", "  millrace drive log 0000:01:00.0 --page error --json"})
    int log(
        @Mixin final DriveOutput output,
        @Mixin final DriveRisk risk,
        @Option(names = "--page", paramLabel = "PAGE", split = ",",
            description = "Only these of ${COMPLETION-CANDIDATES}. Default: all.") final List<DriveLogs.Page> pages,
        @Parameters(paramLabel = "DRIVE", description = "Its address, or the kernel's name of it, such as nvme0.")
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
        });
    }

    @Command(name = "namespaces", mixinStandardHelpOptions = true,
        description = {
            "Show a drive's namespaces: numbers to serve them by, formats, identities. Takes root.",
            "A drive that VFIO has and nobody uses is taken for that, and let go."},
        footerHeading = "%nExamples:%n", footer = {"  millrace drive namespaces 0000:01:00.0"})
    int namespaces(
        @Mixin final DriveOutput output,
        @Mixin final DriveRisk risk,
        @Parameters(paramLabel = "DRIVE", description = "Its address, or the kernel's name of it, such as nvme0.")
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
        });
    }

    @Command(name = "reset", mixinStandardHelpOptions = true,
        description = {
            "Reset the controllers of drives. Takes root.",
            "Refused when a drive is mounted or used in any other way. What is on it stays."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace drive reset nvme0 --dry-run", "  millrace drive reset 0000:01:00.0 --yes"})
    int reset(
        @Mixin final DriveOutput output,
        @Mixin final DriveConsent consent,
        @Mixin final DriveRisk risk,
        @Parameters(arity = "1..*", paramLabel = "DRIVE",
            description = "PCI addresses of the drives, or the kernel's names of them, such as nvme0.")
        final List<String> names)
    {
        final DriveMoves moves = new DriveMoves(scan);
        names.forEach(this::checkedName);
        return move(output, consent, names, (name) -> moves.reset(name, risk.mode()));
    }

    private int ask(final String name, final DriveRisk risk, final BiConsumer<Drive, DriveAdmin> question)
    {
        return tried(() ->
        {
            checkedName(name);
            final Drive drive = scan.find(name);
            try (DriveAdmin admin = DriveAdmin.open(drive, risk.mode()))
            {
                question.accept(drive, admin);
            }
            return ExitCode.OK;
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
        final DriveConsent consent,
        final List<String> names,
        final Function<String, Move> plan)
    {
        return tried(() ->
        {
            // All are checked before the first is moved.
            final List<Move> moves = names.stream().distinct().map(plan).toList();
            final Terminal terminal = Terminal.standard();
            final boolean isNeeded = moves.stream().anyMatch(Move::isNeeded);
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

    private void show(final Terminal terminal, final Move move)
    {
        if (!move.isNeeded())
        {
            terminal.line(move.address() + " is driven by " + move.to() + " already");
        }
        move.steps().forEach((step) -> terminal.line(step.text()));
    }

    private Map<String, Object> json(final Move move, final DriveConsent consent)
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("address", move.address());
        map.put("before", move.from());
        map.put("after", consent.isDryRun() ? move.to() : scan.find(move.address()).device().driver());
        map.put("steps", move.steps().stream().map(Move.Step::text).toList());
        map.put("dryRun", consent.isDryRun());
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
