package io.millrace.nvme.identify;

import io.millrace.nvme.Flyweight;
import java.nio.ByteOrder;

/**
 * Identify Namespace data structure of the NVM command set, 4096 bytes (NVM Command Set 1.0, section 4.1.5.1; CNS
 * 00h). Its fields for sizes of writes are {@link IdentifyNamespaceWriteUnits}.
 */
public final class IdentifyNamespace extends Flyweight
{
    /** Size in bytes. */
    public static final int SIZE_BYTES = 4096;

    /** Most LBA formats of the original structure. */
    public static final int FORMATS_MAX = 16;
    /** Feature: the namespace has atomic units of its own, not those of its controller (NSABP). */
    public static final int FEATURE_ATOMIC_UNITS = 1 << 1;
    /** Feature: preferred granularities and the optimal write size are given (OPTPERF, the form of all versions). */
    public static final int FEATURE_OPTIMAL_SIZES = 1 << 4;
    /** Mask of OPTPERF since NVM Command Set 1.1; the optimal write size is given when any of it is set. */
    public static final int FEATURE_OPTIMAL_SIZES_MASK = 3 << 4;
    /** Formatted size: metadata follows the data of each block, instead of lying in memory of its own. */
    public static final int METADATA_EXTENDED = 1 << 4;
    /** Protection settings: mask of the type of protection information; 0 is none. */
    public static final int PROTECTION_TYPE_MASK = 7;
    /** Multi-path: more than one controller may use it. */
    public static final int MULTI_PATH_SHARED = 1;
    /** Attribute: write protected. */
    public static final int ATTRIBUTE_WRITE_PROTECTED = 1;
    /** Deallocated blocks read as zeroes. */
    public static final int DEALLOCATE_READS_ZERO = 1;
    /** Mask of what is read from deallocated blocks. */
    public static final int DEALLOCATE_READS_MASK = 7;
    /** Deallocate bit of Write Zeroes is supported. */
    public static final int DEALLOCATE_WRITE_ZEROES = 1 << 3;

    private static final int SIZE_OFFSET = 0;
    private static final int CAPACITY_OFFSET = 8;
    private static final int UTILIZATION_OFFSET = 16;
    private static final int FEATURES_OFFSET = 24;
    private static final int FORMATS_OFFSET = 25;
    private static final int FORMATTED_SIZE_OFFSET = 26;
    private static final int PROTECTION_SETTINGS_OFFSET = 29;
    private static final int MULTI_PATH_CAPABILITIES_OFFSET = 30;
    private static final int DEALLOCATE_FEATURES_OFFSET = 33;
    private static final int CAPACITY_BYTES_OFFSET = 48;
    private static final int COPY_RANGE_LIMIT_OFFSET = 74;
    private static final int COPY_LIMIT_OFFSET = 76;
    private static final int COPY_RANGES_LIMIT_OFFSET = 80;
    private static final int ANA_GROUP_ID_OFFSET = 92;
    private static final int ATTRIBUTES_OFFSET = 99;
    private static final int NGUID_OFFSET = 104;
    private static final int NGUID_BYTES = 16;
    private static final int EUI64_OFFSET = 120;
    private static final int FORMAT0_OFFSET = 128;

    /**
     * Creates a flyweight that wraps nothing.
     */
    public IdentifyNamespace()
    {
    }

    /**
     * {@return size in blocks (NSZE)}
     */
    public long size()
    {
        return buffer.getLong(offset + SIZE_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets size in blocks (NSZE).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyNamespace size(final long value)
    {
        buffer.putLong(offset + SIZE_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return capacity in blocks (NCAP)}
     */
    public long capacity()
    {
        return buffer.getLong(offset + CAPACITY_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets capacity in blocks (NCAP).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyNamespace capacity(final long value)
    {
        buffer.putLong(offset + CAPACITY_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return blocks in use (NUSE)}
     */
    public long utilization()
    {
        return buffer.getLong(offset + UTILIZATION_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets blocks in use (NUSE).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyNamespace utilization(final long value)
    {
        buffer.putLong(offset + UTILIZATION_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return features (NSFEAT)}
     */
    public int features()
    {
        return buffer.getByte(offset + FEATURES_OFFSET) & 0xFF;
    }

    /**
     * Sets features (NSFEAT).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyNamespace features(final int value)
    {
        buffer.putByte(offset + FEATURES_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return count of LBA formats less one (NLBAF)}
     */
    public int formats()
    {
        return buffer.getByte(offset + FORMATS_OFFSET) & 0xFF;
    }

    /**
     * Sets count of LBA formats less one (NLBAF).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyNamespace formats(final int value)
    {
        buffer.putByte(offset + FORMATS_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return index of the LBA format in use (FLBAS)}
     */
    public int formattedSize()
    {
        return buffer.getByte(offset + FORMATTED_SIZE_OFFSET) & 0xFF;
    }

    /**
     * Sets index of the LBA format in use (FLBAS).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyNamespace formattedSize(final int value)
    {
        buffer.putByte(offset + FORMATTED_SIZE_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return end-to-end protection settings (DPS)}
     */
    public int protectionSettings()
    {
        return buffer.getByte(offset + PROTECTION_SETTINGS_OFFSET) & 0xFF;
    }

    /**
     * Sets end-to-end protection settings (DPS).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyNamespace protectionSettings(final int value)
    {
        buffer.putByte(offset + PROTECTION_SETTINGS_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return multi-path I/O and sharing capabilities (NMIC); bit 0: may be shared}
     */
    public int multiPathCapabilities()
    {
        return buffer.getByte(offset + MULTI_PATH_CAPABILITIES_OFFSET) & 0xFF;
    }

    /**
     * Sets multi-path I/O and sharing capabilities (NMIC); bit 0: may be shared.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyNamespace multiPathCapabilities(final int value)
    {
        buffer.putByte(offset + MULTI_PATH_CAPABILITIES_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return deallocated block features (DLFEAT)}
     */
    public int deallocateFeatures()
    {
        return buffer.getByte(offset + DEALLOCATE_FEATURES_OFFSET) & 0xFF;
    }

    /**
     * Sets deallocated block features (DLFEAT).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyNamespace deallocateFeatures(final int value)
    {
        buffer.putByte(offset + DEALLOCATE_FEATURES_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return capacity in bytes (NVMCAP); the low 8 of 16 bytes}
     */
    public long capacityBytes()
    {
        return buffer.getLong(offset + CAPACITY_BYTES_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets capacity in bytes (NVMCAP); the low 8 of 16 bytes.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyNamespace capacityBytes(final long value)
    {
        buffer.putLong(offset + CAPACITY_BYTES_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        buffer.putLong(offset + CAPACITY_BYTES_OFFSET + 8, 0, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return largest source range of a Copy in blocks (MSSRL)}
     */
    public int copyRangeLimit()
    {
        return buffer.getShort(offset + COPY_RANGE_LIMIT_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets largest source range of a Copy in blocks (MSSRL).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyNamespace copyRangeLimit(final int value)
    {
        buffer.putShort(offset + COPY_RANGE_LIMIT_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return blocks of a Copy at most, unsigned (MCL)}
     */
    public int copyLimit()
    {
        return buffer.getInt(offset + COPY_LIMIT_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets blocks of a Copy at most, unsigned (MCL).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyNamespace copyLimit(final int value)
    {
        buffer.putInt(offset + COPY_LIMIT_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return source ranges of a Copy at most, less one (MSRC)}
     */
    public int copyRangesLimit()
    {
        return buffer.getByte(offset + COPY_RANGES_LIMIT_OFFSET) & 0xFF;
    }

    /**
     * Sets source ranges of a Copy at most, less one (MSRC).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyNamespace copyRangesLimit(final int value)
    {
        buffer.putByte(offset + COPY_RANGES_LIMIT_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return ANA group id (ANAGRPID)}
     */
    public int anaGroupId()
    {
        return buffer.getInt(offset + ANA_GROUP_ID_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets ANA group id (ANAGRPID).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyNamespace anaGroupId(final int value)
    {
        buffer.putInt(offset + ANA_GROUP_ID_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return attributes (NSATTR); bit 0: write protected}
     */
    public int attributes()
    {
        return buffer.getByte(offset + ATTRIBUTES_OFFSET) & 0xFF;
    }

    /**
     * Sets attributes (NSATTR); bit 0: write protected.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyNamespace attributes(final int value)
    {
        buffer.putByte(offset + ATTRIBUTES_OFFSET, (byte)value);
        return this;
    }

    /**
     * Copies out the globally unique identifier (NGUID).
     *
     * @param destination of 16 bytes.
     */
    public void nguid(final byte[] destination)
    {
        buffer.getBytes(offset + NGUID_OFFSET, destination, 0, NGUID_BYTES);
    }

    /**
     * Sets the globally unique identifier (NGUID).
     *
     * @param source of 16 bytes.
     * @return this, to chain.
     */
    public IdentifyNamespace setNguid(final byte[] source)
    {
        buffer.putBytes(offset + NGUID_OFFSET, source, 0, NGUID_BYTES);
        return this;
    }

    /**
     * {@return IEEE extended unique identifier (EUI64), bytes in the order of memory}
     */
    public long eui64()
    {
        return buffer.getLong(offset + EUI64_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets IEEE extended unique identifier (EUI64), bytes in the order of memory.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyNamespace eui64(final long value)
    {
        buffer.putLong(offset + EUI64_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return LBA format 0: metadata bytes in bits 15:0, log2 of the block size in bits 23:16 (LBADS)}
     */
    public int format0()
    {
        return buffer.getInt(offset + FORMAT0_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets LBA format 0: metadata bytes in bits 15:0, log2 of the block size in bits 23:16 (LBADS).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyNamespace format0(final int value)
    {
        buffer.putInt(offset + FORMAT0_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return index of the LBA format in use (FLBAS): bits 3:0, and bits 6:5 above them where there are more than 16}
     */
    public int formatIndex()
    {
        final int formatted = formattedSize();
        return formatted & 0xF | (formats() >= FORMATS_MAX ? (formatted >>> 5 & 3) << 4 : 0);
    }

    /**
     * {@return an LBA format, as {@link #format0()}}
     *
     * @param index below 64.
     */
    public int format(final int index)
    {
        return buffer.getInt(offset + FORMAT0_OFFSET + Integer.BYTES * index, ByteOrder.LITTLE_ENDIAN);
    }
}
