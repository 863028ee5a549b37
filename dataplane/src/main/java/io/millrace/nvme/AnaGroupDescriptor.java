package io.millrace.nvme;

import java.nio.ByteOrder;

/**
 * ANA Group Descriptor, 32 bytes, followed by 4 bytes for each namespace identifier it counts (NVM Express Base 2.0,
 * section 5.16.1.13).
 */
public final class AnaGroupDescriptor extends Flyweight
{
    /** Size in bytes, without the namespace identifiers. */
    public static final int SIZE_BYTES = 32;

    private static final int GROUP_ID_OFFSET = 0;
    private static final int NAMESPACES_OFFSET = 4;
    private static final int CHANGE_COUNT_OFFSET = 8;
    private static final int STATE_OFFSET = 16;

    /**
     * Creates a flyweight that wraps nothing.
     */
    public AnaGroupDescriptor()
    {
    }

    /**
     * {@return identifier of the group}
     */
    public int groupId()
    {
        return buffer.getInt(offset + GROUP_ID_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets identifier of the group.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public AnaGroupDescriptor groupId(final int value)
    {
        buffer.putInt(offset + GROUP_ID_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return number of namespace identifiers that follow}
     */
    public int namespaces()
    {
        return buffer.getInt(offset + NAMESPACES_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets number of namespace identifiers that follow.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public AnaGroupDescriptor namespaces(final int value)
    {
        buffer.putInt(offset + NAMESPACES_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return change count of the group, from 1; 0 when it is not reported}
     */
    public long changeCount()
    {
        return buffer.getLong(offset + CHANGE_COUNT_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets change count of the group, from 1; 0 when it is not reported.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public AnaGroupDescriptor changeCount(final long value)
    {
        buffer.putLong(offset + CHANGE_COUNT_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return state in bits 3:0, a code of {@link AnaState}}
     */
    public int state()
    {
        return buffer.getByte(offset + STATE_OFFSET) & 0xFF;
    }

    /**
     * Sets state in bits 3:0, a code of {@link AnaState}.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public AnaGroupDescriptor state(final int value)
    {
        buffer.putByte(offset + STATE_OFFSET, (byte)value);
        return this;
    }
}
