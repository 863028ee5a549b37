package io.millrace.simulation;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockDevice;
import io.millrace.block.DeviceProperties;
import io.millrace.block.delay.DelayDevice;
import io.millrace.block.fault.FaultDevice;
import io.millrace.block.fault.FaultPlan;
import io.millrace.block.file.ModelFaults;
import io.millrace.block.file.ModelSchedule;
import io.millrace.block.file.SimulatedFile;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.memory.MemoryRegistry;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * What keeps the blocks, and the devices on it of the process that has it: memory; a drive, or a file on io_uring, with
 * a volatile cache. Maybe with faults and delays above.
 */
final class Storage implements DeviceSource
{
    private static final int PAGE_BYTES = 4096;
    private static final AtomicLong FILES = new AtomicLong();

    private final Simulator simulator;
    private final Draw draw;
    private final int blockBytes;
    private final int blocks;
    private final boolean hasFaults;
    private final boolean hasDelay;
    private final DriveTiming timing;
    private final int polledBytesMax;
    private final boolean zeroes;
    private final boolean isBuffered;
    private MemoryDevice memory;
    private Drive drive;
    private SimulatedFile file;
    private Path path;
    private BlockDevice opened;
    private FaultDevice fault;

    Storage(
        final Simulator simulator,
        final History history,
        final Path directory,
        final int blockBytes,
        final int blocks)
    {
        this.simulator = simulator;
        draw = simulator.draw();
        this.blockBytes = blockBytes;
        this.blocks = blocks;
        timing = new DriveTiming(draw);
        isBuffered = draw.oneIn(3);
        switch (draw.below(8))
        {
            case 0, 1 -> memory = filledMemory();
            case 2, 3, 4 -> drive = new Drive(draw, timing, blockBytes, blocks, filledBlock());
            default -> file = filledFile(directory, history);
        }
        hasFaults = draw.oneIn(5);
        hasDelay = draw.oneIn(5);
        polledBytesMax = draw.of(0, blockBytes, PAGE_BYTES * 4);
        zeroes = !draw.oneIn(3);
    }

    private MemoryDevice filledMemory()
    {
        final MemoryDevice made = MemoryDevice.create(
            "memory", (long)blocks * blockBytes, blockBytes, simulator.kernel()::nanoTime);
        final long address = made.lentMemory().getFirst().address();
        for (int offset = 0; offset < blocks * blockBytes; offset += Long.BYTES)
        {
            NativeMemory.putLong(address + offset, Workload.INITIAL);
        }
        return made;
    }

    private byte[] filledBlock()
    {
        final byte[] block = new byte[blockBytes];
        final ByteBuffer words = ByteBuffer.wrap(block).order(ByteOrder.nativeOrder());
        while (words.hasRemaining())
        {
            words.putLong(Workload.INITIAL);
        }
        return block;
    }

    private SimulatedFile filledFile(final Path directory, final History history)
    {
        final long sizeBytes = (long)blocks * blockBytes;
        path = sparse(directory, sizeBytes);
        final SimulatedFile made = new SimulatedFile(path, sizeBytes, blockBytes, isBuffered, draw.generator());
        final byte[] block = filledBlock();
        for (int i = 0; i < blocks; i++)
        {
            made.fill((long)i * blockBytes, block);
        }
        if (!isBuffered)
        {
            made.onLostSync(() -> history.syncLost(simulator.moment()));
        }
        made.faults(new ModelFaults(0, draw.of(0, 200), draw.of(0, 50), 0));
        return made;
    }

    /** {@return a sparse file, which keeps its place and is never written} */
    private static Path sparse(final Path directory, final long sizeBytes)
    {
        final Path path = directory.resolve("volume-" + FILES.incrementAndGet());
        try (RandomAccessFile made = new RandomAccessFile(path.toFile(), "rw"))
        {
            made.setLength(sizeBytes);
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
        return path;
    }

    @Override
    public BlockDevice open(final int process, final MemoryRegistry registry)
    {
        if (null != file)
        {
            opened = file.open(new Schedule(process), registry, polledBytesMax, zeroes);
        }
        else
        {
            opened = null == memory ? drive : memory;
        }
        BlockDevice device = opened;
        if (hasFaults)
        {
            fault = FaultDevice.wrapBorrowed("fault", device, FaultPlan.NONE);
            device = fault;
        }
        return hasDelay ? DelayDevice.over("delay", device,
            DeviceProperties.of(Map.of("read-delay", 300_000L, "write-delay", 700_000L))) : device;
    }

    @Override
    public boolean isIdle()
    {
        return null == file || file.isIdle();
    }

    @Override
    public void close()
    {
        if (null != file)
        {
            opened.close();
        }
    }

    /** {@return the device that goes wrong; null when there is none} */
    FaultDevice fault()
    {
        return fault;
    }

    /** {@return the file that keeps the blocks; null when something else does} */
    SimulatedFile file()
    {
        return file;
    }

    /** {@return whether it takes time, and has a cache that a loss of power empties} */
    boolean isDrive()
    {
        return null == memory;
    }

    /** {@return the longest time of a step of a request, unless it is stuck} */
    long longestStepNs()
    {
        return isDrive() ? timing.longestNs() : 0;
    }

    void stick(final long untilNs)
    {
        timing.stick(untilNs);
    }

    void losePower()
    {
        timing.stick(0);
        if (null != file)
        {
            file.losePower();
        }
        else
        {
            drive.losePower();
        }
    }

    /** Nobody uses it any more. */
    void end()
    {
        if (null != memory)
        {
            memory.close();
        }
        if (null != path)
        {
            try
            {
                Files.delete(path);
            }
            catch (final IOException e)
            {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Override
    public String toString()
    {
        final String kind = null != memory ? "memory" : null != drive ? "drive" : isBuffered ? "buffered file" :
            "file polled up to " + polledBytesMax;
        return kind + (hasFaults ? " with faults" : "") + (hasDelay ? " with delay" : "");
    }

    /** Of a process's rings. */
    private final class Schedule implements ModelSchedule
    {
        private static final long RING_NS_MAX = 2_000_000;
        private static final long UNSEEN_NS_MAX = 20_000_000;

        private final int process;

        private Schedule(final int process)
        {
            this.process = process;
        }

        @Override
        public void makeRing(final Runnable task)
        {
            simulator.after(draw.between(1_000, RING_NS_MAX), () ->
            {
                simulator.kernel().enter(process);
                task.run();
            });
        }

        @Override
        public void later(final Runnable step)
        {
            simulator.after(timing.delayNs(), () -> atLast(step));
        }

        private void atLast(final Runnable step)
        {
            final long dueNs = timing.dueNs(simulator.nowNs());
            if (dueNs > simulator.nowNs())
            {
                simulator.at(dueNs, () -> atLast(step));
            }
            else
            {
                step.run();
            }
        }

        @Override
        public void completed(final BooleanSupplier isSeen)
        {
            final long sinceNs = simulator.nowNs();
            simulator.after(UNSEEN_NS_MAX, () ->
            {
                if (!isSeen.getAsBoolean() && !simulator.hasStalled(process, sinceNs))
                {
                    throw new AssertionError(
                        "nobody has looked at a completion of a ring for " + UNSEEN_NS_MAX / 1_000_000 + " ms");
                }
            });
        }

        @Override
        public int eventDescriptor()
        {
            return simulator.kernel().eventDescriptor();
        }

        @Override
        public void signal(final int fd)
        {
            simulator.kernel().signal(fd);
        }

        @Override
        public void close(final int fd)
        {
            simulator.kernel().enter(process);
            simulator.kernel().close(fd);
        }
    }
}
