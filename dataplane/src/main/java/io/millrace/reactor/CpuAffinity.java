package io.millrace.reactor;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeException;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.linux.Threads;
import java.lang.foreign.Arena;
import java.util.BitSet;

/**
 * CPU affinity of threads ({@code sched_setaffinity(2)}). Stateless; any thread. Threads created by a pinned thread
 * inherit its CPU.
 */
public final class CpuAffinity
{
    /** CPUs that a mask has room for; the kernel's own bound is 8192 on both processors. */
    static final int CPU_COUNT_MAX = 8192;

    private static final int MASK_BYTES = CPU_COUNT_MAX / Byte.SIZE;

    private CpuAffinity()
    {
    }

    /**
     * {@return the CPUs that a thread may run on}
     *
     * @param tid the kernel's id of it, 0 for the caller.
     * @throws NativeException when the kernel does not say.
     */
    static BitSet allowed(final int tid)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final long mask = arena.allocate(MASK_BYTES, Long.BYTES).address();
            NativeException.check("sched_getaffinity", Threads.schedGetaffinity(tid, MASK_BYTES, mask));
            final BitSet cpus = new BitSet(CPU_COUNT_MAX);
            for (int cpu = 0; cpu < CPU_COUNT_MAX; cpu++)
            {
                cpus.set(cpu, 0 != (NativeMemory.getByte(mask + (cpu >>> 3)) & 1 << (cpu & 7)));
            }
            return cpus;
        }
    }

    /**
     * Writes a set of CPUs as the kernel does.
     *
     * @param cpus set of CPU numbers.
     * @return for example {@code 0-3,8}.
     */
    public static String format(final BitSet cpus)
    {
        final StringBuilder text = new StringBuilder();
        for (int first = cpus.nextSetBit(0); first >= 0;)
        {
            final int afterLast = cpus.nextClearBit(first);
            text.append(text.isEmpty() ? "" : ",").append(first);
            if (afterLast - first > 1)
            {
                text.append('-').append(afterLast - 1);
            }
            first = cpus.nextSetBit(afterLast);
        }
        return text.toString();
    }

    /**
     * Sets the CPUs on which a thread may run.
     *
     * @param tid  the kernel's id of it.
     * @param cpus not empty.
     * @return 0 or negated errno; a thread may have ended.
     */
    static int allow(final int tid, final BitSet cpus)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final long mask = arena.allocate(MASK_BYTES, Long.BYTES).address();
            for (int cpu = cpus.nextSetBit(0); cpu >= 0; cpu = cpus.nextSetBit(cpu + 1))
            {
                final long part = mask + (cpu >>> 3);
                NativeMemory.putByte(part, (byte)(NativeMemory.getByte(part) | 1 << (cpu & 7)));
            }
            return Threads.schedSetaffinity(tid, MASK_BYTES, mask);
        }
    }

    /**
     * Pins the calling thread to one CPU.
     *
     * @param reactor for the message.
     * @param cpu     below {@link #CPU_COUNT_MAX}.
     * @throws ReactorException naming the CPU and the allowed ones when the kernel refuses.
     */
    static void pin(final String reactor, final int cpu)
    {
        final BitSet cpus = new BitSet();
        cpus.set(cpu);
        final int result = allow(0, cpus);
        if (result < 0)
        {
            throw new ReactorException("reactor " + reactor + ": cpu " + cpu + " refused, " +
                Errno.describe(-result) + ": choose one of " + format(Housekeeping.allowed()) + ", or none", null);
        }
    }
}
