package io.millrace.dataplane.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.DeviceHealth;
import io.millrace.block.DeviceProperties;
import io.millrace.block.GrowableDevice;
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
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.initiator.TcpProxy;
import io.millrace.nvmf.initiator.Waits;
import io.millrace.nvmf.namespace.NamespaceSnapshot;
import io.millrace.nvmf.tcp.TcpTransportConfig;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.ReactorConfig;
import io.millrace.spdk.SpdkTesting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Namespaces that SPDK's NVMe driver has of Millrace's own target: controllers shared, paths lost, what is refused.
 */
@Tag("spdk")
class SpdkNvmeTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:spdk-nvme";
    private static final int BLOCK = 4096;
    private static final long MIB = 1 << 20;
    private static final long WAIT_S = 20;

    private final SpdkNvmeFactory factory = new SpdkNvmeFactory(new SpdkAccess());
    private final List<String> warnings = new ArrayList<>();
    private final List<BlockDevice> opened = new ArrayList<>();
    private final Associations associations = new Associations();
    private InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private DmaMemory memory;
    private MemoryRegistry registry;
    private DataPlane target;

    @BeforeEach
    void start()
    {
        memory = DmaMemory.map(1 << 20);
        registry = new MemoryRegistry();
        startTarget();
    }

    private void startTarget()
    {
        startTarget("mem1");
    }

    /** The UUID of a namespace follows from the name of its device. */
    private void startTarget(final String first)
    {
        target = DataPlane.start(new DataPlaneConfig(
            List.of(ReactorConfig.of("test-target", -1)), DataPlaneConfig.MEMORY_BYTES_MIN * 4,
            List.of(DeviceConfig.memory(first, 4 * MIB, BLOCK), DeviceConfig.memory("mem2", 8 * MIB, BLOCK)),
            List.of(new SubsystemSettings(NQN, null, SubsystemSettings.MODEL_DEFAULT, true, List.of(), List.of(
                new SubsystemSettings.NamespaceSettings(1, first, null),
                new SubsystemSettings.NamespaceSettings(2, "mem2", null)))),
            List.of(new ListenerSettings(TransportAddress.tcp(address))), DataPlaneConfig.NO_DISCOVERY_PORT,
            TargetConfig.defaults(), TcpTransportConfig.defaults()), associations);
        address = target.addresses().getFirst().socketAddress();
    }

    @AfterEach
    void end()
    {
        opened.forEach(BlockDevice::close);
        assertFalse(controllers().contains(NQN), SpdkNvmeTest::controllers);
        target.close();
        memory.close();
    }

    private static String controllers()
    {
        return SpdkTesting.rpc("bdev_nvme_get_controllers", "");
    }

    private static int connectedPaths()
    {
        return controllers().replaceAll("\\s", "").split("\"state\":\"enabled\"", -1).length - 1;
    }

    private static String url(final InetSocketAddress listener)
    {
        return "tcp://127.0.0.1:" + listener.getPort();
    }

    private DeviceDependencies dependencies()
    {
        return new DeviceDependencies(registry, List.of(), List::of, List::of,
            new FileAccess(FileBounds.ANYWHERE, FileRecords.NONE), null, SpdkTesting::runtime, warnings::add);
    }

    private BlockDevice open(final int nsid, final Object... keysAndValues)
    {
        final Map<String, Object> settings =
            new HashMap<>(Map.of("addresses", List.of(url(address)), "controller", NQN, "nsid", (long)nsid));
        for (int i = 0; i < keysAndValues.length; i += 2)
        {
            settings.put((String)keysAndValues[i], keysAndValues[i + 1]);
        }
        final BlockDevice device = factory.open("d" + nsid, DeviceProperties.of(settings), dependencies());
        opened.add(device);
        return device;
    }

    private void close(final BlockDevice device)
    {
        opened.remove(device);
        device.close();
    }

    private String refusal(final int nsid, final Object... keysAndValues)
    {
        return assertThrows(BlockDeviceException.class, () -> open(nsid, keysAndValues)).getMessage();
    }

    private BlockStatus write(final Initiator host, final long lba, final long value)
    {
        NativeMemory.putLong(memory.address(), value);
        return host.run(BlockOperation.WRITE, lba, 1, true, memory.address(), BLOCK);
    }

    private long read(final Initiator host, final long lba)
    {
        final long buffer = memory.address() + BLOCK;
        NativeMemory.putLong(buffer, -1);
        assertEquals(BlockStatus.SUCCESS, host.run(BlockOperation.READ, lba, 1, false, buffer, BLOCK));
        return NativeMemory.getLong(buffer);
    }

    @Test
    void shouldShareAControllerUntilItsLastDeviceIsClosed()
    {
        final BlockDevice first = open(1);
        final BlockDevice second = open(2);
        assertEquals(4 * MIB, first.geometry().sizeBytes());
        assertEquals(8 * MIB, second.geometry().sizeBytes());
        try (Initiator host = new Initiator("first", first))
        {
            assertEquals(BlockStatus.SUCCESS, write(host, 5, 11));
        }
        close(first);
        try (Initiator host = new Initiator("second", second))
        {
            assertEquals(BlockStatus.SUCCESS, write(host, 5, 22));
            assertEquals(22, read(host, 5));
        }
        final BlockDevice again = open(1);
        try (Initiator host = new Initiator("again", again))
        {
            assertEquals(11, read(host, 5));
        }
        assertTrue(refusal(1, "controller-loss-timeout", 5_000_000_000L).contains("is used by another device, with"));
        assertTrue(refusal(1).contains("is used by device d1"));
        assertEquals(List.of(), warnings);
    }

    private static void assertOthersRefused(final String method, final String params)
    {
        final String message =
            assertThrows(IllegalStateException.class, () -> SpdkTesting.rpc(method, params)).getMessage();
        assertTrue(message.contains("controller " + NQN + " is the data plane's"), message);
    }

    private String attachment()
    {
        return "{'name':'" + NQN + "','trtype':'TCP','adrfam':'IPv4','traddr':'127.0.0.1','trsvcid':'" +
            address.getPort() + "','subnqn':'" + NQN + "'}";
    }

    /** What others detach, devices lose; a path that they attach is none of a device's addresses. */
    @Test
    void shouldKeepItsControllerFromOthers()
    {
        final String name = "{'name':'" + NQN + "'}";
        final BlockDevice device = open(1);
        final String before = controllers();
        assertOthersRefused("bdev_nvme_detach_controller", name);
        assertOthersRefused("bdev_nvme_attach_controller", attachment());
        assertEquals(before, controllers());
        try (Initiator host = new Initiator("host", device))
        {
            assertEquals(BlockStatus.SUCCESS, write(host, 5, 11));
        }
        close(device);
        SpdkTesting.rpc("bdev_nvme_attach_controller", attachment());
        SpdkTesting.rpc("bdev_nvme_detach_controller", name);
    }

    /** One that others have attached is theirs, also when a device fails to use it. */
    @Test
    void shouldLeaveAControllerToOthersThatTheyHave()
    {
        SpdkTesting.rpc("bdev_nvme_attach_controller", attachment());
        assertTrue(refusal(1, "host-nqn", NQN + "-host").contains("cannot be attached by SPDK"));
        SpdkTesting.rpc("bdev_nvme_detach_controller", "{'name':'" + NQN + "'}");
        close(open(1));
    }

    @Test
    void shouldHaveDrivesFlushWhateverIsSetWhileItRuns()
    {
        SpdkTesting.rpc("bdev_nvme_set_options", "{'enable_flush':false}");
        final String config = SpdkTesting.rpc("framework_get_config", "{'name':'bdev'}").replace(" ", "");
        assertTrue(config.contains("\"enable_flush\":true"), config);
    }

    @Test
    void shouldRefuseWhatIsNotThere() throws Exception
    {
        final String none = refusal(3);
        assertTrue(none.startsWith("device d3: bdev " + NQN + "n3 ") && none.contains("no active namespace 3"), none);
        final String other = refusal(1, "controller", NQN + "-other");
        assertTrue(other.startsWith("device d1: controller " + NQN + "-other cannot be attached by SPDK"), other);
        final String pci = assertThrows(BlockDeviceException.class, () -> factory.open("d", DeviceProperties.of(
            Map.of("controller", "0000:01:00.0", "nsid", 1L)), dependencies())).getMessage();
        assertTrue(pci.contains("controller 0000:01:00.0 is not in spdk.pci"), pci);
        assertTrue(refusal(1, "controller", "nqn.x\"y").contains("has blanks, quotes"));
        target.close();
        final String gone = refusal(1);
        assertTrue(gone.contains("cannot be attached by SPDK") && gone.contains("'millrace discover'"), gone);
        startTarget();
    }

    @Test
    void shouldGoOnOverTheOtherPath() throws Exception
    {
        final AtomicBoolean isStopped = new AtomicBoolean();
        final AtomicLong verified = new AtomicLong();
        try (TcpProxy one = new TcpProxy(address, 1 << 16, 1); TcpProxy two = new TcpProxy(address, 1 << 16, 2))
        {
            final BlockDevice device = open(1, "addresses", List.of(url(one.address()), url(two.address())));
            try (Initiator host = new Initiator("host", device))
            {
                final CompletableFuture<Void> load = CompletableFuture.runAsync(() ->
                {
                    for (long value = 1; !isStopped.get(); value++)
                    {
                        assertEquals(BlockStatus.SUCCESS, write(host, value % 1024, value));
                        assertEquals(value, read(host, value % 1024));
                        verified.set(value);
                    }
                });
                for (final TcpProxy each : List.of(one, two, one))
                {
                    each.refuse(true);
                    each.cut();
                    Waits.until("a path is lost", () -> 1 == connectedPaths());
                    final long before = verified.get();
                    Waits.until("the load goes on", () -> load.isDone() || verified.get() > before + 10);
                    each.refuse(false);
                    Waits.until("both paths are connected", () -> 2 == connectedPaths());
                }
                isStopped.set(true);
                load.get();
            }
            close(device);
        }
        assertEquals(List.of(), warnings);
    }

    @Test
    void shouldServeWithThePathsThatAreThere() throws Exception
    {
        final InetSocketAddress closed;
        try (TcpProxy proxy = new TcpProxy(address, 1 << 16, 1))
        {
            closed = proxy.address();
        }
        final BlockDevice device = open(1, "addresses", List.of(url(closed), url(address)));
        assertEquals(1, warnings.size(), warnings::toString);
        assertTrue(warnings.getFirst().contains("cannot attach path TCP 127.0.0.1 port " + closed.getPort()),
            warnings::toString);
        try (Initiator host = new Initiator("host", device))
        {
            assertEquals(BlockStatus.SUCCESS, write(host, 1, 2));
        }
    }

    @Test
    void shouldHaveRequestsWaitUntilTheTargetIsBack() throws Exception
    {
        final BlockDevice device = open(1);
        try (Initiator host = new Initiator("host", device))
        {
            assertEquals(BlockStatus.SUCCESS, write(host, 1, 1));
            target.close();
            final CompletableFuture<BlockStatus> waiting = CompletableFuture.supplyAsync(() -> write(host, 1, 2));
            Waits.until("the path is lost", () -> 0 == connectedPaths());
            assertFalse(waiting.isDone());
            startTarget();
            assertEquals(BlockStatus.SUCCESS, waiting.get());
            assertEquals(2, read(host, 1));
        }
        assertEquals(DeviceHealth.ONLINE, device.status().health());
    }

    /** Writes to the namespaces of the target that runs. */
    private long written()
    {
        return target.namespaces().list(null).stream().mapToLong(NamespaceSnapshot::writes).sum();
    }

    @Test
    void shouldNotUseAnotherNamespaceInPlaceOfItsOwn() throws Exception
    {
        final BlockDevice device = open(1);
        final BlockDevice beside = open(2);
        try (Initiator host = new Initiator("host", device); Initiator other = new Initiator("other", beside))
        {
            assertEquals(BlockStatus.SUCCESS, write(host, 1, 1));
            assertEquals(BlockStatus.SUCCESS, write(other, 1, 1));
            target.close();
            final CompletableFuture<BlockStatus> waiting = CompletableFuture.supplyAsync(() -> write(host, 1, 2));
            Waits.until("the path is lost", () -> 0 == connectedPaths());
            assertFalse(waiting.isDone());
            startTarget("foreign1");
            assertEquals(BlockStatus.DEVICE_ERROR, waiting.get(WAIT_S, TimeUnit.SECONDS));
            for (final BlockDevice each : List.of(device, beside))
            {
                Waits.until("it has failed", () -> DeviceHealth.FAILED == each.status().health());
                assertTrue(each.status().reason().contains("lead to another namespace than the one that it was opened"),
                    each.status().reason());
            }
            assertEquals(BlockStatus.DEVICE_ERROR, write(host, 1, 3));
            assertEquals(BlockStatus.DEVICE_ERROR, write(other, 1, 3));
            // It is tried again, and refused again.
            associations.awaitTwoMore();
            assertEquals(BlockStatus.DEVICE_ERROR, write(host, 1, 3));
            assertEquals(0, written());
            target.close();
            startTarget();
            for (final BlockDevice each : List.of(device, beside))
            {
                Waits.until("its namespace is back", () -> DeviceHealth.ONLINE == each.status().health());
            }
            assertEquals(0, written());
            assertEquals(BlockStatus.SUCCESS, write(host, 1, 4));
            assertEquals(4, read(host, 1));
            assertEquals(BlockStatus.SUCCESS, write(other, 1, 4));
        }
    }

    @Test
    void shouldNoticeThatItsNamespaceIsReplacedWhileItIsConnected() throws Exception
    {
        final BlockDevice device = open(1);
        try (Initiator host = new Initiator("host", device))
        {
            assertEquals(BlockStatus.SUCCESS, write(host, 1, 1));
            target.namespaces().remove(NQN, 1).get();
            target.devices().create(DeviceConfig.memory("foreign1", 4 * MIB, BLOCK));
            target.namespaces().add(NQN, new SubsystemSettings.NamespaceSettings(1, "foreign1", null));
            Waits.until("it is seen", () -> DeviceHealth.FAILED == device.status().health());
            assertEquals(BlockStatus.DEVICE_ERROR, write(host, 1, 3));
        }
    }

    @Test
    void shouldFailWhenTheTargetStaysAway() throws Exception
    {
        final BlockDevice device = open(1, "controller-loss-timeout", 2_000_000_000L);
        try (Initiator host = new Initiator("host", device))
        {
            assertEquals(BlockStatus.SUCCESS, write(host, 1, 1));
            target.close();
            assertNotEquals(BlockStatus.SUCCESS, write(host, 1, 2));
            Waits.until("the device has failed", 20, () -> DeviceHealth.FAILED == device.status().health());
            assertTrue(device.status().reason().contains("was deleted or its drive removed"),
                device.status().reason());
        }
        startTarget();
        close(device);
        // A new one begins with what is there now.
        try (Initiator host = new Initiator("host", open(1)))
        {
            assertEquals(0, read(host, 1));
        }
    }

    @Test
    void shouldTakeInThatTheNamespaceGrew() throws Exception
    {
        final GrowableDevice device = (GrowableDevice)open(1);
        target.devices().resize("mem1", 6 * MIB).get();
        Waits.until("SPDK has seen it", () -> 6 * MIB == device.availableBytes());
        device.grow(6 * MIB);
        try (Initiator host = new Initiator("host", device))
        {
            assertEquals(BlockStatus.SUCCESS, write(host, 6 * MIB / BLOCK - 1, 9));
        }
    }

    /** SPDK goes on with what nobody waits for any more. */
    @Test
    void shouldOpenADeviceWhoseControllerWasAttachedTooLate() throws Exception
    {
        final AtomicBoolean isSlow = new AtomicBoolean(true);
        try (ServerSocket proxy = new ServerSocket(0, 16, InetAddress.getLoopbackAddress()))
        {
            Thread.ofVirtual().start(() -> forward(proxy, isSlow));
            final String listener = "tcp://127.0.0.1:" + proxy.getLocalPort();
            final String late = refusal(1, "addresses", List.of(listener));
            assertTrue(late.contains("not attached after 10 s"), late);
            assertTrue(refusal(1, "addresses", List.of(listener)).contains("is still being attached"));
            // SPDK would end the process.
            assertOthersRefused("bdev_nvme_detach_controller", "{'name':'" + NQN + "'}");
            isSlow.set(false);
            final BlockDevice device = openLater(1, "addresses", List.of(listener));
            try (Initiator host = new Initiator("host", device))
            {
                assertEquals(BlockStatus.SUCCESS, write(host, 1, 1));
            }
            close(device);
        }
    }

    private BlockDevice openLater(final int nsid, final Object... keysAndValues) throws Exception
    {
        for (int i = 0; i < 60; i++)
        {
            try
            {
                return open(nsid, keysAndValues);
            }
            catch (final BlockDeviceException e)
            {
                assertTrue(e.getMessage().contains("is still being attached"), e.getMessage());
                Thread.sleep(500);
            }
        }
        throw new AssertionError("SPDK goes on");
    }

    private void forward(final ServerSocket proxy, final AtomicBoolean isSlow)
    {
        try
        {
            while (true)
            {
                final Socket host = proxy.accept();
                final Socket there = new Socket(address.getAddress(), address.getPort());
                Thread.ofVirtual().start(() -> pump(host, there, new AtomicBoolean()));
                Thread.ofVirtual().start(() -> pump(there, host, isSlow));
            }
        }
        catch (final IOException e)
        {
            // It was closed.
        }
    }

    private static void pump(final Socket from, final Socket to, final AtomicBoolean isSlow)
    {
        final byte[] bytes = new byte[1 << 16];
        try (from; to)
        {
            int count = 0;
            for (int n = from.getInputStream().read(bytes); n > 0; n = from.getInputStream().read(bytes))
            {
                count++;
                // SPDK waits two seconds for the first answers, and longer for others.
                Thread.sleep(isSlow.get() && count > 8 ? 4_000 : 0);
                to.getOutputStream().write(bytes, 0, n);
            }
        }
        catch (final IOException e)
        {
            // One side has closed.
        }
        catch (final InterruptedException e)
        {
            throw new IllegalStateException(e);
        }
    }
}
