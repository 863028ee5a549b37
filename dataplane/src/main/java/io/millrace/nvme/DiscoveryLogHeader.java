package io.millrace.nvme;

import java.nio.ByteOrder;

/**
 * Header of the Discovery log page, 1024 bytes; {@link DiscoveryLogEntry} records follow (NVM Express Base 2.0,
 * section 5.16.1.23; LID 70h).
 */
public final class DiscoveryLogHeader extends Flyweight
{
    /** Size in bytes. */
    public static final int SIZE_BYTES = 1024;

    private static final int GENERATION_OFFSET = 0;
    private static final int RECORDS_OFFSET = 8;
    private static final int RECORD_FORMAT_OFFSET = 16;

    /**
     * Creates a flyweight that wraps nothing.
     */
    public DiscoveryLogHeader()
    {
    }

    /**
     * {@return generation counter (GENCTR): changes whenever the log does}
     */
    public long generation()
    {
        return buffer.getLong(offset + GENERATION_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets generation counter (GENCTR): changes whenever the log does.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public DiscoveryLogHeader generation(final long value)
    {
        buffer.putLong(offset + GENERATION_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return count of records (NUMREC)}
     */
    public long records()
    {
        return buffer.getLong(offset + RECORDS_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets count of records (NUMREC).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public DiscoveryLogHeader records(final long value)
    {
        buffer.putLong(offset + RECORDS_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return record format (RECFMT); 0}
     */
    public int recordFormat()
    {
        return buffer.getShort(offset + RECORD_FORMAT_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets record format (RECFMT); 0.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public DiscoveryLogHeader recordFormat(final int value)
    {
        buffer.putShort(offset + RECORD_FORMAT_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }
}
