package io.millrace.bindings.verbs;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.verbs.ibv_sge;

/**
 * {@code struct ibv_sge}, by address: a piece of memory of this machine. Nothing is allocated.
 */
public final class ScatterGatherEntry
{
    /** Size of the structure. */
    public static final int SIZE_BYTES = (int)ibv_sge.sizeof();
    private static final long ADDR = ibv_sge.addr$offset();
    private static final long LENGTH = ibv_sge.length$offset();
    private static final long LKEY = ibv_sge.lkey$offset();

    private ScatterGatherEntry()
    {
    }

    /**
     * Sets the address of the memory.
     *
     * @param address of the structure.
     * @param value   to set.
     */
    public static void memory(final long address, final long value)
    {
        NativeMemory.putLong(address + ADDR, value);
    }

    /**
     * Sets its length in bytes, unsigned.
     *
     * @param address of the structure.
     * @param value   to set.
     */
    public static void length(final long address, final int value)
    {
        NativeMemory.putInt(address + LENGTH, value);
    }

    /**
     * Sets the key of the region that it lies in.
     *
     * @param address of the structure.
     * @param value   to set.
     */
    public static void localKey(final long address, final int value)
    {
        NativeMemory.putInt(address + LKEY, value);
    }
}
