package io.millrace.serve;

import io.millrace.dataplane.DataPlane;
import io.millrace.nvmf.namespace.NamespaceSnapshot;
import io.millrace.dataplane.snapshot.SubsystemSnapshot;
import io.millrace.nvmf.transport.TransportAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

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
        final List<String> lines = new ArrayList<>();
        final List<TransportAddress> addresses =
            dataPlane.addresses().stream().filter(TransportAddress::hasPort).toList();
        if (addresses.isEmpty())
        {
            return lines;
        }
        lines.add("");
        final List<SubsystemSnapshot> subsystems = dataPlane.subsystems().list();
        if (subsystems.isEmpty())
        {
            lines.add("no subsystem is left for hosts to connect to: make one with 'millrace subsystem create', or " +
                "begin anew with --fresh, which deletes the volume");
            lines.add("");
            return lines;
        }
        lines.add("to use it from this machine, as root:");
        lines.add("  modprobe nvme-tcp");
        if (!dataPlane.discoveryAddresses().isEmpty())
        {
            lines.add("  nvme discover" + address(dataPlane.discoveryAddresses().getFirst()));
        }
        for (final SubsystemSnapshot each : subsystems)
        {
            lines.add("  nvme connect" + address(addresses.getFirst()) + " -n " + each.nqn());
        }
        for (final SubsystemSnapshot each : subsystems)
        {
            lines.add("  nvme disconnect -n " + each.nqn());
        }
        lines.add("");
        return lines;
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
