package io.millrace.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.DeviceHealth;
import io.millrace.block.DeviceStatus;
import io.millrace.block.Initiator;
import io.millrace.memory.DmaMemory;
import io.millrace.nvme.AnaState;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.identify.NamespaceDescriptor;
import io.millrace.nvme.identify.NamespaceInfo;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.ControllerListener;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.Waits;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a target reports of itself, right and wrong: it costs the device and nothing else.
 */
class RemoteIdentifyTest
{
    private static final int KEEP_ALIVE_MS = 100;
    private static final int BLOCK = ModelTarget.BLOCK_BYTES;
    private static final int MDTS_OFFSET = 77;
    private static final int CONTROLLER_ID_OFFSET = 78;
    private static final int CACHE_OFFSET = 525;
    private static final int ATOMIC_OFFSET = 528;
    private static final int NGUID_OFFSET = 104;
    private static final int NAMESPACES_OFFSET = 516;
    private static final long EVENT_INTERVAL_NS = 20_000_000;
    private static final String OTHER_ID = "08080808080808080808080808080808";
    private static final Consumer<byte[]> NONE = (data) ->
    {
    };

    private final ModelTarget target = new ModelTarget(1, KEEP_ALIVE_MS);
    private final DmaMemory arena = DmaMemory.map(4 << 20);
    private final Reactor admin = new Reactor(ReactorConfig.of("test-admin", -1));

    @BeforeEach
    void start()
    {
        admin.start();
        target.executePercent(100);
    }

    @AfterEach
    void stop()
    {
        admin.close();
        arena.close();
    }

    private RemoteDevice connect()
    {
        return connect(1);
    }

    private RemoteDevice connect(final int paths)
    {
        return RemoteDevice.connect(InnerTarget.config(IntStream.rangeClosed(1, paths).mapToObj((port) ->
            TransportAddress.tcp(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))).toList())
            .withTimeouts(KEEP_ALIVE_MS, 2_000, 5_000).withReconnect(1, 10, 60_000), target.groups, List.of(admin));
    }

    private void reconnect(final RemoteDevice device, final Runnable cutting)
    {
        final int before = target.controllers();
        cutting.run();
        Waits.until("new association", () -> target.controllers() > before);
        Waits.until("reconnect", () -> DeviceStatus.ONLINE.equals(device.status()));
    }

    /** A namespace that reports no identifier, and something else as it is given. */
    private static Consumer<byte[]> anonymous(final Consumer<byte[]> change)
    {
        return (data) ->
        {
            Arrays.fill(data, NGUID_OFFSET, NGUID_OFFSET + 16, (byte)0);
            change.accept(data);
        };
    }

    private static Consumer<byte[]> set(final int offset, final int lengthBytes, final long value)
    {
        return (data) ->
        {
            final ByteBuffer buffer = ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN);
            switch (lengthBytes)
            {
                case 1 -> buffer.put(offset, (byte)value);
                case 2 -> buffer.putShort(offset, (short)value);
                case 4 -> buffer.putInt(offset, (int)value);
                default -> buffer.putLong(offset, value);
            }
        };
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "128 | 4 | 0 | has namespace 1 with 64 blocks of 2^0 bytes",
        "128 | 4 | 655360 | block-size 1024 is not supported",
        "128 | 4 | 2147418112 | blocks of 2^255 bytes",
        "128 | 4 | 786440 | has 8 bytes of metadata a block",
        "26 | 1 | 1 | has namespace 1 in LBA format 1 of 1: its Identify data are invalid",
        "0 | 8 | 0 | is not there",
        "0 | 8 | -1 | with 18446744073709551615 blocks of 2^12 bytes",
        "0 | 8 | 9223372036854775807 | and less than 2^63 in all are possible"})
    void shouldRefuseANamespaceThatMakesNoSense(
        final int offset, final int lengthBytes, final long value, final String part)
    {
        target.namespaceData(set(offset, lengthBytes, value));
        final BlockDeviceException refusal = assertThrows(BlockDeviceException.class, this::connect);
        assertTrue(refusal.getMessage().startsWith("device far: ") && refusal.getMessage().contains(part),
            refusal.getMessage());
    }

    @Test
    void shouldRefuseAControllerThatIsAnotherByIdentifyThanByConnect()
    {
        target.controllerData(set(CONTROLLER_ID_OFFSET, 2, 0x1234));
        final String refusal = assertThrows(BlockDeviceException.class, this::connect).getMessage();
        assertTrue(refusal.contains("by Connect and 4660 by Identify: its Identify data are invalid"), refusal);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 9, 255})
    void shouldTakeAnyLimitOfTransfers(final int shift)
    {
        target.controllerData(set(MDTS_OFFSET, 1, shift));
        try (RemoteDevice device = connect())
        {
            assertEquals(1 << 20, device.geometry().maxTransferBytes());
        }
    }

    @Test
    void shouldSplitWhatIsLongerThanACommandMayBe()
    {
        try (RemoteDevice device = connect(); Initiator initiator = new Initiator("host", device))
        {
            // The controller that comes after the loss takes 8 KiB.
            target.controllerData(set(MDTS_OFFSET, 1, 1));
            reconnect(device, target::cutAll);
            for (int i = 0; i < 7; i++)
            {
                NativeMemory.putLong(arena.address() + (long)i * BLOCK, 100 + i);
            }
            target.resetCounts();
            // A segment boundary within a command.
            assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.WRITE, 3, 7, true,
                arena.address(), BLOCK, arena.address() + BLOCK, 6 * BLOCK));
            assertEquals(4, target.commands());
            assertEquals(2, target.mostBlocks());
            NativeMemory.fill(arena.address(), 8L * BLOCK, (byte)0);
            assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.READ, 3, 7, false,
                arena.address(), 5 * BLOCK, arena.address() + 5 * BLOCK, 2 * BLOCK));
            for (int i = 0; i < 7; i++)
            {
                assertEquals(100 + i, NativeMemory.getLong(arena.address() + (long)i * BLOCK));
            }
            target.resetCounts();
            assertEquals(BlockStatus.SUCCESS,
                initiator.run(BlockOperation.WRITE_ZEROES, 0, ModelTarget.BLOCKS, false));
            assertEquals(ModelTarget.BLOCKS / 2, target.commands());
            assertEquals(0, target.read(4));
            assertEquals(BlockStatus.NOT_SUPPORTED, initiator.run(BlockOperation.DEALLOCATE, 0, 1, false));
            target.resetCounts();
            // Not offered by the target, so by two reads.
            assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.VERIFY, 0, 4, false));
            assertEquals(2, target.commands());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3, 4, 7, 15, 255})
    void shouldWaitInStatesWithoutAccessKnownOrNot(final int state)
    {
        target.anaState(state);
        try (RemoteDevice device = connect(); Initiator initiator = new Initiator("host", device))
        {
            assertEquals(DeviceHealth.RECOVERING, device.status().health());
            final Initiator.Io io = initiator.io();
            Initiator.fill(io.request(), BlockOperation.READ, 1, 1, false, arena.address(), BLOCK);
            initiator.send(io);
            assertTrue(device.heldCount() > 0);
            assertFalse(io.result().isDone());
            target.anaState(AnaState.OPTIMIZED.code());
            // The model reports no events; a new association looks at the log anyway.
            target.cutAll();
            assertEquals(BlockStatus.SUCCESS, initiator.await(io));
        }
    }

    /** A namespace with a UUID alone, which only the descriptors have. */
    private void haveUuid()
    {
        target.namespaceData(anonymous(NONE));
        final byte[] list = new byte[NamespaceDescriptor.HEADER_BYTES + 16];
        Arrays.fill(list, NamespaceDescriptor.HEADER_BYTES, list.length, (byte)0x11);
        list[0] = NamespaceDescriptor.TYPE_UUID;
        list[1] = 16;
        target.descriptors(list);
    }

    @Test
    void shouldWaitWhenIdentifiersCannotBeReadAfterAReconnect()
    {
        haveUuid();
        try (RemoteDevice device = connect(); Initiator initiator = new Initiator("host", device))
        {
            target.up(false);
            target.cutAll();
            Waits.until("outage", () -> !DeviceStatus.ONLINE.equals(device.status()));
            final Initiator.Io io = initiator.io();
            Initiator.fill(io.request(), BlockOperation.WRITE, 0, 1, false, arena.address(), BLOCK);
            initiator.send(io);
            target.refuseDescriptors(NvmeStatus.NAMESPACE_NOT_READY, 2);
            target.up(true);
            assertEquals(BlockStatus.SUCCESS, initiator.await(io));
            assertEquals(0, target.descriptorRefusalsLeft());
            Waits.until("reconnect", () -> DeviceStatus.ONLINE.equals(device.status()));
        }
    }

    /** Internal Error, also with Do Not Retry. */
    @ParameterizedTest
    @ValueSource(ints = {0x0006, 0x4006})
    void shouldNotTakeANamespaceWhoseIdentifiersCannotBeReadForOneWithoutAny(final int status)
    {
        haveUuid();
        // A path that is tried again before its first refusal is seen is refused again.
        target.refuseDescriptors(status, Integer.MAX_VALUE);
        final String refusal = assertThrows(BlockDeviceException.class, this::connect).getMessage();
        assertTrue(refusal.contains("Identify 0x3 of " + InnerTarget.NQN + " was answered with"), refusal);
        target.refuseDescriptors(status, 0);
        // Known by its UUID on both paths.
        connect(2).close();
    }

    /** Invalid Opcode and Invalid Field, which not every target returns with Do Not Retry. */
    @ParameterizedTest
    @ValueSource(ints = {0x0001, 0x0002, 0x4001, 0x4002})
    void shouldUseANamespaceOfATargetWithoutDescriptors(final int status)
    {
        target.refuseDescriptors(status, Integer.MAX_VALUE);
        try (RemoteDevice device = connect())
        {
            assertEquals(DeviceStatus.ONLINE, device.status());
        }
    }

    /** AWUPF of 8 blocks and MDTS of 64 KiB when the device is created. */
    private RemoteDevice connectToLargeUnits(final int paths)
    {
        target.controllerData(units(7, 4));
        final RemoteDevice device = connect(paths);
        assertEquals(8 * BLOCK, device.geometry().atomicWriteBytes());
        return device;
    }

    /** Sets AWUPF, counted from 0, and MDTS. */
    private static Consumer<byte[]> units(final int atomicBlocks, final int transferShift)
    {
        return set(ATOMIC_OFFSET, 2, atomicBlocks).andThen(set(MDTS_OFFSET, 1, transferShift));
    }

    /** By a smaller AWUPF, and by an MDTS below the unit, so that a write would be split. */
    @ParameterizedTest
    @CsvSource({"0, 4, 4096", "6, 4, 16384", "7, 1, 8192"})
    void shouldUseNoPathWithASmallerAtomicWriteUnitThanHostsWereTold(
        final int atomicBlocks, final int transferShift, final int expectedBytes)
    {
        try (RemoteDevice device = connectToLargeUnits(1); Initiator initiator = new Initiator("host", device))
        {
            target.controllerData(units(atomicBlocks, transferShift));
            target.cutAll();
            Waits.until("refusal", () -> device.status().reason().contains("writes " + expectedBytes +
                " bytes atomically now, and hosts of the device were told 32768 bytes"));
            assertEquals(DeviceHealth.RECOVERING, device.status().health());
            target.resetCounts();
            final Initiator.Io io = initiator.io();
            Initiator.fill(io.request(), BlockOperation.WRITE, 0, 8, false, arena.address(), 8 * BLOCK);
            initiator.send(io);
            // More than is needed may be reported, and less of what is not promised.
            target.controllerData(units(15, 3));
            assertEquals(BlockStatus.SUCCESS, initiator.await(io));
            assertEquals(1, target.commands());
            assertEquals(8, target.mostBlocks());
            Waits.until("reconnect", () -> DeviceStatus.ONLINE.equals(device.status()));
        }
    }

    /** From the moment it is accepted, although its path publishes that later. */
    @Test
    void shouldNotGrowBeyondAPathThatWasJustAccepted()
    {
        final long oldBytes = (long)ModelTarget.BLOCKS * BLOCK;
        final HostPollGroup group = target.groups.acquire(admin);
        try (RemoteDevice device = connect(2); Initiator initiator = new Initiator("host", device);
            RemoteController other = Waits.get(RemoteController.connect(group, InnerTarget.HOST,
                ConnectionConfig.to(device.config().addresses().getFirst(), InnerTarget.NQN)
                    .keepAliveMs(KEEP_ALIVE_MS).build(), ControllerListener.NONE)))
        {
            final NamespaceInfo small = Waits.get(other.namespace(1));
            target.namespaceData(set(0, 8, 2 * ModelTarget.BLOCKS));
            target.cutAll();
            Waits.until("size on both paths", () -> 2 * oldBytes == device.availableBytes() &&
                DeviceStatus.ONLINE.equals(device.status()));
            final RemotePath path = ((RemoteChannel)initiator.channel()).queues()[1].path();
            final PathLimits limits = new PathLimits(256, 0, 0, 0, false);
            final String refusal = Waits.get(admin.call(() ->
            {
                final String found = device.adopt(path, other.info(), small, limits, AnaState.OPTIMIZED);
                final String growing = assertThrows(
                    BlockDeviceException.class, () -> device.grow(2 * oldBytes)).getMessage();
                return null == found ? growing : found;
            }));
            assertTrue(refusal.contains("is more than namespace 1 of " + InnerTarget.NQN + " has on every path in use"),
                refusal);
        }
        target.groups.release(group);
    }

    @ParameterizedTest
    @CsvSource({"104, 1, 9", "128, 4, 589824"})
    void shouldFailWhenTheNamespaceBecomesAnother(final int offset, final int lengthBytes, final long value)
    {
        try (RemoteDevice device = connect(); Initiator initiator = new Initiator("host", device))
        {
            target.namespaceData(set(offset, lengthBytes, value));
            target.cutAll();
            Waits.until("other namespace", () -> DeviceHealth.FAILED == device.status().health());
            assertEquals(BlockStatus.DEVICE_ERROR,
                initiator.run(BlockOperation.WRITE, 1, 1, false, arena.address(), BLOCK));
            assertEquals(0, target.commands());
        }
    }

    @Test
    void shouldUseANamespaceWithoutIdentifierOverOnePathOnly()
    {
        target.namespaceData(anonymous(NONE));
        final BlockDeviceException refusal = assertThrows(BlockDeviceException.class, () -> connect(2));
        assertTrue(refusal.getMessage().contains("has no UUID, NGUID or EUI-64, so that 2 paths cannot be known to " +
            "lead to one namespace"), refusal.getMessage());
        try (RemoteDevice device = connect(1); Initiator initiator = new Initiator("host", device))
        {
            reconnect(device, target::cutAll);
            assertEquals(BlockStatus.SUCCESS,
                initiator.run(BlockOperation.WRITE, 1, 1, false, arena.address(), BLOCK));
        }
    }

    /** Serial number and name of the subsystem, size, block size. */
    @ParameterizedTest
    @CsvSource({"true, 4, 1, 66", "true, 768, 1, 66", "false, 0, 8, 65", "false, 0, 8, 63", "false, 128, 4, 589824"})
    void shouldTakeANamespaceWithoutIdentifierForAnotherWhenAnythingChanged(
        final boolean isOfController, final int offset, final int lengthBytes, final long value)
    {
        target.namespaceData(anonymous(NONE));
        try (RemoteDevice device = connect(); Initiator initiator = new Initiator("host", device))
        {
            target.controllerData(isOfController ? set(offset, lengthBytes, value) : NONE);
            target.namespaceData(anonymous(isOfController ? NONE : set(offset, lengthBytes, value)));
            target.cutAll();
            Waits.until("other namespace", () -> DeviceHealth.FAILED == device.status().health());
            assertEquals(BlockStatus.DEVICE_ERROR,
                initiator.run(BlockOperation.WRITE, 1, 1, false, arena.address(), BLOCK));
            assertEquals(0, target.commands());
        }
    }

    @Test
    void shouldHaveTheSizeThatEveryPathInUseReports()
    {
        final long oldBytes = (long)ModelTarget.BLOCKS * BLOCK;
        try (RemoteDevice device = connect(2))
        {
            target.namespaceData(set(0, 8, 2 * ModelTarget.BLOCKS));
            reconnect(device, () -> target.cut(true));
            // The other path has the old size still.
            assertEquals(oldBytes, device.availableBytes());
            assertThrows(BlockDeviceException.class, () -> device.grow(2 * oldBytes));
            target.cutAll();
            Waits.until("size on both paths", () -> 2 * oldBytes == device.availableBytes() &&
                DeviceStatus.ONLINE.equals(device.status()));
            device.grow(2 * oldBytes);
            target.namespaceData(set(0, 8, ModelTarget.BLOCKS));
            target.cut(true);
            Waits.until("refusal", () -> device.status().reason().contains("has 64 blocks, and the device has 128"));
            assertEquals(DeviceHealth.DEGRADED, device.status().health());
            assertEquals(2 * oldBytes, device.availableBytes());
            target.namespaceData(NONE);
        }
    }

    @Test
    void shouldUseNoPathWithACacheWhenHostsWereToldThatThereIsNone()
    {
        try (RemoteDevice device = connect(); Initiator initiator = new Initiator("host", device))
        {
            assertFalse(device.geometry().volatileWriteCache());
            target.controllerData(set(CACHE_OFFSET, 1, 1));
            target.cutAll();
            Waits.until("refusal", () -> device.status().reason().contains("has a volatile write cache now"));
            target.controllerData(set(CACHE_OFFSET, 1, 0));
            assertEquals(BlockStatus.SUCCESS,
                initiator.run(BlockOperation.READ, 1, 1, false, arena.address(), BLOCK));
        }
    }

    /** Looks for a namespace by its identifier: the model's has an NGUID of sevens. */
    private RemoteDevice find(final String id, final int connectTimeoutMs)
    {
        final RemoteDeviceConfig config = RemoteDeviceConfig.of("far",
            List.of(TransportAddress.tcp(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1))),
            InnerTarget.NQN, 0, id, InnerTarget.HOST);
        return RemoteDevice.connect(config.withTimeouts(KEEP_ALIVE_MS, connectTimeoutMs, 5_000)
            .withReconnect(1, 10, 60_000), target.groups, List.of(admin));
    }

    private String refusal(final int connectTimeoutMs)
    {
        return assertTimeoutPreemptively(Duration.ofSeconds(20), () -> assertThrows(
            BlockDeviceException.class, () -> find(OTHER_ID, connectTimeoutMs)).getMessage());
    }

    private static int[] endless(final int after)
    {
        return IntStream.rangeClosed(after + 1, after + 1024).toArray();
    }

    /** By NN, and by what is read at most. */
    @ParameterizedTest
    @CsvSource({"4, 4", "-1, 65536"})
    void shouldReadNoMoreOfAListOfNamespacesThanThereMayBe(final int namespaceIdMax, final int expected)
    {
        target.controllerData(set(NAMESPACES_OFFSET, 4, namespaceIdMax));
        target.activeNamespaces(RemoteIdentifyTest::endless);
        final String refusal = refusal(15_000);
        assertTrue(refusal.contains("has more than " + expected + " entries, and at most 65536 and at most its NN of " +
            Integer.toUnsignedString(namespaceIdMax) + " are read"), refusal);
    }

    @Test
    void shouldRefuseAListOfNamespacesThatDoesNotRise()
    {
        target.activeNamespaces((after) -> new int[] {1, 3, 3});
        final String refusal = refusal(5_000);
        assertTrue(refusal.contains("is not ascending: 3 follows 3"), refusal);
    }

    @Test
    void shouldStopAtTheNamespaceThatItLooksFor()
    {
        target.controllerData(set(NAMESPACES_OFFSET, 4, -1));
        target.activeNamespaces(RemoteIdentifyTest::endless);
        try (RemoteDevice device = find("07070707070707070707070707070707", 5_000))
        {
            assertEquals(DeviceStatus.ONLINE, device.status());
            // With its own controller alone.
            assertEquals(1, target.namespaceIdentifies());
        }
    }

    /** Each command is answered soon, and there are more of them than can be waited for. */
    @Test
    void shouldEndASetUpThatTakesLongerThanAConnectionMay()
    {
        target.controllerData(set(NAMESPACES_OFFSET, 4, -1));
        target.activeNamespaces(RemoteIdentifyTest::endless);
        target.adminIntervalNs(10_000_000);
        final String refusal = refusal(1_000);
        assertTrue(refusal.contains("answers, and its set-up was not done within 1000 ms"), refusal);
    }

    @Test
    void shouldAnswerEventsWithoutEndAtABoundedRate()
    {
        try (RemoteDevice device = connect())
        {
            final int before = target.namespaceIdentifies();
            final int logsBefore = target.logPages();
            final long beginNs = System.nanoTime();
            target.reportsEvents(true);
            target.cutAll();
            Waits.until("events", () -> target.namespaceIdentifies() > before + 25);
            final int looks = target.namespaceIdentifies() - before;
            final int logs = target.logPages() - logsBefore;
            final long most = (System.nanoTime() - beginNs) / EVENT_INTERVAL_NS + 5;
            assertTrue(looks <= most, () -> looks + " looks, at most " + most);
            // The page of the event and that of the ANA groups.
            assertTrue(logs <= 2 * most, () -> logs + " log pages, at most " + 2 * most);
            assertEquals(DeviceStatus.ONLINE, device.status());
            target.reportsEvents(false);
        }
    }
}
