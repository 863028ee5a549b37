package io.millrace.reactor;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeException;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.linux.Threads;
import java.lang.foreign.Arena;
import java.util.BitSet;

/**
 * On which CPUs the calling thread may run ({@code sched_setaffinity(2)}). Stateless; any thread, for itself. Threads
 * that a pinned thread makes inherit its CPU.
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
     * {@return the CPUs that the calling thread may run on}
     *
     * @throws NativeException when the kernel does not say.
     */
    public static BitSet allowed()
    {
        try (Arena arena = Arena.ofConfined())
        {
            final long mask = arena.allocate(MASK_BYTES, Long.BYTES).address();
            NativeException.check("sched_getaffinity", Threads.schedGetaffinity(0, MASK_BYTES, mask));
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
     * Keeps the calling thread on one CPU.
     *
     * @param reactor for the message.
     * @param cpu     below {@link #CPU_COUNT_MAX}.
     * @throws ReactorException naming the CPU and the allowed ones when the kernel refuses.
     */
    static void pin(final String reactor, final int cpu)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final long mask = arena.allocate(MASK_BYTES, Long.BYTES).address();
            NativeMemory.putByte(mask + (cpu >>> 3), (byte)(1 << (cpu & 7)));
            final int result = Threads.schedSetaffinity(0, MASK_BYTES, mask);
            if (result < 0)
            {
                throw new ReactorException("reactor " + reactor + ": cpu " + cpu + " refused, " +
                    Errno.describe(-result) + ": choose one of " + format(allowed()) + ", or none", null);
            }
        }
    }
}
