package io.millrace.cli.initiator;

import io.millrace.console.Json;
import io.millrace.console.Table;
import io.millrace.console.Terminal;
import io.millrace.nvme.DiscoveryLogEntry;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.Discovery;
import io.millrace.nvmf.initiator.DiscoveryEntry;
import io.millrace.nvmf.initiator.HostConfig;
import io.millrace.nvmf.transport.TransportAddress;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code millrace discover}: the discovery log of a target.
 */
@Command(
    name = "discover",
    description = "List the subsystems of a target and their addresses.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace discover                              ask 127.0.0.1, port 8009",
        "  millrace discover tcp://192.0.2.7:4420",
        "  millrace discover rdma://192.0.2.7             port 4420",
        "  millrace discover -t rdma -a 192.0.2.7 -s 4420 as nvme-cli has it",
        "  millrace discover --address 192.0.2.7 --json | jq -r '.[].\"subsystem-nqn\"'"})
public final class DiscoverCommand implements Runnable
{
    @Mixin
    private FabricsOptions options;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    /**
     * Called by picocli.
     */
    public DiscoverCommand()
    {
    }

    @Override
    public void run()
    {
        final InetSocketAddress address = options.address(
            TransportAddress.Type.RDMA == options.transport() ? ConnectionConfig.PORT_DEFAULT :
            ConnectionConfig.DISCOVERY_PORT_DEFAULT);
        final Terminal terminal = Terminal.standard();
        final HostConfig host = options.host();
        try (HostSession session = new HostSession())
        {
            final List<DiscoveryEntry> entries = HostSession.await(
                Discovery.discover(session.group(), host, options.transport(), address,
                options.connectTimeoutMs()));
            if (json)
            {
                terminal.line(Json.write(entries.stream().map(DiscoverCommand::json).toList()));
            }
            else
            {
                print(terminal, entries);
            }
            if (entries.stream().noneMatch((entry) -> DiscoveryLogEntry.SUBTYPE_NVM == entry.subsystemType()))
            {
                Terminal.standardError().line("note: no subsystem is offered to host " + host.hostNqn() +
                    ": none allows this host ('millrace host allow'; --host-nqn asks as another), or no listener " +
                    "serves them ('millrace listener list')");
            }
        }
    }

    static void print(final Terminal terminal, final List<DiscoveryEntry> entries)
    {
        if (entries.isEmpty())
        {
            terminal.line("no subsystem is offered to this host");
            return;
        }
        final Table table = new Table("TRANSPORT", "ADDRESS", ">PORT", "TYPE", "SUBSYSTEM");
        for (final DiscoveryEntry entry : entries)
        {
            table.row(entry.transportName() + "/" + entry.familyName(), entry.address(), entry.service(),
                entry.subsystemTypeName(), entry.subsystemNqn());
        }
        table.print(terminal, "");
    }

    static Map<String, Object> json(final DiscoveryEntry entry)
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("transport", entry.transportName());
        map.put("address-family", entry.familyName());
        map.put("address", entry.address());
        map.put("service", entry.service());
        map.put("subsystem-nqn", entry.subsystemNqn());
        map.put("subsystem-type", entry.subsystemTypeName());
        map.put("port-id", entry.portId());
        map.put("controller-id", entry.controllerId());
        map.put("admin-queue-size-max", entry.adminQueueSizeMax());
        return map;
    }
}
