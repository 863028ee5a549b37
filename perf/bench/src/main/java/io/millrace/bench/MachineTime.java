package io.millrace.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * CPU time of the whole machine, from {@code /proc/stat}.
 */
final class MachineTime
{
    /** Idle time in the first line; the one after it is idle time with block I/O outstanding. */
    private static final int IDLE_FIELD = 4;
    /** Of USER_HZ, which is 100 on every architecture there is. */
    private static final long NS_PER_TICK = 10_000_000;

    private MachineTime()
    {
    }

    /**
     * {@return how long all CPUs together were not idle, up to a constant} By the time they were idle, which the kernel
     * measures: what they did it counts by the tick, which short work between two ticks escapes.
     *
     * @throws IOException when it cannot be read.
     */
    static long busyNs() throws IOException
    {
        final List<String> lines = Files.readAllLines(Path.of("/proc/stat"));
        final String[] fields = lines.getFirst().split(" +");
        // Of the machine: this process may be kept on one of them.
        final long processors = lines.stream().filter((line) -> line.matches("cpu\\d.*")).count();
        final long idleTicks = Long.parseLong(fields[IDLE_FIELD]) + Long.parseLong(fields[IDLE_FIELD + 1]);
        return System.nanoTime() * processors - idleTicks * NS_PER_TICK;
    }
}
