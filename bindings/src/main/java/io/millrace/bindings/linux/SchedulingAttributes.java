package io.millrace.bindings.linux;

import io.millrace.bindings.NativeMemory;

/**
 * {@code struct sched_attr} in its first version, by address: what {@link Threads#schedSetattr} takes and
 * {@link Threads#schedGetattr} answers. The C library has no header for it; the kernel's is the same on both
 * processors.
 * Set-up only.
 */
public final class SchedulingAttributes
{
    /** Size of the structure. */
    public static final int SIZE_BYTES = 48;
    /** The ordinary policy. */
    public static final int SCHED_OTHER = 0;
    /** As the ordinary one, but a thread that wakes up takes no CPU from one that runs. */
    public static final int SCHED_BATCH = 3;

    private static final int SIZE_OFFSET = 0;
    private static final int POLICY_OFFSET = 4;
    private static final int FLAGS_OFFSET = 8;
    private static final int NICE_OFFSET = 16;
    private static final int RUNTIME_OFFSET = 24;

    private SchedulingAttributes()
    {
    }

    /**
     * {@return the policy}
     *
     * @param address of the structure.
     */
    public static int policy(final long address)
    {
        return NativeMemory.getInt(address + POLICY_OFFSET);
    }

    /**
     * {@return the nice value, -20 to 19}
     *
     * @param address of the structure.
     */
    public static int nice(final long address)
    {
        return NativeMemory.getInt(address + NICE_OFFSET);
    }

    /**
     * {@return the slice in ns; kernels before Linux 6.12 answer 0}
     *
     * @param address of the structure.
     */
    public static long sliceNs(final long address)
    {
        return NativeMemory.getLong(address + RUNTIME_OFFSET);
    }

    /**
     * Fills the structure for a policy without real-time priority.
     *
     * @param address of the structure.
     * @param policy  {@link #SCHED_OTHER} or {@link #SCHED_BATCH}.
     * @param nice    -20 to 19.
     * @param sliceNs how long the thread wants to run at a time, 100 µs to 100 ms, or 0 for the kernel's default: a
     *                thread with a short slice that wakes up need not wait for the end of a longer one. Kernels before
     *                Linux 6.12 ignore it.
     */
    public static void set(final long address, final int policy, final int nice, final long sliceNs)
    {
        NativeMemory.fill(address, SIZE_BYTES, (byte)0);
        NativeMemory.putInt(address + SIZE_OFFSET, SIZE_BYTES);
        NativeMemory.putInt(address + POLICY_OFFSET, policy);
        NativeMemory.putLong(address + FLAGS_OFFSET, 0);
        NativeMemory.putInt(address + NICE_OFFSET, nice);
        NativeMemory.putLong(address + RUNTIME_OFFSET, sliceNs);
    }
}
