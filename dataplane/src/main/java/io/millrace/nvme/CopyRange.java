package io.millrace.nvme;

import java.nio.ByteOrder;

/**
 * Source range of a Copy command in descriptor format 0, 32 bytes; up to 256 in a row (NVM Command Set 1.0, section
 * 3.2.2). Fields of protection information are not included.
 */
public final class CopyRange extends Flyweight
{
    /** Size in bytes. */
    public static final int SIZE_BYTES = 32;

    /** Most ranges of a command. */
    public static final int COUNT_MAX = 256;

    private static final int STARTING_LBA_OFFSET = 8;
    private static final int BLOCKS_OFFSET = 16;

    /**
     * Creates a flyweight that wraps nothing.
     */
    public CopyRange()
    {
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
    public CopyRange startingLba(final long value)
    {
        buffer.putLong(offset + STARTING_LBA_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return length in blocks less one}
     */
    public int blocks()
    {
        return buffer.getShort(offset + BLOCKS_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets length in blocks less one.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public CopyRange blocks(final int value)
    {
        buffer.putShort(offset + BLOCKS_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }
}
