package io.millrace.drive;

import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.console.Json;
import io.millrace.console.Terminal;
import io.millrace.pci.PciAddress;
import io.millrace.pci.PciException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
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
 * {@code millrace drive}: which NVMe drives there are, and giving them to VFIO and back.
 */
@Command(
    name = "drive",
    description = "List NVMe drives, give them to VFIO to be driven from here, and back to the kernel.",
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
        @Option(names = "--unsafe-noiommu",
            description = "Also without an IOMMU: then nothing stops a drive from overwriting any memory.")
        final boolean isUnsafe,
        @Parameters(arity = "1..*", paramLabel = "ADDRESS", description = "Where the drives are.")
        final List<String> addresses)
    {
        final DriveMoves moves = new DriveMoves(scan);
        return move(output, consent, addresses, (address) -> moves.bind(address, isUnsafe, isGroup, owner));
    }

    @Command(name = "unbind", mixinStandardHelpOptions = true,
        description = "Give drives back to the kernel. Refused while a process drives them. Takes root.",
        footerHeading = "%nExamples:%n", footer = {"  millrace drive unbind 0000:01:00.0 --yes"})
    int unbind(
        @Mixin final DriveOutput output,
        @Mixin final DriveConsent consent,
        @Parameters(arity = "1..*", paramLabel = "ADDRESS", description = "Where the drives are.")
        final List<String> addresses)
    {
        return move(output, consent, addresses, new DriveMoves(scan)::unbind);
    }

    @Command(name = "smart", mixinStandardHelpOptions = true,
        description = "Show what a drive says of its health. Takes root.",
        footerHeading = "%nExamples:%n", footer = {"  millrace drive smart 0000:01:00.0 -o json"})
    int smart(
        @Mixin final DriveOutput output,
        @Parameters(paramLabel = "ADDRESS", description = "Where the drive is.") final String address)
    {
        return tried(() ->
        {
            final DriveHealth health = DriveHealth.of(find(address));
            final Terminal terminal = Terminal.standard();
            if (output.isJson())
            {
                terminal.line(Json.write(health.json()));
            }
            else
            {
                terminal.line(health.text());
                health.json().forEach((name, value) -> terminal.line("  " + name + ": " + value));
            }
            return ExitCode.OK;
        });
    }

    private Drive find(final String address)
    {
        return scan.find(checked(address).toString());
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
        final List<String> addresses,
        final Function<String, Move> plan)
    {
        return tried(() ->
        {
            addresses.forEach(this::checked);
            // All are checked before the first is moved.
            final List<Move> moves = addresses.stream().distinct().map(plan).toList();
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
        catch (final PciException e)
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
