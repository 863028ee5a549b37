package io.millrace.bench;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.nvme.ControllerSettings;
import io.millrace.block.nvme.NvmeController;
import io.millrace.block.nvme.NvmeDevice;
import io.millrace.block.nvme.NvmeDeviceConfig;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import io.millrace.pci.IommuMode;
import io.millrace.pci.VfioFunction;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Random I/O on an NVMe drive that is driven from here: a reactor, a channel, so many requests that are submitted again
 * as soon as they complete. Reads what to do from standard input, a line each, so that it stays compiled while others
 * have the drive in between:
 * <pre>
 *     ADDRESS NSID read|write BYTES DEPTH WARM_UP_MS MS poll|sleep
 * </pre>
 * and answers a line {@code IOPS MIB_PER_SECOND AVERAGE_US P50_US P99_US CPU_US}. The last is the busy time of all CPUs
 * of the machine, per I/O. With {@code sleep} the reactor does not spin at all, and interrupts wake it.
 */
public final class NvmeLoad
{
    private static final int WORDS = 8;
    private static final int COMPLETION_TIMEOUT_SECONDS = 60;
    /** Idle time in the first line of /proc/stat; the one after it is idle time with block I/O outstanding. */
    private static final int IDLE_FIELD = 4;
    /** Of USER_HZ, which is 100 on every architecture there is. */
    private static final long NS_PER_TICK = 10_000_000;
    private static final double NS_PER_US = 1_000;

    private final BlockChannel channel;
    private final Reactor reactor;
    private final BlockOperation operation;
    private final int blocks;
    private final long places;
    private final SplittableRandom random = new SplittableRandom(7);
    private final LatencyBuckets latencies = new LatencyBuckets();
    private boolean isEnding;
    private boolean isMeasuring;
    private int outstanding;
    private long count;

    private NvmeLoad(
        final Reactor reactor,
        final BlockChannel channel,
        final NvmeDevice device,
        final BlockOperation operation,
        final int lengthBytes)
    {
        this.reactor = reactor;
        this.operation = operation;
        blocks = lengthBytes / device.geometry().blockSizeBytes();
        places = device.geometry().blockCount() / blocks;
        this.channel = channel;
        reactor.addPoller(channel);
    }

    /** One of the requests that are always outstanding. */
    private static final class Slot
    {
        private final NvmeLoad load;
        private final BlockRequest request;
        private final long address;
        private final int lengthBytes;
        private long startNs;

        Slot(final NvmeLoad load, final long address, final int lengthBytes)
        {
            this.load = load;
            this.address = address;
            this.lengthBytes = lengthBytes;
            request = new BlockRequest(this, Slot::onComplete);
        }

        private static void onComplete(final BlockRequest request)
        {
            final Slot slot = (Slot)request.owner();
            if (BlockStatus.SUCCESS != request.status())
            {
                throw new IllegalStateException("ended with " + request.status() + ": " + request);
            }
            slot.load.onComplete(slot);
        }

        private void submit()
        {
            startNs = load.reactor.clockNs();
            request.reset(load.operation, load.random.nextLong(load.places) * load.blocks, load.blocks)
                .addSegment(address, lengthBytes);
            if (!load.channel.submit(request))
            {
                throw new IllegalStateException("the channel is full");
            }
        }
    }

    private void onComplete(final Slot slot)
    {
        if (isMeasuring)
        {
            count++;
            latencies.add(reactor.clockNs() - slot.startNs);
        }
        if (isEnding)
        {
            outstanding--;
        }
        else
        {
            slot.submit();
        }
    }

    /**
     * Works until standard input ends.
     *
     * @param args the CPU of the reactor, or -1.
     * @throws Exception when the drive is unavailable or fails.
     */
    public static void main(final String[] args) throws Exception
    {
        final int cpu = Integer.parseInt(args[0]);
        final BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String line = lines.readLine();
        while (null != line)
        {
            final String[] words = line.strip().split(" +");
            if (WORDS != words.length)
            {
                throw new IllegalArgumentException(line);
            }
            run(cpu, words);
            line = lines.readLine();
        }
    }

    private static void run(final int cpu, final String... words) throws Exception
    {
        final int lengthBytes = Integer.parseInt(words[3]);
        final int depth = Integer.parseInt(words[4]);
        final boolean sleeps = "sleep".equals(words[7]);
        final ReactorConfig config = new ReactorConfig("load", cpu, ReactorConfig.IdleMode.SLEEP, 0);
        final NvmeDeviceConfig drive =
            NvmeDeviceConfig.of("load", words[0], Integer.parseInt(words[1])).withInterrupts(sleeps);
        try (DmaMemory memory = DmaMemory.map((long)lengthBytes * depth);
            NvmeController controller = NvmeController.start(VfioFunction.open(words[0], IommuMode.REQUIRED),
                MemoryRegistry.of(memory), ControllerSettings.defaults(), (address, note) -> System.err.println(note));
            NvmeDevice device = NvmeDevice.open(drive, controller);
            Reactor reactor = new Reactor(config))
        {
            reactor.start();
            final BlockOperation operation = "read".equals(words[2]) ? BlockOperation.READ : BlockOperation.WRITE;
            final BlockChannel channel =
                ChannelFuture.open(device, reactor).get(COMPLETION_TIMEOUT_SECONDS, TimeUnit.SECONDS);
            final NvmeLoad load =
                call(reactor, () -> new NvmeLoad(reactor, channel, device, operation, lengthBytes));
            call(reactor, () -> load.begin(memory, depth, lengthBytes));
            TimeUnit.MILLISECONDS.sleep(Long.parseLong(words[5]));
            final long busyBeforeNs = busyNs();
            final long beginNs = call(reactor, load::measure);
            TimeUnit.MILLISECONDS.sleep(Long.parseLong(words[6]));
            final long endNs = call(reactor, load::stop);
            final long busyNs = busyNs() - busyBeforeNs;
            while (!call(reactor, load::isDone))
            {
                Thread.onSpinWait();
            }
            call(reactor, load::close).get(COMPLETION_TIMEOUT_SECONDS, TimeUnit.SECONDS);
            load.report(endNs - beginNs, busyNs, lengthBytes);
        }
    }

    private static <T> T call(final Reactor reactor, final java.util.concurrent.Callable<T> task) throws Exception
    {
        return reactor.call(task).get(COMPLETION_TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }

    private Void begin(final DmaMemory memory, final int depth, final int lengthBytes)
    {
        outstanding = depth;
        for (int i = 0; i < depth; i++)
        {
            new Slot(this, memory.address() + (long)i * lengthBytes, lengthBytes).submit();
        }
        return null;
    }

    private Long measure()
    {
        isMeasuring = true;
        return reactor.clockNs();
    }

    private Long stop()
    {
        isMeasuring = false;
        isEnding = true;
        return reactor.clockNs();
    }

    private Boolean isDone()
    {
        return 0 == outstanding;
    }

    private CompletableFuture<Void> close()
    {
        final CompletableFuture<Void> closed = new CompletableFuture<>();
        reactor.removePoller(channel);
        channel.close((gone) -> closed.complete(null));
        return closed;
    }

    private void report(final long tookNs, final long busyNs, final int lengthBytes)
    {
        final double iops = count * (double)TimeUnit.SECONDS.toNanos(1) / tookNs;
        System.out.printf("%.0f %.1f %.2f %.2f %.2f %.2f%n", iops, iops * lengthBytes / (1 << 20),
            latencies.averageNs() / NS_PER_US, latencies.percentileNs(50) / NS_PER_US,
            latencies.percentileNs(99) / NS_PER_US, busyNs / NS_PER_US / count);
        System.out.flush();
    }

    /**
     * How long all CPUs together were not idle, up to a constant. By the time they were idle, which the kernel
     * measures: what they did it counts by the tick, which short work between two ticks escapes.
     */
    private static long busyNs() throws IOException
    {
        final List<String> lines = Files.readAllLines(Path.of("/proc/stat"));
        final String[] fields = lines.getFirst().split(" +");
        // Of the machine: this process may be kept on one of them.
        final long processors = lines.stream().filter((line) -> line.matches("cpu\\d.*")).count();
        final long idleTicks = Long.parseLong(fields[IDLE_FIELD]) + Long.parseLong(fields[IDLE_FIELD + 1]);
        return System.nanoTime() * processors - idleTicks * NS_PER_TICK;
    }
}
