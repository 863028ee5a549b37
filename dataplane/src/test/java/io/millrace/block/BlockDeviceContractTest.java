package io.millrace.block;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.Segments;
import io.millrace.nvmf.initiator.Waits;
import io.millrace.reactor.Poller;
import io.millrace.reactor.ReactorConfig;
import io.millrace.seed.TestSeeds;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What every device that keeps data must do. One subclass a device; the device is new and reads as zeroes.
 */
public abstract class BlockDeviceContractTest
{
    protected static final int SIZE_BYTES = 8 << 20;

    /** Nearly the longest sleep of a reactor. */
    private static final long UNWOKEN_NS = 900_000_000;
    private static final long ASLEEP_NS = 1_000_000;
    private static final int RANDOM_STEPS = 300;
    private static final int PAYLOAD_BYTES = 16 << 20;
    private static final int INITIATORS_MAX = 4;
    private static final int ARENA_BYTES = PAYLOAD_BYTES + INITIATORS_MAX * Initiator.BUFFERS_BYTES;

    protected final long seed = TestSeeds.seed();
    protected final Random random = TestSeeds.random();
    protected DmaMemory arena;
    protected BlockDevice device;
    protected BlockGeometry geometry;
    private Initiator initiator;
    private int initiators;
    private byte[] model;

    @TempDir
    protected Path directory;

    /**
     * {@return a new device of {@link #SIZE_BYTES}}
     *
     * @param registered memory that payload will lie in.
     */
    protected abstract BlockDevice create(DmaMemory registered) throws IOException;

    @BeforeEach
    void open() throws IOException
    {
        arena = DmaMemory.map(ARENA_BYTES);
        device = create(arena);
        geometry = device.geometry();
        initiator = initiator(ReactorConfig.of("contract", -1));
        model = new byte[SIZE_BYTES];
    }

    /** Its buffers are in memory that the device knows. */
    private Initiator initiator(final ReactorConfig config)
    {
        final long address = arena.address() + PAYLOAD_BYTES + (long)initiators * Initiator.BUFFERS_BYTES;
        initiators++;
        return new Initiator(config, device, address);
    }

    @AfterEach
    void close()
    {
        initiator.close();
        device.close();
        arena.close();
    }

    @Test
    void shouldHaveTheSizeItWasMadeWith()
    {
        assertEquals(SIZE_BYTES, geometry.sizeBytes());
    }

    @Test
    void shouldReadZeroesWhenNew()
    {
        readAndVerify(0, 64 << 10);
        readAndVerify(SIZE_BYTES - (64 << 10), 64 << 10);
    }

    @Test
    void shouldReadWhatWasWrittenWhenOperationsAreRandom()
    {
        for (int step = 0; step < RANDOM_STEPS; step++)
        {
            final int blocks = 1 + random.nextInt(random.nextInt(8) == 0 ? maxBlocks() : 32);
            final long lba = random.nextLong(geometry.blockCount() - blocks + 1);
            randomStep(lba, blocks);
        }
        for (int offset = 0; offset < SIZE_BYTES; offset += geometry.maxTransferBytes())
        {
            readAndVerify(offset, geometry.maxTransferBytes());
        }
    }

    @Test
    void shouldReachFirstAndLastBlock()
    {
        final int block = geometry.blockSizeBytes();
        for (final long lba : new long[]{0, geometry.blockCount() - 1})
        {
            assertEquals(BlockStatus.SUCCESS, write(lba, 1, false));
            readAndVerify((int)(lba * block), block);
        }
        readAndVerify(block, block);
        readAndVerify(SIZE_BYTES - 2 * block, block);
    }

    @Test
    void shouldTransferTheMostThatItSays()
    {
        assertEquals(BlockStatus.SUCCESS, write(0, maxBlocks(), true));
        assertEquals(BlockStatus.SUCCESS, write(geometry.blockCount() - maxBlocks(), maxBlocks(), false));
        readAndVerify(0, geometry.maxTransferBytes());
        readAndVerify(SIZE_BYTES - geometry.maxTransferBytes(), geometry.maxTransferBytes());
    }

    @Test
    void shouldTakeAsManySegmentsAsARequestHas()
    {
        final int blocks = Segments.COUNT_MAX;
        final int block = geometry.blockSizeBytes();
        final long[] segments = new long[2 * blocks];
        for (int i = 0; i < blocks; i++)
        {
            // Backwards and apart, so that no two are neighbours.
            segments[2 * i] = arena.address() + (long)(blocks - i) * 3 * 4096;
            segments[2 * i + 1] = block;
            randomBytes(segments[2 * i], block, (7 + i) * block);
        }
        assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.WRITE, 7, blocks, false, segments),
            this::seedText);
        readAndVerify(7 * block, blocks * block);
        NativeMemory.fill(arena.address(), 4 * 4096L * blocks, (byte)0x55);
        assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.READ, 7, blocks, false, segments),
            this::seedText);
        for (int i = 0; i < blocks; i++)
        {
            assertMemory((7 + i) * block, segments[2 * i], block);
        }
        assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.COMPARE, 7, blocks, false, segments));
    }

    @Test
    void shouldZeroAndDeallocateRangesOfAnyLength()
    {
        for (long lba = 0; lba < geometry.blockCount(); lba += maxBlocks())
        {
            assertEquals(BlockStatus.SUCCESS, write(lba, maxBlocks(), false));
        }
        final int half = (int)(geometry.blockCount() / 2);
        assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.WRITE_ZEROES, 3, half - 3, true));
        Arrays.fill(model, 3 * geometry.blockSizeBytes(), half * geometry.blockSizeBytes(), (byte)0);
        if (geometry.supportsDeallocate() && geometry.deallocatedReadsZero())
        {
            final int blocks = (int)geometry.blockCount() - half - 5;
            assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.DEALLOCATE, half, blocks, false));
            Arrays.fill(model, half * geometry.blockSizeBytes(), (half + blocks) * geometry.blockSizeBytes(), (byte)0);
        }
        for (int offset = 0; offset < SIZE_BYTES; offset += geometry.maxTransferBytes())
        {
            readAndVerify(offset, geometry.maxTransferBytes());
        }
    }

    @Test
    void shouldVerifyRangesOfAnyLengthAndRefuseThoseBehindTheEnd()
    {
        assertEquals(BlockStatus.SUCCESS, write(5, maxBlocks(), false));
        final int all = (int)geometry.blockCount();
        assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.VERIFY, 5, maxBlocks(), false));
        assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.VERIFY, 0, all, true));
        assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.VERIFY, all - 1, 1, false));
        assertEquals(BlockStatus.OUT_OF_RANGE, initiator.run(BlockOperation.VERIFY, all - 1, 2, false));
        assertEquals(BlockStatus.OUT_OF_RANGE, initiator.run(BlockOperation.VERIFY, all, 1, false));
        readAndVerify(5 * geometry.blockSizeBytes(), geometry.maxTransferBytes());
    }

    @Test
    void shouldCopyWhatWasWritten()
    {
        if (!geometry.supportsCopy())
        {
            assertEquals(BlockStatus.NOT_SUPPORTED, initiator.copy(0, 8, 1, false));
            readAndVerify(0, maxBlocks() * geometry.blockSizeBytes());
            return;
        }
        final int most = maxBlocks();
        assertEquals(BlockStatus.SUCCESS, write(3, most, false));
        // Next to each other, so that a page holds the end of one and the beginning of the other.
        copyAndVerify(3, 3 + most, most);
        copyAndVerify(3 + most, 4, most - 1);
        copyAndVerify(5, geometry.blockCount() - 1, 1);
        for (int step = 0; step < 50; step++)
        {
            final int blocks = 1 + random.nextInt(most);
            final long lba = random.nextLong(geometry.blockCount() - 2L * blocks + 1);
            final long other = lba + blocks + random.nextLong(geometry.blockCount() - lba - 2L * blocks + 1);
            assertEquals(BlockStatus.SUCCESS, write(random.nextBoolean() ? lba : other, blocks, false));
            copyAndVerify(random.nextBoolean() ? lba : other, blocks, lba, other);
        }
        for (int offset = 0; offset < SIZE_BYTES; offset += geometry.maxTransferBytes())
        {
            readAndVerify(offset, geometry.maxTransferBytes());
        }
    }

    private void copyAndVerify(final long source, final int blocks, final long lba, final long other)
    {
        copyAndVerify(source, source == lba ? other : lba, blocks);
    }

    private void copyAndVerify(final long source, final long lba, final int blocks)
    {
        final int block = geometry.blockSizeBytes();
        assertEquals(BlockStatus.SUCCESS, initiator.copy(source, lba, blocks, random.nextBoolean()), this::seedText);
        System.arraycopy(model, (int)source * block, model, (int)lba * block, blocks * block);
        readAndVerify((int)source * block, blocks * block);
        readAndVerify((int)lba * block, blocks * block);
    }

    @Test
    void shouldRefuseToCopyFromOrToBehindTheEnd()
    {
        assertEquals(BlockStatus.SUCCESS, write(0, 16, false));
        final BlockStatus expected = geometry.supportsCopy() ? BlockStatus.OUT_OF_RANGE : BlockStatus.NOT_SUPPORTED;
        final long end = geometry.blockCount();
        assertEquals(expected, initiator.copy(end - 1, 0, 2, false));
        assertEquals(expected, initiator.copy(end, 0, 2, false));
        assertEquals(expected, initiator.copy(Long.MAX_VALUE - 1, 0, 2, false));
        assertEquals(expected, initiator.copy(0, end - 1, 2, false));
        assertEquals(expected, initiator.copy(0, end, 2, false));
        readAndVerify(0, 16 * geometry.blockSizeBytes());
        readAndVerify(SIZE_BYTES - geometry.blockSizeBytes(), geometry.blockSizeBytes());
    }

    @Test
    void shouldCompareEveryBlockOfALongRange()
    {
        final int blocks = maxBlocks();
        assertEquals(BlockStatus.SUCCESS, write(1, blocks, false));
        final long buffer = arena.address();
        assertEquals(BlockStatus.SUCCESS,
            initiator.run(BlockOperation.COMPARE, 1, blocks, false, buffer, geometry.maxTransferBytes()));
        for (final int offset : new int[]{0, geometry.maxTransferBytes() / 2 + 1, geometry.maxTransferBytes() - 1})
        {
            NativeMemory.putByte(buffer + offset, (byte)(NativeMemory.getByte(buffer + offset) ^ 1));
            assertEquals(BlockStatus.COMPARE_FAILURE,
                initiator.run(BlockOperation.COMPARE, 1, blocks, false, buffer, geometry.maxTransferBytes()));
            NativeMemory.putByte(buffer + offset, (byte)(NativeMemory.getByte(buffer + offset) ^ 1));
        }
    }

    @Test
    void shouldCompleteEachOnceWhenManyAreInFlight()
    {
        final int block = geometry.blockSizeBytes();
        final int count = 1000;
        final List<Initiator.Io> ios = new ArrayList<>();
        for (int i = 0; i < count; i++)
        {
            final long buffer = arena.address() + (long)i * 4096;
            randomBytes(buffer, block, i * block);
            final Initiator.Io io = initiator.io();
            Initiator.fill(io.request(), BlockOperation.WRITE, i, 1, 0 == i % 50, buffer, block);
            ios.add(io);
            if (0 == i % 100)
            {
                final Initiator.Io flush = initiator.io();
                Initiator.fill(flush.request(), BlockOperation.FLUSH, 0, 0, false);
                ios.add(flush);
            }
        }
        awaitAll(ios);
        final List<Initiator.Io> reads = new ArrayList<>();
        NativeMemory.fill(arena.address(), count * 4096L, (byte)0x33);
        for (int i = 0; i < count; i++)
        {
            final Initiator.Io io = initiator.io();
            Initiator.fill(io.request(), BlockOperation.READ, i, 1, false, arena.address() + (long)i * 4096, block);
            reads.add(io);
        }
        awaitAll(reads);
        for (int i = 0; i < count; i++)
        {
            assertMemory(i * block, arena.address() + (long)i * 4096, block);
        }
        // An array may have asked a member whose answer it needs no more.
        Waits.until("nothing is in flight", () -> 0 == initiator.call(initiator.channel()::inFlight));
    }

    @Test
    void shouldAnswerEachOnceWhenClosedWithRequestsInFlight()
    {
        final List<Initiator.Io> ios = new ArrayList<>();
        for (int i = 0; i < 200; i++)
        {
            final Initiator.Io io = initiator.io();
            final BlockOperation operation =
                BlockOperation.values()[i % 5 == 0 ? BlockOperation.FLUSH.ordinal() : i % 2];
            final int blocks = BlockOperation.FLUSH == operation ? 0 : 1;
            Initiator.fill(io.request(), operation, blocks * i, blocks, false);
            if (blocks > 0)
            {
                io.request().addSegment(arena.address() + (long)i * 4096, geometry.blockSizeBytes());
            }
            ios.add(io);
        }
        initiator.send(ios);
        initiator.closeChannel();
        for (final Initiator.Io io : ios)
        {
            final BlockStatus status = initiator.await(io);
            assertTrue(BlockStatus.SUCCESS == status || BlockStatus.ABORTED == status, () -> "ended with " + status);
        }
        assertEquals(0, initiator.quarantine().bytes());
    }

    @Test
    void shouldOpenSeveralChannelsOnOneReactorWhileTheFirstIsInUse()
    {
        final List<CompletableFuture<BlockChannel>> openings =
            List.of(initiator.open(device), initiator.open(device), initiator.open(device));
        assertEquals(BlockStatus.SUCCESS, write(0, 4, false));
        for (final CompletableFuture<BlockChannel> opening : openings)
        {
            final BlockChannel channel = initiator.get(opening);
            assertEquals(0, initiator.call(channel::inFlight));
            initiator.get(initiator.close(channel));
        }
        readAndVerify(0, 4 * geometry.blockSizeBytes());
    }

    @Test
    void shouldCloseAChannelThatNobodyNeedsAnyMoreWhenItIsOpen()
    {
        final CompletableFuture<Boolean> closed = new CompletableFuture<>();
        initiator.call(() ->
        {
            device.open(ReactorContext.of(initiator.reactor()), new OpenListener()
            {
                @Override
                public void onOpened(final BlockChannel channel)
                {
                    channel.close((gone) -> closed.complete(gone == channel && initiator.reactor().isOnThread()));
                }

                @Override
                public void onOpenFailed(final BlockDeviceException reason)
                {
                    closed.completeExceptionally(reason);
                }
            });
            return null;
        });
        assertTrue(initiator.get(closed));
        assertEquals(BlockStatus.SUCCESS, write(0, 1, false));
    }

    @Test
    void shouldCloseAChannelWithinTheCompletionOfItsLastRequest()
    {
        for (final int count : new int[]{1, 2})
        {
            final BlockChannel channel = initiator.get(initiator.open(device));
            final CompletableFuture<Boolean> closed = new CompletableFuture<>();
            final int[] left = {count};
            final Poller owner = new Poller()
            {
                @Override
                public int poll()
                {
                    return channel.inFlight() > 0 ? channel.poll() : 0;
                }

                @Override
                public boolean canSleep()
                {
                    return 0 == channel.inFlight() || channel.canSleep();
                }
            };
            initiator.call(() ->
            {
                initiator.reactor().addPoller(owner);
                for (int i = 0; i < count; i++)
                {
                    final boolean isTaken = channel.submit(new BlockRequest(this, (request) ->
                    {
                        left[0]--;
                        if (0 == left[0])
                        {
                            channel.close((gone) -> closed.complete(initiator.reactor().isOnThread()));
                        }
                    }).reset(BlockOperation.READ, i, 1)
                        .addSegment(arena.address() + (long)i * 4096, geometry.blockSizeBytes()));
                    assertTrue(isTaken);
                }
                return null;
            });
            assertTrue(initiator.get(closed));
            initiator.call(() ->
            {
                initiator.reactor().removePoller(owner);
                return null;
            });
        }
        assertEquals(BlockStatus.SUCCESS, write(0, 1, false));
    }

    @Test
    void shouldOpenAgainWhileFormerChannelsClose()
    {
        for (int round = 0; round < 5; round++)
        {
            final BlockChannel channel = initiator.get(initiator.open(device));
            final CompletableFuture<Void> closed = initiator.close(channel);
            final CompletableFuture<BlockChannel> opened = initiator.open(device);
            initiator.get(closed);
            initiator.get(initiator.close(initiator.get(opened)));
        }
        assertEquals(BlockStatus.SUCCESS, write(0, 1, false));
        assertEquals(0, initiator.quarantine().bytes());
    }

    @Test
    void shouldShowEachReactorWhatTheOtherWrote()
    {
        try (Initiator other = initiator(ReactorConfig.of("other", -1)))
        {
            for (int round = 0; round < 30; round++)
            {
                final Initiator writer = 0 == round % 2 ? initiator : other;
                final Initiator reader = 0 == round % 2 ? other : initiator;
                final int blocks = 1 + random.nextInt(64);
                final int length = blocks * geometry.blockSizeBytes();
                final long lba = random.nextLong(geometry.blockCount() - blocks + 1);
                randomBytes(arena.address(), length, (int)lba * geometry.blockSizeBytes());
                assertEquals(BlockStatus.SUCCESS,
                    writer.run(BlockOperation.WRITE, lba, blocks, false, arena.address(), length), this::seedText);
                final long buffer = arena.address() + (4 << 20);
                assertEquals(BlockStatus.SUCCESS,
                    reader.run(BlockOperation.READ, lba, blocks, false, buffer, length), this::seedText);
                assertMemory((int)lba * geometry.blockSizeBytes(), buffer, length);
            }
        }
    }

    @Test
    void shouldFinishWhenTheReactorSleepsAtOnce()
    {
        final ReactorConfig config = new ReactorConfig("sleeper", -1, ReactorConfig.IdleMode.SLEEP, 0);
        try (Initiator sleeper = initiator(config))
        {
            for (int i = 0; i < 120; i++)
            {
                // Zeroes of all blocks are all that such a device does not do, or refuse, at once: in pieces, for which
                // it waits while a block is lent.
                final boolean isLent = geometry.completesInline() && geometry.lendsReads();
                final BlockOperation operation = i % 3 == 2 ? BlockOperation.FLUSH :
                    isLent ? BlockOperation.WRITE_ZEROES : BlockOperation.WRITE;
                final Initiator.Io io = sleeper.io();
                Initiator.fill(io.request(), operation, 0, BlockOperation.FLUSH == operation ? 0 :
                    isLent ? (int)geometry.blockCount() : 1, false);
                if (BlockOperation.WRITE == operation)
                {
                    io.request().addSegment(arena.address(), geometry.blockSizeBytes());
                }
                final Initiator.Io loan = BlockOperation.WRITE_ZEROES == operation ? lend() : null;
                sleeper.send(io);
                if (null != loan)
                {
                    // A moment in which a reactor without work falls asleep.
                    LockSupport.parkNanos(ASLEEP_NS);
                    initiator.call(() ->
                    {
                        initiator.channel().releaseLoan(loan.request());
                        return null;
                    });
                }
                assertEquals(BlockStatus.SUCCESS, sleeper.await(io));
                // However slow the device is, its completion ends a sleep; a lost one is found when the longest ends.
                final int number = i;
                assertTrue(io.sleptNs() < UNWOKEN_NS, () -> "request " + number + ", " + operation + ", was found " +
                    io.sleptNs() + " ns after the reactor went to sleep: its wake-up was lost");
            }
        }
    }

    /** {@return a read of the first block whose loan writers wait for} */
    private Initiator.Io lend()
    {
        final Initiator.Io loan = initiator.io();
        Initiator.fill(loan.request(), BlockOperation.READ, 0, 1, false);
        loan.request().lendable(true);
        initiator.send(loan);
        assertEquals(BlockStatus.SUCCESS, initiator.await(loan));
        assertTrue(loan.request().lent());
        return loan;
    }

    @Test
    protected void shouldAllocateNothingWhenWarm()
    {
        new AllocationProbe(initiator, arena.address(), geometry).assertAllocatesNothingWhenWarm();
    }

    protected final Initiator initiator()
    {
        return initiator;
    }

    private void randomStep(final long lba, final int blocks)
    {
        final int length = blocks * geometry.blockSizeBytes();
        final int offset = (int)lba * geometry.blockSizeBytes();
        switch (random.nextInt(8))
        {
            case 0, 1, 2 -> assertEquals(BlockStatus.SUCCESS, write(lba, blocks, random.nextBoolean()), this::seedText);
            case 3 ->
            {
                assertEquals(BlockStatus.SUCCESS,
                    initiator.run(BlockOperation.WRITE_ZEROES, lba, blocks, random.nextBoolean()), this::seedText);
                Arrays.fill(model, offset, offset + length, (byte)0);
            }
            case 4 ->
            {
                if (geometry.supportsDeallocate() && geometry.deallocatedReadsZero())
                {
                    assertEquals(BlockStatus.SUCCESS,
                        initiator.run(BlockOperation.DEALLOCATE, lba, blocks, false), this::seedText);
                    Arrays.fill(model, offset, offset + length, (byte)0);
                }
                else if (geometry.supportsDeallocate())
                {
                    // What blocks hold is not said; those beside them keep theirs.
                    assertEquals(BlockStatus.SUCCESS,
                        initiator.run(BlockOperation.DEALLOCATE, lba, blocks, false), this::seedText);
                    assertEquals(BlockStatus.SUCCESS,
                        write(lba, Math.min(blocks, maxBlocks()), random.nextBoolean()), this::seedText);
                }
            }
            case 5 -> assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.FLUSH, 0, 0, false),
                this::seedText);
            case 6 -> compareStep(lba, blocks);
            default -> readAndVerify(offset, length);
        }
    }

    private void compareStep(final long lba, final int blocks)
    {
        final int length = blocks * geometry.blockSizeBytes();
        final long buffer = arena.address();
        NativeMemory.asByteBuffer(buffer, length).put(model, (int)lba * geometry.blockSizeBytes(), length);
        assertEquals(BlockStatus.SUCCESS,
            initiator.run(BlockOperation.COMPARE, lba, blocks, false, split(buffer, blocks)), this::seedText);
        final long wrong = buffer + random.nextInt(length);
        NativeMemory.putByte(wrong, (byte)~NativeMemory.getByte(wrong));
        assertEquals(BlockStatus.COMPARE_FAILURE,
            initiator.run(BlockOperation.COMPARE, lba, blocks, false, split(buffer, blocks)), this::seedText);
    }

    protected final BlockStatus write(final long lba, final int blocks, final boolean fua)
    {
        final int length = blocks * geometry.blockSizeBytes();
        randomBytes(arena.address(), length, (int)lba * geometry.blockSizeBytes());
        return initiator.run(BlockOperation.WRITE, lba, blocks, fua, split(arena.address(), blocks));
    }

    /** Cuts a range into up to as many segments as a request has: at any byte where that is allowed, else at blocks. */
    private long[] split(final long address, final int blocks)
    {
        final int unit = 1 == geometry.memoryAlignmentBytes() && random.nextBoolean() ? 1 : geometry.blockSizeBytes();
        final int length = blocks * geometry.blockSizeBytes() / unit;
        final List<Long> segments = new ArrayList<>();
        int done = 0;
        while (done < length)
        {
            final boolean isLast = segments.size() == 2 * (Segments.COUNT_MAX - 1) ||
                random.nextInt(3) == 0;
            final int part = isLast ? length - done : 1 + random.nextInt(length - done);
            segments.add(address + (long)done * unit);
            segments.add((long)part * unit);
            done += part;
        }
        return segments.stream().mapToLong(Long::longValue).toArray();
    }

    /** Fills memory at random and notes in the model that it will be at an offset of the device. */
    protected final void randomBytes(final long address, final int length, final int modelOffset)
    {
        final byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        NativeMemory.asByteBuffer(address, length).put(bytes);
        System.arraycopy(bytes, 0, model, modelOffset, length);
    }

    protected final void readAndVerify(final int offset, final int length)
    {
        final long buffer = arena.address() + (2 << 20);
        final int blocks = length / geometry.blockSizeBytes();
        NativeMemory.fill(buffer, length, (byte)0xaa);
        assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.READ, offset / geometry.blockSizeBytes(), blocks,
            false, split(buffer, blocks)), this::seedText);
        assertMemory(offset, buffer, length);
    }

    protected final void assertMemory(final int offset, final long address, final int length)
    {
        final byte[] bytes = new byte[length];
        NativeMemory.asByteBuffer(address, length).get(bytes);
        final int difference = Arrays.mismatch(bytes, 0, length, model, offset, offset + length);
        assertEquals(-1, difference, () -> "first wrong byte after offset " + offset + "; " + seedText());
    }

    private void awaitAll(final List<Initiator.Io> ios)
    {
        initiator.send(ios);
        for (final Initiator.Io io : ios)
        {
            assertEquals(BlockStatus.SUCCESS, initiator.await(io), () -> io.request() + "; " + seedText());
        }
    }

    private int maxBlocks()
    {
        return geometry.maxTransferBytes() / geometry.blockSizeBytes();
    }

    private String seedText()
    {
        return "-Dmillrace.seed=" + seed;
    }
}
