package io.millrace.bindings.verbs;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.verbs.ibv_gid_entry;

/**
 * {@code struct ibv_gid_entry}, by address: what {@link VerbsCalls#queryGidTable} fills an array with. Set-up only.
 */
public final class GidEntry
{
    /** Size of the structure. */
    public static final int SIZE_BYTES = (int)ibv_gid_entry.sizeof();
    private static final long GID_HIGH = ibv_gid_entry.gid$offset();
    private static final long GID_LOW = GID_HIGH + Long.BYTES;
    private static final long INDEX = ibv_gid_entry.gid_index$offset();
    private static final long PORT = ibv_gid_entry.port_num$offset();
    private static final long TYPE = ibv_gid_entry.gid_type$offset();
    private static final long INTERFACE_INDEX = ibv_gid_entry.ndev_ifindex$offset();

    private GidEntry()
    {
    }

    /**
     * {@return the first half of the GID: the subnet prefix}
     *
     * @param address of the structure.
     */
    public static long gidHigh(final long address)
    {
        return Long.reverseBytes(NativeMemory.getLong(address + GID_HIGH));
    }

    /**
     * {@return the second half of the GID: the interface identifier}
     *
     * @param address of the structure.
     */
    public static long gidLow(final long address)
    {
        return Long.reverseBytes(NativeMemory.getLong(address + GID_LOW));
    }

    /**
     * {@return the place in the table of the port}
     *
     * @param address of the structure.
     */
    public static int index(final long address)
    {
        return NativeMemory.getInt(address + INDEX);
    }

    /**
     * {@return the number of the port, from 1}
     *
     * @param address of the structure.
     */
    public static int port(final long address)
    {
        return NativeMemory.getInt(address + PORT);
    }

    /**
     * {@return {@code IBV_GID_TYPE_*}}
     *
     * @param address of the structure.
     */
    public static int type(final long address)
    {
        return NativeMemory.getInt(address + TYPE);
    }

    /**
     * {@return the index of the network interface that it comes from; 0: none}
     *
     * @param address of the structure.
     */
    public static int interfaceIndex(final long address)
    {
        return NativeMemory.getInt(address + INTERFACE_INDEX);
    }
}
