package io.millrace.nvme;

import java.nio.ByteOrder;

/**
 * Range of a Dataset Management command, 16 bytes; up to 256 in a row (NVM Command Set 1.0, section 3.2.3).
 */
public final class DatasetRange extends Flyweight
{
    /** Size in bytes. */
    public static final int SIZE_BYTES = 16;

    /** Most ranges of a command. */
    public static final int COUNT_MAX = 256;
    /** Command attribute in dword 11: deallocate (AD). */
    public static final int DEALLOCATE = 1 << 2;

    private static final int ATTRIBUTES_OFFSET = 0;
    private static final int BLOCKS_OFFSET = 4;
    private static final int STARTING_LBA_OFFSET = 8;

    /**
     * Creates a flyweight that wraps nothing.
     */
    public DatasetRange()
    {
    }

    /**
     * {@return context attributes}
     */
    public int attributes()
    {
        return buffer.getInt(offset + ATTRIBUTES_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets context attributes.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public DatasetRange attributes(final int value)
    {
        buffer.putInt(offset + ATTRIBUTES_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return length in blocks, unsigned}
     */
    public int blocks()
    {
        return buffer.getInt(offset + BLOCKS_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets length in blocks, unsigned.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public DatasetRange blocks(final int value)
    {
        buffer.putInt(offset + BLOCKS_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return first block}
     */
    public long startingLba()
    {
        return buffer.getLong(offset + STARTING_LBA_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets first block.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public DatasetRange startingLba(final long value)
    {
        buffer.putLong(offset + STARTING_LBA_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }
}
