package io.millrace.block.file;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.DeviceHealth;
import io.millrace.block.DurabilityContractTest;
import io.millrace.block.Initiator;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Through a page cache that loses writes: one error, reported once for each descriptor, fails every flush from then on.
 */
class BufferedFileDurabilityTest extends DurabilityContractTest
{
    private static final int BLOCK = 4096;
    // What is in flight when power is lost never completes.
    private static final CloseTimeouts AT_ONCE = new CloseTimeouts(1_000_000L, 2_000_000L, 10_000_000_000L);

    private final ModelFile file = new ModelFile(BLOCK_COUNT * BLOCK, BLOCK, random).buffered();

    @Override
    protected BlockDevice openDevice(final MemoryRegistry registry)
    {
        file.faults(new ModelFaults(5, 100, 50, 20));
        final FileDevice device = file.device("volume", directory, registry, (found) -> found);
        device.closeTimeouts(AT_ONCE);
        return device;
    }

    @Override
    protected int failurePercent()
    {
        return 2;
    }

    @Override
    protected boolean failsAllFlushesAtOnce()
    {
        return true;
    }

    @Override
    protected void losePower()
    {
        file.losePower();
    }

    @Test
    void shouldFailFlushesOfAllChannelsOnceWritesAreLost()
    {
        final ModelFile other = new ModelFile(BLOCK_COUNT * BLOCK, BLOCK, random).buffered();
        try (FileDevice device = other.device("other", directory);
            DmaMemory memory = DmaMemory.map(BLOCK);
            Initiator first = new Initiator("first", device);
            Initiator second = new Initiator("second", device))
        {
            NativeMemory.putLong(memory.address(), 1);
            assertEquals(BlockStatus.SUCCESS, run(first, BlockOperation.FLUSH, memory));
            assertEquals(BlockStatus.SUCCESS, run(second, BlockOperation.FLUSH, memory));
            assertEquals(2, other.syncingDescriptors());

            assertEquals(BlockStatus.SUCCESS, run(first, BlockOperation.WRITE, memory));
            other.loseWrites();
            assertEquals(DeviceHealth.ONLINE, device.status().health());
            // Handed over by both before one is executed.
            other.hold(true);
            final Initiator.Io one = first.io();
            one.request().reset(BlockOperation.FLUSH, 0, 0);
            final Initiator.Io two = second.io();
            two.request().reset(BlockOperation.FLUSH, 0, 0);
            first.send(one);
            second.send(two);
            other.hold(false);
            assertEquals(BlockStatus.MEDIA_ERROR, first.await(one));
            assertEquals(BlockStatus.MEDIA_ERROR, second.await(two));
            assertEquals(DeviceHealth.FAILED, device.status().health());

            assertEquals(BlockStatus.MEDIA_ERROR, run(second, BlockOperation.FLUSH, memory));
            assertEquals(BlockStatus.SUCCESS, run(first, BlockOperation.WRITE, memory));
            assertEquals(BlockStatus.SUCCESS, run(first, BlockOperation.READ, memory));
            assertEquals(BlockStatus.MEDIA_ERROR,
                first.run(BlockOperation.WRITE, 0, 1, true, memory.address(), BLOCK));
        }
        try (FileDevice device = other.device("other", directory);
            DmaMemory memory = DmaMemory.map(BLOCK);
            Initiator again = new Initiator("again", device))
        {
            assertEquals(BlockStatus.SUCCESS, run(again, BlockOperation.FLUSH, memory));
        }
    }

    private static BlockStatus run(final Initiator initiator, final BlockOperation operation, final DmaMemory memory)
    {
        final Initiator.Io io = initiator.io();
        io.request().reset(operation, 0, BlockOperation.FLUSH == operation ? 0 : 1);
        if (BlockOperation.FLUSH != operation)
        {
            io.request().addSegment(memory.address(), BLOCK);
        }
        initiator.send(io);
        return initiator.await(io);
    }

    @Test
    void shouldSyncOnceForFlushesThatWaitTogether()
    {
        final ModelFile other = new ModelFile(BLOCK_COUNT * BLOCK, BLOCK, random).buffered();
        try (FileDevice device = other.device("other", directory);
            Initiator initiator = new Initiator("together", device))
        {
            final int before = other.syncs();
            other.hold(true);
            final Initiator.Io[] flushes = new Initiator.Io[10];
            for (int i = 0; i < flushes.length; i++)
            {
                flushes[i] = initiator.io();
                flushes[i].request().reset(BlockOperation.FLUSH, 0, 0);
                initiator.send(flushes[i]);
            }
            assertEquals(10, initiator.call(() -> initiator.channel().inFlight()));
            other.hold(false);
            for (final Initiator.Io flush : flushes)
            {
                assertEquals(BlockStatus.SUCCESS, initiator.await(flush));
            }
            assertEquals(2, other.syncs() - before);
        }
    }

    @Test
    void shouldEndAndFreeFlushesThatWaitWhenAChannelIsClosed()
    {
        final ModelFile other = new ModelFile(BLOCK_COUNT * BLOCK, BLOCK, random).buffered();
        try (FileDevice device = other.device("other", directory); Initiator initiator = new Initiator("end", device))
        {
            device.closeTimeouts(new CloseTimeouts(3_600_000_000_000L, 1_000_000L, 1_000_000L));
            other.hold(true);
            final Initiator.Io[] flushes = new Initiator.Io[3];
            for (int i = 0; i < flushes.length; i++)
            {
                flushes[i] = initiator.io();
                flushes[i].request().reset(BlockOperation.FLUSH, 0, 0);
                initiator.send(flushes[i]);
            }
            assertEquals(3, initiator.call(() -> initiator.channel().inFlight()));
            initiator.closeChannel();
            for (final Initiator.Io flush : flushes)
            {
                assertEquals(BlockStatus.ABORTED, initiator.await(flush));
            }
            assertEquals(1, other.openRings());
            other.hold(false);
            final long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            while (other.openRings() > 0 && System.nanoTime() - endNs < 0)
            {
                Thread.onSpinWait();
            }
            assertEquals(0, other.openRings(), "the channel waits for requests that the kernel does not have");
        }
    }
}
