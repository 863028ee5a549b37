package io.millrace.block.discard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.AllocationProbe;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.memory.DmaMemory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DiscardDeviceTest
{
    private final DmaMemory arena = DmaMemory.map(2 << 20);
    private DiscardDevice device;
    private Initiator initiator;

    @BeforeEach
    void open()
    {
        device = DiscardDevice.create("null", 1L << 50, 4096);
        initiator = new Initiator("null", device);
    }

    @AfterEach
    void close()
    {
        initiator.close();
        device.close();
        arena.close();
    }

    @Test
    void shouldReadZeroesWhateverWasWritten()
    {
        final int length = device.geometry().maxTransferBytes();
        final int blocks = length / 4096;
        final long last = device.geometry().blockCount() - blocks;
        NativeMemory.fill(arena.address(), length, (byte)7);
        assertEquals(BlockStatus.SUCCESS,
            initiator.run(BlockOperation.WRITE, last, blocks, true, arena.address(), length));
        assertEquals(BlockStatus.COMPARE_FAILURE,
            initiator.run(BlockOperation.COMPARE, last, blocks, false, arena.address(), length));
        assertEquals(BlockStatus.SUCCESS,
            initiator.run(BlockOperation.READ, last, blocks, false, arena.address(), length));
        for (int i = 0; i < length; i += Long.BYTES)
        {
            assertEquals(0, NativeMemory.getLong(arena.address() + i));
        }
        assertEquals(BlockStatus.SUCCESS,
            initiator.run(BlockOperation.COMPARE, last, blocks, false, arena.address(), length));
    }

    @Test
    void shouldLendZeroesForTheLargestTransfer()
    {
        final Initiator.Io read = initiator.io();
        read.request().reset(BlockOperation.READ, 5, 256).lendable(true);
        initiator.send(read);
        assertEquals(BlockStatus.SUCCESS, initiator.await(read));
        assertTrue(read.request().lent());
        assertEquals(device.geometry().maxTransferBytes(), read.request().segments().lengthBytes(0));
        assertEquals(0, NativeMemory.getLong(read.request().segments().address(0) + (1 << 20) - 8));
        initiator.call(() ->
        {
            initiator.channel().releaseLoan(read.request());
            return null;
        });
    }

    @Test
    void shouldTakeWhatHasNoPayload()
    {
        assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.FLUSH, 0, 0, false));
        assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.WRITE_ZEROES, 0, 1 << 30, true));
        assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.DEALLOCATE, 0, 1 << 30, false));
        assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.VERIFY, 0, 1 << 30, false));
        assertEquals(BlockStatus.SUCCESS, initiator.copy(0, 8, 4, true));
    }

    @Test
    void shouldAllocateNothingWhenWarm()
    {
        new AllocationProbe(initiator, arena.address(), device.geometry()).assertAllocatesNothingWhenWarm();
    }

    @Test
    void shouldNameValueAndRemedyWhenTheBlockSizeIsWrong()
    {
        assertEquals("device n: block-size 100 is not supported: use 512 or 4096", assertThrows(
            BlockDeviceException.class, () -> DiscardDevice.create("n", 100, 100).close()).getMessage());
    }
}
