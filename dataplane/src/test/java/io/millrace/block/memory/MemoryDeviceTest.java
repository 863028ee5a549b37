package io.millrace.block.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.memory.DmaMemory;
import io.millrace.seed.TestSeeds;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MemoryDeviceTest
{
    private static final int BLOCK = 4096;
    private static final int STEPS = 60_000;
    private static final int HOT_BLOCKS = 6;

    private final DmaMemory arena = DmaMemory.map(2 << 20);

    @AfterEach
    void close()
    {
        arena.close();
    }

    @Test
    void shouldHoldLentMemoryStillUntilItIsGivenBack()
    {
        try (MemoryDevice device = MemoryDevice.create("memory", 64 * BLOCK, BLOCK);
            Initiator initiator = new Initiator("lender", device))
        {
            NativeMemory.fill(arena.address(), 4 * BLOCK, (byte)0x11);
            initiator.run(BlockOperation.WRITE, 10, 4, false, arena.address(), 4 * BLOCK);
            final Initiator.Io read = initiator.io();
            read.request().reset(BlockOperation.READ, 10, 4).lendable(true);
            initiator.send(read);
            assertEquals(BlockStatus.SUCCESS, initiator.await(read));
            assertTrue(read.request().lent());
            assertEquals(1, read.request().segments().count());
            assertEquals(4 * BLOCK, read.request().segments().lengthBytes(0));

            NativeMemory.fill(arena.address(), BLOCK, (byte)0x77);
            final Initiator.Io write = initiator.io();
            Initiator.fill(write.request(), BlockOperation.WRITE, 12, 1, false, arena.address(), BLOCK);
            final Initiator.Io zeroes = initiator.io();
            Initiator.fill(zeroes.request(), BlockOperation.WRITE_ZEROES, 13, 1, false);
            initiator.send(write, zeroes);
            assertFalse(write.result().isDone());
            assertFalse(zeroes.result().isDone());
            assertUniform((byte)0x11, read.request().segments().address(0), 4 * BLOCK);
            assertThrows(IllegalStateException.class, device::close, "closed over a loan");

            releaseLoan(initiator, read.request());
            assertFalse(read.request().lent());
            assertEquals(BlockStatus.SUCCESS, initiator.await(write));
            assertEquals(BlockStatus.SUCCESS, initiator.await(zeroes));
            initiator.run(BlockOperation.READ, 12, 2, false, arena.address(), 2 * BLOCK);
            assertUniform((byte)0x77, arena.address(), BLOCK);
            assertUniform((byte)0, arena.address() + BLOCK, BLOCK);
        }
    }

    @Test
    void shouldLendBlocksForAWriteToNobodyElse()
    {
        try (MemoryDevice device = MemoryDevice.create("memory", 64 * BLOCK, BLOCK);
            Initiator initiator = new Initiator("writer", device))
        {
            final BlockChannel channel = initiator.channel();
            final long address = channel.lendForWrite(8L * BLOCK, 2 * BLOCK);
            NativeMemory.fill(address, 2 * BLOCK, (byte)0x42);
            assertEquals(0, channel.lendForWrite(9L * BLOCK, BLOCK), "lent twice");
            final Initiator.Io read = initiator.io();
            Initiator.fill(read.request(), BlockOperation.READ, 9, 1, false, arena.address(), BLOCK);
            initiator.send(read);
            assertFalse(read.result().isDone(), "read while it is written");
            assertThrows(IllegalStateException.class, device::close, "closed over a loan");
            channel.releaseWritten(8L * BLOCK, 2 * BLOCK);
            assertEquals(BlockStatus.SUCCESS, initiator.await(read));
            assertUniform((byte)0x42, arena.address(), BLOCK);
        }
    }

    @Test
    void shouldWaitForALoanInTheMiddleOfALongDeallocate()
    {
        try (MemoryDevice device = MemoryDevice.create("memory", 16L << 20, BLOCK);
            Initiator initiator = new Initiator("lender", device))
        {
            final int blocks = (16 << 20) / BLOCK;
            final int middle = blocks / 2 + 17;
            NativeMemory.fill(arena.address(), BLOCK, (byte)0x22);
            initiator.run(BlockOperation.WRITE, middle, 1, false, arena.address(), BLOCK);
            final Initiator.Io read = initiator.io();
            read.request().reset(BlockOperation.READ, middle, 1).lendable(true);
            initiator.send(read);
            initiator.await(read);
            final Initiator.Io deallocate = initiator.io();
            Initiator.fill(deallocate.request(), BlockOperation.DEALLOCATE, 0, blocks, false);
            initiator.send(deallocate);
            for (int i = 0; i < 50; i++)
            {
                initiator.call(() -> 0);
            }
            assertFalse(deallocate.result().isDone());
            assertEquals(1, initiator.call(initiator.channel()::inFlight));
            assertUniform((byte)0x22, read.request().segments().address(0), BLOCK);
            releaseLoan(initiator, read.request());
            assertEquals(BlockStatus.SUCCESS, initiator.await(deallocate));
            initiator.run(BlockOperation.READ, middle, 1, false, arena.address(), BLOCK);
            assertUniform((byte)0, arena.address(), BLOCK);
        }
    }

    @Test
    void shouldAbortALongRequestWhenClosed()
    {
        try (MemoryDevice device = MemoryDevice.create("memory", 64L << 20, BLOCK);
            Initiator initiator = new Initiator("closer", device))
        {
            final Initiator.Io zeroes = initiator.io();
            Initiator.fill(zeroes.request(), BlockOperation.WRITE_ZEROES, 0, (64 << 20) / BLOCK, false);
            initiator.call(() ->
            {
                assertTrue(initiator.channel().submit(zeroes.request()));
                assertFalse(initiator.channel().canSleep());
                return null;
            });
            initiator.closeChannel();
            assertEquals(BlockStatus.ABORTED, initiator.await(zeroes));
        }
    }

    @Test
    void shouldVerifyWhatItGrewBy()
    {
        try (MemoryDevice growing = MemoryDevice.create("g", 8 * BLOCK, BLOCK);
            Initiator verifier = new Initiator("verifier", growing))
        {
            assertEquals(BlockStatus.OUT_OF_RANGE, verifier.run(BlockOperation.VERIFY, 0, 9, false));
            growing.grow(16 * BLOCK);
            assertEquals(BlockStatus.SUCCESS, verifier.run(BlockOperation.VERIFY, 0, 16, false));
            assertEquals(BlockStatus.OUT_OF_RANGE, verifier.run(BlockOperation.VERIFY, 1, 16, false));
        }
    }

    @Test
    void shouldReachBeyondTwoGibibytes()
    {
        final long size = 5L << 30;
        try (MemoryDevice device = MemoryDevice.create("large", size, 512);
            Initiator initiator = new Initiator("large", device))
        {
            final long last = size / 512 - 8;
            NativeMemory.fill(arena.address(), 4096, (byte)0x33);
            assertEquals(BlockStatus.SUCCESS,
                initiator.run(BlockOperation.WRITE, last, 8, false, arena.address(), 4096));
            NativeMemory.fill(arena.address(), 4096, (byte)0);
            initiator.run(BlockOperation.READ, last, 8, false, arena.address(), 4096);
            assertUniform((byte)0x33, arena.address(), 4096);
            initiator.run(BlockOperation.READ, last % (1L << 22), 8, false, arena.address(), 4096);
            assertUniform((byte)0, arena.address(), 4096);
        }
    }

    @Test
    void shouldNeverShowATornBlockWhenReactorsWriteTheSameBlocks()
    {
        try (MemoryDevice device = MemoryDevice.create("shared", 64 * BLOCK, BLOCK);
            Initiator one = new Initiator("one", device);
            Initiator two = new Initiator("two", device))
        {
            final Rival first = new Rival(one, arena.address(), TestSeeds.random(1));
            final Rival second = new Rival(two, arena.address() + (1 << 20), TestSeeds.random(2));
            final CompletableFuture<Void> firstDone = one.reactor().call(first::run);
            final CompletableFuture<Void> secondDone = two.reactor().call(second::run);
            CompletableFuture.allOf(firstDone, secondDone).join();
            assertEquals(0, first.torn + second.torn, "torn blocks");
            assertTrue(first.refusals + second.refusals > 0, "the reactors never met");
        }
    }

    @Test
    void shouldNameValueAndRemedyWhenSizesDoNotFit()
    {
        assertMessage(
            "device m: size 4097 bytes is not a positive multiple of block-size 4096: use 4096 or another multiple",
            4097, 4096);
        assertMessage(
            "device m: size 0 bytes is not a positive multiple of block-size 512: use 512 or another multiple",
            0, 512);
        assertMessage("device m: block-size 1024 is not supported: use 512 or 4096", 4096, 1024);
    }

    @Test
    void shouldSayWhatToDoWhenThereIsNotSoMuchMemory()
    {
        for (final long size : new long[]{1L << 45, 1L << 60})
        {
            final BlockDeviceException refused = assertThrows(BlockDeviceException.class,
                () -> MemoryDevice.create("vast", size, BLOCK).close());
            assertTrue(refused.getMessage().startsWith("device vast: size " + size + " bytes cannot be mapped ("),
                refused::getMessage);
        }
    }

    private static void assertMessage(final String message, final long size, final int blockSize)
    {
        assertEquals(message, assertThrows(BlockDeviceException.class,
            () -> MemoryDevice.create("m", size, blockSize).close()).getMessage());
    }

    private static void releaseLoan(final Initiator initiator, final BlockRequest request)
    {
        initiator.call(() ->
        {
            initiator.channel().releaseLoan(request);
            return null;
        });
    }

    private static void assertUniform(final byte expected, final long address, final int length)
    {
        for (int i = 0; i < length; i++)
        {
            assertEquals(expected, NativeMemory.getByte(address + i));
        }
    }

    /**
     * Reads, borrows and writes a few blocks on one reactor while another does the same. Each block is written full of
     * one number.
     */
    private static final class Rival
    {
        private static final int LOANS = 3;

        private final BlockChannel channel;
        private final long buffer;
        private final Random random;
        private final BlockRequest io = new BlockRequest(null, this::onComplete);
        private final BlockRequest[] loans = new BlockRequest[LOANS];
        private final long[] stamps = new long[LOANS];
        private int completed;
        private int torn;
        private int refusals;

        Rival(final Initiator initiator, final long buffer, final Random random)
        {
            this.channel = initiator.channel();
            this.buffer = buffer;
            this.random = random;
            for (int i = 0; i < LOANS; i++)
            {
                loans[i] = new BlockRequest(null, this::onComplete);
            }
        }

        Void run()
        {
            for (int step = 0; step < STEPS; step++)
            {
                final int loan = random.nextInt(LOANS);
                returnLoan(loan);
                switch (random.nextInt(4))
                {
                    case 0, 1 -> write(random.nextLong());
                    case 2 -> borrow(loan);
                    default -> read();
                }
            }
            for (int i = 0; i < LOANS; i++)
            {
                returnLoan(i);
            }
            return null;
        }

        private void write(final long stamp)
        {
            final int blocks = 1 + random.nextInt(2);
            for (int offset = 0; offset < blocks * BLOCK; offset += Long.BYTES)
            {
                NativeMemory.putLong(buffer + offset, stamp);
            }
            submit(io.reset(BlockOperation.WRITE, random.nextInt(HOT_BLOCKS - 1), blocks)
                .addSegment(buffer, blocks * BLOCK));
        }

        private void read()
        {
            if (submit(io.reset(BlockOperation.READ, random.nextInt(HOT_BLOCKS - 1), 2).addSegment(buffer, 2 * BLOCK)))
            {
                check(buffer);
                check(buffer + BLOCK);
            }
        }

        private void borrow(final int loan)
        {
            if (submit(loans[loan].reset(BlockOperation.READ, random.nextInt(HOT_BLOCKS), 1).lendable(true)))
            {
                check(loans[loan].segments().address(0));
                stamps[loan] = NativeMemory.getLong(loans[loan].segments().address(0));
            }
        }

        private void returnLoan(final int loan)
        {
            if (loans[loan].lent())
            {
                final long address = loans[loan].segments().address(0);
                check(address);
                if (stamps[loan] != NativeMemory.getLong(address))
                {
                    torn++;
                }
                channel.releaseLoan(loans[loan]);
            }
        }

        private boolean submit(final BlockRequest request)
        {
            completed = 0;
            final boolean taken = channel.submit(request);
            if (!taken)
            {
                refusals++;
            }
            // Inline: complete when taken, untouched when refused.
            assertEquals(taken ? 1 : 0, completed);
            return taken;
        }

        private void onComplete(final BlockRequest request)
        {
            completed++;
        }

        private void check(final long address)
        {
            final long stamp = NativeMemory.getLong(address);
            for (int offset = Long.BYTES; offset < BLOCK; offset += Long.BYTES)
            {
                if (stamp != NativeMemory.getLong(address + offset))
                {
                    torn++;
                    return;
                }
            }
        }
    }
}
