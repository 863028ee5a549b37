package io.millrace.nvme.identify;

import io.millrace.nvme.Flyweight;
import java.nio.ByteOrder;

/**
 * Admin Command Set Attributes and Optional Controller Capabilities of the Identify Controller data structure, its
 * bytes 511:256 (NVM Express Base 2.0, section 5.17.2.1). Wraps the whole structure.
 */
public final class IdentifyControllerAdmin extends Flyweight
{
    /** Size of the whole structure in bytes. */
    public static final int SIZE_BYTES = IdentifyController.SIZE_BYTES;

    /** ANA capabilities: each of the five states may be reported. */
    public static final int ANA_ALL_STATES = 0x1F;
    /** ANA capabilities: a namespace stays in its group while it is attached. */
    public static final int ANA_GROUP_FIXED = 1 << 6;

    /** Log page attribute: commands supported and effects. */
    public static final int LOG_COMMAND_EFFECTS = 1 << 1;
    /** Log page attribute: offsets and lengths of 32 bits. */
    public static final int LOG_EXTENDED_DATA = 1 << 2;
    /** Log page attribute: supported log pages, feature and management command effects. */
    public static final int LOG_MISCELLANEOUS = 1 << 5;

    /** Optional admin command: Doorbell Buffer Config. */
    public static final int ADMIN_DOORBELL_BUFFER_CONFIG = 1 << 8;

    private static final int OPTIONAL_ADMIN_COMMANDS_OFFSET = 256;
    private static final int ABORT_COMMAND_LIMIT_OFFSET = 258;
    private static final int ASYNC_EVENT_REQUEST_LIMIT_OFFSET = 259;
    private static final int FIRMWARE_UPDATES_OFFSET = 260;
    private static final int LOG_PAGE_ATTRIBUTES_OFFSET = 261;
    private static final int ERROR_LOG_PAGE_ENTRIES_OFFSET = 262;
    private static final int WARNING_TEMPERATURE_OFFSET = 266;
    private static final int CRITICAL_TEMPERATURE_OFFSET = 268;
    private static final int KEEP_ALIVE_SUPPORT_OFFSET = 320;
    private static final int ANA_TRANSITION_TIME_OFFSET = 342;
    private static final int ANA_CAPABILITIES_OFFSET = 343;
    private static final int ANA_GROUP_ID_MAX_OFFSET = 344;
    private static final int ANA_GROUPS_OFFSET = 348;
    private static final int COMMAND_QUIESCE_TIME_OFFSET = 386;

    /**
     * Creates a flyweight that wraps nothing.
     */
    public IdentifyControllerAdmin()
    {
    }

    /**
     * {@return optional admin commands (OACS)}
     */
    public int optionalAdminCommands()
    {
        return buffer.getShort(offset + OPTIONAL_ADMIN_COMMANDS_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets optional admin commands (OACS).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyControllerAdmin optionalAdminCommands(final int value)
    {
        buffer.putShort(offset + OPTIONAL_ADMIN_COMMANDS_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return concurrent Abort commands less one (ACL)}
     */
    public int abortCommandLimit()
    {
        return buffer.getByte(offset + ABORT_COMMAND_LIMIT_OFFSET) & 0xFF;
    }

    /**
     * Sets concurrent Abort commands less one (ACL).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyControllerAdmin abortCommandLimit(final int value)
    {
        buffer.putByte(offset + ABORT_COMMAND_LIMIT_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return outstanding Asynchronous Event Requests less one (AERL)}
     */
    public int asyncEventRequestLimit()
    {
        return buffer.getByte(offset + ASYNC_EVENT_REQUEST_LIMIT_OFFSET) & 0xFF;
    }

    /**
     * Sets outstanding Asynchronous Event Requests less one (AERL).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyControllerAdmin asyncEventRequestLimit(final int value)
    {
        buffer.putByte(offset + ASYNC_EVENT_REQUEST_LIMIT_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return firmware update capabilities (FRMW)}
     */
    public int firmwareUpdates()
    {
        return buffer.getByte(offset + FIRMWARE_UPDATES_OFFSET) & 0xFF;
    }

    /**
     * Sets firmware update capabilities (FRMW).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyControllerAdmin firmwareUpdates(final int value)
    {
        buffer.putByte(offset + FIRMWARE_UPDATES_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return log page attributes (LPA)}
     */
    public int logPageAttributes()
    {
        return buffer.getByte(offset + LOG_PAGE_ATTRIBUTES_OFFSET) & 0xFF;
    }

    /**
     * Sets log page attributes (LPA).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyControllerAdmin logPageAttributes(final int value)
    {
        buffer.putByte(offset + LOG_PAGE_ATTRIBUTES_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return entries of the error information log less one (ELPE)}
     */
    public int errorLogPageEntries()
    {
        return buffer.getByte(offset + ERROR_LOG_PAGE_ENTRIES_OFFSET) & 0xFF;
    }

    /**
     * Sets entries of the error information log less one (ELPE).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyControllerAdmin errorLogPageEntries(final int value)
    {
        buffer.putByte(offset + ERROR_LOG_PAGE_ENTRIES_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return warning composite temperature in kelvins (WCTEMP)}
     */
    public int warningTemperature()
    {
        return buffer.getShort(offset + WARNING_TEMPERATURE_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets warning composite temperature in kelvins (WCTEMP).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyControllerAdmin warningTemperature(final int value)
    {
        buffer.putShort(offset + WARNING_TEMPERATURE_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return critical composite temperature in kelvins (CCTEMP)}
     */
    public int criticalTemperature()
    {
        return buffer.getShort(offset + CRITICAL_TEMPERATURE_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets critical composite temperature in kelvins (CCTEMP).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyControllerAdmin criticalTemperature(final int value)
    {
        buffer.putShort(offset + CRITICAL_TEMPERATURE_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return granularity of the keep alive timer in units of 100 ms (KAS); 0 is no support}
     */
    public int keepAliveSupport()
    {
        return buffer.getShort(offset + KEEP_ALIVE_SUPPORT_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets granularity of the keep alive timer in units of 100 ms (KAS); 0 is no support.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyControllerAdmin keepAliveSupport(final int value)
    {
        buffer.putShort(offset + KEEP_ALIVE_SUPPORT_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return ANA transition time in seconds (ANATT)}
     */
    public int anaTransitionTime()
    {
        return buffer.getByte(offset + ANA_TRANSITION_TIME_OFFSET) & 0xFF;
    }

    /**
     * Sets ANA transition time in seconds (ANATT).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyControllerAdmin anaTransitionTime(final int value)
    {
        buffer.putByte(offset + ANA_TRANSITION_TIME_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return ANA capabilities (ANACAP)}
     */
    public int anaCapabilities()
    {
        return buffer.getByte(offset + ANA_CAPABILITIES_OFFSET) & 0xFF;
    }

    /**
     * Sets ANA capabilities (ANACAP).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyControllerAdmin anaCapabilities(final int value)
    {
        buffer.putByte(offset + ANA_CAPABILITIES_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return largest ANA group id (ANAGRPMAX)}
     */
    public int anaGroupIdMax()
    {
        return buffer.getInt(offset + ANA_GROUP_ID_MAX_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets largest ANA group id (ANAGRPMAX).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyControllerAdmin anaGroupIdMax(final int value)
    {
        buffer.putInt(offset + ANA_GROUP_ID_MAX_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return count of ANA groups (NANAGRPID)}
     */
    public int anaGroups()
    {
        return buffer.getInt(offset + ANA_GROUPS_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets count of ANA groups (NANAGRPID).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyControllerAdmin anaGroups(final int value)
    {
        buffer.putInt(offset + ANA_GROUPS_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return longest time in milliseconds that it needs to end all commands after it has lost its host (CQT, since
     * NVM Express Base 2.1); 0 when it is not reported}
     */
    public int commandQuiesceTimeMs()
    {
        return buffer.getShort(offset + COMMAND_QUIESCE_TIME_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets longest time that it needs to end all commands after it has lost its host.
     *
     * @param value in milliseconds.
     * @return this, to chain.
     */
    public IdentifyControllerAdmin commandQuiesceTimeMs(final int value)
    {
        buffer.putShort(offset + COMMAND_QUIESCE_TIME_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }
}
