package io.millrace.nvme;

/**
 * Firmware Slot Information log page, 512 bytes (NVM Express Base 2.0, section 5.16.1.4; LID 03h).
 */
public final class FirmwareSlotLog extends Flyweight
{
    /** Size in bytes. */
    public static final int SIZE_BYTES = 512;
    /** Slots that the page has room for. */
    public static final int SLOT_COUNT = 7;

    private static final int ACTIVE_FIRMWARE_OFFSET = 0;
    private static final int REVISION1_OFFSET = 8;
    private static final int REVISION1_BYTES = 8;

    /**
     * Creates a flyweight that wraps nothing.
     */
    public FirmwareSlotLog()
    {
    }

    /**
     * {@return active slot in bits 2:0, next one in bits 6:4 (AFI)}
     */
    public int activeFirmware()
    {
        return buffer.getByte(offset + ACTIVE_FIRMWARE_OFFSET) & 0xFF;
    }

    /**
     * Sets active slot in bits 2:0, next one in bits 6:4 (AFI).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public FirmwareSlotLog activeFirmware(final int value)
    {
        buffer.putByte(offset + ACTIVE_FIRMWARE_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return revision in a slot (FRS1 to FRS7), empty when there is none}
     *
     * @param slot 1 to {@link #SLOT_COUNT}.
     */
    public String revision(final int slot)
    {
        return padded(REVISION1_OFFSET + (slot - 1) * REVISION1_BYTES, REVISION1_BYTES);
    }

    /**
     * {@return revision in slot 1 (FRS1)}
     */
    public String revision1()
    {
        return padded(REVISION1_OFFSET, REVISION1_BYTES);
    }

    /**
     * Sets revision in slot 1 (FRS1).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public FirmwareSlotLog revision1(final String value)
    {
        padded(REVISION1_OFFSET, REVISION1_BYTES, value, (byte)' ');
        return this;
    }
}
