package io.millrace.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.config.ListenerSettings;
import io.millrace.dataplane.config.SubsystemSettings;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.tcp.TcpTransportConfig;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.pci.PciAddress;
import io.millrace.rdma.AtomicCapability;
import io.millrace.rdma.GidType;
import io.millrace.rdma.LinkLayer;
import io.millrace.rdma.NodeType;
import io.millrace.rdma.OnDemandPaging;
import io.millrace.rdma.PhysicalState;
import io.millrace.rdma.PortState;
import io.millrace.rdma.RdmaDevice;
import io.millrace.rdma.RdmaDevices;
import io.millrace.rdma.RdmaGid;
import io.millrace.rdma.RdmaLimits;
import io.millrace.rdma.RdmaPort;
import io.millrace.rdma.RdmaTransport;
import io.millrace.reactor.ReactorConfig;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class QuickstartHintsTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:other";

    private static DataPlane serve()
    {
        return DataPlane.start(new DataPlaneConfig(List.of(ReactorConfig.of("reactor-0", -1)),
            16 << 20, List.of(DeviceConfig.memory(QuickstartState.VOLUME, 1 << 20, 512)),
            List.of(new SubsystemSettings(NQN, null, "Model", true, List.of(),
                List.of(new SubsystemSettings.NamespaceSettings(1, QuickstartState.VOLUME, null)))),
            List.of(new ListenerSettings(TransportAddress.tcp("127.0.0.1", 0))), DataPlaneConfig.NO_DISCOVERY_PORT,
            TargetConfig.defaults(), TcpTransportConfig.defaults()));
    }

    private static RdmaDevices device(final PortState state, final GidType type, final long high, final long low)
    {
        return new RdmaDevices(List.of(new RdmaDevice("mlx5_0", "/dev/infiniband/uverbs0", NodeType.CHANNEL_ADAPTER,
            "22.31.1014", 1, 1, 0x2C9, 4123, Optional.of(new PciAddress(0, 0x81, 0, 0)), 1,
            new RdmaLimits(131_072, 32_768, 30, 30, 1 << 24, 4_194_303, 1 << 24, -1L, 16, 16, 1 << 23, 32_767),
            AtomicCapability.DEVICE, new OnDemandPaging(false, Set.of()),
            List.of(new RdmaPort(1, RdmaTransport.ROCE, state, PhysicalState.LINK_UP, LinkLayer.ETHERNET, 0,
                4096, 1024, 4, 25_000, 1L << 30, List.of(new RdmaGid(3, type, high, low, "eth2")), List.of())))),
            List.of());
    }

    @Test
    void shouldPrintHowItIsServedOverRdmaWhereADeviceHasAnAddress()
    {
        final RdmaDevices ipv4 = device(PortState.ACTIVE, GidType.ROCE_V2, 0, 0xFFFF_C000_0207L);
        final List<TransportAddress> tcp = List.of(TransportAddress.tcp("127.0.0.1", 4420));
        final List<TransportAddress> both = List.of(
            TransportAddress.of(TransportAddress.Type.RDMA, new InetSocketAddress("192.0.2.7", 4420)), tcp.getFirst());
        try (DataPlane dataPlane = serve())
        {
            assertEquals(List.of(
                "to serve it over RDMA too, by mlx5_0, to every host that reaches 192.0.2.7:",
                "  ./millrace listener add 192.0.2.7 --transport rdma --control /run/m",
                "  modprobe nvme-rdma && nvme connect -t rdma -a 192.0.2.7 -s 4420 -n " + NQN,
                "  ./millrace perf rdma://192.0.2.7:4420/" + NQN,
                ""), QuickstartHints.rdma(dataPlane, ipv4, " --control /run/m"));
            final List<String> ipv6 = QuickstartHints.rdma(
                dataPlane, device(PortState.ACTIVE, GidType.ROCE_V2, 0x2001_0DB8_0000_0000L, 7), "");
            assertEquals("  ./millrace listener add 2001:db8::7 --transport rdma", ipv6.get(1));
            assertEquals("  ./millrace perf rdma://[2001:db8::7]:4420/" + NQN, ipv6.get(3));
            for (final RdmaDevices none : List.of(
                new RdmaDevices(List.of(), List.of()),
                device(PortState.DOWN, GidType.ROCE_V2, 0, 0xFFFF_C000_0207L),
                device(PortState.ACTIVE, GidType.IB, 0xFE80_0000_0000_0000L, 7),
                device(PortState.ACTIVE, GidType.ROCE_V2, 0xFE80_0000_0000_0000L, 7)))
            {
                assertEquals(List.of(), QuickstartHints.rdma(dataPlane, none, ""));
            }
        }
        assertEquals(5, QuickstartHints.rdma(tcp, List.of(NQN), ipv4, "").size());
        assertEquals(List.of(), QuickstartHints.rdma(both, List.of(NQN), ipv4, ""), "it is served so already");
        assertEquals(List.of(), QuickstartHints.rdma(tcp, List.of(), ipv4, ""));
    }

    @Test
    void shouldConnectByEachTransport()
    {
        assertEquals(List.of("", "to use it from this machine, as root:", "  modprobe nvme-rdma", "  modprobe nvme-tcp",
            "  nvme discover -t tcp -a 127.0.0.1 -s 8009",
            "  nvme connect -t rdma -a 192.0.2.7 -s 4420 -n " + NQN,
            "  nvme connect -t tcp -a 127.0.0.1 -s 4420 -n " + NQN, "  nvme disconnect -n " + NQN, ""),
            QuickstartHints.connect(List.of(
                TransportAddress.of(TransportAddress.Type.RDMA, new InetSocketAddress("192.0.2.7", 4420)),
                TransportAddress.tcp("127.0.0.1", 4420), TransportAddress.tcp("127.0.0.1", 4421)),
                List.of(TransportAddress.tcp("127.0.0.1", 8009)), List.of(NQN)));
    }

    @Test
    void shouldNameWhatIsServedNow()
    {
        final Path volume = Path.of("/v.img");
        try (DataPlane dataPlane = serve())
        {
            final String address = " -t tcp -a 127.0.0.1 -s " + dataPlane.addresses().getFirst().serviceId();
            assertEquals(List.of("", "to use it from this machine, as root:", "  modprobe nvme-tcp",
                "  nvme connect" + address + " -n " + NQN, "  nvme disconnect -n " + NQN, ""),
                QuickstartHints.connect(dataPlane));
            assertEquals("/v.img", QuickstartHints.served(dataPlane, volume));
            dataPlane.subsystems().delete(NQN).join();
            assertEquals(List.of("", "no subsystem is left for hosts to connect to: make one with 'millrace " +
                "subsystem create', or begin anew with --fresh, which deletes the volume", ""),
                QuickstartHints.connect(dataPlane));
            assertEquals("no namespace", QuickstartHints.served(dataPlane, volume));
        }
    }
}
