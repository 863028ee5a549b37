package io.millrace.cli.local.doctor;

import io.millrace.bindings.Capability;
import io.millrace.bindings.NativeLibrary;
import io.millrace.bindings.verbs.VerbsCalls;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Looks for all that RDMA needs: libraries, modules, files that may be opened, and of each port its link, addresses,
 * packet size and flow control, as far as the kernel shows them in files. Never throws for what is missing. Main
 * thread.
 */
final class RdmaProbe
{
    private static final String GROUP = "RDMA";
    private static final String USE = "listeners, volumes and messages over RDMA (docs/rdma.md)";
    private static final String CLASS = "/sys/class/infiniband/";
    private static final String INSTALL_MODULES = "install the kernel's package that has it, " +
        "linux-modules-extra-$(uname -r) on Ubuntu, kernel-modules-extra on Fedora; if none has, the kernel was " +
        "built without it";
    private static final String ROCE_V2 = "RoCE v2";
    /** What RoCE v2 over IPv6 adds to a packet's payload, and the payloads that there are. */
    private static final int ROCE_HEADER_BYTES = 100;
    private static final int[] PAYLOADS = {4096, 2048, 1024, 512, 256};

    private final SystemFiles files;
    private final Modules modules;
    private final List<Finding> findings = new ArrayList<>();

    /** Looks for a module of the kernel. */
    @FunctionalInterface
    interface Modules
    {
        Capability find(String loaded, String file, String remedy);
    }

    RdmaProbe(final SystemFiles files, final Modules modules)
    {
        this.files = files;
        this.modules = modules;
    }

    /** {@return everything that was found, in the order to show it} */
    List<Finding> run()
    {
        add(VerbsCalls.capability());
        add(NativeLibrary.probe("connection manager library", "install librdmacm1 (Debian) or librdmacm (Fedora)",
            List.of("librdmacm.so.1"), List.of("rdma_create_event_channel")).capability());
        add(modules.find("ib_core", "ib_core", INSTALL_MODULES));
        add(modules.find("ib_uverbs", "ib_uverbs", INSTALL_MODULES));
        add(modules.find("rdma_ucm", "rdma_ucm", INSTALL_MODULES));
        findings.add(new Finding(GROUP, modules.find("rdma_rxe", "rdma_rxe", INSTALL_MODULES),
            "RDMA in software, on machines without an adapter for it (docs/rdma.md)"));
        final List<String> devices = files.list(CLASS.substring(0, CLASS.length() - 1));
        add(devices.isEmpty() ? Capability.off("RDMA devices", "none in /sys/class/infiniband",
            "load the driver of the adapter, or rdma_rxe for a software device (docs/rdma.md)") :
            Capability.on("RDMA devices", String.join(", ", devices)));
        for (final String name : files.list("/sys/class/infiniband_verbs"))
        {
            if (name.startsWith("uverbs"))
            {
                add(permission(name, "/dev/infiniband/" + name));
            }
        }
        if (!devices.isEmpty())
        {
            add(permission("rdma_cm", "/dev/infiniband/rdma_cm"));
        }
        for (final String device : devices)
        {
            files.list(CLASS + device + "/ports").forEach((port) -> port(device, port));
        }
        return List.copyOf(findings);
    }

    private void add(final Capability capability)
    {
        findings.add(new Finding(GROUP, capability, USE));
    }

    private Capability permission(final String what, final String file)
    {
        final String name = "permission for " + what;
        if (files.isWritable(file))
        {
            return Capability.on(name, file + " may be opened");
        }
        return files.exists(file) ? Capability.off(name, file + " may not be opened by this user",
            "install rdma-core, whose udev rules allow all users; for now, as root: chmod 0666 " + file) :
            Capability.off(name, file + " is missing", "as root: modprobe " +
                ("rdma_cm".equals(what) ? "rdma_ucm" : "ib_uverbs") +
                "; a container needs the file: --device " + file);
    }

    private void port(final String device, final String port)
    {
        final String path = CLASS + device + "/ports/" + port + "/";
        final String name = device + " port " + port;
        final boolean isEthernet = "Ethernet".equals(files.read(path + "link_layer"));
        final TreeSet<String> interfaces = new TreeSet<>();
        final Capability gids = gids(name, path, isEthernet, interfaces);
        add(link(name, path, isEthernet, interfaces.isEmpty() ? "INTERFACE" : interfaces.first()));
        add(gids);
        if (!isEthernet)
        {
            return;
        }
        for (final String each : interfaces)
        {
            add(mtu(name, each));
            // A device in software has none.
            if (!files.linkName(CLASS + device + "/device").isEmpty())
            {
                add(flowControl(name, each));
            }
        }
    }

    /** The kernel has {@code 4: ACTIVE} and {@code 5: LinkUp}. */
    private Capability link(
        final String name, final String path, final boolean isEthernet, final String networkInterface)
    {
        final String state = files.read(path + "state");
        final String physical = files.read(path + "phys_state");
        final String text = files.read(path + "link_layer") + ", " + word(state) + ", " + word(physical) + ", " +
            files.read(path + "rate");
        if (state.startsWith("4:"))
        {
            return Capability.on(name + " link", text);
        }
        return Capability.off(name + " link", text, isEthernet ?
            "check the cable, and set its network interface up: ip link set " + networkInterface + " up" :
            physical.startsWith("5:") ? "start a subnet manager, such as opensm" : "check the cable and the switch");
    }

    private static String word(final String numbered)
    {
        return numbered.substring(numbered.indexOf(':') + 1).strip();
    }

    private Capability gids(
        final String name, final String path, final boolean isEthernet, final Set<String> interfaces)
    {
        final TreeMap<String, Integer> types = new TreeMap<>();
        for (final String index : files.list(path + "gids"))
        {
            final String gid = files.read(path + "gids/" + index);
            if (!gid.isEmpty() && !gid.matches("[0:]+"))
            {
                final String type = files.read(path + "gid_attrs/types/" + index);
                types.merge(type.isEmpty() ? "untyped" : type, 1, Integer::sum);
                final String owner = files.read(path + "gid_attrs/ndevs/" + index);
                if (!owner.isEmpty())
                {
                    interfaces.add(owner);
                }
            }
        }
        final String what = name + " GIDs";
        if (types.isEmpty())
        {
            return Capability.off(what, "none",
                "give the network interface an address: ip address add 192.0.2.1/24 dev INTERFACE");
        }
        final List<String> counted = new ArrayList<>();
        types.forEach((type, count) -> counted.add(count + " " + type));
        final String text = String.join(", ", counted) +
            (interfaces.isEmpty() ? "" : " of " + String.join(", ", interfaces));
        final boolean isRoce = types.keySet().stream().anyMatch((type) -> type.contains("RoCE"));
        return isEthernet && isRoce && !types.containsKey(ROCE_V2) ?
            Capability.off(what, text + ": RoCE v1 reaches no further than its own Ethernet segment",
                "have the adapter use RoCE v2: see the manual of its driver") : Capability.on(what, text);
    }

    private Capability mtu(final String name, final String owner)
    {
        final String what = name + " MTU";
        final String text = files.read("/sys/class/net/" + owner + "/mtu");
        if (!text.matches("\\d{2,6}"))
        {
            return Capability.off(what, "/sys/class/net/" + owner + "/mtu cannot be read",
                "look for the interface in this network namespace: ip link show " + owner);
        }
        final int mtu = Integer.parseInt(text);
        for (final int payload : PAYLOADS)
        {
            if (mtu >= payload + ROCE_HEADER_BYTES)
            {
                final String reason = payload + " bytes of payload a packet, as " + owner + " has an MTU of " + mtu;
                return PAYLOADS[0] == payload ? Capability.on(what, reason) : Capability.off(what, reason,
                    "for " + PAYLOADS[0] + " bytes: ip link set " + owner + " mtu 4200, or 9000, there, on the " +
                    "switches and on all peers");
            }
        }
        return Capability.off(what, owner + " has an MTU of " + mtu + ", too small for RoCE",
            "ip link set " + owner + " mtu 1500");
    }

    /** ECN where the driver has files for it, which are mlx5's; PFC has none in any driver of Linux. */
    private Capability flowControl(final String name, final String owner)
    {
        final String what = name + " PFC and ECN";
        final String ecn = "/sys/class/net/" + owner + "/ecn/roce_np/enable";
        final List<String> on = files.list(ecn).stream()
            .filter((priority) -> "1".equals(files.read(ecn + "/" + priority))).toList();
        if (!on.isEmpty())
        {
            return Capability.on(what, "ECN for the priorities " + String.join(", ", on) + " of " + owner +
                "; PFC is not in files: dcb pfc show dev " + owner);
        }
        return Capability.off(what, files.list(ecn).isEmpty() ?
            "unknown: the kernel shows neither in files for " + owner :
            "no priority of " + owner + " has ECN", "see dcb pfc show dev " + owner + ", ethtool -S " + owner +
            " | grep -i -e pause -e ecn; RoCE in a network that loses packets is slow (docs/rdma.md#tuning)");
    }
}
