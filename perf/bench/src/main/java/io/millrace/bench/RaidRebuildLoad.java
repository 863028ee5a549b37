package io.millrace.bench;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.DeviceHealth;
import io.millrace.block.DeviceStatus;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.block.raid.CopyRates;
import io.millrace.block.raid.RaidDevice;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import io.millrace.reactor.Poller;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Rebuilds of arrays over members of a known bandwidth, without hosts and beside one; and how long an array of 64
 * members takes to start, and what it keeps on the heap. By the clock, so on a quiet machine. Arguments: mebibytes of
 * each member, mebibytes a second of each, rounds.
 */
public final class RaidRebuildLoad
{
    private static final int BLOCK_BYTES = 4096;
    private static final long MIB = 1 << 20;
    /** So that a request of 4 KiB costs a good part of one of 64, as it does on flash. */
    private static final long REQUEST_NS = 25_000;
    private static final long LATENCY_NS = 80_000;
    private static final int DEPTH = 8;
    private static final double NS_PER_US = 1e3;
    private static final double NS_PER_MS = 1e6;
    private static final double NS_PER_S = 1e9;
    private static final int PERCENT_99 = 99;
    private static final int PER_MILLE_FROM = 250;
    private static final int PER_MILLE_TO = 950;
    private static final int MEMBERS_MAX = 64;

    private RaidRebuildLoad()
    {
    }

    /** Random reads of 4 KiB, some outstanding, as a poller of the reactor. */
    private static final class Host implements Poller, AutoCloseable
    {
        private final BlockChannel channel;
        private final Places places;
        private final DmaMemory payload = DmaMemory.map(DEPTH * BLOCK_BYTES);
        private final LatencyBuckets latencies = new LatencyBuckets();
        private final BlockRequest[] requests = new BlockRequest[DEPTH];
        private final long[] startNs = new long[DEPTH];
        private final boolean[] isBusy = new boolean[DEPTH];
        private boolean isEnding;
        private int outstanding;
        private long count;

        private Host(final BlockChannel channel, final long bytes)
        {
            this.channel = channel;
            places = new Places(bytes / BLOCK_BYTES, true);
            for (int i = 0; i < DEPTH; i++)
            {
                final int index = i;
                requests[i] = new BlockRequest(this, (request) -> onComplete(index));
            }
        }

        private void onComplete(final int index)
        {
            isBusy[index] = false;
            outstanding--;
            count++;
            latencies.add(System.nanoTime() - startNs[index]);
        }

        @Override
        public int poll()
        {
            for (int i = 0; i < DEPTH && !isEnding; i++)
            {
                if (!isBusy[i])
                {
                    isBusy[i] = true;
                    outstanding++;
                    startNs[i] = System.nanoTime();
                    channel.submit(requests[i].reset(BlockOperation.READ, places.next(), 1)
                        .addSegment(payload.address() + (long)i * BLOCK_BYTES, BLOCK_BYTES));
                }
            }
            return outstanding;
        }

        @Override
        public boolean canSleep()
        {
            return 0 == outstanding;
        }

        @Override
        public void close()
        {
            payload.close();
        }
    }

    /** An array whose members have one bandwidth. */
    private static final class Run implements AutoCloseable
    {
        private final RaidRig rig;
        private final long dataBytes;
        private final List<BlockDevice> devices = new ArrayList<>();
        private final RaidDevice array;
        private final BlockChannel channel;

        private Run(
            final RaidRig rig,
            final RaidLevel level,
            final int members,
            final List<String> spares,
            final long dataBytes,
            final long bytesPerS)
        {
            this.rig = rig;
            this.dataBytes = dataBytes;
            final List<String> names = IntStream.range(0, members).mapToObj((i) -> "m" + i).toList();
            final List<String> all = new ArrayList<>(names);
            all.addAll(spares);
            for (final String name : all)
            {
                devices.add(new PacedDevice(
                    name, MIB + dataBytes + BLOCK_BYTES, BLOCK_BYTES, bytesPerS, REQUEST_NS, LATENCY_NS));
            }
            array = rig.array(level, names, spares, devices, CopyRates.DEFAULT, false);
            channel = rig.open(array);
            rig.call(() ->
            {
                rig.reactor().addPoller(channel);
                return null;
            });
        }

        /** Reads for some time; the requests of a second, and the percentile in nanoseconds. */
        private double[] read(final long ns) throws Exception
        {
            try (Host host = new Host(channel, array.geometry().sizeBytes()))
            {
                final long start = System.nanoTime();
                rig.call(() ->
                {
                    rig.reactor().addPoller(host);
                    return null;
                });
                TimeUnit.NANOSECONDS.sleep(ns);
                final double rate = rig.call(() -> host.count / ((System.nanoTime() - start) / NS_PER_S));
                rig.call(() ->
                {
                    host.isEnding = true;
                    return null;
                });
                while (rig.call(() -> 0 != host.outstanding))
                {
                    TimeUnit.MILLISECONDS.sleep(1);
                }
                rig.call(() ->
                {
                    rig.reactor().removePoller(host);
                    return null;
                });
                return new double[]{rate, host.latencies.percentileNs(PERCENT_99)};
            }
        }

        /** Makes the first member fail, which a read finds. */
        private void fail() throws Exception
        {
            final long before = rig.statusChanges();
            ((PacedDevice)devices.getFirst()).fail();
            while (before == rig.statusChanges())
            {
                read(1);
            }
        }

        /** Waits for most of the rebuild; bytes of the member a second in the middle of it. */
        private double rebuild() throws Exception
        {
            awaitProgress(PER_MILLE_FROM);
            final long start = System.nanoTime();
            awaitProgress(PER_MILLE_TO);
            return dataBytes / 1000.0 * (PER_MILLE_TO - PER_MILLE_FROM) / ((System.nanoTime() - start) / NS_PER_S);
        }

        private void awaitProgress(final int perMille) throws Exception
        {
            DeviceStatus status = array.status();
            // A short one may have ended meanwhile.
            while (DeviceHealth.ONLINE != status.health() &&
                (null == status.progress() || status.progress().perMille() < perMille))
            {
                TimeUnit.MICROSECONDS.sleep(100);
                status = array.status();
            }
        }

        private boolean isRebuilding()
        {
            return null != array.status().progress();
        }

        @Override
        public void close()
        {
            rig.call(() ->
            {
                rig.reactor().removePoller(channel);
                return null;
            });
            rig.close(channel);
            rig.stopWork();
            array.close();
            for (final BlockDevice each : devices)
            {
                each.close();
            }
        }
    }

    private static void rebuild(
        final RaidRig rig,
        final RaidLevel level,
        final int members,
        final long dataBytes,
        final long bytesPerS,
        final PrintStream out) throws Exception
    {
        // What the member does with requests of a strip.
        final double memberBytesPerS = RaidRig.STRIP_BYTES /
            (RaidRig.STRIP_BYTES / (double)bytesPerS + REQUEST_NS / NS_PER_S);
        final List<String> spares = List.of("spare");
        final double idle;
        try (Run run = new Run(rig, level, members, spares, dataBytes, bytesPerS))
        {
            run.fail();
            idle = run.rebuild();
        }
        final double[] before;
        try (Run run = new Run(rig, level, members, List.of(), dataBytes, bytesPerS))
        {
            run.fail();
            before = run.read((long)NS_PER_S);
        }
        try (Run run = new Run(rig, level, members, spares, dataBytes, bytesPerS))
        {
            run.fail();
            // Long enough for the rate to follow the host.
            run.read((long)NS_PER_S / 2);
            final double[] beside = run.read((long)NS_PER_S);
            out.printf(Locale.ROOT,
                "| RAID %s of %d | %.0f / %.0f MiB/s | %.2f | %.0f / %.0f%s | %.2f | %.0f / %.0f us | %.2f |%n",
                level.label(), members, idle / MIB, memberBytesPerS / MIB, idle / memberBytesPerS, beside[0], before[0],
                run.isRebuilding() ? "" : " (rebuild had ended)", beside[0] / before[0], beside[1] / NS_PER_US,
                before[1] / NS_PER_US, beside[1] / before[1]);
        }
    }

    private static void start(final RaidRig rig, final PrintStream out) throws Exception
    {
        final List<BlockDevice> devices = new ArrayList<>();
        final List<String> names = IntStream.range(0, MEMBERS_MAX).mapToObj((i) -> "m" + i).toList();
        for (final String name : names)
        {
            devices.add(MemoryDevice.create(name, 16 * MIB, BLOCK_BYTES));
        }
        for (final String what : new String[]{"created", "assembled", "assembled"})
        {
            System.gc();
            final long before = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
            final long begin = System.nanoTime();
            final RaidDevice array = rig.array(RaidLevel.RAID6, names, List.of(), devices, CopyRates.DEFAULT, false);
            final BlockChannel channel = rig.open(array);
            final double tookMs = (System.nanoTime() - begin) / NS_PER_MS;
            System.gc();
            final long after = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
            out.printf(Locale.ROOT, "RAID 6 of 64 members %s and open in %.0f ms; %d KiB of heap a member " +
                "for two channels%n", what, tookMs, (after - before) / 1024 / MEMBERS_MAX);
            rig.close(channel);
            rig.stopWork();
            array.close();
        }
        for (final BlockDevice each : devices)
        {
            each.close();
        }
    }

    /**
     * Measures.
     *
     * @param dataBytes of each member.
     * @param bytesPerS of each member.
     * @param rounds    of each array.
     * @param out       gets the table.
     * @throws Exception when an array cannot be made.
     */
    static void run(final long dataBytes, final long bytesPerS, final int rounds, final PrintStream out)
        throws Exception
    {
        try (RaidRig rig = new RaidRig(-1))
        {
            start(rig, out);
            out.println("| array | rebuild / member | ratio | IOPS beside it / degraded | ratio | p99 beside it / " +
                "degraded | ratio |");
            out.println("|---|---|---|---|---|---|---|");
            for (int round = 0; round < rounds; round++)
            {
                rebuild(rig, RaidLevel.RAID1, 2, dataBytes, bytesPerS, out);
                rebuild(rig, RaidLevel.RAID5, 5, dataBytes, bytesPerS, out);
                rebuild(rig, RaidLevel.RAID6, 10, dataBytes, bytesPerS, out);
            }
        }
    }

    /**
     * Measures and prints to standard output.
     *
     * @param args mebibytes of each member, mebibytes a second of each, rounds.
     * @throws Exception when an array cannot be made.
     */
    public static void main(final String[] args) throws Exception
    {
        run(Long.parseLong(args[0]) * MIB, Long.parseLong(args[1]) * MIB, Integer.parseInt(args[2]), System.out);
    }
}
