package io.millrace.serve;

import io.millrace.console.StartTime;
import io.millrace.console.Table;
import io.millrace.console.Terminal;
import io.millrace.console.Version;
import io.millrace.control.setting.Units;
import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.config.SubsystemSettings;
import io.millrace.nvmf.namespace.NamespaceSnapshot;
import io.millrace.dataplane.snapshot.SubsystemSnapshot;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.ReactorConfig;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Start-up output of a data plane. Main thread.
 */
final class Banner
{
    private Banner()
    {
    }

    static void print(final Terminal terminal, final DataPlane dataPlane)
    {
        terminal.line(terminal.bold("millrace " + Version.number()) + ", pid " + ProcessHandle.current().pid() + ", " +
            reactors(dataPlane.config().reactors()) + ", " + Units.size(dataPlane.config().memoryBytes()) +
            " of I/O buffers");
        for (final String note : dataPlane.notes())
        {
            terminal.line(terminal.warn("note: ") + note);
        }
        for (final SubsystemSettings subsystem : dataPlane.config().subsystems())
        {
            if (!subsystem.allowAnyHost() && subsystem.hosts().isEmpty())
            {
                terminal.line(terminal.warn("note: ") + "no host may connect to " + subsystem.nqn() +
                    " until 'millrace host allow' names one, or hosts or allow-any-host in the file does");
            }
        }
        terminal.line();
        if (!dataPlane.subsystems().list().isEmpty())
        {
            volumes(dataPlane).print(terminal, "  ");
            terminal.line();
        }
        if (!dataPlane.exported().isEmpty())
        {
            terminal.line("SPDK serves " + String.join(", ", dataPlane.exported()));
        }
        if (dataPlane.addresses().isEmpty())
        {
            terminal.line("no listeners, until a command adds one");
            return;
        }
        terminal.line("listening on " + addresses(dataPlane.addresses()) + (dataPlane.discoveryAddresses().isEmpty() ?
            "" : ", discovery on " + addresses(dataPlane.discoveryAddresses())));
    }

    static void ready(final Terminal terminal)
    {
        final double seconds = StartTime.elapsedSeconds();
        terminal.line(terminal.good("ready") +
            (seconds < 0 ? "" : String.format(Locale.ROOT, " after %.2f s", seconds)) + "; Ctrl-C stops");
    }

    private static String reactors(final List<ReactorConfig> reactors)
    {
        return Units.count(reactors.size(), "reactor") + " (" + reactors.stream()
            .map((r) -> (r.cpu() < 0 ? "any CPU" : "CPU " + r.cpu()) +
                (ReactorConfig.IdleMode.BUSY_SPIN == r.idle() ? ", busy-spin" : ""))
            .collect(Collectors.joining("; ")) + ")";
    }

    private static Table volumes(final DataPlane dataPlane)
    {
        final Table table = new Table("subsystem", ">nsid", "device", "type", ">size", ">block", "hosts");
        for (final SubsystemSnapshot subsystem : dataPlane.subsystems().list())
        {
            String nqn = subsystem.nqn();
            String hosts = subsystem.allowAnyHost() ? "any" :
                Integer.toString(dataPlane.hosts().list(subsystem.nqn()).size());
            for (final NamespaceSnapshot namespace : dataPlane.namespaces().list(subsystem.nqn()))
            {
                table.row(nqn, Integer.toString(namespace.nsid()), namespace.device(),
                    type(dataPlane, namespace.device()),
                    Units.size(namespace.sizeBytes()), Integer.toString(namespace.blockSizeBytes()), hosts);
                nqn = "";
                hosts = "";
            }
        }
        return table;
    }

    private static String type(final DataPlane dataPlane, final String device)
    {
        return dataPlane.devices().get(device).description();
    }

    private static String addresses(final List<TransportAddress> addresses)
    {
        return addresses.stream().map(TransportAddress::listenerName).collect(Collectors.joining(", "));
    }
}
