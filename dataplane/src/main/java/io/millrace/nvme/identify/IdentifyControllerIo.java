package io.millrace.nvme.identify;

import io.millrace.nvme.Flyweight;
import java.nio.ByteOrder;

/**
 * NVM Command Set Attributes of the Identify Controller data structure, its bytes 703:512 (NVM Express Base 2.0,
 * section 5.17.2.1). Wraps the whole structure.
 */
public final class IdentifyControllerIo extends Flyweight
{
    /** Size of the whole structure in bytes. */
    public static final int SIZE_BYTES = IdentifyController.SIZE_BYTES;

    /** Optional NVM command: Compare. */
    public static final int NVM_COMPARE = 1;
    /** Optional NVM command: Dataset Management. */
    public static final int NVM_DATASET_MANAGEMENT = 1 << 2;
    /** Optional NVM command: Write Zeroes. */
    public static final int NVM_WRITE_ZEROES = 1 << 3;
    /** Select and save of features. */
    public static final int NVM_SELECT_FEATURES = 1 << 4;
    /** Timestamp feature. */
    public static final int NVM_TIMESTAMP = 1 << 6;
    /** Optional NVM command: Verify. */
    public static final int NVM_VERIFY = 1 << 7;
    /** Optional NVM command: Copy. */
    public static final int NVM_COPY = 1 << 8;

    /** Copy descriptor format 0. */
    public static final int COPY_FORMAT_0 = 1;

    /** Volatile write cache is present. */
    public static final int CACHE_PRESENT = 1;
    /** Flush with namespace id FFFFFFFFh flushes all namespaces. */
    public static final int CACHE_FLUSH_ALL = 3 << 1;

    /** SGL support: any alignment. */
    public static final int SGL_ANY_ALIGNMENT = 1;
    /** SGL support: mask of the two bits that say whether there is any. */
    public static final int SGL_SUPPORTED_MASK = 3;
    /** SGL support: keyed data blocks. */
    public static final int SGL_KEYED = 1 << 2;
    /** SGL support: address may be an offset into the capsule. */
    public static final int SGL_OFFSET = 1 << 20;
    /** SGL support: transport data blocks. */
    public static final int SGL_TRANSPORT = 1 << 21;

    private static final int SUBMISSION_ENTRY_SIZE_OFFSET = 512;
    private static final int COMPLETION_ENTRY_SIZE_OFFSET = 513;
    private static final int MAX_COMMANDS_OFFSET = 514;
    private static final int NAMESPACES_OFFSET = 516;
    private static final int OPTIONAL_NVM_COMMANDS_OFFSET = 520;
    private static final int FUSED_OPERATIONS_OFFSET = 522;
    private static final int VOLATILE_WRITE_CACHE_OFFSET = 525;
    private static final int ATOMIC_WRITE_UNIT_OFFSET = 526;
    private static final int ATOMIC_WRITE_UNIT_POWER_FAIL_OFFSET = 528;
    private static final int COPY_FORMATS_OFFSET = 534;
    private static final int SGL_SUPPORT_OFFSET = 536;
    private static final int MAX_NAMESPACES_OFFSET = 540;

    /**
     * Creates a flyweight that wraps nothing.
     */
    public IdentifyControllerIo()
    {
    }

    /**
     * {@return submission queue entry size: smallest in bits 3:0, largest in bits 7:4, as powers of two (SQES)}
     */
    public int submissionEntrySize()
    {
        return buffer.getByte(offset + SUBMISSION_ENTRY_SIZE_OFFSET) & 0xFF;
    }

    /**
     * Sets submission queue entry size: smallest in bits 3:0, largest in bits 7:4, as powers of two (SQES).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyControllerIo submissionEntrySize(final int value)
    {
        buffer.putByte(offset + SUBMISSION_ENTRY_SIZE_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return completion queue entry size: smallest in bits 3:0, largest in bits 7:4, as powers of two (CQES)}
     */
    public int completionEntrySize()
    {
        return buffer.getByte(offset + COMPLETION_ENTRY_SIZE_OFFSET) & 0xFF;
    }

    /**
     * Sets completion queue entry size: smallest in bits 3:0, largest in bits 7:4, as powers of two (CQES).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyControllerIo completionEntrySize(final int value)
    {
        buffer.putByte(offset + COMPLETION_ENTRY_SIZE_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return most outstanding commands of a queue (MAXCMD)}
     */
    public int maxCommands()
    {
        return buffer.getShort(offset + MAX_COMMANDS_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets most outstanding commands of a queue (MAXCMD).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyControllerIo maxCommands(final int value)
    {
        buffer.putShort(offset + MAX_COMMANDS_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return largest namespace id (NN)}
     */
    public int namespaces()
    {
        return buffer.getInt(offset + NAMESPACES_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets largest namespace id (NN).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyControllerIo namespaces(final int value)
    {
        buffer.putInt(offset + NAMESPACES_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return optional NVM commands (ONCS)}
     */
    public int optionalNvmCommands()
    {
        return buffer.getShort(offset + OPTIONAL_NVM_COMMANDS_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets optional NVM commands (ONCS).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyControllerIo optionalNvmCommands(final int value)
    {
        buffer.putShort(offset + OPTIONAL_NVM_COMMANDS_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return copy descriptor formats (OCFS)}
     */
    public int copyFormats()
    {
        return buffer.getShort(offset + COPY_FORMATS_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets copy descriptor formats (OCFS).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyControllerIo copyFormats(final int value)
    {
        buffer.putShort(offset + COPY_FORMATS_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return fused operations (FUSES)}
     */
    public int fusedOperations()
    {
        return buffer.getShort(offset + FUSED_OPERATIONS_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets fused operations (FUSES).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyControllerIo fusedOperations(final int value)
    {
        buffer.putShort(offset + FUSED_OPERATIONS_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return volatile write cache: present in bit 0, flush of all namespaces in bits 2:1 (VWC)}
     */
    public int volatileWriteCache()
    {
        return buffer.getByte(offset + VOLATILE_WRITE_CACHE_OFFSET) & 0xFF;
    }

    /**
     * Sets volatile write cache: present in bit 0, flush of all namespaces in bits 2:1 (VWC).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyControllerIo volatileWriteCache(final int value)
    {
        buffer.putByte(offset + VOLATILE_WRITE_CACHE_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return atomic write unit in blocks less one (AWUN)}
     */
    public int atomicWriteUnit()
    {
        return buffer.getShort(offset + ATOMIC_WRITE_UNIT_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets atomic write unit in blocks less one (AWUN).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyControllerIo atomicWriteUnit(final int value)
    {
        buffer.putShort(offset + ATOMIC_WRITE_UNIT_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return atomic write unit at power failure in blocks less one (AWUPF)}
     */
    public int atomicWriteUnitPowerFail()
    {
        return buffer.getShort(offset + ATOMIC_WRITE_UNIT_POWER_FAIL_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets atomic write unit at power failure in blocks less one (AWUPF).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyControllerIo atomicWriteUnitPowerFail(final int value)
    {
        buffer.putShort(offset + ATOMIC_WRITE_UNIT_POWER_FAIL_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return SGL support (SGLS)}
     */
    public int sglSupport()
    {
        return buffer.getInt(offset + SGL_SUPPORT_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets SGL support (SGLS).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyControllerIo sglSupport(final int value)
    {
        buffer.putInt(offset + SGL_SUPPORT_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return most namespaces (MNAN)}
     */
    public int maxNamespaces()
    {
        return buffer.getInt(offset + MAX_NAMESPACES_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets most namespaces (MNAN).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyControllerIo maxNamespaces(final int value)
    {
        buffer.putInt(offset + MAX_NAMESPACES_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }
}
