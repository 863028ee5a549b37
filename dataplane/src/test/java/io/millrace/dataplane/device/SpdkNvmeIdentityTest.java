package io.millrace.dataplane.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.DeviceHealth;
import io.millrace.block.DeviceProperties;
import io.millrace.block.Initiator;
import io.millrace.block.file.FileBounds;
import io.millrace.block.file.FileRecords;
import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.config.ListenerSettings;
import io.millrace.dataplane.config.SubsystemSettings;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import io.millrace.nvmf.config.ControllerIds;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.initiator.Waits;
import io.millrace.nvmf.namespace.NamespaceSnapshot;
import io.millrace.nvmf.tcp.TcpTransportConfig;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.ReactorConfig;
import io.millrace.spdk.SpdkTesting;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Devices of type spdk-nvme whose targets come back with another namespace, or do not come back.
 */
@Tag("spdk")
class SpdkNvmeIdentityTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:spdk-identity";
    private static final int BLOCK = 4096;
    private static final long MIB = 1 << 20;
    private static final String OWN = "own1";
    private static final String FOREIGN = "foreign1";

    private final SpdkNvmeFactory factory = new SpdkNvmeFactory(new SpdkAccess());
    private final List<BlockDevice> opened = new ArrayList<>();
    private final List<RestartedTarget> targets = new ArrayList<>();
    private DmaMemory memory;
    private MemoryRegistry registry;

    /** A target at one address, with data of its own. */
    private static final class RestartedTarget
    {
        private final TargetConfig config;
        private final Associations associations = new Associations();
        private InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        private DataPlane dataPlane;

        /** SPDK refuses a second path whose controller has an id of the first. */
        RestartedTarget(final int firstId)
        {
            final TargetConfig defaults = TargetConfig.defaults();
            config = new TargetConfig(defaults.queuePairsMax(), defaults.queueDepthMax(), defaults.maxTransferBytes(),
                defaults.controllersMax(), defaults.anaTransitionSeconds(), new ControllerIds(firstId, firstId + 999));
        }

        /** The UUID of a namespace follows from the name of its device. */
        void start(final String first)
        {
            dataPlane = DataPlane.start(new DataPlaneConfig(
                List.of(ReactorConfig.of("test-target", -1)), DataPlaneConfig.MEMORY_BYTES_MIN * 4,
                List.of(DeviceConfig.memory(first, 4 * MIB, BLOCK), DeviceConfig.memory("own2", 4 * MIB, BLOCK)),
                List.of(new SubsystemSettings(NQN, "identity", SubsystemSettings.MODEL_DEFAULT, true, List.of(),
                    List.of(new SubsystemSettings.NamespaceSettings(1, first, null),
                        new SubsystemSettings.NamespaceSettings(2, "own2", null)))),
                List.of(new ListenerSettings(TransportAddress.tcp(address))), DataPlaneConfig.NO_DISCOVERY_PORT,
                config, TcpTransportConfig.defaults()), associations);
            address = dataPlane.addresses().getFirst().socketAddress();
        }

        void restart(final String first)
        {
            close();
            start(first);
        }

        String url()
        {
            return "tcp://127.0.0.1:" + address.getPort();
        }

        long written()
        {
            return dataPlane.namespaces().list(null).stream().mapToLong(NamespaceSnapshot::writes).sum();
        }

        void close()
        {
            dataPlane.close();
        }
    }

    @BeforeEach
    void start()
    {
        memory = DmaMemory.map(1 << 20);
        registry = new MemoryRegistry();
    }

    private RestartedTarget target(final int firstId)
    {
        final RestartedTarget target = new RestartedTarget(firstId);
        target.start(OWN);
        targets.add(target);
        return target;
    }

    @AfterEach
    void end()
    {
        opened.forEach(BlockDevice::close);
        final String controllers = SpdkTesting.rpc("bdev_nvme_get_controllers", "");
        assertFalse(controllers.contains(NQN), controllers);
        targets.forEach(RestartedTarget::close);
        memory.close();
    }

    private BlockDevice open(final int nsid, final RestartedTarget... paths)
    {
        final BlockDevice device = factory.open("d" + nsid, DeviceProperties.of(Map.of("controller", NQN, "nsid",
            (long)nsid, "addresses", List.of(paths).stream().map(RestartedTarget::url).toList())),
            new DeviceDependencies(registry, List.of(), List::of, List::of,
                new FileAccess(FileBounds.ANYWHERE, FileRecords.NONE), null, SpdkTesting::runtime, (_) -> {}));
        opened.add(device);
        return device;
    }

    private void close(final BlockDevice device)
    {
        opened.remove(device);
        device.close();
    }

    private static int paths(final String state)
    {
        return SpdkTesting.rpc("bdev_nvme_get_controllers", "").replaceAll("\\s", "")
            .split("\"state\":\"" + state + '"', -1).length - 1;
    }

    private BlockStatus write(final Initiator host, final long value)
    {
        NativeMemory.putLong(memory.address(), value);
        return host.run(BlockOperation.WRITE, value % 512, 1, true, memory.address(), BLOCK);
    }

    private static void awaitHealth(final BlockDevice device, final DeviceHealth health)
    {
        Waits.until("the device is " + health, () -> health == device.status().health());
    }

    /** What is not there is not the right namespace. */
    @Test
    void shouldStayFailedWhileTheOtherNamespaceIsAwayToo() throws Exception
    {
        final RestartedTarget target = target(1);
        final BlockDevice device = open(1, target);
        target.restart(FOREIGN);
        awaitHealth(device, DeviceHealth.FAILED);
        target.close();
        try (ServerSocket nobody = new ServerSocket())
        {
            nobody.setReuseAddress(true);
            nobody.bind(target.address);
            for (int i = 0; i < 3; i++)
            {
                nobody.accept().close();
                assertEquals(DeviceHealth.FAILED, device.status().health());
            }
        }
        target.start(OWN);
        awaitHealth(device, DeviceHealth.ONLINE);
    }

    @Test
    void shouldGoOnOverThePathThatHasItsNamespace() throws Exception
    {
        final RestartedTarget one = target(1);
        final RestartedTarget two = target(2001);
        final BlockDevice device = open(1, one, two);
        assertEquals(2, paths("enabled"));
        final AtomicBoolean isStopped = new AtomicBoolean();
        final AtomicLong done = new AtomicLong();
        try (Initiator host = new Initiator("host", device))
        {
            final CompletableFuture<Void> load = CompletableFuture.runAsync(() ->
            {
                while (!isStopped.get())
                {
                    assertEquals(BlockStatus.SUCCESS, write(host, done.incrementAndGet()));
                }
            });
            for (final RestartedTarget each : List.of(one, two, one))
            {
                each.restart(FOREIGN);
                final long before = done.get();
                each.associations.awaitTwoMore();
                Waits.until("the load goes on", () -> load.isDone() || done.get() > before + 100);
                assertFalse(load.isDone());
                assertEquals(0, each.written());
                assertEquals(DeviceHealth.ONLINE, device.status().health());
                each.restart(OWN);
                Waits.until("both paths are connected", () -> 2 == paths("enabled"));
            }
            isStopped.set(true);
            load.get();
            one.restart(FOREIGN);
            two.restart(FOREIGN);
            awaitHealth(device, DeviceHealth.FAILED);
            assertEquals(BlockStatus.DEVICE_ERROR, write(host, 1));
            two.restart(OWN);
            awaitHealth(device, DeviceHealth.ONLINE);
            assertEquals(BlockStatus.SUCCESS, write(host, 2));
            assertEquals(0, one.written());
        }
    }

    /** A controller that SPDK has freed may leave its address to the next. */
    @Test
    void shouldWatchADeviceThatIsCreatedAgain() throws Exception
    {
        final RestartedTarget target = target(1);
        String present = OWN;
        for (int i = 0; i < 3; i++)
        {
            final BlockDevice device = open(1, target);
            present = OWN.equals(present) ? FOREIGN : OWN;
            target.restart(present);
            awaitHealth(device, DeviceHealth.FAILED);
            try (Initiator host = new Initiator("host" + i, device))
            {
                assertEquals(BlockStatus.DEVICE_ERROR, write(host, 1));
            }
            close(device);
        }
        assertEquals(0, target.written());
    }

    /** What a controller that is lost says of its namespaces cannot be compared with what it says later. */
    @Test
    void shouldRefuseADeviceWhoseControllerIsLost()
    {
        final RestartedTarget target = target(1);
        open(2, target);
        target.close();
        Waits.until("the path is lost", () -> 0 == paths("enabled"));
        final String refused = assertThrows(BlockDeviceException.class, () -> open(1, target)).getMessage();
        assertTrue(refused.contains("none of its paths is connected"), refused);
        target.start(OWN);
        Waits.until("the path is connected", () -> 1 == paths("enabled"));
        open(1, target);
    }
}
