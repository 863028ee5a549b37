package io.millrace.nvme;

import java.nio.ByteOrder;

/**
 * Fields of a Connect command in its submission queue entry, 64 bytes (NVM Express Base 2.0, section 6.3).
 */
public final class ConnectCommand extends Flyweight
{
    /** Size in bytes. */
    public static final int SIZE_BYTES = 64;

    /** Attribute: flow control of the submission queue is off. */
    public static final int ATTRIBUTE_NO_FLOW_CONTROL = 1 << 2;
    /** Where the queue id begins; for the parameter offset of a refusal. */
    public static final int QUEUE_ID_POSITION = 42;
    /** Where the queue size begins. */
    public static final int QUEUE_SIZE_POSITION = 44;
    /** Bit 16 of a refusal's result: the offset is one of the data, not of the command. */
    public static final int REFUSED_DATA = 1 << 16;

    private static final int FABRICS_TYPE_OFFSET = 4;
    private static final int RECORD_FORMAT_OFFSET = 40;
    private static final int QUEUE_ID_OFFSET = 42;
    private static final int QUEUE_SIZE_OFFSET = 44;
    private static final int ATTRIBUTES_OFFSET = 46;
    private static final int KEEP_ALIVE_TIMEOUT_MS_OFFSET = 48;

    /**
     * Creates a flyweight that wraps nothing.
     */
    public ConnectCommand()
    {
    }

    /**
     * {@return fabrics type (FCTYPE)}
     */
    public int fabricsType()
    {
        return buffer.getByte(offset + FABRICS_TYPE_OFFSET) & 0xFF;
    }

    /**
     * Sets fabrics type (FCTYPE).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public ConnectCommand fabricsType(final int value)
    {
        buffer.putByte(offset + FABRICS_TYPE_OFFSET, (byte)value);
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
    public ConnectCommand recordFormat(final int value)
    {
        buffer.putShort(offset + RECORD_FORMAT_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return queue id (QID); 0 is the admin queue}
     */
    public int queueId()
    {
        return buffer.getShort(offset + QUEUE_ID_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets queue id (QID); 0 is the admin queue.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public ConnectCommand queueId(final int value)
    {
        buffer.putShort(offset + QUEUE_ID_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return queue size in entries less one (SQSIZE)}
     */
    public int queueSize()
    {
        return buffer.getShort(offset + QUEUE_SIZE_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets queue size in entries less one (SQSIZE).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public ConnectCommand queueSize(final int value)
    {
        buffer.putShort(offset + QUEUE_SIZE_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return attributes (CATTR)}
     */
    public int attributes()
    {
        return buffer.getByte(offset + ATTRIBUTES_OFFSET) & 0xFF;
    }

    /**
     * Sets attributes (CATTR).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public ConnectCommand attributes(final int value)
    {
        buffer.putByte(offset + ATTRIBUTES_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return keep alive timeout in milliseconds (KATO), unsigned}
     */
    public int keepAliveTimeoutMs()
    {
        return buffer.getInt(offset + KEEP_ALIVE_TIMEOUT_MS_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets keep alive timeout in milliseconds (KATO), unsigned.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public ConnectCommand keepAliveTimeoutMs(final int value)
    {
        buffer.putInt(offset + KEEP_ALIVE_TIMEOUT_MS_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }
}
