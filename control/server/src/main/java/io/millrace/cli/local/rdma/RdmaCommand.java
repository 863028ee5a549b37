package io.millrace.cli.local.rdma;

import io.millrace.console.CommandException;
import io.millrace.console.CommandGroup;
import io.millrace.console.ExitCode;
import io.millrace.console.Json;
import io.millrace.console.Terminal;
import io.millrace.rdma.RdmaChoice;
import io.millrace.rdma.RdmaDevices;
import io.millrace.rdma.RdmaException;
import io.millrace.rdma.RdmaScan;
import io.millrace.rdma.RdmaSettings;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/**
 * {@code millrace rdma}: RDMA devices and ports of this machine, which of them is preferred, and how fast they are.
 */
@Command(
    name = "rdma",
    description = "List RDMA devices, show which is preferred, and measure connections between two of them.",
    subcommands = {RdmaPingCommand.class, RdmaLatCommand.class, RdmaBwCommand.class},
    footerHeading = "%nExamples:%n",
    footer = {"  millrace rdma devices", "  millrace rdma ping 192.0.2.7 -c 5", "  millrace rdma lat 192.0.2.7"})
public final class RdmaCommand extends CommandGroup
{
    private final Supplier<RdmaDevices> scan;

    /**
     * Called by picocli.
     */
    public RdmaCommand()
    {
        this(RdmaScan::run);
    }

    RdmaCommand(final Supplier<RdmaDevices> scan)
    {
        this.scan = scan;
    }

    @Command(name = "devices", mixinStandardHelpOptions = true,
        description = {
            "List RDMA devices and their ports, which port and GID are preferred, and why the others are not.",
            "This is a display: connections use the device and GID of the kernel's route to the peer, listeners " +
                "those of their address. Messaging checks that such a device exists.",
            "Exits with 1 when libibverbs is missing, when a device cannot be opened, and when there is no such " +
                "device, port or GID, with the reason as its message."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace rdma devices",
            "  millrace rdma devices --device mlx5_1 --port auto",
            "  millrace rdma devices --json | jq -r '.devices[] | select(.usable) | .name'"})
    int devices(
        @Option(names = "--device", paramLabel = "NAME", defaultValue = RdmaSettings.AUTO,
            description = "Prefer among the ports of this device. Default: auto, all devices.") final String device,
        @Option(names = "--port", paramLabel = "N", defaultValue = "1", converter = AutoNumber.class,
            description = "Prefer among the GIDs of this port, or auto. Default: ${DEFAULT-VALUE}.") final int port,
        @Option(names = "--gid-index", paramLabel = "N", defaultValue = RdmaSettings.AUTO,
            converter = AutoNumber.class, description = "Prefer this GID. Default: auto.") final int gidIndex,
        @Option(names = "--json", description = "Print JSON.") final boolean json)
    {
        final RdmaSettings settings = settings(device, port, gidIndex);
        final RdmaDevices devices = scanned();
        final RdmaChoice choice = RdmaChoice.of(settings, devices);
        final Terminal terminal = Terminal.standard();
        if (json)
        {
            terminal.line(Json.write(RdmaView.json(settings, devices, choice)));
        }
        else
        {
            RdmaView.text(settings, devices, choice, terminal);
        }
        final String missing = RdmaView.missing(settings, devices);
        if (!missing.isEmpty())
        {
            throw new CommandException(ExitCode.FAILURE, missing);
        }
        if (!devices.unusable().isEmpty())
        {
            final RdmaDevices.Unusable first = devices.unusable().getFirst();
            throw new CommandException(ExitCode.FAILURE, first.name() + " cannot be used: " + first.reason());
        }
        return ExitCode.OK;
    }

    private static RdmaSettings settings(final String device, final int port, final int gidIndex)
    {
        try
        {
            return new RdmaSettings(device, port, gidIndex);
        }
        catch (final RdmaException e)
        {
            throw new CommandException(ExitCode.USAGE, e.getMessage(), e);
        }
    }

    private RdmaDevices scanned()
    {
        try
        {
            return scan.get();
        }
        catch (final RdmaException e)
        {
            throw new CommandException(ExitCode.FAILURE, e.getMessage(), e);
        }
    }

    /** A number, or {@code auto}. */
    static final class AutoNumber implements ITypeConverter<Integer>
    {
        @Override
        public Integer convert(final String text)
        {
            if (RdmaSettings.AUTO.equals(text))
            {
                return RdmaSettings.ANY;
            }
            if (!text.matches("\\d{1,5}"))
            {
                throw new TypeConversionException("'" + text + "' is neither auto nor a number from 0 up");
            }
            return Integer.parseInt(text);
        }
    }
}
