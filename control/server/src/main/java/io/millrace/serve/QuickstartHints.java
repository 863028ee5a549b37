package io.millrace.serve;

import io.millrace.dataplane.DataPlane;
import io.millrace.nvmf.namespace.NamespaceSnapshot;
import io.millrace.dataplane.snapshot.SubsystemSnapshot;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.rdma.GidType;
import io.millrace.rdma.RdmaChoice;
import io.millrace.rdma.RdmaDevices;
import io.millrace.rdma.RdmaSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Lines with which {@code quickstart} says how hosts reach what it serves, which commands of an earlier run may have
 * changed. Main thread.
 */
final class QuickstartHints
{
    private QuickstartHints()
    {
    }

    /** {@return commands that connect this machine; empty without a listener} */
    static List<String> connect(final DataPlane dataPlane)
    {
        return connect(dataPlane.addresses(), dataPlane.discoveryAddresses(), names(dataPlane));
    }

    private static List<String> names(final DataPlane dataPlane)
    {
        return dataPlane.subsystems().list().stream().map(SubsystemSnapshot::nqn).toList();
    }

    static List<String> connect(
        final List<TransportAddress> addresses, final List<TransportAddress> discovery, final List<String> subsystems)
    {
        final List<String> lines = new ArrayList<>();
        // One of each transport; an earlier run may have had others than TCP.
        final Map<TransportAddress.Type, TransportAddress> first = new LinkedHashMap<>();
        addresses.stream().filter(TransportAddress::hasPort).forEach(
            (each) -> first.putIfAbsent(each.transportType(), each));
        if (first.isEmpty())
        {
            return lines;
        }
        lines.add("");
        if (subsystems.isEmpty())
        {
            lines.add("no subsystem is left for hosts to connect to: make one with 'millrace subsystem create', or " +
                "begin anew with --fresh, which deletes the volume");
            lines.add("");
            return lines;
        }
        lines.add("to use it from this machine, as root:");
        first.keySet().forEach((each) -> lines.add("  modprobe nvme-" + each));
        if (!discovery.isEmpty())
        {
            lines.add("  nvme discover" + address(discovery.getFirst()));
        }
        for (final String each : subsystems)
        {
            first.values().forEach((at) -> lines.add("  nvme connect" + address(at) + " -n " + each));
        }
        for (final String each : subsystems)
        {
            lines.add("  nvme disconnect -n " + each);
        }
        lines.add("");
        return lines;
    }

    /**
     * {@return commands that serve and use it over RDMA, too; empty without a device that has an IP address, when it is
     * served so already, and without a subsystem}
     *
     * @param dataPlane that serves.
     * @param devices   of this machine.
     * @param control   option of commands for its manager; may be empty.
     */
    static List<String> rdma(final DataPlane dataPlane, final RdmaDevices devices, final String control)
    {
        return rdma(dataPlane.addresses(), names(dataPlane), devices, control);
    }

    static List<String> rdma(
        final List<TransportAddress> addresses,
        final List<String> subsystems,
        final RdmaDevices devices,
        final String control)
    {
        final Optional<RdmaChoice.Candidate> chosen = RdmaChoice.of(RdmaSettings.DEFAULT, devices).chosen();
        if (chosen.isEmpty() || subsystems.isEmpty() || GidType.ROCE_V2 != chosen.get().gid().type() ||
            chosen.get().gid().isLinkLocal() || addresses.stream().anyMatch(
                (each) -> TransportAddress.Type.RDMA == each.transportType()))
        {
            return List.of();
        }
        final TransportAddress address = TransportAddress.of(TransportAddress.Type.RDMA, new InetSocketAddress(
            InetAddress.ofLiteral(chosen.get().gid().address()), QuickstartCommand.PORT_DEFAULT));
        final String nqn = subsystems.getFirst();
        return List.of(
            "to serve it over RDMA too, by " + chosen.get().device().name() + ", to every host that reaches " +
                address.address() + ":",
            "  ./millrace listener add " + address.address() + " --transport rdma" + control,
            "  modprobe nvme-rdma && nvme connect" + address(address) + " -n " + nqn,
            "  ./millrace perf " + address + "/" + nqn,
            "");
    }

    /** {@return what is served, after the word "serving"} */
    static String served(final DataPlane dataPlane, final Path volume)
    {
        final List<NamespaceSnapshot> namespaces = dataPlane.namespaces().list(null);
        return namespaces.stream().anyMatch((each) -> QuickstartState.VOLUME.equals(each.device())) ?
            volume.toString() : namespaces.isEmpty() ? "no namespace" : "namespaces without device " +
            QuickstartState.VOLUME;
    }

    private static String address(final TransportAddress address)
    {
        return " -t " + address.transportType() + " -a " + address.address() + " -s " + address.serviceId();
    }
}
