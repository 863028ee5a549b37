package io.millrace.nvme;

import java.nio.ByteOrder;

/**
 * Submission queue entry, 64 bytes (NVM Express Base 2.0, section 3.3.3.1, figure 87).
 *
 * <pre>
 *    0 opcode | flags | command id      16 metadata pointer
 *    4 namespace id                      24 data pointer (SGL descriptor 1)
 *    8 cdw2, cdw3                        40 cdw10 .. cdw15
 * </pre>
 */
public final class SubmissionQueueEntry extends Flyweight
{
    /** Size in bytes. */
    public static final int SIZE_BYTES = 64;

    private static final int OPCODE_OFFSET = 0;
    private static final int FLAGS_OFFSET = 1;
    private static final int COMMAND_ID_OFFSET = 2;
    private static final int NAMESPACE_ID_OFFSET = 4;
    private static final int CDW2_OFFSET = 8;
    private static final int CDW3_OFFSET = 12;
    private static final int METADATA_POINTER_OFFSET = 16;
    private static final int SGL_ADDRESS_OFFSET = 24;
    private static final int SGL_LENGTH_OFFSET = 32;
    private static final int SGL_KEYED_LENGTH_MASK = 0xFF_FFFF;
    private static final int SGL_KEY_OFFSET = 35;
    private static final int SGL_TYPE_OFFSET = 39;
    private static final int CDW10_OFFSET = 40;
    private static final int CDW11_OFFSET = 44;
    private static final int CDW12_OFFSET = 48;
    private static final int CDW13_OFFSET = 52;
    private static final int CDW14_OFFSET = 56;
    private static final int CDW15_OFFSET = 60;
    private static final int STARTING_LBA_OFFSET = 40;

    /**
     * Creates a flyweight that wraps nothing.
     */
    public SubmissionQueueEntry()
    {
    }

    /**
     * {@return command opcode}
     */
    public int opcode()
    {
        return buffer.getByte(offset + OPCODE_OFFSET) & 0xFF;
    }

    /**
     * Sets command opcode.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public SubmissionQueueEntry opcode(final int value)
    {
        buffer.putByte(offset + OPCODE_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return fused operation and, in bits 7:6, how the data pointer is used (PSDT)}
     */
    public int flags()
    {
        return buffer.getByte(offset + FLAGS_OFFSET) & 0xFF;
    }

    /**
     * Sets fused operation and, in bits 7:6, how the data pointer is used (PSDT).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public SubmissionQueueEntry flags(final int value)
    {
        buffer.putByte(offset + FLAGS_OFFSET, (byte)value);
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
    public SubmissionQueueEntry commandId(final int value)
    {
        buffer.putShort(offset + COMMAND_ID_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return namespace identifier}
     */
    public int namespaceId()
    {
        return buffer.getInt(offset + NAMESPACE_ID_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets namespace identifier.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public SubmissionQueueEntry namespaceId(final int value)
    {
        buffer.putInt(offset + NAMESPACE_ID_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return command dword 2}
     */
    public int cdw2()
    {
        return buffer.getInt(offset + CDW2_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets command dword 2.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public SubmissionQueueEntry cdw2(final int value)
    {
        buffer.putInt(offset + CDW2_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return command dword 3}
     */
    public int cdw3()
    {
        return buffer.getInt(offset + CDW3_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets command dword 3.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public SubmissionQueueEntry cdw3(final int value)
    {
        buffer.putInt(offset + CDW3_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return metadata pointer}
     */
    public long metadataPointer()
    {
        return buffer.getLong(offset + METADATA_POINTER_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets metadata pointer.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public SubmissionQueueEntry metadataPointer(final long value)
    {
        buffer.putLong(offset + METADATA_POINTER_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return address or offset of the SGL descriptor}
     */
    public long sglAddress()
    {
        return buffer.getLong(offset + SGL_ADDRESS_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets address or offset of the SGL descriptor.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public SubmissionQueueEntry sglAddress(final long value)
    {
        buffer.putLong(offset + SGL_ADDRESS_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return length in bytes of the SGL descriptor, unsigned}
     */
    public int sglLength()
    {
        return buffer.getInt(offset + SGL_LENGTH_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets length in bytes of the SGL descriptor, unsigned.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public SubmissionQueueEntry sglLength(final int value)
    {
        buffer.putInt(offset + SGL_LENGTH_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return length in bytes of a keyed SGL descriptor, 24 bits}
     */
    public int sglKeyedLength()
    {
        return sglLength() & SGL_KEYED_LENGTH_MASK;
    }

    /**
     * Sets length in bytes of a keyed SGL descriptor; the first byte of its key stays.
     *
     * @param value 0 to 2<sup>24</sup> - 1.
     * @return this, to chain.
     */
    public SubmissionQueueEntry sglKeyedLength(final int value)
    {
        return sglLength(sglLength() & ~SGL_KEYED_LENGTH_MASK | value & SGL_KEYED_LENGTH_MASK);
    }

    /**
     * {@return key of a keyed SGL descriptor}
     */
    public int sglKey()
    {
        return buffer.getInt(offset + SGL_KEY_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets key of a keyed SGL descriptor.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public SubmissionQueueEntry sglKey(final int value)
    {
        buffer.putInt(offset + SGL_KEY_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return SGL descriptor type in bits 7:4 and sub type in bits 3:0}
     */
    public int sglType()
    {
        return buffer.getByte(offset + SGL_TYPE_OFFSET) & 0xFF;
    }

    /**
     * Sets SGL descriptor type in bits 7:4 and sub type in bits 3:0.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public SubmissionQueueEntry sglType(final int value)
    {
        buffer.putByte(offset + SGL_TYPE_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return command dword 10}
     */
    public int cdw10()
    {
        return buffer.getInt(offset + CDW10_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets command dword 10.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public SubmissionQueueEntry cdw10(final int value)
    {
        buffer.putInt(offset + CDW10_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return command dword 11}
     */
    public int cdw11()
    {
        return buffer.getInt(offset + CDW11_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets command dword 11.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public SubmissionQueueEntry cdw11(final int value)
    {
        buffer.putInt(offset + CDW11_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return command dword 12}
     */
    public int cdw12()
    {
        return buffer.getInt(offset + CDW12_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets command dword 12.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public SubmissionQueueEntry cdw12(final int value)
    {
        buffer.putInt(offset + CDW12_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return command dword 13}
     */
    public int cdw13()
    {
        return buffer.getInt(offset + CDW13_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets command dword 13.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public SubmissionQueueEntry cdw13(final int value)
    {
        buffer.putInt(offset + CDW13_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return command dword 14}
     */
    public int cdw14()
    {
        return buffer.getInt(offset + CDW14_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets command dword 14.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public SubmissionQueueEntry cdw14(final int value)
    {
        buffer.putInt(offset + CDW14_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return command dword 15}
     */
    public int cdw15()
    {
        return buffer.getInt(offset + CDW15_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets command dword 15.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public SubmissionQueueEntry cdw15(final int value)
    {
        buffer.putInt(offset + CDW15_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return starting LBA of an I/O command (dwords 10 and 11)}
     */
    public long startingLba()
    {
        return buffer.getLong(offset + STARTING_LBA_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets starting LBA of an I/O command (dwords 10 and 11).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public SubmissionQueueEntry startingLba(final long value)
    {
        buffer.putLong(offset + STARTING_LBA_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }
}
