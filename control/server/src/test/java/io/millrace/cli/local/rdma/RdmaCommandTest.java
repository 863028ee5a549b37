package io.millrace.cli.local.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.console.Json;
import io.millrace.console.Terminal;
import io.millrace.pci.PciAddress;
import io.millrace.rdma.AtomicCapability;
import io.millrace.rdma.GidType;
import io.millrace.rdma.LinkLayer;
import io.millrace.rdma.NodeType;
import io.millrace.rdma.OnDemandPaging;
import io.millrace.rdma.PartitionKey;
import io.millrace.rdma.PhysicalState;
import io.millrace.rdma.PortState;
import io.millrace.rdma.RdmaChoice;
import io.millrace.rdma.RdmaDevice;
import io.millrace.rdma.RdmaDevices;
import io.millrace.rdma.RdmaException;
import io.millrace.rdma.RdmaGid;
import io.millrace.rdma.RdmaLimits;
import io.millrace.rdma.RdmaPort;
import io.millrace.rdma.RdmaSettings;
import io.millrace.rdma.RdmaTransport;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is printed of devices; the emulated machine has a real one. */
class RdmaCommandTest
{
    private static final RdmaDevices NONE = new RdmaDevices(List.of(), List.of());
    private static final RdmaDevices SOME = new RdmaDevices(
        List.of(new RdmaDevice("mlx5_0", "/dev/infiniband/uverbs0", NodeType.CHANNEL_ADAPTER, "22.31.1014",
            0x0C42_A103_0011_2233L, 0x0C42_A103_0011_2233L, 0x2C9, 4123, Optional.of(new PciAddress(0, 0x81, 0, 0)), 1,
            new RdmaLimits(131_072, 32_768, 30, 30, 1 << 24, 4_194_303, 1 << 24, -1L, 16, 16, 1 << 23, 32_767),
            AtomicCapability.DEVICE, new OnDemandPaging(true, Set.of(OnDemandPaging.Operation.READ)),
            List.of(new RdmaPort(1, RdmaTransport.ROCE, PortState.ACTIVE, PhysicalState.LINK_UP, LinkLayer.ETHERNET, 0,
                4096, 1024, 4, 25_000, 1L << 30,
                List.of(new RdmaGid(3, GidType.ROCE_V2, 0, 0xFFFF_0A01_0001L, "eth2")),
                List.of(new PartitionKey(0, 0xFFFF)))))),
        List.of(new RdmaDevices.Unusable("mlx5_1", "it may not be opened: chmod")));

    private static String text(final RdmaDevices devices)
    {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        RdmaView.text(RdmaSettings.DEFAULT, devices, RdmaChoice.of(RdmaSettings.DEFAULT, devices),
            new Terminal(new PrintStream(out, true, StandardCharsets.UTF_8), false, false));
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldPrintPortsAndTheChoice()
    {
        assertEquals("""
            DEVICE  PORT  TRANSPORT  STATE     LINK     GBIT/S   MTU  GIDS  INTERFACE  PCI ADDRESS   NODE  FIRMWARE
            mlx5_0     1  RoCE       active    link-up     100  1024     1  eth2       0000:81:00.0     1  22.31.1014
            mlx5_1     -  -          unusable  -             -     -     -  -          -                -  -

            device auto, port 1, gid-index auto: mlx5_0 port 1 GID 3 (RoCE v2 ::ffff:10.1.0.1)
            not chosen:
              DEVICE, PORT, GID  REASON
              mlx5_1             it may not be opened: chmod
            """, text(SOME));
        assertEquals(
            "no RDMA devices: load the driver of the adapter, or rdma_rxe for a software device\n", text(NONE));
    }

    @Test
    void shouldPrintJson()
    {
        final String json = Json.write(RdmaView.json(
            RdmaSettings.DEFAULT, SOME, RdmaChoice.of(RdmaSettings.DEFAULT, SOME))).replaceAll("\\s+", "");
        for (final String part : List.of(
            "\"node-guid\":\"0c42:a103:0011:2233\"", "\"max_mr_size\":\"18446744073709551615\"",
            "\"pci-address\":\"0000:81:00.0\"", "\"on-demand-paging\":[\"read\"]", "\"partition-keys\":[\"0xffff\"]",
            "\"gbit-per-second\":100", "{\"name\":\"mlx5_1\",\"usable\":false",
            "\"chosen\":{\"device\":\"mlx5_0\",\"port\":1,\"gid-index\":3}"))
        {
            assertTrue(json.contains(part), () -> part + " is not in " + json);
        }
        assertTrue(Json.write(RdmaView.json(RdmaSettings.DEFAULT, NONE, RdmaChoice.of(RdmaSettings.DEFAULT, NONE)))
            .replaceAll("\\s+", "").contains("\"devices\":[],"));
    }

    @Test
    void shouldEndWithZeroWithoutDevicesAndWithOneWhenADeviceCannotBeUsed()
    {
        assertEquals(ExitCode.OK, new RdmaCommand(() -> NONE).devices("auto", 1, RdmaSettings.ANY, false));
        final CommandException thrown = assertThrows(CommandException.class,
            () -> new RdmaCommand(() -> SOME).devices("auto", 1, RdmaSettings.ANY, true));
        assertEquals("mlx5_1 cannot be used: it may not be opened: chmod", thrown.getMessage());
        assertEquals(ExitCode.FAILURE, thrown.exitCode());
    }

    @Test
    void shouldFailWhenADevicePortOrGidDoesNotExist()
    {
        final RdmaDevices one = new RdmaDevices(SOME.usable(), List.of());
        assertMissing("no device mlx5_9: there are mlx5_0, mlx5_1", SOME, "mlx5_9", 1, RdmaSettings.ANY);
        assertMissing("no device mlx5_9: there is none", NONE, "mlx5_9", 1, RdmaSettings.ANY);
        assertMissing("mlx5_0 has no port 2: it has 1", one, "mlx5_0", 2, RdmaSettings.ANY);
        assertMissing("mlx5_0 port 1 has no GID 99: there are 3", one, "mlx5_0", 1, 99);
        assertMissing("no device has GID 99: there are 3", one, "auto", RdmaSettings.ANY, 99);
        assertEquals(ExitCode.OK, new RdmaCommand(() -> one).devices("mlx5_0", 1, 3, false));
        assertEquals(ExitCode.OK, new RdmaCommand(() -> NONE).devices("auto", 1, 3, false));
    }

    private static void assertMissing(
        final String message, final RdmaDevices devices, final String device, final int port, final int gidIndex)
    {
        final CommandException thrown = assertThrows(CommandException.class,
            () -> new RdmaCommand(() -> devices).devices(device, port, gidIndex, false));
        assertEquals(message, thrown.getMessage());
        assertEquals(ExitCode.FAILURE, thrown.exitCode());
    }

    @Test
    void shouldLowerTheDepthOfLargeOperations()
    {
        assertEquals(128, RdmaBwCommand.defaultDepth(64 << 10));
        assertEquals(8, RdmaBwCommand.defaultDepth(8 << 20));
        assertEquals(1, RdmaBwCommand.defaultDepth(Integer.MAX_VALUE));
        assertEquals(128, RdmaBwCommand.defaultDepth(0));
    }

    @Test
    void shouldNameTheOptionThatIsOutOfBounds()
    {
        RdmaTestOptions.check("--iters", 1, Long.MAX_VALUE);
        final CommandException few = assertThrows(
            CommandException.class, () -> RdmaTestOptions.check("--iters", 0, Long.MAX_VALUE));
        assertEquals("--iters 0: must be at least 1", few.getMessage());
        assertEquals(ExitCode.USAGE, few.exitCode());
        assertEquals("--tx-depth 1025: must be 1 to 1024", assertThrows(
            CommandException.class, () -> RdmaTestOptions.check("--tx-depth", 1025, 1024)).getMessage());
    }

    @Test
    void shouldSayWhatIsMissingWhenThereIsNoLibrary()
    {
        final CommandException thrown = assertThrows(CommandException.class, () -> new RdmaCommand(() ->
        {
            throw new RdmaException("libibverbs cannot be used: install it");
        }).devices("auto", 1, RdmaSettings.ANY, false));
        assertEquals("libibverbs cannot be used: install it", thrown.getMessage());
        assertEquals(ExitCode.FAILURE, thrown.exitCode());
    }

    @Test
    void shouldRefuseOptionsOutOfBounds()
    {
        final CommandException thrown = assertThrows(CommandException.class,
            () -> new RdmaCommand(() -> NONE).devices("auto", 0, RdmaSettings.ANY, false));
        assertEquals("port is 0: it must be auto or 1 to 255", thrown.getMessage());
        assertEquals(ExitCode.USAGE, thrown.exitCode());
        assertEquals(RdmaSettings.ANY, new RdmaCommand.AutoNumber().convert("auto"));
        assertEquals(7, new RdmaCommand.AutoNumber().convert("7"));
        assertThrows(RuntimeException.class, () -> new RdmaCommand.AutoNumber().convert("-1"));
    }
}
