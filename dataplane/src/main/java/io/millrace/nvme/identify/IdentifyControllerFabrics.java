package io.millrace.nvme.identify;

import io.millrace.nvme.Flyweight;
import java.nio.ByteOrder;

/**
 * Fabrics Specific fields of the Identify Controller data structure, its bytes 2047:1792 (NVM Express Base 2.0, section
 * 5.17.2.1). Wraps the whole structure.
 */
public final class IdentifyControllerFabrics extends Flyweight
{
    /** Size of the whole structure in bytes. */
    public static final int SIZE_BYTES = IdentifyController.SIZE_BYTES;

    /** Optional fabrics command: Disconnect. */
    public static final int FABRICS_DISCONNECT = 1;

    private static final int IO_COMMAND_CAPSULE_SIZE_OFFSET = 1792;
    private static final int IO_RESPONSE_CAPSULE_SIZE_OFFSET = 1796;
    private static final int IN_CAPSULE_DATA_OFFSET_OFFSET = 1800;
    private static final int FABRICS_CONTROLLER_ATTRIBUTES_OFFSET = 1802;
    private static final int MAX_SGL_DESCRIPTORS_OFFSET = 1803;
    private static final int OPTIONAL_FABRICS_COMMANDS_OFFSET = 1804;

    /**
     * Creates a flyweight that wraps nothing.
     */
    public IdentifyControllerFabrics()
    {
    }

    /**
     * {@return I/O command capsule size in units of 16 bytes (IOCCSZ)}
     */
    public int ioCommandCapsuleSize()
    {
        return buffer.getInt(offset + IO_COMMAND_CAPSULE_SIZE_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets I/O command capsule size in units of 16 bytes (IOCCSZ).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyControllerFabrics ioCommandCapsuleSize(final int value)
    {
        buffer.putInt(offset + IO_COMMAND_CAPSULE_SIZE_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return I/O response capsule size in units of 16 bytes (IORCSZ)}
     */
    public int ioResponseCapsuleSize()
    {
        return buffer.getInt(offset + IO_RESPONSE_CAPSULE_SIZE_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets I/O response capsule size in units of 16 bytes (IORCSZ).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyControllerFabrics ioResponseCapsuleSize(final int value)
    {
        buffer.putInt(offset + IO_RESPONSE_CAPSULE_SIZE_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return offset of data in a capsule in units of 16 bytes (ICDOFF)}
     */
    public int inCapsuleDataOffset()
    {
        return buffer.getShort(offset + IN_CAPSULE_DATA_OFFSET_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets offset of data in a capsule in units of 16 bytes (ICDOFF).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyControllerFabrics inCapsuleDataOffset(final int value)
    {
        buffer.putShort(offset + IN_CAPSULE_DATA_OFFSET_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return fabrics controller attributes (FCATT); bit 0 clear is the dynamic controller model}
     */
    public int fabricsControllerAttributes()
    {
        return buffer.getByte(offset + FABRICS_CONTROLLER_ATTRIBUTES_OFFSET) & 0xFF;
    }

    /**
     * Sets fabrics controller attributes (FCATT); bit 0 clear is the dynamic controller model.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyControllerFabrics fabricsControllerAttributes(final int value)
    {
        buffer.putByte(offset + FABRICS_CONTROLLER_ATTRIBUTES_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return most SGL data block descriptors in a capsule (MSDBD)}
     */
    public int maxSglDescriptors()
    {
        return buffer.getByte(offset + MAX_SGL_DESCRIPTORS_OFFSET) & 0xFF;
    }

    /**
     * Sets most SGL data block descriptors in a capsule (MSDBD).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyControllerFabrics maxSglDescriptors(final int value)
    {
        buffer.putByte(offset + MAX_SGL_DESCRIPTORS_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return optional fabrics commands (OFCS)}
     */
    public int optionalFabricsCommands()
    {
        return buffer.getShort(offset + OPTIONAL_FABRICS_COMMANDS_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets optional fabrics commands (OFCS).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyControllerFabrics optionalFabricsCommands(final int value)
    {
        buffer.putShort(offset + OPTIONAL_FABRICS_COMMANDS_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }
}
