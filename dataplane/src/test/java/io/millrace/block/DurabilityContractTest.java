package io.millrace.block;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import io.millrace.reactor.ReactorConfig;
import io.millrace.seed.TestSeeds;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What every device with a volatile cache must do: after a loss of power each block holds what was made durable, by FUA
 * or a flush, or something that was written later; one subclass a device, on a model that loses as much as it may.
 */
public abstract class DurabilityContractTest
{
    protected static final int BLOCK_COUNT = 64;

    private static final int ROUNDS = 40;
    private static final int ROUNDS_MAX = 10 * ROUNDS;
    private static final int STEPS = 40;
    private static final int DEPTH = 6;
    private static final int BLOCKS_MAX = 8;
    private static final int PAYLOAD_BYTES = 256 << 10;

    protected final Random random = TestSeeds.random();
    private final DurabilityModel model = new DurabilityModel(BLOCK_COUNT);
    private final List<Running> running = new ArrayList<>();
    private final BitSet busyBlocks = new BitSet();
    private final BitSet busySlots = new BitSet();
    private DmaMemory arena;
    private MemoryRegistry registry;
    private BlockDevice device;
    private Initiator initiator;
    private int block;
    private long lastStamp;
    private int cut;

    @TempDir
    protected Path directory;

    /** A request that was sent. */
    private record Running(Initiator.Io io, DurabilityModel.Write write, long flushBegin, int slot)
    {
    }

    /**
     * {@return the device on what a loss of power has left, at first on zeroes}
     *
     * @param registry of the memory that payload lies in.
     */
    protected abstract BlockDevice openDevice(MemoryRegistry registry) throws Exception;

    /** Takes power away from what is below the device, with requests in flight. Requests may never complete. */
    protected abstract void losePower();

    /** {@return chance, of a hundred requests, of one that fails; 0 when none may fail} */
    protected int failurePercent()
    {
        return 0;
    }

    /** {@return whether what is below the device zeroes each block that is deallocated, whatever the device says} */
    protected boolean deallocatesToZero()
    {
        return device.geometry().supportsDeallocate() && device.geometry().deallocatedReadsZero();
    }

    /** {@return whether a flush that succeeds covers what another one, at the same time, has failed to make stable} */
    protected boolean failsAllFlushesAtOnce()
    {
        return false;
    }

    private boolean isWeak()
    {
        return failurePercent() > 0 && !failsAllFlushesAtOnce();
    }

    @BeforeEach
    void mapMemory() throws Exception
    {
        arena = DmaMemory.map(PAYLOAD_BYTES + Initiator.BUFFERS_BYTES);
        registry = MemoryRegistry.of(arena);
        device = openDevice(registry);
        block = device.geometry().blockSizeBytes();
        initiator = openInitiator();
    }

    /** Its buffers are in memory that the device knows. */
    private Initiator openInitiator()
    {
        return new Initiator(ReactorConfig.of("durability", -1), device, arena.address() + PAYLOAD_BYTES);
    }

    @AfterEach
    void close()
    {
        initiator.close();
        device.close();
        arena.close();
    }

    @Test
    void shouldKeepWhatWasFlushedOrForcedWhenPowerIsLost() throws Exception
    {
        assertTrue(device.geometry().volatileWriteCache(), "the device says that it has no volatile cache");
        int open = 0;
        // On a busy machine a drive has often executed all that was sent before it loses power: more rounds follow.
        for (int round = 0; round < ROUNDS || 0 == cut && round < ROUNDS_MAX; round++)
        {
            final int steps = random.nextInt(STEPS);
            for (int step = 0; step < steps; step++)
            {
                begin(random.nextInt(10), random.nextInt(3) == 0);
                while (running.size() == DEPTH || !running.isEmpty() && random.nextInt(3) == 0)
                {
                    end(running.remove(random.nextInt(running.size())));
                }
            }
            // Each kind of promise is made often just before it has to be kept.
            while (running.size() > DEPTH - 1)
            {
                end(running.remove(0));
            }
            begin(1 + random.nextInt(5), true);
            end(running.removeLast());
            open += model.openBlocks();
            restart();
            check();
        }
        assertTrue(open > ROUNDS, () -> "nothing could be lost");
        assertTrue(cut > 0, () -> "no write was lost");
    }

    /** Sends a request: a flush for a choice of 0 or 1, then zeroes, deallocation and copy, a write for any other. */
    private void begin(final int choice, final boolean isForced)
    {
        final Initiator.Io io = initiator.io();
        final int slot = busySlots.nextClearBit(0);
        DurabilityModel.Write write = null;
        long flushBegin = 0;
        final int blocks = 1 + random.nextInt(BLOCKS_MAX);
        final int lba = random.nextInt(BLOCK_COUNT - blocks + 1);
        if (choice < 2 || busyBlocks.get(lba, lba + blocks).cardinality() > 0)
        {
            flushBegin = model.beginFlush();
            io.request().reset(BlockOperation.FLUSH, 0, 0);
        }
        else if (choice == 2)
        {
            write = model.begin(lba, blocks, 0);
            Initiator.fill(io.request(), BlockOperation.WRITE_ZEROES, lba, blocks, isForced);
        }
        else if (choice == 3 && deallocatesToZero())
        {
            write = model.begin(lba, blocks, 0);
            Initiator.fill(io.request(), BlockOperation.DEALLOCATE, lba, blocks, isForced);
        }
        else if (choice == 4 && device.geometry().supportsCopy())
        {
            beginCopy(io.request(), lba, isForced);
            write = model.begin(lba, 1, model.latest((int)io.request().sourceLba()));
        }
        else
        {
            lastStamp++;
            write = model.begin(lba, blocks, lastStamp);
            fill(io.request(), slot, lba, blocks, isForced);
        }
        if (null != write)
        {
            busyBlocks.set(lba, lba + io.request().blocks());
        }
        busySlots.set(slot);
        running.add(new Running(io, write, flushBegin, slot));
        initiator.send(io);
    }

    /** From a block whose content is known: nothing writes to it meanwhile. */
    private void beginCopy(final BlockRequest request, final int lba, final boolean isForced)
    {
        int source = lba;
        while (source == lba || busyBlocks.get(source))
        {
            source = random.nextInt(BLOCK_COUNT);
        }
        busyBlocks.set(source);
        request.resetCopy(source, lba, 1).forceUnitAccess(isForced);
    }

    private void fill(
        final BlockRequest request, final int slot, final int lba, final int blocks, final boolean isForced)
    {
        final long address = arena.address() + (long)slot * BLOCKS_MAX * block;
        for (int at = 0; at < blocks * block; at += Long.BYTES)
        {
            NativeMemory.putLong(address + at, lastStamp);
        }
        final int first = blocks > 1 && random.nextBoolean() ? 1 + random.nextInt(blocks - 1) : blocks;
        request.reset(BlockOperation.WRITE, lba, blocks).forceUnitAccess(isForced);
        request.addSegment(address, first * block);
        if (first < blocks)
        {
            request.addSegment(address + (long)first * block, (blocks - first) * block);
        }
    }

    private void end(final Running ended)
    {
        final BlockStatus status = initiator.await(ended.io());
        final BlockRequest request = ended.io().request();
        busySlots.clear(ended.slot());
        if (BlockStatus.SUCCESS != status)
        {
            assertTrue(failurePercent() > 0, () -> request + " ended with " + status);
        }
        if (null == ended.write())
        {
            if (BlockStatus.SUCCESS != status)
            {
                model.failFlush();
            }
            else if (!isWeak() || running.stream().noneMatch(DurabilityContractTest::hasFlush))
            {
                model.succeedFlush(ended.flushBegin());
            }
        }
        else
        {
            busyBlocks.clear((int)request.lba(), (int)request.lba() + request.blocks());
            if (BlockOperation.COPY == request.operation())
            {
                busyBlocks.clear((int)request.sourceLba());
            }
            if (BlockStatus.SUCCESS == status)
            {
                // The flush of a device's own may be one that found nothing left of what another has failed to write.
                model.succeed(ended.write(), request.forceUnitAccess() && !(isWeak() && hasFlush(ended)));
            }
            else if (hasFlush(ended))
            {
                model.failFlush();
            }
        }
    }

    /** Of several flushes at once Linux reports an error to one; a forced change without data may have its own. */
    private static boolean hasFlush(final Running request)
    {
        return null == request.write() || request.io().request().forceUnitAccess() &&
            BlockOperation.WRITE != request.io().request().operation();
    }

    /** What was in flight is forgotten: its blocks may hold it or not. */
    private void restart() throws Exception
    {
        losePower();
        initiator.close();
        device.close();
        running.clear();
        busyBlocks.clear();
        busySlots.clear();
        device = openDevice(registry);
        initiator = openInitiator();
    }

    private void check()
    {
        for (int lba = 0; lba < BLOCK_COUNT; lba++)
        {
            final int checked = lba;
            BlockStatus status = BlockStatus.MEDIA_ERROR;
            for (int i = 0; BlockStatus.SUCCESS != status && i <= failurePercent(); i++)
            {
                status = initiator.run(BlockOperation.READ, lba, 1, false, arena.address(), block);
            }
            assertEquals(BlockStatus.SUCCESS, status);
            final long stamp = NativeMemory.getLong(arena.address());
            for (int at = 0; at < block; at += Long.BYTES)
            {
                assertEquals(stamp, NativeMemory.getLong(arena.address() + at),
                    () -> "block " + checked + " is torn");
            }
            assertTrue(model.isPossible(lba, stamp), () -> "block " + checked + " holds " + stamp + ", " +
                model.describe(checked));
            cut += stamp == model.latest(lba) ? 0 : 1;
            model.settle(lba, stamp);
        }
    }
}
