package io.millrace.bench;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockOperation;
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
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
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

    private NvmeLoad()
    {
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
            final RandomIo load = call(reactor,
                () -> new RandomIo(reactor, channel, device.geometry(), operation, lengthBytes, 1));
            call(reactor, () -> load.begin(memory, depth));
            TimeUnit.MILLISECONDS.sleep(Long.parseLong(words[5]));
            final long busyBeforeNs = MachineTime.busyNs();
            final long beginNs = call(reactor, load::measure);
            TimeUnit.MILLISECONDS.sleep(Long.parseLong(words[6]));
            final long endNs = call(reactor, load::stop);
            final long busyNs = MachineTime.busyNs() - busyBeforeNs;
            while (!call(reactor, load::isDone))
            {
                Thread.onSpinWait();
            }
            call(reactor, load::close).get(COMPLETION_TIMEOUT_SECONDS, TimeUnit.SECONDS);
            load.report(endNs - beginNs, busyNs);
        }
    }

    private static <T> T call(final Reactor reactor, final java.util.concurrent.Callable<T> task) throws Exception
    {
        return reactor.call(task).get(COMPLETION_TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }
}
