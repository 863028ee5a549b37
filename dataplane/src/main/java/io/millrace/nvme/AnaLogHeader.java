package io.millrace.nvme;

import java.nio.ByteOrder;

/**
 * Header of the Asymmetric Namespace Access log page, 16 bytes; {@link AnaGroupDescriptor} records follow, each with
 * its namespace identifiers (NVM Express Base 2.0, section 5.16.1.13; LID 0Ch).
 */
public final class AnaLogHeader extends Flyweight
{
    /** Size in bytes. */
    public static final int SIZE_BYTES = 16;

    /** Return groups only (RGO): bit 0 of the log specific parameter, bit 8 of dword 10. */
    public static final int GROUPS_ONLY = 1 << 8;

    private static final int CHANGE_COUNT_OFFSET = 0;
    private static final int GROUPS_OFFSET = 8;

    /**
     * Creates a flyweight that wraps nothing.
     */
    public AnaLogHeader()
    {
    }

    /**
     * {@return how often the page has changed since the controller was reset}
     */
    public long changeCount()
    {
        return buffer.getLong(offset + CHANGE_COUNT_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets how often the page has changed since the controller was reset.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public AnaLogHeader changeCount(final long value)
    {
        buffer.putLong(offset + CHANGE_COUNT_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return number of group descriptors}
     */
    public int groups()
    {
        return buffer.getShort(offset + GROUPS_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets number of group descriptors.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public AnaLogHeader groups(final int value)
    {
        buffer.putShort(offset + GROUPS_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }
}
