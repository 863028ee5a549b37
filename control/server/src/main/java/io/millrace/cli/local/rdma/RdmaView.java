package io.millrace.cli.local.rdma;

import io.millrace.console.Table;
import io.millrace.console.Terminal;
import io.millrace.pci.PciAddress;
import io.millrace.rdma.PartitionKey;
import io.millrace.rdma.RdmaChoice;
import io.millrace.rdma.RdmaDevice;
import io.millrace.rdma.RdmaDevices;
import io.millrace.rdma.RdmaGid;
import io.millrace.rdma.RdmaLimits;
import io.millrace.rdma.RdmaPort;
import io.millrace.rdma.RdmaSettings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * RDMA devices and the choice among them, for people and for programs.
 */
final class RdmaView
{
    private static final String NONE = "-";

    private RdmaView()
    {
    }

    static void text(
        final RdmaSettings settings, final RdmaDevices devices, final RdmaChoice choice, final Terminal terminal)
    {
        if (devices.usable().isEmpty() && devices.unusable().isEmpty())
        {
            terminal.line("no RDMA devices: load the driver of the adapter, or rdma_rxe for one in software");
            return;
        }
        table(devices).print(terminal, "");
        terminal.line();
        terminal.line(terminal.bold(settings + ": ") +
            choice.chosen().map(RdmaChoice.Candidate::toString).orElse("nothing can be used"));
        if (!choice.rejections().isEmpty())
        {
            terminal.line("not taken:");
            final Table table = new Table("DEVICE, PORT, GID", "REASON");
            choice.rejections().forEach((each) -> table.row(each.name(), each.reason()));
            table.print(terminal, "  ");
        }
    }

    static Table table(final RdmaDevices devices)
    {
        final Table table = new Table("DEVICE", ">PORT", "TRANSPORT", "STATE", "LINK", ">GBIT/S", ">MTU", ">GIDS",
            "INTERFACE", "ADDRESS", ">NODE", "FIRMWARE");
        for (final RdmaDevice device : devices.usable())
        {
            for (final RdmaPort port : device.ports())
            {
                table.row(device.name(), Integer.toString(port.number()), port.transport().toString(),
                    lower(port.state()), lower(port.physicalState()), rate(port), number(port.mtuBytes()),
                    Integer.toString(port.gids().size()), interfaces(port),
                    device.pciAddress().map(PciAddress::toString).orElse(NONE),
                    device.numaNode() < 0 ? NONE : Integer.toString(device.numaNode()),
                    device.firmware().isEmpty() ? NONE : device.firmware());
            }
        }
        for (final RdmaDevices.Unusable device : devices.unusable())
        {
            table.row(device.name(), NONE, NONE, "unusable", NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE);
        }
        return table;
    }

    private static String interfaces(final RdmaPort port)
    {
        final String names = port.gids().stream().map(RdmaGid::networkInterface).filter((name) -> !name.isEmpty())
            .distinct().collect(Collectors.joining(","));
        return names.isEmpty() ? NONE : names;
    }

    private static String rate(final RdmaPort port)
    {
        final double rate = port.gigabitsPerSecond();
        return 0 == rate ? NONE : String.format(Locale.ROOT, rate == Math.rint(rate) ? "%.0f" : "%.1f", rate);
    }

    private static String number(final int value)
    {
        return 0 == value ? NONE : Integer.toString(value);
    }

    private static String lower(final Enum<?> value)
    {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static Map<String, Object> json(
        final RdmaSettings settings, final RdmaDevices devices, final RdmaChoice choice)
    {
        final List<Object> all = new ArrayList<>();
        devices.usable().forEach((device) -> all.add(json(device)));
        for (final RdmaDevices.Unusable device : devices.unusable())
        {
            final Map<String, Object> map = new LinkedHashMap<>();
            map.put("name", device.name());
            map.put("usable", false);
            map.put("reason", device.reason());
            all.add(map);
        }
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("devices", all);
        map.put("settings", settings.toString());
        map.put("chosen", choice.chosen().map(RdmaView::json).orElse(null));
        map.put("not-taken", choice.rejections().stream().map(RdmaView::json).toList());
        return map;
    }

    private static Map<String, Object> json(final RdmaChoice.Candidate candidate)
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("device", candidate.device().name());
        map.put("port", candidate.port().number());
        map.put("gid-index", candidate.gid().index());
        return map;
    }

    private static Map<String, Object> json(final RdmaChoice.Rejection rejection)
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", rejection.name());
        map.put("reason", rejection.reason());
        return map;
    }

    private static Map<String, Object> json(final RdmaDevice device)
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", device.name());
        map.put("usable", true);
        map.put("file", device.file());
        map.put("node-type", lower(device.nodeType()));
        map.put("firmware", device.firmware());
        map.put("node-guid", RdmaDevice.text(device.nodeGuid()));
        map.put("system-image-guid", RdmaDevice.text(device.systemImageGuid()));
        map.put("vendor-id", device.vendorId());
        map.put("vendor-part-id", device.vendorPartId());
        map.put("address", device.pciAddress().map(PciAddress::toString).orElse(""));
        map.put("numa-node", device.numaNode());
        map.put("limits", json(device.limits()));
        map.put("atomics", lower(device.atomics()));
        map.put("on-demand-paging",
            device.onDemandPaging().operations().stream().sorted().map(RdmaView::lower).toList());
        map.put("on-demand-paging-implicit", device.onDemandPaging().isImplicit());
        map.put("ports", device.ports().stream().map(RdmaView::json).toList());
        return map;
    }

    private static Map<String, Object> json(final RdmaLimits limits)
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("queue-pairs", limits.queuePairs());
        map.put("queue-pair-requests", limits.queuePairRequests());
        map.put("segments", limits.segments());
        map.put("read-segments", limits.readSegments());
        map.put("completion-queues", limits.completionQueues());
        map.put("completions", limits.completions());
        map.put("memory-regions", limits.memoryRegions());
        map.put("memory-region-bytes", Long.toUnsignedString(limits.memoryRegionBytes()));
        map.put("reads-as-target", limits.readsAsTarget());
        map.put("reads-as-initiator", limits.readsAsInitiator());
        map.put("shared-receive-queues", limits.sharedReceiveQueues());
        map.put("shared-receive-requests", limits.sharedReceiveRequests());
        return map;
    }

    private static Map<String, Object> json(final RdmaPort port)
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("number", port.number());
        map.put("transport", port.transport().toString());
        map.put("state", lower(port.state()));
        map.put("physical-state", lower(port.physicalState()));
        map.put("link-layer", lower(port.linkLayer()));
        map.put("lid", port.lid());
        map.put("mtu-max-bytes", port.mtuMaxBytes());
        map.put("mtu-bytes", port.mtuBytes());
        map.put("lanes", port.lanes());
        map.put("gbit-per-second", port.gigabitsPerSecond());
        map.put("message-max-bytes", port.messageBytesMax());
        map.put("gids", port.gids().stream().map(RdmaView::json).toList());
        map.put("partition-keys", port.partitionKeys().stream().map(PartitionKey::toString).toList());
        return map;
    }

    private static Map<String, Object> json(final RdmaGid gid)
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("index", gid.index());
        map.put("type", gid.type().toString());
        map.put("address", gid.address());
        map.put("interface", gid.networkInterface());
        return map;
    }
}
