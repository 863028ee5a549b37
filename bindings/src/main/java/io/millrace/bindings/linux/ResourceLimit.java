package io.millrace.bindings.linux;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.linux.rlimit;

/**
 * {@code struct rlimit}, by address: what {@link Threads#getrlimit} answers and {@link Threads#setrlimit} takes. Set-up
 * only. A limit of -1 is none.
 */
public final class ResourceLimit
{
    /** Size of the structure. */
    public static final int SIZE_BYTES = (int)rlimit.sizeof();
    private static final long SOFT_OFFSET = rlimit.rlim_cur$offset();
    private static final long HARD_OFFSET = rlimit.rlim_max$offset();

    private ResourceLimit()
    {
    }

    /**
     * {@return the limit that holds now}
     *
     * @param address of the structure.
     */
    public static long soft(final long address)
    {
        return NativeMemory.getLong(address + SOFT_OFFSET);
    }

    /**
     * {@return the limit up to which an ordinary user may raise the soft one}
     *
     * @param address of the structure.
     */
    public static long hard(final long address)
    {
        return NativeMemory.getLong(address + HARD_OFFSET);
    }

    /**
     * Fills the structure.
     *
     * @param address of the structure.
     * @param soft    limit that is to hold.
     * @param hard    limit of the soft one.
     */
    public static void set(final long address, final long soft, final long hard)
    {
        NativeMemory.putLong(address + SOFT_OFFSET, soft);
        NativeMemory.putLong(address + HARD_OFFSET, hard);
    }
}
