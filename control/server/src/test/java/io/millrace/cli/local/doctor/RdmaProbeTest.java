package io.millrace.cli.local.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.Capability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What doctor says of ports, by files as the kernel has them. */
class RdmaProbeTest
{
    private static final String PORT = "/sys/class/infiniband/mlx5_0/ports/1/";

    @TempDir
    private Path root;

    private Path path(final String path) throws IOException
    {
        final Path file = root.resolve(path.substring(1));
        Files.createDirectories(file.getParent());
        return file;
    }

    private void file(final String path, final String text) throws IOException
    {
        Files.writeString(path(path), text + "\n");
    }

    private void port(final String linkLayer, final String state, final String physical) throws IOException
    {
        file(PORT + "link_layer", linkLayer);
        file(PORT + "state", state);
        file(PORT + "phys_state", physical);
        file(PORT + "rate", "100 Gb/sec (4X EDR)");
    }

    private void gid(final int index, final String gid, final String type) throws IOException
    {
        file(PORT + "gids/" + index, gid);
        file(PORT + "gid_attrs/types/" + index, type);
        file(PORT + "gid_attrs/ndevs/" + index, "eth2");
    }

    private Capability find(final String name)
    {
        return new RdmaProbe(new SystemFiles(root), (loaded, _, remedy) -> Capability.off(loaded, "absent", remedy))
            .run().stream().map(Finding::capability).filter((each) -> each.name().equals(name)).findFirst()
            .orElseThrow();
    }

    @Test
    void shouldExplainTheLink() throws IOException
    {
        port("Ethernet", "4: ACTIVE", "5: LinkUp");
        assertEquals("mlx5_0 port 1 link is on: Ethernet, ACTIVE, LinkUp, 100 Gb/sec (4X EDR)",
            find("mlx5_0 port 1 link").toString());
        port("Ethernet", "1: DOWN", "3: Disabled");
        assertTrue(find("mlx5_0 port 1 link").remedy().contains("ip link set INTERFACE up"));
        gid(0, "fe80:0000:0000:0000:5054:00ff:fe12:3456", "RoCE v2");
        assertTrue(find("mlx5_0 port 1 link").remedy().contains("ip link set eth2 up"));
        port("InfiniBand", "2: INIT", "5: LinkUp");
        assertEquals("start a subnet manager, such as opensm", find("mlx5_0 port 1 link").remedy());
        port("InfiniBand", "1: DOWN", "2: Polling");
        assertEquals("check the cable and the switch", find("mlx5_0 port 1 link").remedy());
    }

    @Test
    void shouldCountGidsByType() throws IOException
    {
        port("Ethernet", "4: ACTIVE", "5: LinkUp");
        assertTrue(find("mlx5_0 port 1 GIDs").remedy().contains("ip address add"));
        gid(0, "0000:0000:0000:0000:0000:0000:0000:0000", "");
        assertEquals("none", find("mlx5_0 port 1 GIDs").reason());
        gid(0, "fe80:0000:0000:0000:0e42:a1ff:fe00:1122", "IB/RoCE v1");
        assertFalse(find("mlx5_0 port 1 GIDs").isAvailable());
        gid(1, "fe80:0000:0000:0000:0e42:a1ff:fe00:1122", "RoCE v2");
        gid(3, "0000:0000:0000:0000:0000:ffff:c000:0201", "RoCE v2");
        assertEquals("mlx5_0 port 1 GIDs is on: 1 IB/RoCE v1, 2 RoCE v2 of eth2",
            find("mlx5_0 port 1 GIDs").toString());
    }

    @Test
    void shouldCompareMtus() throws IOException
    {
        port("Ethernet", "4: ACTIVE", "5: LinkUp");
        gid(0, "0000:0000:0000:0000:0000:ffff:c000:0201", "RoCE v2");
        assertTrue(find("mlx5_0 port 1 MTU").reason().contains("/sys/class/net/eth2/mtu cannot be read"));
        file("/sys/class/net/eth2/mtu", "1500");
        assertEquals("1024 bytes of payload a packet, as eth2 has an MTU of 1500",
            find("mlx5_0 port 1 MTU").reason());
        assertTrue(find("mlx5_0 port 1 MTU").remedy().contains("ip link set eth2 mtu 4200"));
        file("/sys/class/net/eth2/mtu", "4200");
        assertTrue(find("mlx5_0 port 1 MTU").isAvailable());
        file("/sys/class/net/eth2/mtu", "300");
        assertTrue(find("mlx5_0 port 1 MTU").reason().contains("too small"));
    }

    @Test
    void shouldShowFlowControlOfAdaptersAlone() throws IOException
    {
        port("Ethernet", "4: ACTIVE", "5: LinkUp");
        gid(0, "0000:0000:0000:0000:0000:ffff:c000:0201", "RoCE v2");
        final String name = "mlx5_0 port 1 PFC and ECN";
        assertFalse(new RdmaProbe(new SystemFiles(root), Capability::off).run().stream()
            .anyMatch((each) -> each.capability().name().equals(name)));
        Files.createSymbolicLink(path("/sys/class/infiniband/mlx5_0/device"), Path.of("../../0000:81:00.0"));
        assertTrue(find(name).remedy().contains("dcb pfc show dev eth2"));
        file("/sys/class/net/eth2/ecn/roce_np/enable/3", "0");
        assertEquals("no priority of eth2 has ECN", find(name).reason());
        file("/sys/class/net/eth2/ecn/roce_np/enable/3", "1");
        assertTrue(find(name).reason().startsWith("ECN for the priorities 3 of eth2"));
    }

    @Test
    void shouldSayWhichModuleMakesAMissingFile() throws IOException
    {
        port("Ethernet", "4: ACTIVE", "5: LinkUp");
        assertTrue(find("permission for rdma_cm").remedy().contains("modprobe rdma_ucm"));
        file("/dev/infiniband/rdma_cm", "");
        assertTrue(find("permission for rdma_cm").isAvailable());
        file("/sys/class/infiniband_verbs/uverbs0/ibdev", "mlx5_0");
        assertTrue(find("permission for uverbs0").remedy().contains("modprobe ib_uverbs"));
        assertFalse(find("rdma_ucm").isAvailable());
    }
}
