package io.millrace.block.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.FailureCause;
import io.millrace.block.Initiator;
import io.millrace.block.file.FileDevice;
import io.millrace.block.file.FileDeviceConfig;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.memory.DmaMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The write cache over a device of memory, with a second fault device between them that is slow or fails. */
class WriteCacheTest
{
    private static final int BLOCK = 4096;
    private static final int BLOCKS = 256;
    private static final int CACHE_BLOCKS = 64;
    /** Seed of a loss that no block survives. */
    private static final long LOSES_ALL = 2;
    private static final int LOSSES_MAX = 100;
    private static final long SLOW_NS = 200_000_000;
    private static final Set<BlockOperation> WRITES = Set.of(BlockOperation.WRITE);
    private static final Set<BlockOperation> FLUSHES = Set.of(BlockOperation.FLUSH);

    private final DmaMemory arena = DmaMemory.map(4 << 20);
    private final MemoryDevice memory = MemoryDevice.create("memory", (long)BLOCKS * BLOCK, BLOCK);
    private final FaultDevice below = FaultDevice.wrapBorrowed("below", memory, FaultPlan.NONE);
    private FaultDevice device;
    private Initiator initiator;

    @BeforeEach
    void open()
    {
        open(below);
    }

    private void open(final BlockDevice base)
    {
        device = FaultDevice.wrapBorrowed("cached", base, FaultPlan.NONE, (long)CACHE_BLOCKS * BLOCK);
        initiator = new Initiator("cache", device);
    }

    @AfterEach
    void close()
    {
        closeDevice();
        below.close();
        memory.close();
        arena.close();
    }

    private void closeDevice()
    {
        initiator.close();
        device.close();
    }

    @Test
    void shouldHaveTheGeometryOfADriveWithAVolatileCache()
    {
        assertTrue(device.geometry().volatileWriteCache());
        assertFalse(below.geometry().volatileWriteCache());
        assertEquals(BLOCK, device.geometry().atomicWriteBytes());
        assertFalse(device.geometry().supportsCopy());
        assertEquals(BlockStatus.NOT_SUPPORTED, initiator.copy(1, 2, 1, false));
        assertSame(below, device.inner());
        for (final long bytes : new long[]{1, BLOCK - 1, (64L << 20) + 1, -1})
        {
            assertThrows(BlockDeviceException.class,
                () -> FaultDevice.wrapBorrowed("wrong", memory, FaultPlan.NONE, bytes));
        }
    }

    @Test
    void shouldLoseWhatWasNotFlushed()
    {
        write(3, 0x11, false);
        write(4, 0x22, true);
        assertEquals(0x11, content(3));
        assertEquals(0, contentBelow(3), "the write has passed the cache");
        loseAll();
        assertEquals(0, content(3));
        assertEquals(0x22, content(4));
        write(3, 0x33, false);
        flush();
        assertEquals(0x33, contentBelow(3));
        write(4, 0x44, false);
        loseAll();
        assertEquals(0x33, content(3));
        assertEquals(0x22, content(4));
    }

    @Test
    void shouldLoseWhatWasZeroedOrWrittenInOneRequestBlockByBlock()
    {
        assertEquals(BlockStatus.SUCCESS, write(0, 32, 0x11, true));
        assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.WRITE_ZEROES, 0, 32, false));
        assertEquals(0, content(31));
        final Set<Integer> survivors = new HashSet<>();
        for (int seed = 0; survivors.size() < 2; seed++)
        {
            assertTrue(seed < LOSSES_MAX, "no loss takes a part");
            // Any loss leaves some of one of these.
            device.losePower(seed);
            for (int lba = 0; lba < 32; lba++)
            {
                survivors.add((int)content(lba));
            }
            write(0, 32, 0x11, true);
            write(0, 32, seed + 0x20, false);
        }
        assertTrue(survivors.contains(0x11));
    }

    @Test
    void shouldNotLoseAgainWhatHasSurvived()
    {
        write(5, 0x11, false);
        loseNoneOf(5, 0x11);
        write(5, 0x22, false);
        assertEquals(0x22, content(5));
        write(6, 0x33, false);
        loseAll();
        assertEquals(0x11, content(5));
        assertEquals(0, content(6));
        flush();
        assertEquals(0x11, contentBelow(5));
    }

    @Test
    void shouldFailWhatIsOutstandingOnEveryChannelAndGoOn()
    {
        device.plan(FaultPlan.of(1,
            FaultRule.delay(SLOW_NS).withRange(10, 19).withOperations(WRITES),
            FaultRule.powerLoss().withRange(20, 20).withCount(1))).join();
        try (Initiator other = new Initiator("other", device))
        {
            final Initiator.Io slow = io(other, BlockOperation.WRITE, 10, 0x11);
            other.send(slow);
            final Initiator.Io trigger = io(initiator, BlockOperation.WRITE, 20, 0x11);
            initiator.send(trigger);
            for (final Initiator.Io io : new Initiator.Io[]{trigger, slow})
            {
                assertEquals(BlockStatus.DEVICE_ERROR, initiator.await(io));
                assertEquals(FailureCause.FAULT_RULE, io.request().cause());
                assertEquals(2, io.request().causeCode());
            }
            assertEquals(0, content(10), "a request that has ended was done");
            assertEquals(0, content(20));
            write(20, 0x22, false);
            assertEquals(BlockStatus.SUCCESS, other.run(BlockOperation.FLUSH, 0, 0, false));
            assertEquals(0x22, contentBelow(20));
        }
    }

    @Test
    void shouldFailAFlushThatPowerWasLostIn()
    {
        slowBelow(WRITES);
        write(1, 0x11, false);
        final Initiator.Io flush = sent(BlockOperation.FLUSH, 0, 0);
        awaitSlow(flush);
        loseAll();
        assertEquals(BlockStatus.DEVICE_ERROR, initiator.await(flush));
        assertEquals(0x11, content(1), "a block that was being written has changed afterwards");
    }

    /** Nobody can tell yet whether the device below has it. */
    @Test
    void shouldNotLoseABlockThatIsBeingWrittenBack()
    {
        final HeldRequests held = openHeld();
        write(1, 0x11, false);
        held.hold(BlockOperation.WRITE);
        final Initiator.Io flush = sent(BlockOperation.FLUSH, 0, 0);
        awaitWrite(held, flush);
        loseAll();
        assertEquals(0x11, content(1), "before the device below has it");
        held.release();
        assertEquals(BlockStatus.DEVICE_ERROR, initiator.await(flush));
        assertEquals(0x11, content(1));
    }

    @Test
    void shouldWriteBackBeforeTheFlushOfTheDeviceBelow()
    {
        below.plan(FaultPlan.of(1, FaultRule.error(BlockStatus.CAPACITY_EXCEEDED).withOperations(FLUSHES))).join();
        write(1, 0x11, false);
        assertEquals(BlockStatus.CAPACITY_EXCEEDED, initiator.run(BlockOperation.FLUSH, 0, 0, false));
        assertEquals(1, below.faultCount(0));
        assertEquals(0x11, contentBelow(1));
    }

    @Test
    void shouldFailTheFlushAndKeepTheBlockThatCannotBeWrittenBack()
    {
        below.plan(FaultPlan.of(1, FaultRule.error(BlockStatus.MEDIA_ERROR).withRange(1, 1))).join();
        write(1, 0x11, false);
        write(9, 0x22, false);
        final Initiator.Io flush = sent(BlockOperation.FLUSH, 0, 0);
        assertEquals(BlockStatus.MEDIA_ERROR, initiator.await(flush));
        assertEquals(FailureCause.FAULT_RULE, flush.request().cause());
        assertSame(below, flush.request().failedDevice());
        assertEquals(BlockStatus.MEDIA_ERROR, initiator.run(BlockOperation.FLUSH, 0, 0, false));
        below.plan(FaultPlan.NONE).join();
        assertEquals(0x11, content(1));
        flush();
        loseAll();
        assertEquals(0x11, content(1));
        assertEquals(0x22, content(9));
    }

    @Test
    void shouldFlushWhatAnotherReactorHasWritten()
    {
        write(1, 0x11, false);
        try (Initiator other = new Initiator("other", device))
        {
            assertEquals(BlockStatus.SUCCESS, other.run(BlockOperation.FLUSH, 0, 0, false));
        }
        loseAll();
        assertEquals(0x11, content(1));
    }

    @Test
    void shouldWriteBackWhenTheLastChannelIsClosed()
    {
        final Initiator other = new Initiator("other", device);
        write(1, 0x11, false);
        other.close();
        assertEquals(0, contentBelow(1));
        write(2, 0x22, false);
        closeDevice();
        open();
        assertEquals(0x11, contentBelow(1));
        assertEquals(0x22, contentBelow(2));
    }

    @Test
    void shouldCacheNothingForADeviceThatRefusesWrites(@TempDir final Path directory) throws IOException
    {
        closeDevice();
        final Path path = directory.resolve("volume.img");
        Files.write(path, new byte[BLOCKS * BLOCK]);
        try (FileDevice file = FileDevice.open(
            FileDeviceConfig.of("file", path, (long)BLOCKS * BLOCK, BLOCK).withReadOnly(true)))
        {
            open(file);
            assertEquals(BlockStatus.WRITE_PROTECTED, write(1, 1, 0x11, false));
            assertEquals(0, content(1));
            closeDevice();
        }
        open();
    }

    @Test
    void shouldWriteToTheDeviceBelowWhatFindsNoRoom()
    {
        assertEquals(BlockStatus.SUCCESS, write(0, CACHE_BLOCKS, 0x11, false));
        write(CACHE_BLOCKS, 0x22, false);
        assertEquals(0, contentBelow(CACHE_BLOCKS - 1));
        assertEquals(0x22, contentBelow(CACHE_BLOCKS));
        write(0, 0x55, false);
        assertEquals(0, contentBelow(0), "it has its place");
        // Over one that is cached, so that the older one must not come back.
        assertEquals(BlockStatus.SUCCESS, write(CACHE_BLOCKS - 1, 2, 0x33, false));
        assertEquals(0x33, content(CACHE_BLOCKS - 1));
        flush();
        assertEquals(0x33, content(CACHE_BLOCKS - 1));
        assertEquals(0x11, contentBelow(CACHE_BLOCKS - 2));
        write(CACHE_BLOCKS, 0x44, false);
        assertEquals(0x33, contentBelow(CACHE_BLOCKS), "there is room again");
    }

    @Test
    void shouldReplaceCachedBlocksByWhatIsForcedOrDeallocated()
    {
        write(1, 2, 0x11, false);
        write(1, 0x22, true);
        assertEquals(0x22, content(1));
        assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.DEALLOCATE, 2, 1, false));
        assertEquals(0, content(2));
        flush();
        assertEquals(0x22, contentBelow(1));
        assertEquals(0, contentBelow(2));
    }

    @Test
    void shouldKeepTheNewestVersionThatHasSurvivedAndNoOther()
    {
        loseNoneOf(5, 0x11);
        loseNoneOf(5, 0x22);
        assertEquals(1, ((WriteCacheDevice)device.below()).cache().size());
        flush();
        assertEquals(0x22, contentBelow(5));
    }

    @Test
    void shouldReplaceABlockThatHasSurvivedByWhatIsForced()
    {
        write(5, 0x11, false);
        loseNoneOf(5, 0x11);
        write(5, 0x22, true);
        assertEquals(0x22, content(5));
        flush();
        assertEquals(0x22, contentBelow(5));
    }

    @Test
    void shouldNotWriteBackOverAForcedWriteThatCameLater()
    {
        final HeldRequests held = openHeld();
        write(1, 0x11, false);
        held.hold(BlockOperation.WRITE);
        final Initiator.Io flush = sent(BlockOperation.FLUSH, 0, 0);
        awaitWrite(held, flush);
        final Initiator.Io forced = io(initiator, BlockOperation.WRITE, 1, 0x22);
        forced.request().forceUnitAccess(true);
        initiator.send(forced);
        held.release();
        assertEquals(BlockStatus.SUCCESS, initiator.await(forced));
        assertEquals(BlockStatus.SUCCESS, initiator.await(flush));
        assertEquals(0x22, content(1));
        assertEquals(0x22, contentBelow(1));
    }

    /** The device below may do two writes of a block in any order. */
    @Test
    void shouldWriteBackAroundABlockThatIsBeingWritten()
    {
        final HeldRequests held = openHeld();
        write(0, 0x11, false);
        write(1, 0x22, false);
        write(5, 0x33, false);
        held.hold(BlockOperation.WRITE);
        final Initiator.Io forced = io(initiator, BlockOperation.WRITE, 1, 0x44);
        forced.request().forceUnitAccess(true);
        initiator.send(forced);
        awaitWrite(held, forced);
        final Initiator.Io flush = sent(BlockOperation.FLUSH, 0, 0);
        while (held.passedCount() < 2 && !held.hasOverlap())
        {
            assertFalse(flush.result().isDone(), "a block is not written back");
            Thread.onSpinWait();
        }
        assertFalse(held.hasOverlap(), "written back while it is written");
        held.release();
        assertEquals(BlockStatus.SUCCESS, initiator.await(forced));
        assertEquals(BlockStatus.SUCCESS, initiator.await(flush));
        assertEquals(0x11, contentBelow(0));
        assertEquals(0x44, contentBelow(1));
        assertEquals(0x33, contentBelow(5));
    }

    /** Else a host that goes on writing would keep a flush from ending. */
    @Test
    void shouldNotFlushWhatIsWrittenAfterTheFlush()
    {
        final HeldRequests held = openHeld();
        write(1, 0x11, false);
        held.hold(BlockOperation.WRITE);
        final Initiator.Io flush = sent(BlockOperation.FLUSH, 0, 0);
        awaitWrite(held, flush);
        write(1, 0x22, false);
        held.release();
        assertEquals(BlockStatus.SUCCESS, initiator.await(flush));
        assertEquals(0x11, contentBelow(1));
        assertEquals(0x22, content(1));
    }

    @Test
    void shouldFlushABlockThatIsOverwrittenBeforeItIsWrittenBack()
    {
        slowBelow(WRITES);
        write(100, 0x11, false);
        write(1, 0x22, false);
        final Initiator.Io flush = sent(BlockOperation.FLUSH, 0, 0);
        awaitSlow(flush);
        write(1, 0x33, false);
        assertEquals(BlockStatus.SUCCESS, initiator.await(flush));
        loseAll();
        assertEquals(0x33, content(1));
    }

    @Test
    void shouldKeepWhatIsWrittenWhileItsBlockIsWrittenBack()
    {
        slowBelow(WRITES);
        write(1, 0x11, false);
        final Initiator.Io first = sent(BlockOperation.FLUSH, 0, 0);
        awaitSlow(first);
        write(1, 0x22, false);
        final Initiator.Io second = sent(BlockOperation.FLUSH, 0, 0);
        assertEquals(BlockStatus.SUCCESS, initiator.await(first));
        assertEquals(BlockStatus.SUCCESS, initiator.await(second));
        loseAll();
        assertEquals(0x22, content(1));
    }

    @Test
    void shouldKeepWhatIsWrittenWhileAForcedWriteOfItsBlockIsUnderWay()
    {
        slowBelow(WRITES);
        final Initiator.Io forced = io(initiator, BlockOperation.WRITE, 1, 0x11);
        forced.request().forceUnitAccess(true);
        initiator.send(forced);
        awaitSlow(forced);
        write(1, 0x22, false);
        assertEquals(BlockStatus.SUCCESS, initiator.await(forced));
        assertEquals(0x22, content(1));
        flush();
        assertEquals(0x22, contentBelow(1));
    }

    @Test
    void shouldReadAgainWhatWasWrittenBackDuringARead()
    {
        final HeldRequests held = openHeld();
        write(1, 0x22, false);
        held.hold(BlockOperation.READ);
        final Initiator.Io read = sent(BlockOperation.READ, 1, 1);
        flush();
        held.release();
        assertEquals(BlockStatus.SUCCESS, initiator.await(read));
        assertEquals(0x22, NativeMemory.getByte(arena.address()));
    }

    @Test
    void shouldCompareWithWhatIsCached()
    {
        write(1, 0x11, false);
        NativeMemory.fill(arena.address(), BLOCK, (byte)0x11);
        assertEquals(BlockStatus.SUCCESS,
            initiator.run(BlockOperation.COMPARE, 1, 1, false, arena.address(), BLOCK));
        assertEquals(BlockStatus.COMPARE_FAILURE,
            initiator.run(BlockOperation.COMPARE, 2, 1, false, arena.address(), BLOCK));
    }

    /** The first such request below takes its time. */
    private void slowBelow(final Set<BlockOperation> operations)
    {
        below.plan(FaultPlan.of(1, FaultRule.delay(SLOW_NS).withOperations(operations).withCount(1))).join();
    }

    /** Until a request's part of that has begun. */
    private void awaitSlow(final Initiator.Io io)
    {
        while (0 == below.faultCount(0))
        {
            assertFalse(io.result().isDone(), "nothing went to the device below");
            Thread.onSpinWait();
        }
    }

    /** Over a device that holds requests. */
    private HeldRequests openHeld()
    {
        closeDevice();
        final HeldRequests held = new HeldRequests(memory);
        open(held);
        return held;
    }

    /** Until a write of a request is held. */
    private static void awaitWrite(final HeldRequests held, final Initiator.Io io)
    {
        while (!held.hasWrite())
        {
            assertFalse(io.result().isDone(), "nothing went to the device below");
            Thread.onSpinWait();
        }
    }

    private void loseAll()
    {
        device.losePower(LOSES_ALL);
    }

    private void loseNoneOf(final int lba, final int expected)
    {
        for (int tries = 0; content(lba) != expected || 0 == tries; tries++)
        {
            assertTrue(tries < LOSSES_MAX, "no block survives");
            write(lba, expected, false);
            device.losePower(tries);
        }
    }

    private Initiator.Io sent(final BlockOperation operation, final long lba, final int blocks)
    {
        final Initiator.Io io = initiator.io();
        Initiator.fill(io.request(), operation, lba, blocks, false,
            0 == blocks ? new long[0] : new long[]{arena.address(), (long)blocks * BLOCK});
        initiator.send(io);
        return io;
    }

    /** A write of one block from memory of its own. */
    private Initiator.Io io(final Initiator host, final BlockOperation operation, final long lba, final int value)
    {
        final Initiator.Io io = host.io();
        final long address = arena.address() + (2L << 20) + lba * BLOCK;
        NativeMemory.fill(address, BLOCK, (byte)value);
        Initiator.fill(io.request(), operation, lba, 1, false, address, BLOCK);
        return io;
    }

    private void write(final long lba, final int value, final boolean isForced)
    {
        assertEquals(BlockStatus.SUCCESS, write(lba, 1, value, isForced));
    }

    private BlockStatus write(final long lba, final int blocks, final int value, final boolean isForced)
    {
        final long address = arena.address() + (1 << 20);
        NativeMemory.fill(address, (long)blocks * BLOCK, (byte)value);
        return initiator.run(BlockOperation.WRITE, lba, blocks, isForced, address, (long)blocks * BLOCK);
    }

    private void flush()
    {
        assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.FLUSH, 0, 0, false));
    }

    private byte content(final int lba)
    {
        return content(initiator, lba);
    }

    private byte contentBelow(final int lba)
    {
        try (Initiator direct = initiator.beside(memory))
        {
            return content(direct, lba);
        }
    }

    private byte content(final Initiator host, final int lba)
    {
        final long address = arena.address() + (3L << 20);
        assertEquals(BlockStatus.SUCCESS, host.run(BlockOperation.READ, lba, 1, false, address, BLOCK));
        final byte value = NativeMemory.getByte(address);
        for (int at = 1; at < BLOCK; at++)
        {
            assertEquals(value, NativeMemory.getByte(address + at));
        }
        return value;
    }
}
