package io.millrace.bindings.verbs;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.verbs.ibv_port_attr;

/**
 * {@code struct ibv_port_attr}, by address: what {@link VerbsCalls#queryPort} fills. Set-up only.
 */
public final class PortAttributes
{
    /** Size of the structure. */
    public static final int SIZE_BYTES = (int)ibv_port_attr.sizeof();
    private static final long STATE = ibv_port_attr.state$offset();
    private static final long MAX_MTU = ibv_port_attr.max_mtu$offset();
    private static final long ACTIVE_MTU = ibv_port_attr.active_mtu$offset();
    private static final long GID_TABLE_LENGTH = ibv_port_attr.gid_tbl_len$offset();
    private static final long MAX_MESSAGE_BYTES = ibv_port_attr.max_msg_sz$offset();
    private static final long PKEY_TABLE_LENGTH = ibv_port_attr.pkey_tbl_len$offset();
    private static final long LID = ibv_port_attr.lid$offset();
    private static final long ACTIVE_WIDTH = ibv_port_attr.active_width$offset();
    private static final long ACTIVE_SPEED = ibv_port_attr.active_speed$offset();
    private static final long PHYSICAL_STATE = ibv_port_attr.phys_state$offset();
    private static final long LINK_LAYER = ibv_port_attr.link_layer$offset();

    private PortAttributes()
    {
    }

    /**
     * {@return {@code IBV_PORT_*}}
     *
     * @param address of the structure.
     */
    public static int state(final long address)
    {
        return NativeMemory.getInt(address + STATE);
    }

    /**
     * {@return the largest MTU, {@code IBV_MTU_*}}
     *
     * @param address of the structure.
     */
    public static int maxMtu(final long address)
    {
        return NativeMemory.getInt(address + MAX_MTU);
    }

    /**
     * {@return the MTU of the link, {@code IBV_MTU_*}}
     *
     * @param address of the structure.
     */
    public static int activeMtu(final long address)
    {
        return NativeMemory.getInt(address + ACTIVE_MTU);
    }

    /**
     * {@return the number of places in the GID table}
     *
     * @param address of the structure.
     */
    public static int gidTableLength(final long address)
    {
        return NativeMemory.getInt(address + GID_TABLE_LENGTH);
    }

    /**
     * {@return the largest message, unsigned}
     *
     * @param address of the structure.
     */
    public static int maxMessageBytes(final long address)
    {
        return NativeMemory.getInt(address + MAX_MESSAGE_BYTES);
    }

    /**
     * {@return the number of places in the table of partition keys}
     *
     * @param address of the structure.
     */
    public static int pkeyTableLength(final long address)
    {
        return Short.toUnsignedInt(NativeMemory.getShort(address + PKEY_TABLE_LENGTH));
    }

    /**
     * {@return the local identifier; 0 without a subnet manager}
     *
     * @param address of the structure.
     */
    public static int lid(final long address)
    {
        return Short.toUnsignedInt(NativeMemory.getShort(address + LID));
    }

    /**
     * {@return lanes of the link: 1, 2, 4, 8 and 16 are 1X, 4X, 8X, 12X and 2X}
     *
     * @param address of the structure.
     */
    public static int activeWidth(final long address)
    {
        return Byte.toUnsignedInt(NativeMemory.getByte(address + ACTIVE_WIDTH));
    }

    /**
     * {@return speed of a lane, one bit for each}
     *
     * @param address of the structure.
     */
    public static int activeSpeed(final long address)
    {
        return Byte.toUnsignedInt(NativeMemory.getByte(address + ACTIVE_SPEED));
    }

    /**
     * {@return the physical state, 1 to 7}
     *
     * @param address of the structure.
     */
    public static int physicalState(final long address)
    {
        return Byte.toUnsignedInt(NativeMemory.getByte(address + PHYSICAL_STATE));
    }

    /**
     * {@return {@code IBV_LINK_LAYER_*}}
     *
     * @param address of the structure.
     */
    public static int linkLayer(final long address)
    {
        return Byte.toUnsignedInt(NativeMemory.getByte(address + LINK_LAYER));
    }
}
