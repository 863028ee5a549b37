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
import java.util.stream.Stream;

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
            terminal.line("no RDMA devices: load the driver of the adapter, or rdma_rxe for a software device");
            return;
        }
        table(devices).print(terminal, "");
        terminal.line();
        terminal.line(terminal.bold(settings + ": ") +
            choice.chosen().map(RdmaChoice.Candidate::toString).orElse("nothing can be used"));
        if (!choice.rejections().isEmpty())
        {
            terminal.line("not chosen:");
            final Table table = new Table("DEVICE, PORT, GID", "REASON");
            choice.rejections().forEach((each) -> table.row(each.name(), each.reason()));
            table.print(terminal, "  ");
        }
    }

    /** {@return which device, port or GID of the settings does not exist, with those that do; empty when all exist} */
    static String missing(final RdmaSettings settings, final RdmaDevices devices)
    {
        final boolean isAnyDevice = RdmaSettings.AUTO.equals(settings.device());
        if (!isAnyDevice && devices.unusable().stream().anyMatch((each) -> each.name().equals(settings.device())))
        {
            return "";
        }
        final List<RdmaDevice> named = devices.usable().stream()
            .filter((each) -> isAnyDevice || each.name().equals(settings.device())).toList();
        if (!isAnyDevice && named.isEmpty())
        {
            final String all = Stream.concat(devices.usable().stream().map(RdmaDevice::name),
                devices.unusable().stream().map(RdmaDevices.Unusable::name)).collect(Collectors.joining(", "));
            return "no device " + settings.device() + ": there " + (all.isEmpty() ? "is none" : "are " + all);
        }
        final List<RdmaPort> ports = named.stream().flatMap((each) -> each.ports().stream())
            .filter((each) -> RdmaSettings.ANY == settings.port() || each.number() == settings.port()).toList();
        if (!named.isEmpty() && ports.isEmpty())
        {
            return named.getFirst().name() + " has no port " + settings.port() + ": it has " +
                range(named.getFirst().ports().stream().map(RdmaPort::number).toList());
        }
        final List<Integer> indexes =
            ports.stream().flatMap((each) -> each.gids().stream()).map(RdmaGid::index).toList();
        if (ports.isEmpty() || RdmaSettings.ANY == settings.gidIndex() || indexes.contains(settings.gidIndex()))
        {
            return "";
        }
        return (isAnyDevice ? "no device has GID " :
            settings.device() + (RdmaSettings.ANY == settings.port() ? "" : " port " + settings.port()) +
            " has no GID ") + settings.gidIndex() + ": there " +
            (indexes.isEmpty() ? "is none" : "are " + range(indexes));
    }

    private static String range(final List<Integer> numbers)
    {
        final int min = numbers.stream().mapToInt(Integer::intValue).min().orElse(0);
        final int max = numbers.stream().mapToInt(Integer::intValue).max().orElse(0);
        return min == max ? Integer.toString(min) : min + " to " + max;
    }

    static Table table(final RdmaDevices devices)
    {
        final Table table = new Table("DEVICE", ">PORT", "TRANSPORT", "STATE", "LINK", ">GBIT/S", ">MTU", ">GIDS",
            "INTERFACE", "PCI ADDRESS", ">NODE", "FIRMWARE");
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
        map.put("rejected", choice.rejections().stream().map(RdmaView::json).toList());
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
        map.put("pci-address", device.pciAddress().map(PciAddress::toString).orElse(""));
        map.put("numa-node", device.numaNode());
        map.put("limits", json(device.limits()));
        map.put("atomics", lower(device.atomics()));
        map.put("on-demand-paging",
            device.onDemandPaging().operations().stream().sorted().map(RdmaView::lower).toList());
        map.put("on-demand-paging-implicit", device.onDemandPaging().isImplicit());
        map.put("ports", device.ports().stream().map(RdmaView::json).toList());
        return map;
    }

    /** With the names of {@code struct ibv_device_attr}, as {@code ibv_devinfo -v} prints them. */
    private static Map<String, Object> json(final RdmaLimits limits)
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("max_qp", limits.queuePairs());
        map.put("max_qp_wr", limits.queuePairRequests());
        map.put("max_sge", limits.segments());
        map.put("max_sge_rd", limits.readSegments());
        map.put("max_cq", limits.completionQueues());
        map.put("max_cqe", limits.completions());
        map.put("max_mr", limits.memoryRegions());
        map.put("max_mr_size", Long.toUnsignedString(limits.memoryRegionBytes()));
        map.put("max_qp_rd_atom", limits.readsAsTarget());
        map.put("max_qp_init_rd_atom", limits.readsAsInitiator());
        map.put("max_srq", limits.sharedReceiveQueues());
        map.put("max_srq_wr", limits.sharedReceiveRequests());
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
