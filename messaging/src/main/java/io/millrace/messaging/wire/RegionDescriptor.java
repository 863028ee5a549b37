package io.millrace.messaging.wire;

import io.millrace.bindings.NativeMemory;

/**
 * Memory that a peer may reach.
 * <pre>
 *   0                   4                   8
 *   +---------------------------------------+
 *   | address: RDMA's, or 0 over TCP        |
 *   +---------------------------------------+  8
 *   | length, in bytes                      |
 *   +---------------------------------------+ 16
 *   | key                                   |
 *   +-------------------+-------------------+ 24
 *   | access            | 0                 |
 *   +-------------------+-------------------+ 32
 * </pre>
 */
public final class RegionDescriptor
{
    /** Its length. */
    public static final int SIZE_BYTES = 32;
    private static final int ADDRESS_OFFSET = 0;
    private static final int LENGTH_OFFSET = 8;
    private static final int KEY_OFFSET = 16;
    private static final int ACCESS_OFFSET = 24;
    private static final int RESERVED_OFFSET = 28;

    private RegionDescriptor()
    {
    }

    /**
     * Writes all fields.
     *
     * @param at          where to.
     * @param address     of the region.
     * @param lengthBytes of the region.
     * @param key         of the region.
     * @param access      bits.
     */
    public static void write(
        final long at, final long address, final long lengthBytes, final long key, final int access)
    {
        NativeMemory.putLong(at + ADDRESS_OFFSET, address);
        NativeMemory.putLong(at + LENGTH_OFFSET, lengthBytes);
        NativeMemory.putLong(at + KEY_OFFSET, key);
        NativeMemory.putInt(at + ACCESS_OFFSET, access);
        NativeMemory.putInt(at + RESERVED_OFFSET, 0);
    }

    /**
     * {@return the region's address}
     *
     * @param at where the descriptor is.
     */
    public static long address(final long at)
    {
        return NativeMemory.getLong(at + ADDRESS_OFFSET);
    }

    /**
     * {@return the region's length}
     *
     * @param at where the descriptor is.
     */
    public static long lengthBytes(final long at)
    {
        return NativeMemory.getLong(at + LENGTH_OFFSET);
    }

    /**
     * {@return the region's key}
     *
     * @param at where the descriptor is.
     */
    public static long key(final long at)
    {
        return NativeMemory.getLong(at + KEY_OFFSET);
    }

    /**
     * {@return the access bits}
     *
     * @param at where the descriptor is.
     */
    public static int access(final long at)
    {
        return NativeMemory.getInt(at + ACCESS_OFFSET);
    }
}
