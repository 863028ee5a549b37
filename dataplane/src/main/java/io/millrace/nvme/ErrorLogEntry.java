package io.millrace.nvme;

import java.nio.ByteOrder;

/**
 * Entry of the Error Information log page, 64 bytes (NVM Express Base 2.0, section 5.16.1.2; LID 01h). Newest first;
 * an entry whose count is 0 is empty.
 */
public final class ErrorLogEntry extends Flyweight
{
    /** Size in bytes. */
    public static final int SIZE_BYTES = 64;

    private static final int ERROR_COUNT_OFFSET = 0;
    private static final int SQ_ID_OFFSET = 8;
    private static final int COMMAND_ID_OFFSET = 10;
    private static final int STATUS_FIELD_OFFSET = 12;
    private static final int PARAMETER_LOCATION_OFFSET = 14;
    private static final int LBA_OFFSET = 16;
    private static final int NAMESPACE_ID_OFFSET = 24;
    private static final int TRANSPORT_TYPE_OFFSET = 29;
    private static final int COMMAND_SPECIFIC_OFFSET = 32;

    /**
     * Creates a flyweight that wraps nothing.
     */
    public ErrorLogEntry()
    {
    }

    /**
     * {@return number of this error over the life of the controller, from 1}
     */
    public long errorCount()
    {
        return buffer.getLong(offset + ERROR_COUNT_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets number of this error over the life of the controller, from 1.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public ErrorLogEntry errorCount(final long value)
    {
        buffer.putLong(offset + ERROR_COUNT_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return submission queue of the command}
     */
    public int sqId()
    {
        return buffer.getShort(offset + SQ_ID_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets submission queue of the command.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public ErrorLogEntry sqId(final int value)
    {
        buffer.putShort(offset + SQ_ID_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return command id}
     */
    public int commandId()
    {
        return buffer.getShort(offset + COMMAND_ID_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets command id.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public ErrorLogEntry commandId(final int value)
    {
        buffer.putShort(offset + COMMAND_ID_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return status of the command with its phase tag}
     */
    public int statusField()
    {
        return buffer.getShort(offset + STATUS_FIELD_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets status of the command with its phase tag.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public ErrorLogEntry statusField(final int value)
    {
        buffer.putShort(offset + STATUS_FIELD_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return byte in bits 7:0 and bit in bits 10:8 of the wrong parameter; FFFFh when none}
     */
    public int parameterLocation()
    {
        return buffer.getShort(offset + PARAMETER_LOCATION_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets byte in bits 7:0 and bit in bits 10:8 of the wrong parameter; FFFFh when none.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public ErrorLogEntry parameterLocation(final int value)
    {
        buffer.putShort(offset + PARAMETER_LOCATION_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return first block that failed}
     */
    public long lba()
    {
        return buffer.getLong(offset + LBA_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets first block that failed.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public ErrorLogEntry lba(final long value)
    {
        buffer.putLong(offset + LBA_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return namespace}
     */
    public int namespaceId()
    {
        return buffer.getInt(offset + NAMESPACE_ID_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets namespace.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public ErrorLogEntry namespaceId(final int value)
    {
        buffer.putInt(offset + NAMESPACE_ID_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return transport type (TRTYPE)}
     */
    public int transportType()
    {
        return buffer.getByte(offset + TRANSPORT_TYPE_OFFSET) & 0xFF;
    }

    /**
     * Sets transport type (TRTYPE).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public ErrorLogEntry transportType(final int value)
    {
        buffer.putByte(offset + TRANSPORT_TYPE_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return what the command adds}
     */
    public long commandSpecific()
    {
        return buffer.getLong(offset + COMMAND_SPECIFIC_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets what the command adds.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public ErrorLogEntry commandSpecific(final long value)
    {
        buffer.putLong(offset + COMMAND_SPECIFIC_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }
}
