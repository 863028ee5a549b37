package io.millrace.bench;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockOperation;
import io.millrace.block.spdk.SpdkDevice;
import io.millrace.block.spdk.SpdkMemory;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import io.millrace.spdk.SpdkConfig;
import io.millrace.spdk.SpdkRuntime;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * Random I/O on a bdev of SPDK in this process. Reads what to do from standard input, a line each, so that it stays
 * compiled:
 * <pre>
 *     BDEV read|write BYTES DEPTH WARM_UP_MS MS
 * </pre>
 * and answers a line as {@link RandomIo#report} has it; CPU time is that of this process.
 */
public final class SpdkLoad
{
    private static final int WORDS = 6;
    private static final int PATIENCE_S = 60;
    private static final int TIMED_OF = 128;
    /** Of the arguments. */
    private static final int FIRST_ADDRESS = 3;

    private SpdkLoad()
    {
    }

    /**
     * Works until standard input ends.
     *
     * @param args the CPU of the reactor, or -1; a file with SPDK's JSON configuration; yes for hugepages; PCI
     *             addresses of drives.
     * @throws Exception when SPDK cannot be used, or fails.
     */
    public static void main(final String[] args) throws Exception
    {
        final int cpu = Integer.parseInt(args[0]);
        final SpdkRuntime runtime = SpdkRuntime.start(new SpdkConfig(Path.of(args[1]), SpdkConfig.MEMORY_MIB_DEFAULT,
            "yes".equals(args[2]), List.of(args).subList(FIRST_ADDRESS, args.length), null), System.err::println);
        final BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String line = lines.readLine();
        while (null != line)
        {
            final String[] words = line.strip().split(" +");
            if (WORDS != words.length)
            {
                throw new IllegalArgumentException(line);
            }
            run(runtime, cpu, words);
            line = lines.readLine();
        }
        runtime.stop().forEach(System.err::println);
    }

    private static void run(final SpdkRuntime runtime, final int cpu, final String... words) throws Exception
    {
        final int lengthBytes = Integer.parseInt(words[2]);
        final int depth = Integer.parseInt(words[3]);
        final ReactorConfig config = new ReactorConfig("load", cpu, ReactorConfig.IdleMode.BUSY_SPIN, 0);
        try (DmaMemory memory = DmaMemory.map((long)lengthBytes * depth);
            SpdkDevice device = SpdkDevice.open("load", words[0], runtime);
            Reactor reactor = new Reactor(config))
        {
            final MemoryRegistry registry = MemoryRegistry.of(memory);
            final SpdkMemory registered = new SpdkMemory(runtime.memory());
            registry.addListener(registered);
            reactor.start();
            final BlockOperation operation = "read".equals(words[1]) ? BlockOperation.READ : BlockOperation.WRITE;
            final BlockChannel channel = ChannelFuture.open(device, reactor).get(PATIENCE_S, TimeUnit.SECONDS);
            final RandomIo load = call(reactor,
                () -> new RandomIo(reactor, channel, device.geometry(), operation, lengthBytes, TIMED_OF));
            call(reactor, () -> load.begin(memory, depth));
            TimeUnit.MILLISECONDS.sleep(Long.parseLong(words[4]));
            final long busyBeforeNs = busyNs();
            final long beginNs = call(reactor, load::measure);
            TimeUnit.MILLISECONDS.sleep(Long.parseLong(words[5]));
            final long endNs = call(reactor, load::stop);
            final long busyNs = busyNs() - busyBeforeNs;
            while (!call(reactor, load::isDone))
            {
                Thread.onSpinWait();
            }
            call(reactor, load::close).get(PATIENCE_S, TimeUnit.SECONDS);
            registry.removeListener(registered);
            load.report(endNs - beginNs, busyNs);
        }
    }

    private static <T> T call(final Reactor reactor, final Callable<T> task) throws Exception
    {
        return reactor.call(task).get(PATIENCE_S, TimeUnit.SECONDS);
    }

    private static long busyNs()
    {
        return ((com.sun.management.OperatingSystemMXBean)ManagementFactory.getOperatingSystemMXBean())
            .getProcessCpuTime();
    }
}
