package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockStatus;
import io.millrace.memory.DmaMemory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the oracle allows and what it refuses, with the blocks of an array in memory. */
class ArrayOracleTest
{
    private static final int BLOCK = 512;
    private static final int BLOCKS = 8;

    private final DmaMemory arena = DmaMemory.map(64 << 10);
    private final ArrayOracle oracle = new ArrayOracle(BLOCKS, BLOCK, 4711);
    /** Payloads of the writes, in order, from the address of each one's first block. */
    private final long content = arena.address();
    private long nextPayload = content + BLOCKS * BLOCK;

    @AfterEach
    void close()
    {
        arena.close();
    }

    private ArrayOracle.Write begin(final int lba, final int blocks)
    {
        nextPayload += BLOCKS * BLOCK;
        return oracle.beginWrite(lba, blocks, nextPayload);
    }

    /** The array takes the last payload for a block. */
    private void store(final int block, final int indexInPayload)
    {
        NativeMemory.copy(nextPayload + (long)indexInPayload * BLOCK, content + (long)block * BLOCK, BLOCK);
    }

    private void write(final int block, final boolean isForced)
    {
        final ArrayOracle.Write write = begin(block, 1);
        store(block, 0);
        oracle.endWrite(write, BlockStatus.SUCCESS, isForced);
    }

    private void flush()
    {
        oracle.endFlush(oracle.beginFlush(), BlockStatus.SUCCESS);
    }

    private void read()
    {
        oracle.beginRead(0, BLOCKS);
        oracle.endRead(0, BLOCKS, BlockStatus.SUCCESS, content);
    }

    private void settle()
    {
        oracle.losePower();
        oracle.settle(0, BLOCKS, content);
    }

    private void clear(final int block)
    {
        NativeMemory.fill(content + (long)block * BLOCK, BLOCK, (byte)0);
    }

    private static String refusal(final Runnable check)
    {
        return assertThrows(AssertionError.class, check::run).getMessage();
    }

    @Test
    void shouldAllowWhatWasWrittenLast()
    {
        write(3, false);
        read();
        write(3, false);
        read();
        flush();
        read();
    }

    @Test
    void shouldNotAllowAnOlderValueWhilePowerIsOn()
    {
        write(3, false);
        clear(3);
        assertEquals("block 3 of the array holds value 0 while power was on; allowed: durable 0, since 1; seed 4711",
            refusal(this::read));
    }

    @Test
    void shouldAllowBothValuesOfAWriteThatFailed()
    {
        write(3, true);
        final ArrayOracle.Write failed = begin(3, 1);
        oracle.endWrite(failed, BlockStatus.DEVICE_ERROR, false);
        read();
        store(3, 0);
        read();
        settle();
    }

    @Test
    void shouldNotAllowAFailedWriteAfterALaterOneSucceeded()
    {
        final ArrayOracle.Write failed = begin(3, 1);
        oracle.endWrite(failed, BlockStatus.DEVICE_ERROR, false);
        final long late = nextPayload;
        write(3, false);
        NativeMemory.copy(late, content + 3 * BLOCK, BLOCK);
        assertTrue(refusal(this::read).startsWith("block 3 of the array holds value 1 while power was on"));
    }

    @Test
    void shouldAllowTheLossOfWhatWasNotFlushed()
    {
        write(1, false);
        write(2, false);
        clear(2);
        settle();
        read();
    }

    @Test
    void shouldNotAllowTheLossOfWhatWasFlushed()
    {
        write(1, false);
        flush();
        write(1, false);
        assertEquals(1, oracle.openBlocks());
        clear(1);
        assertEquals("block 1 of the array holds value 0 after power was cut; allowed: durable 1, since 2; seed 4711",
            refusal(this::settle));
    }

    @Test
    void shouldNotAllowTheLossOfAForcedWrite()
    {
        write(1, true);
        clear(1);
        assertTrue(refusal(this::settle).endsWith("allowed: durable 1, since; seed 4711"));
    }

    @Test
    void shouldAllowTheLossOfWhatWasWrittenAfterTheFlushBegan()
    {
        final long begin = oracle.beginFlush();
        write(1, false);
        oracle.endFlush(begin, BlockStatus.SUCCESS);
        clear(1);
        settle();
    }

    @Test
    void shouldAllowTheLossAfterAFlushThatFailed()
    {
        write(1, false);
        oracle.endFlush(oracle.beginFlush(), BlockStatus.DEVICE_ERROR);
        clear(1);
        settle();
    }

    @Test
    void shouldAllowAnyBlocksOfAWriteInFlight()
    {
        begin(2, 4);
        store(3, 1);
        store(5, 3);
        settle();
        read();
    }

    @Test
    void shouldNotAllowAnotherValueOnceThatAfterACutWasRead()
    {
        write(1, false);
        final long value = nextPayload;
        clear(1);
        settle();
        NativeMemory.copy(value, content + BLOCK, BLOCK);
        assertTrue(refusal(this::settle).startsWith("block 1 of the array holds value 1 after power was cut"));
    }

    @Test
    void shouldNotAllowABlockOfTwoWrites()
    {
        write(1, false);
        final long half = nextPayload + BLOCK / 2;
        begin(1, 1);
        store(1, 0);
        NativeMemory.copy(half, content + BLOCK + BLOCK / 2, BLOCK / 2);
        assertEquals("block 1 of the array begins with value 2 of block 1, and its bytes from 256 on are not value 2 " +
            "of block 1; allowed: durable 0, since 1 2; seed 4711", refusal(this::settle));
    }

    @Test
    void shouldNotAllowABlockInAnotherPlace()
    {
        final ArrayOracle.Write write = begin(1, 2);
        store(1, 1);
        store(2, 1);
        oracle.endWrite(write, BlockStatus.SUCCESS, false);
        assertTrue(refusal(this::settle).startsWith("block 1 of the array begins with value 1 of block 2,"));
    }

    @Test
    void shouldTakeZeroesForAValue()
    {
        write(1, true);
        final ArrayOracle.Write zeroes = oracle.beginZeroes(1, 1);
        clear(1);
        oracle.endWrite(zeroes, BlockStatus.SUCCESS, true);
        read();
        store(1, 0);
        assertTrue(refusal(this::settle).startsWith("block 1 of the array holds value 1 after"));
    }

    @Test
    void shouldRefuseASecondRequestOfABlock()
    {
        begin(1, 3);
        assertTrue(oracle.isBusy(3, 1));
        assertThrows(IllegalStateException.class, () -> oracle.beginRead(0, 2));
        assertThrows(IllegalStateException.class, () -> begin(3, 2));
        assertThrows(IllegalStateException.class, () -> oracle.beginZeroes(2, 1));
        oracle.beginRead(4, 4);
    }
}
