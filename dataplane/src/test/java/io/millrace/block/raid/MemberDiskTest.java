package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.memory.DmaMemory;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How a member fails, and what a loss of power leaves. */
class MemberDiskTest
{
    private static final int BLOCK = 4096;
    private static final int BLOCKS = 64;
    private static final int WRITE_BLOCKS = 8;
    /** So many losses show each outcome, but with a chance of less than one in a million. */
    private static final int LOSSES = 200;
    /** So many at most, until all that is to occur has occurred. */
    private static final int LOSSES_MAX = 4_000;

    private final DmaMemory arena = DmaMemory.map(1 << 20);
    private final long seed = TestSeeds.seed();
    private PowerSupply supply = new PowerSupply(seed);
    private MemberDisk disk = MemberDisk.create("member", (long)BLOCKS * BLOCK, BLOCK, supply);
    private Initiator initiator = new Initiator("member", disk);

    @AfterEach
    void close()
    {
        initiator.close();
        disk.close();
        arena.close();
    }

    private void restart(final long nextSeed)
    {
        initiator.close();
        supply = new PowerSupply(nextSeed);
        disk = disk.restart(supply);
        initiator = new Initiator("member", disk);
    }

    private BlockStatus write(final long lba, final int blocks, final boolean isForced, final int value)
    {
        NativeMemory.fill(arena.address(), (long)blocks * BLOCK, (byte)value);
        return initiator.run(BlockOperation.WRITE, lba, blocks, isForced, arena.address(), (long)blocks * BLOCK);
    }

    private Initiator.Io writeOf(final long lba, final int blocks, final boolean isForced)
    {
        final Initiator.Io io = initiator.io();
        Initiator.fill(
            io.request(), BlockOperation.WRITE, lba, blocks, isForced, arena.address(), (long)blocks * BLOCK);
        return io;
    }

    private BlockStatus flush()
    {
        return initiator.run(BlockOperation.FLUSH, 0, 0, false);
    }

    private BlockStatus readStatus(final long lba, final int blocks)
    {
        return initiator.run(BlockOperation.READ, lba, blocks, false, arena.address(), (long)blocks * BLOCK);
    }

    private int read(final long lba)
    {
        assertEquals(BlockStatus.SUCCESS, readStatus(lba, 1));
        final byte value = NativeMemory.getByte(arena.address());
        assertEquals(value, NativeMemory.getByte(arena.address() + BLOCK - 1), "a block is torn");
        return value;
    }

    /** Whoever reads less than a block reads nothing. */
    @Test
    void shouldRefuseToReadOrWriteNoBlocks()
    {
        assertEquals(BlockStatus.DEVICE_ERROR, initiator.run(BlockOperation.READ, 0, 0, false));
        assertEquals(BlockStatus.DEVICE_ERROR, initiator.run(BlockOperation.WRITE, 0, 0, false));
        assertEquals(BlockStatus.SUCCESS, flush());
    }

    private void cut()
    {
        initiator.call(() ->
        {
            supply.cut();
            return null;
        });
    }

    @Test
    void shouldHaveAVolatileWriteCache()
    {
        assertTrue(disk.geometry().volatileWriteCache());
        assertFalse(disk.geometry().completesInline());
    }

    @Test
    void shouldStoreNothingAndEndRequestsWithAnErrorWhileItFails()
    {
        assertEquals(BlockStatus.SUCCESS, write(3, 1, true, 1));
        disk.state(MemberState.FAILING);
        assertEquals(BlockStatus.DEVICE_ERROR, write(3, 1, true, 2));
        assertEquals(BlockStatus.DEVICE_ERROR, readStatus(3, 1));
        assertEquals(BlockStatus.DEVICE_ERROR, flush());
        disk.state(MemberState.ONLINE);
        assertEquals(1, read(3));
    }

    @Test
    void shouldFailReadsOfBadBlocksUntilTheyAreWritten()
    {
        assertEquals(BlockStatus.SUCCESS, write(0, 8, true, 1));
        disk.failMedia(4, 2);
        assertEquals(BlockStatus.MEDIA_ERROR, readStatus(0, 5));
        assertEquals(BlockStatus.MEDIA_ERROR, readStatus(5, 1));
        assertEquals(BlockStatus.SUCCESS, readStatus(0, 4));
        assertEquals(BlockStatus.SUCCESS, readStatus(6, 2));
        assertEquals(BlockStatus.MEDIA_ERROR, initiator.run(BlockOperation.VERIFY, 0, 8, false));
        disk.state(MemberState.FAILING);
        assertEquals(BlockStatus.DEVICE_ERROR, write(4, 1, true, 2));
        disk.state(MemberState.ONLINE);
        assertEquals(2, disk.badBlockCount());
        assertEquals(BlockStatus.SUCCESS, write(4, 1, false, 3));
        assertEquals(1, disk.badBlockCount());
        assertEquals(3, read(4));
        restart(1);
        assertEquals(BlockStatus.MEDIA_ERROR, readStatus(5, 1));
        assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.WRITE_ZEROES, 5, 1, false));
        assertEquals(0, read(5));
    }

    /** One write of four is stored at once though it need not be: so many losses show the others. */
    @Test
    void shouldNotReadBadBlocksAgainWhoseWriteWasLost()
    {
        int lost = 0;
        for (int loss = 0; loss < LOSSES; loss++)
        {
            disk.failMedia(0, 1);
            assertEquals(BlockStatus.SUCCESS, write(0, 1, false, 1));
            assertEquals(1, read(0));
            cut();
            restart(seed + loss);
            lost += BlockStatus.MEDIA_ERROR == readStatus(0, 1) ? 1 : 0;
        }
        assertTrue(lost > LOSSES / 2 && lost < LOSSES, lost + " blocks cannot be read again");
    }

    @Test
    void shouldReadBadBlocksAgainWhoseWriteIsStableWhateverWasWrittenBefore()
    {
        for (int loss = 0; loss < LOSSES; loss++)
        {
            disk.failMedia(0, 3);
            assertEquals(BlockStatus.SUCCESS, write(0, 3, false, 1));
            assertEquals(BlockStatus.SUCCESS, write(1, 1, true, 2));
            cut();
            restart(seed + loss);
            assertEquals(2, read(1));
            disk.failMedia(0, 3);
            assertEquals(BlockStatus.SUCCESS, write(0, 3, false, 3));
            assertEquals(BlockStatus.SUCCESS, flush());
            cut();
            restart(seed - loss);
            assertEquals(3, read(1));
        }
    }

    @Test
    void shouldKeepRequestsWhileItHangs()
    {
        disk.state(MemberState.HANGING);
        NativeMemory.fill(arena.address(), BLOCK, (byte)7);
        final Initiator.Io write = writeOf(9, 1, true);
        initiator.send(write);
        // Each call is a cycle of the reactor.
        for (int i = 0; i < 20; i++)
        {
            assertEquals(1, initiator.call(initiator.channel()::inFlight));
        }
        assertFalse(write.result().isDone());
        assertEquals(0, disk.writes());
        disk.state(MemberState.ONLINE);
        assertEquals(BlockStatus.SUCCESS, initiator.await(write));
        assertEquals(7, read(9));
    }

    @Test
    void shouldAbortRequestsThatHangWhenTheChannelCloses()
    {
        disk.state(MemberState.HANGING);
        final Initiator.Io write = writeOf(9, 1, true);
        initiator.send(write);
        initiator.closeChannel();
        assertEquals(BlockStatus.ABORTED, initiator.await(write));
    }

    @Test
    void shouldCountWhatTheDriveDoes()
    {
        write(0, 2, false, 1);
        write(4, 1, true, 1);
        initiator.run(BlockOperation.WRITE_ZEROES, 8, 4, false);
        flush();
        flush();
        readStatus(0, 1);
        assertEquals(List.of(3L, 2L, 1L), List.of(disk.writes(), disk.flushes(), disk.reads()));
        assertEquals(5, supply.steps());
        restart(1);
        assertEquals(List.of(0L, 0L, 0L), List.of(disk.writes(), disk.flushes(), disk.reads()));
    }

    @Test
    void shouldCutPowerBeforeAStepOfAnyMember()
    {
        final MemberDisk second = MemberDisk.create("second", (long)BLOCKS * BLOCK, BLOCK, supply);
        supply.cutBefore(4);
        try (Initiator beside = initiator.beside(second))
        {
            assertEquals(BlockStatus.SUCCESS, write(0, 1, true, 1));
            NativeMemory.fill(arena.address(), BLOCK, (byte)2);
            assertEquals(BlockStatus.SUCCESS, beside.run(BlockOperation.WRITE, 0, 1, true, arena.address(), BLOCK));
            assertEquals(BlockStatus.SUCCESS, write(1, 1, true, 3));
            assertFalse(supply.isCut());
            assertEquals(BlockStatus.DEVICE_ERROR, beside.run(BlockOperation.FLUSH, 0, 0, false));
            assertTrue(supply.isCut());
            assertEquals(4, supply.steps());
            assertEquals(BlockStatus.DEVICE_ERROR, write(0, 1, true, 4));
            assertEquals(BlockStatus.DEVICE_ERROR, readStatus(0, 1));
            assertEquals(BlockStatus.DEVICE_ERROR,
                beside.run(BlockOperation.READ, 0, 1, false, arena.address(), BLOCK));
            assertEquals(4, supply.steps());
        }
        second.close();
        restart(1);
        assertEquals(1, read(0));
        assertEquals(3, read(1));
    }

    @Test
    void shouldRunAnEventBeforeAStep()
    {
        supply.before(2, () -> disk.state(MemberState.FAILING));
        assertEquals(BlockStatus.SUCCESS, write(0, 1, true, 1));
        assertEquals(BlockStatus.DEVICE_ERROR, write(0, 1, true, 2));
        assertThrows(IllegalArgumentException.class, () -> supply.cutBefore(2));
    }

    @Test
    void shouldKeepWhatWasFlushedOrForced()
    {
        for (int loss = 0; loss < 20; loss++)
        {
            assertEquals(BlockStatus.SUCCESS, write(0, WRITE_BLOCKS, false, 2 * loss + 1));
            assertEquals(BlockStatus.SUCCESS, flush());
            assertEquals(BlockStatus.SUCCESS, write(WRITE_BLOCKS, 1, true, 2 * loss + 2));
            cut();
            restart(seed + loss);
            for (int block = 0; block < WRITE_BLOCKS; block++)
            {
                assertEquals(2 * loss + 1, read(block));
            }
            assertEquals(2 * loss + 2, read(WRITE_BLOCKS));
        }
    }

    /** Whether writes were lost as a whole, kept as a whole, and torn in several ways. */
    private static boolean hasAll(final Set<Integer> blocksLeft)
    {
        return blocksLeft.contains(0) && blocksLeft.contains(WRITE_BLOCKS) && blocksLeft.size() > 4;
    }

    @Test
    void shouldLoseSomeBlocksOfWritesThatWereNotFlushed()
    {
        final TreeSet<Integer> left = new TreeSet<>();
        for (int loss = 0; loss < LOSSES || !hasAll(left) && loss < LOSSES_MAX; loss++)
        {
            write(0, WRITE_BLOCKS, true, 0);
            assertEquals(BlockStatus.SUCCESS, write(0, WRITE_BLOCKS, false, 1));
            cut();
            restart(seed + loss);
            left.add(blocksOf(1));
        }
        assertTrue(hasAll(left), () -> "blocks left: " + left);
    }

    @Test
    void shouldTearWritesThatAreInFlight()
    {
        final TreeSet<Integer> left = new TreeSet<>();
        for (int loss = 0; loss < LOSSES || !hasAll(left) && loss < LOSSES_MAX; loss++)
        {
            write(0, WRITE_BLOCKS, true, 0);
            NativeMemory.fill(arena.address(), WRITE_BLOCKS * BLOCK, (byte)1);
            supply.cutBefore(supply.steps() + 1);
            final Initiator.Io write = writeOf(0, WRITE_BLOCKS, true);
            initiator.send(write);
            assertEquals(BlockStatus.DEVICE_ERROR, initiator.await(write));
            restart(seed + loss);
            left.add(blocksOf(1));
        }
        assertTrue(hasAll(left), () -> "blocks left: " + left);
    }

    @Test
    void shouldLeaveAnyVersionSinceTheLastFlush()
    {
        final TreeSet<Integer> versions = new TreeSet<>();
        for (int loss = 0; loss < LOSSES; loss++)
        {
            write(0, 1, true, 0);
            for (int version = 1; version < 4; version++)
            {
                assertEquals(BlockStatus.SUCCESS, write(0, 1, false, version));
            }
            cut();
            restart(seed + loss);
            versions.add(read(0));
        }
        assertEquals(new TreeSet<>(List.of(0, 1, 2, 3)), versions);
    }

    private int blocksOf(final int value)
    {
        int count = 0;
        for (int block = 0; block < WRITE_BLOCKS; block++)
        {
            count += value == read(block) ? 1 : 0;
        }
        return count;
    }

    @Test
    void shouldKeepEverythingWhenItIsRestartedWithoutACut()
    {
        assertEquals(BlockStatus.SUCCESS, write(0, WRITE_BLOCKS, false, 5));
        restart(1);
        assertEquals(WRITE_BLOCKS, blocksOf(5));
    }

    @Test
    void shouldCompleteInAnOrderThatTheSeedRepeats()
    {
        final List<Integer> first = orderOf(seed);
        final List<Integer> other = orderOf(seed + 1);
        assertEquals(first, orderOf(seed));
        assertNotEquals(first, other);
        Collections.sort(other);
        assertNotEquals(first, other, "order of submission");
    }

    private List<Integer> orderOf(final long orderSeed)
    {
        restart(orderSeed);
        final List<Integer> order = new ArrayList<>();
        final List<Initiator.Io> ios = new ArrayList<>();
        for (int i = 0; i < 32; i++)
        {
            final int number = i;
            ios.add(writeOf(i, 1, false).then((done) -> order.add(number)));
        }
        initiator.send(ios);
        ios.forEach((io) -> assertEquals(BlockStatus.SUCCESS, initiator.await(io)));
        return order;
    }

    @Test
    void shouldRefuseToRestartWhileAChannelIsOpen()
    {
        assertThrows(IllegalStateException.class, () -> disk.restart(new PowerSupply(1)));
    }

    @Test
    void shouldRefuseACutOnAnotherThread()
    {
        initiator.send(writeOf(0, 1, true));
        assertThrows(IllegalStateException.class, supply::cut);
    }
}
