package io.millrace.nvme;

import java.nio.ByteOrder;

/**
 * Completion queue entry, 16 bytes (NVM Express Base 2.0, section 3.3.3.2, figure 90).
 */
public final class CompletionQueueEntry extends Flyweight
{
    /** Size in bytes. */
    public static final int SIZE_BYTES = 16;

    private static final int RESULT0_OFFSET = 0;
    private static final int RESULT1_OFFSET = 4;
    private static final int SQ_HEAD_OFFSET = 8;
    private static final int SQ_ID_OFFSET = 10;
    private static final int COMMAND_ID_OFFSET = 12;
    private static final int STATUS_FIELD_OFFSET = 14;

    /**
     * Creates a flyweight that wraps nothing.
     */
    public CompletionQueueEntry()
    {
    }

    /**
     * {@return command-specific dword 0}
     */
    public int result0()
    {
        return buffer.getInt(offset + RESULT0_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets command-specific dword 0.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public CompletionQueueEntry result0(final int value)
    {
        buffer.putInt(offset + RESULT0_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return command-specific dword 1}
     */
    public int result1()
    {
        return buffer.getInt(offset + RESULT1_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets command-specific dword 1.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public CompletionQueueEntry result1(final int value)
    {
        buffer.putInt(offset + RESULT1_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return submission queue head pointer}
     */
    public int sqHead()
    {
        return buffer.getShort(offset + SQ_HEAD_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets submission queue head pointer.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public CompletionQueueEntry sqHead(final int value)
    {
        buffer.putShort(offset + SQ_HEAD_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return submission queue identifier}
     */
    public int sqId()
    {
        return buffer.getShort(offset + SQ_ID_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets submission queue identifier.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public CompletionQueueEntry sqId(final int value)
    {
        buffer.putShort(offset + SQ_ID_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return command identifier}
     */
    public int commandId()
    {
        return buffer.getShort(offset + COMMAND_ID_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets command identifier.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public CompletionQueueEntry commandId(final int value)
    {
        buffer.putShort(offset + COMMAND_ID_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return phase tag in bit 0 and status in bits 15:1}
     */
    public int statusField()
    {
        return buffer.getShort(offset + STATUS_FIELD_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets phase tag in bit 0 and status in bits 15:1.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public CompletionQueueEntry statusField(final int value)
    {
        buffer.putShort(offset + STATUS_FIELD_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }
}
