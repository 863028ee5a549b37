package io.millrace.bench;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.nvme.ControllerSettings;
import io.millrace.block.nvme.NvmeController;
import io.millrace.block.nvme.NvmeDevice;
import io.millrace.block.nvme.NvmeDeviceConfig;
import io.millrace.block.nvme.NvmeListener;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Cost of a command in the NVMe driver: a request is submitted, its entry built, the doorbell written, the completion
 * found and the request completed. The controller is {@link MemoryDrive}, whose part, looking at the doorbell, reading
 * the entry and writing the completion, is in the figures; {@link #controllerAlone} is that part by itself. Requests go
 * to the namespaces in turn, whose channels share a queue pair and are all polled.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = {JvmFlags.OPEN_UNSAFE, JvmFlags.NATIVE})
public class NvmeDriverBenchmark
{
    private static final int DEPTH = 32;
    private static final int DATA_BYTES = 4096;
    private static final int LONG_BYTES = 128 << 10;
    private static final long ARENA_BYTES = 16L << 20;
    private static final int ALONE_ENTRIES = 256;

    /** How many namespaces the drive has. */
    @Param({"1", "8"})
    private int namespaces;

    private final BlockRequest[] requests = new BlockRequest[DEPTH];
    private DmaMemory arena;
    private MemoryDrive drive;
    private NvmeController controller;
    private NvmeDevice[] devices;
    private BlockChannel[] channels;
    private MemoryDrive alone;
    private DmaMemory aloneQueues;
    private int aloneTail;
    private int completed;

    /**
     * Takes the drive for a reactor that has ended once its channels are open, so that this thread is its thread.
     */
    @Setup
    public void setUp()
    {
        arena = DmaMemory.map(ARENA_BYTES);
        drive = new MemoryDrive();
        controller = NvmeController.start(
            drive, MemoryRegistry.of(arena), ControllerSettings.defaults(), NvmeListener.NONE);
        devices = new NvmeDevice[namespaces];
        channels = new BlockChannel[namespaces];
        for (int i = 0; i < namespaces; i++)
        {
            devices[i] = NvmeDevice.open(NvmeDeviceConfig.of("nvme" + i, drive.address(), 1 + i), controller);
        }
        try (Reactor reactor = new Reactor(ReactorConfig.of("bench", -1)))
        {
            reactor.start();
            for (int i = 0; i < namespaces; i++)
            {
                channels[i] = ChannelFuture.open(devices[i], reactor).join();
            }
        }
        for (int i = 0; i < DEPTH; i++)
        {
            requests[i] = new BlockRequest(this, this::onComplete);
        }
        alone = new MemoryDrive();
        aloneQueues = DmaMemory.map(ALONE_ENTRIES * (MemoryDrive.SUBMISSION_BYTES + MemoryDrive.COMPLETION_BYTES));
        alone.ioQueues(aloneQueues.address(), aloneQueues.address() + ALONE_ENTRIES * MemoryDrive.SUBMISSION_BYTES,
            ALONE_ENTRIES);
    }

    /**
     * Gives it back.
     */
    @TearDown
    public void tearDown()
    {
        for (final NvmeDevice device : devices)
        {
            device.close();
        }
        controller.close();
        arena.close();
        alone.close();
        aloneQueues.close();
    }

    private void onComplete(final BlockRequest request)
    {
        completed++;
    }

    private void run(final BlockOperation operation, final int count, final int lengthBytes)
    {
        for (int i = 0; i < count; i++)
        {
            final BlockRequest request = requests[i].reset(operation, i, lengthBytes / MemoryDrive.BLOCK_BYTES)
                .addSegment(arena.address() + (long)i * LONG_BYTES, lengthBytes);
            if (!channels[i % channels.length].submit(request))
            {
                throw new IllegalStateException("the channel is full");
            }
        }
        poll();
        drive.completeIo();
        poll();
    }

    private void poll()
    {
        for (final BlockChannel channel : channels)
        {
            // As a reactor does: a channel without requests is not polled.
            if (channel.inFlight() > 0)
            {
                channel.poll();
            }
        }
    }

    /**
     * A read of 4 KiB alone: two polls, one that shows it to the drive and one that completes it.
     *
     * @return requests completed.
     */
    @Benchmark
    public int readAlone()
    {
        run(BlockOperation.READ, 1, DATA_BYTES);
        return completed;
    }

    /**
     * Reads of 4 KiB, 32 at a time.
     *
     * @return requests completed.
     */
    @Benchmark
    @OperationsPerInvocation(DEPTH)
    public int reads()
    {
        run(BlockOperation.READ, DEPTH, DATA_BYTES);
        return completed;
    }

    /**
     * Writes of 4 KiB, 32 at a time.
     *
     * @return requests completed.
     */
    @Benchmark
    @OperationsPerInvocation(DEPTH)
    public int writes()
    {
        run(BlockOperation.WRITE, DEPTH, DATA_BYTES);
        return completed;
    }

    /**
     * Reads of 128 KiB, 32 at a time: with a list of 31 pages each.
     *
     * @return requests completed.
     */
    @Benchmark
    @OperationsPerInvocation(DEPTH)
    public int longReads()
    {
        run(BlockOperation.READ, DEPTH, LONG_BYTES);
        return completed;
    }

    /**
     * Cost of 32 commands in the controller, without a driver.
     *
     * @return commands completed.
     */
    @Benchmark
    @OperationsPerInvocation(DEPTH)
    public int controllerAlone()
    {
        aloneTail = (aloneTail + DEPTH) % ALONE_ENTRIES;
        alone.ringIo(aloneTail);
        return alone.completeIo();
    }
}
