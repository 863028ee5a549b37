package io.millrace.nvme.identify;

import io.millrace.nvme.Flyweight;
import java.nio.ByteOrder;

/**
 * I/O Command Set specific Identify Controller data structure of the NVM command set, 4096 bytes (NVM Command Set 1.0,
 * section 4.1.5; CNS 06h with CSI 00h). A limit of 0 is no limit.
 */
public final class IdentifyNvmController extends Flyweight
{
    /** Size in bytes. */
    public static final int SIZE_BYTES = 4096;

    private static final int VERIFY_SIZE_LIMIT_OFFSET = 0;
    private static final int WRITE_ZEROES_SIZE_LIMIT_OFFSET = 1;
    private static final int DATASET_RANGE_SIZE_LIMIT_OFFSET = 4;
    private static final int DATASET_SIZE_LIMIT_OFFSET = 8;

    /**
     * Creates a flyweight that wraps nothing.
     */
    public IdentifyNvmController()
    {
    }

    /**
     * {@return largest Verify as a power of two of the smallest page (VSL)}
     */
    public int verifySizeLimit()
    {
        return buffer.getByte(offset + VERIFY_SIZE_LIMIT_OFFSET) & 0xFF;
    }

    /**
     * Sets largest Verify as a power of two of the smallest page (VSL).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyNvmController verifySizeLimit(final int value)
    {
        buffer.putByte(offset + VERIFY_SIZE_LIMIT_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return largest Write Zeroes as a power of two of the smallest page (WZSL)}
     */
    public int writeZeroesSizeLimit()
    {
        return buffer.getByte(offset + WRITE_ZEROES_SIZE_LIMIT_OFFSET) & 0xFF;
    }

    /**
     * Sets largest Write Zeroes as a power of two of the smallest page (WZSL).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyNvmController writeZeroesSizeLimit(final int value)
    {
        buffer.putByte(offset + WRITE_ZEROES_SIZE_LIMIT_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return most blocks of a range of a Dataset Management command (DMRSL)}
     */
    public int datasetRangeSizeLimit()
    {
        return buffer.getInt(offset + DATASET_RANGE_SIZE_LIMIT_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets most blocks of a range of a Dataset Management command (DMRSL).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyNvmController datasetRangeSizeLimit(final int value)
    {
        buffer.putInt(offset + DATASET_RANGE_SIZE_LIMIT_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return most blocks of a Dataset Management command (DMSL)}
     */
    public long datasetSizeLimit()
    {
        return buffer.getLong(offset + DATASET_SIZE_LIMIT_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets most blocks of a Dataset Management command (DMSL).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyNvmController datasetSizeLimit(final long value)
    {
        buffer.putLong(offset + DATASET_SIZE_LIMIT_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }
}
