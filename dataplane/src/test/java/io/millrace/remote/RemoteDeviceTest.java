package io.millrace.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockGeometry;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.DeviceHealth;
import io.millrace.block.DeviceStatus;
import io.millrace.block.FailureCause;
import io.millrace.block.Initiator;
import io.millrace.block.fault.FaultPlan;
import io.millrace.block.fault.FaultRule;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.memory.DmaMemory;
import io.millrace.nvme.AnaState;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.initiator.Waits;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.ReactorConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Remote devices over TCP to the project's own target in this process.
 */
class RemoteDeviceTest
{
    private static final int SIZE_BYTES = 4 << 20;
    private static final int BLOCK = 4096;

    private final DmaMemory arena = DmaMemory.map(8 << 20);

    @TempDir
    private Path directory;

    @AfterEach
    void unmap()
    {
        arena.close();
    }

    private InnerTarget file(final int listeners)
    {
        return new InnerTarget(listeners, DeviceConfig.of("inner", "file",
            Map.of("path", directory.resolve("inner.img").toString(), "size", SIZE_BYTES, "block-size", BLOCK)));
    }

    private BlockStatus write(final Initiator initiator, final long value)
    {
        NativeMemory.putLong(arena.address(), value);
        return initiator.run(BlockOperation.WRITE, 1, 1, false, arena.address(), BLOCK);
    }

    private long read(final Initiator initiator)
    {
        final long buffer = arena.address() + BLOCK;
        assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.READ, 1, 1, false, buffer, BLOCK));
        return NativeMemory.getLong(buffer);
    }

    private Initiator.Io send(final Initiator initiator, final BlockOperation operation)
    {
        final Initiator.Io io = initiator.io();
        Initiator.fill(io.request(), operation, 1, 1, false, arena.address() + 2 * BLOCK, BLOCK);
        initiator.send(io);
        return io;
    }

    @Test
    void shouldHaveTheGeometryOfTheNamespace()
    {
        try (InnerTarget target = file(1); RemoteDevice device = target.connect())
        {
            final BlockGeometry geometry = device.geometry();
            assertEquals(SIZE_BYTES, geometry.sizeBytes());
            assertEquals(BLOCK, geometry.blockSizeBytes());
            assertEquals(BlockGeometry.MAX_TRANSFER_BYTES_DEFAULT, geometry.maxTransferBytes());
            assertTrue(geometry.volatileWriteCache());
            assertTrue(geometry.supportsWriteZeroes());
            // The file does not, its target does.
            assertTrue(geometry.supportsVerify());
            assertTrue(geometry.supportsDeallocate());
            assertFalse(geometry.readOnly());
            assertFalse(geometry.supportsCopy());
            assertEquals(DeviceStatus.ONLINE, device.status());
            assertEquals(target.addresses().getFirst() + " namespace 1 of " + InnerTarget.NQN, device.location());
        }
    }

    @Test
    void shouldPassOnWhatTheTargetAnswers()
    {
        final FaultPlan plan = FaultPlan.of(1,
            FaultRule.error(BlockStatus.MEDIA_ERROR).withOperations(Set.of(BlockOperation.FLUSH)),
            FaultRule.error(BlockStatus.CAPACITY_EXCEEDED).withOperations(Set.of(BlockOperation.WRITE)));
        try (InnerTarget target = new InnerTarget(1, DeviceConfig.memory("base", SIZE_BYTES, BLOCK),
            DeviceConfig.fault("inner", "base", plan));
            RemoteDevice device = target.connect(); Initiator initiator = new Initiator("host", device))
        {
            assertEquals(BlockStatus.MEDIA_ERROR, initiator.run(BlockOperation.FLUSH, 0, 0, false));
            final Initiator.Io write = initiator.io();
            Initiator.fill(write.request(), BlockOperation.WRITE, 1, 1, false, arena.address(), BLOCK);
            initiator.send(write);
            assertEquals(BlockStatus.CAPACITY_EXCEEDED, initiator.await(write));
            assertEquals(FailureCause.NVME_STATUS, write.request().cause());
            assertEquals(NvmeStatus.CAPACITY_EXCEEDED, write.request().causeCode());
            assertEquals(0, device.retriedCount());
        }
    }

    @Test
    void shouldFindItsNamespaceByItsUuid()
    {
        final UUID uuid = UUID.fromString("11111111-2222-4333-8444-555555555555");
        try (InnerTarget target = InnerTarget.memory(SIZE_BYTES, BLOCK))
        {
            target.stop();
            target.uuid(uuid);
            target.start();
            final RemoteDeviceConfig any = target.config();
            target.connect(RemoteDeviceConfig.of("far", any.addresses(), InnerTarget.NQN, 0,
                uuid.toString().toUpperCase(), InnerTarget.HOST)).close();
            assertRefused("namespace 1 of " + InnerTarget.NQN, target, RemoteDeviceConfig.of("far", any.addresses(),
                InnerTarget.NQN, 1, new UUID(1, 2).toString(), InnerTarget.HOST));
            assertRefused("is not there: add it to the subsystem", target, RemoteDeviceConfig.of("far",
                any.addresses(), InnerTarget.NQN, 7, "", InnerTarget.HOST));
            assertRefused("no subsystem " + InnerTarget.NQN + "x", target, RemoteDeviceConfig.of("far",
                any.addresses(), InnerTarget.NQN + "x", 1, "", InnerTarget.HOST));
        }
    }

    private static void assertRefused(
        final String part, final InnerTarget target, final RemoteDeviceConfig config)
    {
        final BlockDeviceException refusal =
            assertThrows(BlockDeviceException.class, () -> target.connect(config));
        assertTrue(refusal.getMessage().startsWith("device far: ") && refusal.getMessage().contains(part),
            refusal.getMessage());
    }

    @Test
    void shouldLoseNothingWhenTheTargetIsRestartedUnderLoad()
    {
        try (InnerTarget target = file(1);
            RemoteDevice device = target.connect();
            VerifiedLoad load = new VerifiedLoad(device, arena.address(), 3, 16))
        {
            for (int round = 0; round < 3; round++)
            {
                load.awaitProgress();
                target.stop();
                target.start();
            }
            load.awaitProgress();
            load.stop();
            assertNull(load.violation());
            assertEquals(0, load.failures());
            assertTrue(device.retriedCount() > 0);
            assertEquals(0, device.failedCount());
        }
    }

    @Test
    void shouldFollowAnaStatesUnderLoad()
    {
        try (InnerTarget target = new InnerTarget(2, DeviceConfig.memory("inner", SIZE_BYTES, BLOCK));
            RemoteDevice device = target.connect();
            VerifiedLoad load = new VerifiedLoad(device, arena.address(), 3, 16))
        {
            final List<TransportAddress> paths = target.addresses();
            final AnaState[] states = {
                AnaState.NON_OPTIMIZED, AnaState.INACCESSIBLE, AnaState.CHANGE, AnaState.OPTIMIZED};
            for (int round = 0; round < 12; round++)
            {
                final AnaState state = states[round % states.length];
                target.dataPlane().anaStates().set(InnerTarget.NQN, paths.get(round / 4 % 2), 0, state);
                load.awaitProgress();
            }
            load.stop();
            assertNull(load.violation());
            assertEquals(0, load.failures());
        }
    }

    @Test
    void shouldUseTheOptimizedPathAndTheOtherWhenThereIsNone()
    {
        try (InnerTarget target = new InnerTarget(2, DeviceConfig.memory("inner", SIZE_BYTES, BLOCK)))
        {
            final TransportAddress first = target.addresses().getFirst();
            Waits.get(target.dataPlane().anaStates().set(InnerTarget.NQN, first, 0, AnaState.NON_OPTIMIZED));
            try (RemoteDevice device = target.connect(); Initiator initiator = new Initiator("host", device))
            {
                assertEquals(BlockStatus.SUCCESS, write(initiator, 5));
                final RemoteChannel channel = (RemoteChannel)initiator.channel();
                assertEquals(1, initiator.call(channel::currentPath));
                final TransportAddress second = target.addresses().getLast();
                target.dataPlane().anaStates().set(InnerTarget.NQN, second, 0, AnaState.INACCESSIBLE);
                Waits.until("non-optimized path", () -> 0 == initiator.call(channel::currentPath));
                assertEquals(5, read(initiator));
                target.dataPlane().anaStates().set(InnerTarget.NQN, first, 0, AnaState.INACCESSIBLE);
                Waits.until("no path", () -> -1 == initiator.call(channel::currentPath));
                Waits.until("status", () -> DeviceHealth.RECOVERING == device.status().health());
                final Initiator.Io held = send(initiator, BlockOperation.READ);
                assertTrue(device.heldCount() > 0);
                assertFalse(held.result().isDone());
                target.dataPlane().anaStates().set(InnerTarget.NQN, second, 0, AnaState.OPTIMIZED);
                assertEquals(BlockStatus.SUCCESS, initiator.await(held));
                assertEquals(0, device.failedCount());
            }
        }
    }

    @Test
    void shouldLookAgainSoonAfterARefusalThatFollowsATransition()
    {
        try (InnerTarget target = InnerTarget.memory(SIZE_BYTES, BLOCK);
            RemoteDevice device = target.connect();
            Initiator initiator = new Initiator("host", device))
        {
            final RemoteChannel channel = (RemoteChannel)initiator.channel();
            final TransportAddress path = target.addresses().getFirst();
            // No event says so. Refused, the path looks, and is to look again after a transition's longest time, 10 s.
            target.dataPlane().anaStates().set(InnerTarget.NQN, path, 0, AnaState.CHANGE);
            final Initiator.Io held = send(initiator, BlockOperation.READ);
            Waits.until("transition", () -> device.status().reason().contains("by ANA group"));
            target.dataPlane().anaStates().set(InnerTarget.NQN, path, 0, AnaState.OPTIMIZED);
            assertEquals(BlockStatus.SUCCESS, initiator.await(held));
            final long startNs = System.nanoTime();
            initiator.call(() ->
            {
                channel.queues()[0].suspend();
                return null;
            });
            assertEquals(BlockStatus.SUCCESS, initiator.await(send(initiator, BlockOperation.READ)));
            assertTrue(System.nanoTime() - startNs < 5_000_000_000L);
        }
    }

    @Test
    void shouldNotTakeDeallocationForZeroing()
    {
        try (InnerTarget target = InnerTarget.memory(SIZE_BYTES, BLOCK); RemoteDevice device = target.connect())
        {
            // The namespace reports that deallocated blocks read as zeroes, but a controller need not deallocate.
            assertTrue(device.geometry().supportsDeallocate());
            assertFalse(device.geometry().deallocatedReadsZero());
        }
    }

    @Test
    void shouldConnectWhenOnePathIsThereAndUseNoOtherNamespaceOnTheOtherLater()
    {
        try (InnerTarget other = InnerTarget.memory(SIZE_BYTES, BLOCK); InnerTarget target = file(1))
        {
            // A port on which another namespace will be later.
            other.stop();
            final List<TransportAddress> both =
                List.of(other.addresses().getFirst(), target.addresses().getFirst());
            try (RemoteDevice device = target.connect(InnerTarget.config(both)))
            {
                assertEquals(DeviceHealth.DEGRADED, device.status().health());
                assertTrue(device.status().reason().startsWith("path " + both.getFirst() + ": connection refused by"),
                    () -> device.status().reason());
                try (Initiator initiator = new Initiator("host", device))
                {
                    assertEquals(BlockStatus.SUCCESS, write(initiator, 5));
                    other.uuid(new UUID(5, 6));
                    other.start();
                    Waits.until("other namespace", () -> device.status().reason().contains("another namespace"));
                    assertEquals(5, read(initiator));
                }
            }
        }
    }

    @Test
    void shouldGiveNoIoToANamespaceThatTookThePlaceOfItsOwn()
    {
        try (InnerTarget target = InnerTarget.memory(SIZE_BYTES, BLOCK);
            RemoteDevice device = target.connect();
            Initiator initiator = new Initiator("host", device))
        {
            assertEquals(BlockStatus.SUCCESS, write(initiator, 5));
            target.stop();
            target.uuid(new UUID(3, 4));
            target.start();
            Waits.until("status", () -> DeviceHealth.FAILED == device.status().health());
            assertTrue(device.status().reason().contains("another namespace"), () -> device.status().reason());
            assertEquals(BlockStatus.DEVICE_ERROR, write(initiator, 6));
            assertTrue(device.failedCount() > 0);
            target.stop();
            target.uuid(null);
            target.start();
            Waits.until("own namespace", () -> DeviceStatus.ONLINE.equals(device.status()));
            Waits.until("write", () -> BlockStatus.SUCCESS == write(initiator, 7));
        }
    }

    @Test
    void shouldFailWhatWaitsWhenTheLossTimeoutHasPassed()
    {
        try (InnerTarget target = InnerTarget.memory(SIZE_BYTES, BLOCK);
            RemoteDevice device = target.connect(target.config().withReconnect(5, 50, 200));
            Initiator initiator = new Initiator("host", device))
        {
            assertEquals(BlockStatus.SUCCESS, write(initiator, 5));
            target.stop();
            assertEquals(BlockStatus.DEVICE_ERROR, initiator.await(send(initiator, BlockOperation.READ)));
            // From now on at once, or a submitter would wait for each.
            assertEquals(BlockStatus.DEVICE_ERROR, initiator.await(send(initiator, BlockOperation.WRITE)));
            target.start();
            Waits.until("write", () -> BlockStatus.SUCCESS == write(initiator, 7));
            assertEquals(7, read(initiator));
        }
    }

    @Test
    void shouldCloseWhileItReconnects()
    {
        try (InnerTarget target = InnerTarget.memory(SIZE_BYTES, BLOCK); RemoteDevice device = target.connect())
        {
            final Initiator initiator = new Initiator("host", device);
            assertEquals(BlockStatus.SUCCESS, write(initiator, 5));
            target.stop();
            final Initiator.Io read = send(initiator, BlockOperation.READ);
            final Initiator.Io write = send(initiator, BlockOperation.WRITE);
            initiator.close();
            assertEquals(BlockStatus.ABORTED, initiator.await(read));
            assertEquals(BlockStatus.ABORTED, initiator.await(write));
            // A channel can be opened without a path too, and serves when there is one.
            try (Initiator second = new Initiator("second", device))
            {
                final Initiator.Io held = send(second, BlockOperation.WRITE);
                target.start();
                assertEquals(BlockStatus.SUCCESS, second.await(held));
            }
        }
    }

    @Test
    void shouldGrowWithItsNamespace()
    {
        try (InnerTarget target = InnerTarget.memory(SIZE_BYTES, BLOCK); RemoteDevice device = target.connect())
        {
            assertEquals(SIZE_BYTES, device.availableBytes());
            assertThrows(BlockDeviceException.class, () -> device.grow(2 * SIZE_BYTES));
            Waits.get(target.dataPlane().devices().resize("inner", 2 * SIZE_BYTES));
            Waits.until("larger namespace", () -> 2L * SIZE_BYTES == device.availableBytes());
            assertEquals(SIZE_BYTES, device.geometry().sizeBytes());
            device.grow(2 * SIZE_BYTES);
            assertEquals(2L * SIZE_BYTES, device.geometry().sizeBytes());
            try (Initiator initiator = new Initiator("host", device))
            {
                assertEquals(BlockStatus.SUCCESS, initiator.run(
                    BlockOperation.WRITE, 2 * SIZE_BYTES / BLOCK - 1, 1, false, arena.address(), BLOCK));
            }
        }
    }

    @Test
    void shouldLetItsReactorsSleepWhenItIsIdle()
    {
        try (InnerTarget target = InnerTarget.memory(SIZE_BYTES, BLOCK);
            RemoteDevice device = target.connect();
            Initiator initiator = new Initiator(new ReactorConfig(
                "sleeper", -1, ReactorConfig.IdleMode.SLEEP, 0), device))
        {
            assertEquals(BlockStatus.SUCCESS, write(initiator, 5));
            final long busyBefore = initiator.reactor().dutyCycle().busyNs();
            final long sleepsBefore = initiator.reactor().dutyCycle().sleepCount();
            final long startNs = System.nanoTime();
            Waits.until("sleeps", () -> initiator.reactor().dutyCycle().sleepCount() - sleepsBefore >= 10);
            final long busyNs = initiator.reactor().dutyCycle().busyNs() - busyBefore;
            final long allNs = System.nanoTime() - startNs;
            assertTrue(busyNs < allNs / 4, () -> busyNs + " of " + allNs + " ns were busy");
        }
    }
}
