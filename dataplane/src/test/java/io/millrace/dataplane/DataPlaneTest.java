package io.millrace.dataplane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.fault.FaultPlan;
import io.millrace.block.file.FileBounds;
import io.millrace.block.file.FileRecords;
import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.config.ListenerSettings;
import io.millrace.dataplane.config.SettingException;
import io.millrace.dataplane.config.SubsystemSettings;
import io.millrace.dataplane.device.FileAccess;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.tcp.TcpTransportConfig;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.CpuAffinity;
import io.millrace.reactor.Housekeeping;
import io.millrace.reactor.ReactorConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataPlaneTest
{
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
    private static final String NQN = "nqn.2026-11.io.millrace:test";

    @TempDir
    private Path directory;

    private final List<ReactorConfig> reactors = new ArrayList<>(List.of(ReactorConfig.of("r0", -1)));
    private final List<DeviceConfig> devices = new ArrayList<>(List.of(DeviceConfig.memory("mem0", 1 << 20, 512)));
    private final List<ListenerSettings> listeners = new ArrayList<>(List.of(listener(0)));
    private int discoveryPort = DataPlaneConfig.NO_DISCOVERY_PORT;
    private String servedDevice = "mem0";

    private static ListenerSettings listener(final int port)
    {
        return new ListenerSettings(TransportAddress.tcp("127.0.0.1", port));
    }

    private DataPlaneConfig config()
    {
        return new DataPlaneConfig(reactors, 16 << 20, devices,
            List.of(new SubsystemSettings(NQN, null, "Model", true, List.of(),
                List.of(new SubsystemSettings.NamespaceSettings(1, servedDevice, null)))),
            listeners, discoveryPort, TargetConfig.defaults(), TcpTransportConfig.defaults());
    }

    private SettingException refused()
    {
        final List<String> before = threads();
        final long descriptorsBefore = OperationsFixture.descriptors();
        final SettingException e = assertThrows(SettingException.class, () -> DataPlane.start(config()).close());
        assertNoneLeft(before);
        assertNoneLeft(descriptorsBefore);
        return e;
    }

    /** Without that of SPDK, which is the process's: another test may have started it. */
    private static List<String> threads()
    {
        return Thread.getAllStackTraces().keySet().stream().map(Thread::getName)
            .filter((name) -> name.startsWith("millrace-") && !name.equals("millrace-spdk")).sorted().toList();
    }

    /** What other tests had may end meanwhile. */
    private static void assertNoneLeft(final List<String> threadsBefore)
    {
        assertEquals(List.of(), threads().stream().filter((name) -> !threadsBefore.contains(name)).toList());
    }

    private static void assertNoneLeft(final long descriptorsBefore)
    {
        final long left = OperationsFixture.descriptors() - descriptorsBefore;
        assertTrue(left <= 0, () -> left + " descriptors are left");
    }

    @Test
    void shouldListenServeAndStop() throws IOException
    {
        // A test that failed may have left some.
        final List<String> threadsBefore = threads();
        reactors.add(ReactorConfig.of("r1", -1));
        listeners.add(listener(0));
        discoveryPort = 0;
        DataPlane.start(config()).close();
        final long descriptorsBefore = OperationsFixture.descriptors();
        final TransportAddress first;
        try (DataPlane dataPlane = DataPlane.start(config()))
        {
            first = dataPlane.addresses().get(0);
            assertEquals(2, dataPlane.addresses().size());
            assertEquals(1, dataPlane.discoveryAddresses().size());
            assertEquals(2, dataPlane.reactors().size());
            assertEquals(List.of(NQN), dataPlane.target().subsystems().stream().map((s) -> s.nqn()).toList());
            assertEquals(3, dataPlane.target().listeners().size(), "discovery tells of its own port too");
            for (final TransportAddress address : dataPlane.addresses())
            {
                new Socket(address.address(), address.port()).close();
            }
        }
        assertThrows(IOException.class, () -> new Socket(first.address(), first.port()).close());
        assertNoneLeft(descriptorsBefore);
        assertNoneLeft(threadsBefore);
    }

    @Test
    void shouldDoNothingWhenClosedAgain()
    {
        final List<String> threadsBefore = threads();
        final DataPlane dataPlane = DataPlane.start(config());
        dataPlane.close();
        dataPlane.close();
        assertNoneLeft(threadsBefore);
    }

    @Test
    void shouldUndoEverythingWhenPortIsInUse() throws IOException
    {
        DataPlane.start(config()).close();
        try (ServerSocket taken = new ServerSocket(0, 1, LOOPBACK))
        {
            listeners.add(listener(taken.getLocalPort()));
            final SettingException e = refused();
            assertEquals("listeners[1].port", e.key());
            assertEquals("127.0.0.1:" + taken.getLocalPort(), e.value());
            assertEquals("already in use", e.bound());
            assertEquals("stop what listens there or take another port", e.remedy());
        }
        DataPlane.start(config()).close();
    }

    private DeviceConfig file(final Path path)
    {
        return DeviceConfig.of("file0", "file", Map.of("path", path.toString(), "size", 1L << 20)).with(new FileAccess(
            FileBounds.ANYWHERE, FileRecords.in(directory.resolve("records")).permanent()));
    }

    @Test
    void shouldRemoveTheFilesThatAFailedStartCreatedAndNoOthers() throws IOException
    {
        final Path created = directory.resolve("created.img");
        final Path existing = Files.write(directory.resolve("existing.img"), new byte[1 << 20]);
        try (ServerSocket taken = new ServerSocket(0, 1, LOOPBACK))
        {
            listeners.add(listener(taken.getLocalPort()));
            for (final Path each : List.of(created, existing))
            {
                devices.clear();
                devices.add(file(each));
                servedDevice = "file0";
                refused();
            }
        }
        assertFalse(Files.exists(created));
        assertTrue(Files.exists(existing));
        // Nothing says that the file is missing.
        listeners.remove(1);
        devices.set(0, file(created));
        DataPlane.start(config()).close();
        assertTrue(Files.exists(created));
        DataPlane.start(config()).close();
    }

    @Test
    void shouldKeepTheFilesOfAnAbandonedStartOnceAHostWasConnected()
    {
        final Path created = directory.resolve("created.img");
        devices.set(0, file(created));
        servedDevice = "file0";
        try (DataPlane abandoned = DataPlane.start(config()))
        {
            devices.set(0, DeviceConfig.of("file0", "remote", Map.of("addresses",
                List.of("tcp://" + abandoned.addresses().getFirst().hostAndPort()), "subsystem", NQN, "nsid", 1)));
            DataPlane.start(config()).close();
            abandoned.abandon();
        }
        assertTrue(Files.exists(created));
        devices.set(0, file(directory.resolve("unused.img")));
        try (DataPlane abandoned = DataPlane.start(config()))
        {
            abandoned.abandon();
        }
        assertFalse(Files.exists(directory.resolve("unused.img")));
    }

    @Test
    void shouldNameDiscoveryWhenItsPortIsInUse() throws IOException
    {
        DataPlane.start(config()).close();
        try (ServerSocket taken = new ServerSocket(0, 1, LOOPBACK))
        {
            discoveryPort = taken.getLocalPort();
            final SettingException e = refused();
            assertEquals("discovery", e.key());
            assertTrue(e.remedy().startsWith("set discovery: false"), e.getMessage());
        }
    }

    @Test
    void shouldNameAddressWhenItIsNotOfThisMachine()
    {
        DataPlane.start(config()).close();
        listeners.add(new ListenerSettings(TransportAddress.tcp("192.0.2.1", 0)));
        assertTrue(refused().getMessage().startsWith("listeners[1].port = 192.0.2.1:0: is not an address of this " +
            "machine; "));
    }

    @Test
    void shouldNameTheTransportsThatAreServedWhenOneIsNot()
    {
        listeners.add(new ListenerSettings(new TransportAddress(
            TransportAddress.Type.RDMA, TransportAddress.Family.IPV4, "127.0.0.1", "4420")));
        assertEquals("listeners[1].transport = rdma: not served by this data plane; use one of: tcp",
            assertThrows(SettingException.class, this::config).getMessage());
    }

    @Test
    void shouldNameCpuWhenItIsNotAllowed()
    {
        DataPlane.start(config()).close();
        final int absent = Housekeeping.allowed().length();
        reactors.set(0, ReactorConfig.of("r0", absent));
        final SettingException e = refused();
        assertEquals("reactors[0].cpu", e.key());
        assertTrue(e.bound().endsWith(CpuAffinity.format(Housekeeping.allowed())), e.getMessage());
    }

    @Test
    void shouldNameDeviceWhenItsFileCannotBeOpened()
    {
        DataPlane.start(config()).close();
        devices.add(DeviceConfig.of("file0", "file",
            Map.of("path", directory.resolve("none/vol.img").toString(), "size", 1 << 20, "block-size", 512)));
        final SettingException e = refused();
        assertEquals("devices[1].path: path " + directory.resolve("none/vol.img") +
            " cannot be opened: No such file or directory (errno 2): make its directory first", e.getMessage());
    }

    @Test
    void shouldServeAFileThroughFaultsAndCloseBoth() throws IOException
    {
        final Path file = directory.resolve("vol.img");
        devices.add(DeviceConfig.of("file0", "file",
            Map.of("path", file.toString(), "size", 1 << 20, "block-size", 512)));
        devices.add(DeviceConfig.fault("bad0", "file0", FaultPlan.NONE));
        devices.add(DeviceConfig.discard("sink0", 1 << 20, 4096));
        servedDevice = "bad0";
        DataPlane.start(config()).close();
        final long descriptorsBefore = OperationsFixture.descriptors();
        try (DataPlane dataPlane = DataPlane.start(config()))
        {
            assertEquals(1 << 20, dataPlane.devices().get("bad0").geometry().sizeBytes());
            assertEquals(4, dataPlane.devices().list().size());
        }
        assertEquals(1 << 20, Files.size(file));
        assertNoneLeft(descriptorsBefore);
    }

    @Test
    void shouldKeepIdentitiesFromStartToStart()
    {
        final String before;
        try (DataPlane dataPlane = DataPlane.start(config()))
        {
            before = dataPlane.target().subsystem(NQN).namespace(1).uuid() +
                dataPlane.target().subsystem(NQN).config().serialNumber();
        }
        try (DataPlane dataPlane = DataPlane.start(config()))
        {
            assertEquals(before, dataPlane.target().subsystem(NQN).namespace(1).uuid() +
                dataPlane.target().subsystem(NQN).config().serialNumber());
        }
    }
}
