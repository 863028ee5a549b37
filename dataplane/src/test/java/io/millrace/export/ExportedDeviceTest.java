package io.millrace.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.spdk.spdk_h;
import io.millrace.bindings.spdk.SpdkBdev;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockGeometry;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.DeviceHealth;
import io.millrace.block.Initiator;
import io.millrace.block.spdk.SpdkDevice;
import io.millrace.memory.DmaMemory;
import io.millrace.nvme.NvmeStatus;
import io.millrace.spdk.SpdkBdevListener;
import io.millrace.spdk.SpdkException;
import io.millrace.spdk.SpdkReactor;
import io.millrace.spdk.SpdkTesting;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Devices that open late or not, refuse, fail, keep memory, close late, as bdevs of SPDK; reactors that come and go.
 */
@Tag("spdk")
class ExportedDeviceTest
{
    private static final int BLOCK = 4096;
    private static final long SIZE_BYTES = 64 << 20;
    private static final long PATIENCE_S = 60;

    private final List<Runnable> undoing = new ArrayList<>();
    private DmaMemory memory;

    @BeforeEach
    void map()
    {
        memory = DmaMemory.map(16 << 20);
    }

    @AfterEach
    void undo()
    {
        undoing.reversed().forEach(Runnable::run);
        memory.close();
    }

    /** A device that SPDK has examined, and its bdev. */
    private final class Exported
    {
        private final StubDevice device;
        private final ExportedDevice export;
        private SpdkDevice opened;

        Exported(final BlockGeometry geometry)
        {
            final String name = SpdkTesting.name("Stub");
            device = new StubDevice(name, geometry);
            export = ExportedDevice.export(device, name, SpdkTesting.runtime(), (reactor) -> null);
            undoing.add(this::close);
            SpdkTesting.rpc("bdev_wait_for_examine", "");
        }

        Exported()
        {
            this(StubDevice.geometry(SIZE_BYTES).build());
        }

        /** The one device that the bdev has. */
        SpdkDevice open()
        {
            if (null == opened)
            {
                opened = SpdkDevice.open("vol0", device.name(), SpdkTesting.runtime());
                undoing.add(opened::close);
            }
            return opened;
        }

        Initiator initiator(final String name)
        {
            final Initiator initiator = new Initiator(name, open());
            undoing.add(initiator::close);
            return initiator;
        }

        void close()
        {
            export.close();
            assertEquals(0, device.openChannels());
            device.close();
            assertNull(device.broken);
        }
    }

    private Initiator.Io begin(final Initiator initiator, final BlockOperation operation, final int lba)
    {
        final Initiator.Io io = initiator.io();
        Initiator.fill(io.request(), operation, lba, 1, false, memory.address() + (long)lba * BLOCK, BLOCK);
        initiator.send(io);
        return io;
    }

    private BlockStatus run(final Initiator initiator, final BlockOperation operation, final int lba)
    {
        return initiator.await(begin(initiator, operation, lba));
    }

    private static void await(final BooleanSupplier condition)
    {
        final long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
        while (!condition.getAsBoolean())
        {
            assertTrue(System.nanoTime() < end, "not within " + PATIENCE_S + " s");
            LockSupport.parkNanos(1_000_000);
        }
    }

    private static CompletableFuture<Void> async(final Runnable task)
    {
        final CompletableFuture<Void> done = new CompletableFuture<>();
        Thread.ofPlatform().start(() ->
        {
            try
            {
                task.run();
                done.complete(null);
            }
            catch (final Throwable t)
            {
                done.completeExceptionally(t);
            }
        });
        return done;
    }

    /** Long enough for whatever does not wait. */
    private static void assertWaits(final CompletableFuture<?> future)
    {
        LockSupport.parkNanos(300_000_000);
        assertFalse(future.isDone(), "it does not wait");
    }

    private static void join(final CompletableFuture<Void> future) throws Exception
    {
        future.get(PATIENCE_S, TimeUnit.SECONDS);
    }

    @Test
    void shouldKeepRequestsUntilTheDeviceHasOpened()
    {
        final Exported exported = new Exported();
        final Initiator initiator = exported.initiator("late");
        exported.device.holdsOpens = true;
        exported.device.taken.clear();
        final List<Initiator.Io> ios = new ArrayList<>();
        for (int i = 0; i < 5; i++)
        {
            ios.add(begin(initiator, 0 == i % 2 ? BlockOperation.WRITE : BlockOperation.READ, i));
        }
        await(() -> 1 == exported.device.openingCount());
        ios.forEach((io) -> assertFalse(io.result().isDone()));
        exported.device.finishOpens();
        ios.forEach((io) -> assertEquals(BlockStatus.SUCCESS, initiator.await(io)));
        assertEquals(List.of("WRITE 0", "READ 1", "WRITE 2", "READ 3", "WRITE 4"), List.copyOf(exported.device.taken));
    }

    @Test
    void shouldOpenAgainASecondAfterAFailure()
    {
        final Exported exported = new Exported();
        final Initiator initiator = exported.initiator("failing");
        final int before = exported.device.opens.get();
        exported.device.failsOpens = true;
        exported.device.holdsOpens = true;
        final Initiator.Io first = begin(initiator, BlockOperation.READ, 0);
        final Initiator.Io second = begin(initiator, BlockOperation.READ, 1);
        await(() -> 1 == exported.device.openingCount());
        final long failedNs = System.nanoTime();
        exported.device.finishOpens();
        for (final Initiator.Io each : List.of(first, second))
        {
            assertEquals(BlockStatus.DEVICE_ERROR, initiator.await(each));
            assertEquals(NvmeStatus.NAMESPACE_NOT_READY, each.request().nvmeStatus());
        }
        exported.device.failsOpens = false;
        int failures = 0;
        Initiator.Io io = begin(initiator, BlockOperation.READ, 0);
        while (BlockStatus.SUCCESS != initiator.await(io))
        {
            assertEquals(NvmeStatus.NAMESPACE_NOT_READY, io.request().nvmeStatus());
            failures++;
            LockSupport.parkNanos(10_000_000);
            io = begin(initiator, BlockOperation.READ, 0);
        }
        final long tookMs = (System.nanoTime() - failedNs) / 1_000_000;
        assertTrue(tookMs >= 990, () -> "opened again after " + tookMs + " ms");
        assertTrue(failures > 0, "no request failed meanwhile");
        assertEquals(before + 2, exported.device.opens.get());
    }

    @Test
    void shouldCloseWhenItsOnlyOpenFailed()
    {
        final Exported exported = new Exported();
        final Initiator initiator = exported.initiator("failed");
        exported.device.failsOpens = true;
        assertEquals(BlockStatus.DEVICE_ERROR, run(initiator, BlockOperation.READ, 0));
        initiator.closeChannel();
    }

    @Test
    void shouldSubmitRefusedRequestsAgainInTheirOrder()
    {
        final Exported exported = new Exported();
        final Initiator initiator = exported.initiator("refused");
        assertEquals(BlockStatus.SUCCESS, run(initiator, BlockOperation.WRITE, 0));
        exported.device.taken.clear();
        exported.device.refuses = true;
        final List<Initiator.Io> ios = new ArrayList<>();
        final List<String> expected = new ArrayList<>();
        for (int i = 0; i < 100; i++)
        {
            final BlockOperation operation = 0 == i % 3 ? BlockOperation.READ : BlockOperation.WRITE;
            ios.add(begin(initiator, operation, i));
            expected.add(operation + " " + i);
        }
        assertTrue(exported.device.taken.isEmpty());
        exported.device.refuses = false;
        ios.forEach((io) -> assertEquals(BlockStatus.SUCCESS, initiator.await(io)));
        assertEquals(expected, List.copyOf(exported.device.taken));
    }

    @ParameterizedTest
    @EnumSource(value = BlockStatus.class, mode = EnumSource.Mode.EXCLUDE, names = "SUCCESS")
    void shouldEndRequestsWithTheStatusOfTheDevice(final BlockStatus status)
    {
        final Exported exported = new Exported();
        final Initiator initiator = exported.initiator("status");
        exported.device.outcome = status;
        final BlockStatus expected = BlockStatus.ABORTED == status ? BlockStatus.DEVICE_ERROR : status;
        assertEquals(expected, run(initiator, BlockOperation.READ, 0));
        assertEquals(expected, run(initiator, BlockOperation.WRITE, 1));
        exported.device.outcome = BlockStatus.SUCCESS;
        assertEquals(BlockStatus.SUCCESS, run(initiator, BlockOperation.READ, 0));
    }

    @Test
    void shouldKeepMemoryOfSpdkUntilTheDeviceIsDoneWithIt()
    {
        final Exported exported = new Exported();
        final Initiator initiator = exported.initiator("hold");
        assertEquals(BlockStatus.SUCCESS, run(initiator, BlockOperation.WRITE, 0));
        exported.device.holdsMemory = true;
        final Initiator.Io io = begin(initiator, BlockOperation.READ, 1);
        await(() -> exported.device.taken.contains("READ 1"));
        assertWaits(io.result());
        exported.device.releaseMemory();
        assertEquals(BlockStatus.DEVICE_ERROR, initiator.await(io));
    }

    @Test
    void shouldCloseAChannelThatIsNotOpenYet() throws Exception
    {
        for (final boolean fails : new boolean[]{false, true})
        {
            final StubDevice device = new StubDevice(SpdkTesting.name("Stub"), StubDevice.geometry(SIZE_BYTES).build());
            device.holdsOpens = true;
            final CompletableFuture<Void> closed = new CompletableFuture<>();
            final SpdkReactor application = SpdkTesting.runtime().application();
            application.reactor().call(() ->
            {
                final ExportChannel channel = new ExportChannel(device, application, (reactor) -> null);
                channel.close(() -> closed.complete(null));
                return null;
            }).get(PATIENCE_S, TimeUnit.SECONDS);
            assertFalse(closed.isDone());
            device.failsOpens = fails;
            device.finishOpens();
            join(closed);
            assertEquals(fails ? 0 : 1, device.channels.size());
            device.close();
            assertNull(device.broken);
        }
    }

    @Test
    void shouldWaitForRequestsWhenClosed() throws Exception
    {
        final Exported exported = new Exported();
        final SpdkDevice opened = exported.open();
        final Initiator initiator = new Initiator("load", opened);
        undoing.add(initiator::close);
        assertEquals(BlockStatus.SUCCESS, run(initiator, BlockOperation.WRITE, 0));
        exported.device.holdsRequests = true;
        final List<Initiator.Io> ios = new ArrayList<>();
        for (int i = 0; i < 250; i++)
        {
            ios.add(begin(initiator, BlockOperation.WRITE, i));
        }
        await(() -> 250 == exported.device.inFlightMax.get());
        final CompletableFuture<Void> closed = async(exported.export::close);
        await(() -> DeviceHealth.FAILED == opened.status().health());
        assertWaits(closed);
        exported.device.finishRequests();
        ios.forEach((io) -> assertEquals(BlockStatus.SUCCESS, initiator.await(io)));
        join(closed);
        assertEquals(0, exported.device.openChannels());
        // A second close does nothing.
        exported.export.close();
    }

    @Test
    void shouldServeMoreRequestsThanAReactorHasUnderWay()
    {
        final Exported exported = new Exported();
        exported.device.holdsRequests = true;
        final List<Initiator> initiators = new ArrayList<>();
        final List<List<Initiator.Io>> ios = new ArrayList<>();
        final Initiator host = exported.initiator("first");
        initiators.add(host);
        final Initiator beside = host.beside(exported.open());
        undoing.add(beside::close);
        initiators.add(beside);
        initiators.add(exported.initiator("second"));
        for (final Initiator each : initiators)
        {
            final List<Initiator.Io> mine = new ArrayList<>();
            for (int i = 0; i < 400; i++)
            {
                final Initiator.Io io = each.io();
                Initiator.fill(io.request(), BlockOperation.WRITE, i, 1, false,
                    memory.address() + (long)i * BLOCK, BLOCK);
                mine.add(io);
            }
            each.send(mine);
            ios.add(mine);
        }
        await(() -> SpdkReactor.EXPORTED_MAX == exported.device.inFlightMax.get());
        for (int i = 0; i < 20; i++)
        {
            exported.device.onChannels((channel) -> channel.finish(7));
        }
        assertEquals(SpdkReactor.EXPORTED_MAX, exported.device.inFlightMax.get());
        exported.device.finishRequests();
        for (int i = 0; i < 3; i++)
        {
            final Initiator initiator = initiators.get(i);
            ios.get(i).forEach((io) -> assertEquals(BlockStatus.SUCCESS, initiator.await(io)));
        }
    }

    @Test
    void shouldCloseTheDeviceOfAReactorThatEndsWhileAnotherGoesOn()
    {
        final Exported exported = new Exported();
        final Initiator stays = exported.initiator("stays");
        final SpdkDevice opened = exported.open();
        for (int round = 0; round < 5; round++)
        {
            final Initiator leaves = new Initiator("leaves", opened);
            final List<Initiator.Io> ios = new ArrayList<>();
            for (int i = 0; i < 100; i++)
            {
                ios.add(begin(stays, BlockOperation.WRITE, i));
                ios.add(begin(leaves, BlockOperation.READ, 200 + i));
            }
            leaves.close();
            ios.forEach((io) -> assertEquals(BlockStatus.SUCCESS, io.result().join()));
            // That of the application thread, and of the reactor that stays.
            assertEquals(2, exported.device.openChannels());
        }
    }

    @Test
    void shouldNotBeClosedWhileAChannelOfALeavingReactorCloses() throws Exception
    {
        final Exported exported = new Exported();
        final SpdkDevice opened = exported.open();
        final Initiator initiator = new Initiator("closing", opened);
        assertEquals(BlockStatus.SUCCESS, run(initiator, BlockOperation.WRITE, 0));
        exported.device.holdsCloses = true;
        final CompletableFuture<Void> channelClosed = initiator.beginClosing();
        // That of the application thread does not wait.
        exported.device.holdsCloses = false;
        final CompletableFuture<Void> closed = async(exported.export::close);
        await(() -> DeviceHealth.FAILED == opened.status().health());
        assertWaits(closed);
        assertFalse(channelClosed.isDone());
        exported.device.finishCloses();
        join(closed);
        join(channelClosed);
        initiator.close();
    }

    @Test
    void shouldCloseWhatAReactorOpenedWhileItLetGo() throws Exception
    {
        final Exported exported = new Exported();
        final SpdkDevice opened = exported.open();
        final Initiator initiator = new Initiator("again", opened);
        assertEquals(BlockStatus.SUCCESS, run(initiator, BlockOperation.WRITE, 0));
        exported.device.holdsCloses = true;
        final CompletableFuture<Void> firstClosed = initiator.beginClosing();
        // It comes back before the device has closed, and leaves: its SPDK thread has no user for the second time.
        final Initiator second = initiator.beside(opened);
        final CompletableFuture<Void> secondClosed = second.beginClosing();
        final Initiator third = initiator.beside(opened);
        assertEquals(BlockStatus.SUCCESS, run(third, BlockOperation.READ, 0));
        exported.device.finishCloses();
        join(firstClosed);
        join(secondClosed);
        assertEquals(BlockStatus.SUCCESS, run(third, BlockOperation.READ, 0));
        // It finds what the third has open.
        exported.export.close();
        assertEquals(0, exported.device.openChannels());
        third.close();
        second.close();
        initiator.close();
    }

    @Test
    void shouldLetGoOfTheDeviceWhenSpdkKeepsTheBdevOpen() throws Exception
    {
        final Exported exported = new Exported();
        final SpdkReactor application = SpdkTesting.runtime().application();
        final Keeper keeper = new Keeper();
        final SpdkBdev bdev = SpdkTesting.runtime().onApplication(
            () -> application.open(exported.device.name(), true, 2, keeper));
        assertEquals(0, keeper.read(application, bdev, memory));
        final SpdkException e = assertThrows(SpdkException.class, exported.export::close);
        assertTrue(e.getMessage().contains("a bdev is still open in SPDK"), e::getMessage);
        assertEquals(0, exported.device.openChannels());
        final int opens = exported.device.opens.get();
        assertEquals(NvmeStatus.NAMESPACE_NOT_READY, keeper.read(application, bdev, memory));
        assertEquals(opens, exported.device.opens.get());
        // Neither is there anything that changes its size.
        exported.export.onGrown();
        SpdkTesting.runtime().onApplication(() ->
        {
            application.close(bdev, keeper);
            return null;
        });
        exported.export.close();
    }

    /** Has a bdev open, and does not care that it is removed. */
    private static final class Keeper implements SpdkBdevListener
    {
        private volatile CompletableFuture<Integer> result;

        int read(final SpdkReactor spdkReactor, final SpdkBdev bdev, final DmaMemory memory) throws Exception
        {
            result = new CompletableFuture<>();
            SpdkTesting.runtime().onApplication(() -> spdkReactor.submit(
                spdk_h.MILLRACE_SPDK_READ(), 0, memory.address(), BLOCK, 0, bdev.address()));
            return result.get(PATIENCE_S, TimeUnit.SECONDS);
        }

        @Override
        public void onCompletion(final int slot, final int status, final int errno)
        {
            result.complete(status);
        }

        @Override
        public void onRemoved()
        {
            // As SPDK's modules that take no notice.
        }

        @Override
        public void onRefused(final boolean isRefused)
        {
            // It is no namespace.
        }

        @Override
        public void onResized(final long blockCount)
        {
            // Nor of the size.
        }
    }

    @Test
    void shouldRefuseASecondDeviceOfItsName()
    {
        final Exported exported = new Exported();
        final StubDevice other = new StubDevice(exported.device.name(), exported.device.geometry());
        final BlockDeviceException e = assertThrows(BlockDeviceException.class,
            () -> ExportedDevice.export(other, "other", SpdkTesting.runtime(), (reactor) -> null));
        assertTrue(e.getMessage().contains("SPDK has a bdev with this name or UUID"), e::getMessage);
        other.close();
        // The number that it had is another's now.
        final Exported third = new Exported();
        assertEquals(BlockStatus.SUCCESS, run(exported.initiator("first"), BlockOperation.WRITE, 0));
        final int before = third.device.taken.size();
        assertEquals(BlockStatus.SUCCESS, run(third.initiator("third"), BlockOperation.WRITE, 3));
        assertEquals(before + 1, third.device.taken.size());
        assertFalse(exported.device.taken.contains("WRITE 3"));
    }

    @Test
    void shouldTellThatItHasGrown()
    {
        final Exported exported = new Exported();
        final SpdkDevice opened = exported.open();
        exported.device.grow(2 * SIZE_BYTES);
        exported.export.onGrown();
        await(() -> 2 * SIZE_BYTES == opened.availableBytes());
        opened.grow(2 * SIZE_BYTES);
        final Initiator initiator = new Initiator("grown", opened);
        assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.WRITE, 2 * SIZE_BYTES / BLOCK - 1, 1, false,
            memory.address(), BLOCK));
        initiator.close();
    }

    @Test
    void shouldHaveNothingChangedOnAReadOnlyDevice()
    {
        final Exported exported = new Exported(StubDevice.geometry(SIZE_BYTES)
            .readOnly(true).supportsWriteZeroes(false).supportsDeallocate(false).build());
        final SpdkDevice opened = exported.open();
        assertTrue(opened.geometry().readOnly());
        final Initiator initiator = new Initiator("constant", opened);
        assertEquals(BlockStatus.SUCCESS, run(initiator, BlockOperation.READ, 0));
        exported.device.taken.clear();
        assertFalse(BlockStatus.SUCCESS == run(initiator, BlockOperation.WRITE, 0));
        assertTrue(exported.device.taken.isEmpty());
        initiator.close();
    }

    @Test
    void shouldFlushAVolatileWriteCache()
    {
        final Exported exported = new Exported(StubDevice.geometry(SIZE_BYTES).volatileWriteCache(true).build());
        final Initiator initiator = exported.initiator("cache");
        assertTrue(initiator.geometry().volatileWriteCache());
        assertEquals(BlockStatus.SUCCESS, run(initiator, BlockOperation.WRITE, 0));
        assertEquals(0, exported.device.flushes.get());
        assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.FLUSH, 0, 0, false));
        assertEquals(1, exported.device.flushes.get());
        assertEquals(BlockStatus.SUCCESS,
            initiator.run(BlockOperation.WRITE, 0, 1, true, memory.address(), BLOCK));
        assertEquals(2, exported.device.flushes.get());
        assertEquals(0, exported.device.forced.get());
        // SPDK's target drops the bit of Write Zeroes, so that each is forced.
        assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.WRITE_ZEROES, 0, 1, false));
        assertEquals(1, exported.device.forced.get());
    }

    @Test
    void shouldNotFlushADeviceWithoutAWriteCache()
    {
        final Exported exported = new Exported();
        final Initiator initiator = exported.initiator("none");
        assertFalse(initiator.geometry().volatileWriteCache());
        assertEquals(BlockStatus.SUCCESS,
            initiator.run(BlockOperation.WRITE, 0, 1, true, memory.address(), BLOCK));
        assertEquals(0, exported.device.flushes.get());
    }

    @ParameterizedTest
    @ValueSource(ints = {512, 4096})
    void shouldBringPayloadToAlignedMemory(final int alignment)
    {
        final Exported exported =
            new Exported(StubDevice.geometry(SIZE_BYTES).memoryAlignmentBytes(alignment).build());
        final Initiator initiator = exported.initiator("aligned");
        assertEquals(alignment, initiator.geometry().memoryAlignmentBytes());
        final int lengthBytes = 256 << 10;
        final long address = memory.address() + 8;
        for (int i = 0; i < lengthBytes; i += Integer.BYTES)
        {
            NativeMemory.putInt(address + i, i * 31 + alignment);
        }
        assertEquals(BlockStatus.SUCCESS,
            initiator.run(BlockOperation.WRITE, 3, lengthBytes / BLOCK, false, address, lengthBytes));
        final long back = 1 << 20;
        assertEquals(BlockStatus.SUCCESS, initiator.run(
            BlockOperation.READ, 3, lengthBytes / BLOCK, false, memory.address() + back + 24, lengthBytes));
        assertEquals(-1, NativeMemory.mismatch(address, memory.address() + back + 24, lengthBytes));
    }

    @Test
    void shouldBeBelowLogicalVolumesAndMirrorsOfSpdk()
    {
        final Exported first = new Exported();
        final Exported second = new Exported();
        final Exported below = new Exported();
        final String raid = SpdkTesting.name("Mirror");
        SpdkTesting.rpc("bdev_raid_create", "{'name':'" + raid + "','raid_level':'raid1','base_bdevs':['" +
            first.device.name() + "','" + second.device.name() + "'],'superblock':false}");
        undoing.add(() -> SpdkTesting.rpc("bdev_raid_delete", "{'name':'" + raid + "'}"));
        final String store = SpdkTesting.name("Store");
        SpdkTesting.rpc("bdev_lvol_create_lvstore", "{'bdev_name':'" + below.device.name() + "','lvs_name':'" +
            store + "','cluster_sz':1048576}");
        undoing.add(() -> SpdkTesting.rpc("bdev_lvol_delete_lvstore", "{'lvs_name':'" + store + "'}"));
        SpdkTesting.rpc("bdev_lvol_create",
            "{'lvol_name':'volume','size_in_mib':16,'lvs_name':'" + store + "','thin_provision':true}");
        for (final String bdev : List.of(raid, store + "/volume"))
        {
            final SpdkDevice opened = SpdkDevice.open("vol0", bdev, SpdkTesting.runtime());
            final List<Initiator> initiators =
                List.of(new Initiator("left", opened), new Initiator("right", opened));
            final List<Initiator.Io> ios = new ArrayList<>();
            for (int i = 0; i < 128; i++)
            {
                NativeMemory.putInt(memory.address() + (long)i * BLOCK, i + bdev.hashCode());
                ios.add(begin(initiators.get(i % 2), BlockOperation.WRITE, i));
            }
            ios.forEach((io) -> assertEquals(BlockStatus.SUCCESS, io.result().join()));
            for (int i = 0; i < 128; i++)
            {
                // By the other reactor.
                assertEquals(BlockStatus.SUCCESS, initiators.get((i + 1) % 2).run(
                    BlockOperation.READ, i, 1, false, memory.address() + (8 << 20), BLOCK));
                assertEquals(i + bdev.hashCode(), NativeMemory.getInt(memory.address() + (8 << 20)));
            }
            initiators.forEach(Initiator::close);
            opened.close();
        }
        assertTrue(first.device.taken.contains("WRITE 127") && second.device.taken.contains("WRITE 127"));
    }
}
