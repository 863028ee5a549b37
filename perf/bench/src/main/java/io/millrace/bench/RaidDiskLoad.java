package io.millrace.bench;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockOperation;
import io.millrace.block.file.FileDevice;
import io.millrace.block.file.FileDeviceConfig;
import io.millrace.block.raid.CopyRates;
import io.millrace.block.raid.RaidDevice;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Random I/O on an array over block devices of the kernel, on one reactor: so many requests that are submitted again as
 * soon as they complete. Reads what to do from standard input, a line each, so that it stays compiled while another
 * program is measured in between:
 * <pre>
 *     LEVEL read|write BYTES DEPTH WARM_UP_MS MS DEVICE...
 * </pre>
 * and answers a line {@code IOPS MIB_PER_SECOND AVERAGE_US P50_US P99_US CPU_US}. The last is the busy time of all CPUs
 * of the machine, per I/O. What the devices hold is lost.
 */
public final class RaidDiskLoad
{
    private static final int BLOCK_BYTES = 4096;
    private static final int OPTIONS = 6;
    private static final int PAYLOAD_BYTES = 4 << 20;
    private static final int TIMEOUT_S = 60;

    private final RaidRig rig;
    private final DmaMemory payload;
    private final MemoryRegistry registry;

    private RaidDiskLoad(final RaidRig rig, final DmaMemory payload)
    {
        this.rig = rig;
        this.payload = payload;
        registry = MemoryRegistry.of(payload);
        rig.announceBuffers(registry);
    }

    /**
     * Works until standard input ends.
     *
     * @param args the CPU of the reactor, or -1.
     * @throws Exception when a device is unavailable or fails.
     */
    public static void main(final String[] args) throws Exception
    {
        try (RaidRig rig = new RaidRig(Integer.parseInt(args[0])); DmaMemory payload = DmaMemory.map(PAYLOAD_BYTES))
        {
            final RaidDiskLoad load = new RaidDiskLoad(rig, payload);
            final BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            String line = lines.readLine();
            while (null != line)
            {
                final String[] words = line.strip().split(" +");
                if (words.length <= OPTIONS)
                {
                    throw new IllegalArgumentException(line);
                }
                load.run(words);
                line = lines.readLine();
            }
        }
    }

    private void run(final String... words) throws Exception
    {
        final List<String> paths = List.of(words).subList(OPTIONS, words.length);
        final List<BlockDevice> members = new ArrayList<>();
        try
        {
            for (final String path : paths)
            {
                members.add(FileDevice.open(FileDeviceConfig.of(path, Path.of(path), 0, BLOCK_BYTES), registry));
            }
            try (RaidDevice array =
                rig.array(RaidLevel.valueOf(words[0]), paths, List.of(), members, CopyRates.DEFAULT, false))
            {
                run(array, words);
                rig.stopWork();
            }
        }
        finally
        {
            for (final BlockDevice member : members)
            {
                member.close();
            }
        }
    }

    private void run(final RaidDevice array, final String... words) throws Exception
    {
        final int lengthBytes = Integer.parseInt(words[2]);
        final int depth = Integer.parseInt(words[3]);
        final BlockOperation operation = "read".equals(words[1]) ? BlockOperation.READ : BlockOperation.WRITE;
        final BlockChannel channel = rig.open(array);
        final RandomIo load = rig.call(
            () -> new RandomIo(rig.reactor(), channel, array.geometry(), operation, lengthBytes, 1));
        rig.call(() -> load.begin(payload, depth));
        TimeUnit.MILLISECONDS.sleep(Long.parseLong(words[4]));
        final long busyBeforeNs = MachineTime.busyNs();
        final long beginNs = rig.call(load::measure);
        TimeUnit.MILLISECONDS.sleep(Long.parseLong(words[5]));
        final long endNs = rig.call(load::stop);
        final long busyNs = MachineTime.busyNs() - busyBeforeNs;
        while (!rig.call(load::isDone))
        {
            Thread.onSpinWait();
        }
        rig.call(load::close).get(TIMEOUT_S, TimeUnit.SECONDS);
        load.report(endNs - beginNs, busyNs);
    }
}
