package io.millrace.nvme;

import java.nio.ByteOrder;

/**
 * SMART / Health Information log page, 512 bytes (NVM Express Base 2.0, section 5.16.1.3; LID 02h).
 */
public final class SmartLog extends Flyweight
{
    /** Size in bytes. */
    public static final int SIZE_BYTES = 512;

    /** Critical warning: available spare is below its threshold. */
    public static final int WARNING_SPARE = 1;
    /** Critical warning: temperature is beyond a threshold. */
    public static final int WARNING_TEMPERATURE = 1 << 1;
    /** Critical warning: reliability is degraded by media or internal errors. */
    public static final int WARNING_RELIABILITY = 1 << 2;
    /** Critical warning: media has become read-only. */
    public static final int WARNING_READ_ONLY = 1 << 3;
    /** Critical warning: backup of volatile memory has failed. */
    public static final int WARNING_BACKUP = 1 << 4;

    private static final int CRITICAL_WARNING_OFFSET = 0;
    private static final int COMPOSITE_TEMPERATURE_OFFSET = 1;
    private static final int AVAILABLE_SPARE_OFFSET = 3;
    private static final int AVAILABLE_SPARE_THRESHOLD_OFFSET = 4;
    private static final int PERCENTAGE_USED_OFFSET = 5;
    private static final int DATA_UNITS_READ_OFFSET = 32;
    private static final int DATA_UNITS_WRITTEN_OFFSET = 48;
    private static final int HOST_READ_COMMANDS_OFFSET = 64;
    private static final int HOST_WRITE_COMMANDS_OFFSET = 80;
    private static final int CONTROLLER_BUSY_TIME_OFFSET = 96;
    private static final int POWER_CYCLES_OFFSET = 112;
    private static final int POWER_ON_HOURS_OFFSET = 128;
    private static final int UNSAFE_SHUTDOWNS_OFFSET = 144;
    private static final int MEDIA_ERRORS_OFFSET = 160;
    private static final int ERROR_LOG_ENTRIES_OFFSET = 176;

    /**
     * Creates a flyweight that wraps nothing.
     */
    public SmartLog()
    {
    }

    /**
     * {@return critical warning bits}
     */
    public int criticalWarning()
    {
        return buffer.getByte(offset + CRITICAL_WARNING_OFFSET) & 0xFF;
    }

    /**
     * Sets critical warning bits.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public SmartLog criticalWarning(final int value)
    {
        buffer.putByte(offset + CRITICAL_WARNING_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return composite temperature in kelvins}
     */
    public int compositeTemperature()
    {
        return buffer.getShort(offset + COMPOSITE_TEMPERATURE_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets composite temperature in kelvins.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public SmartLog compositeTemperature(final int value)
    {
        buffer.putShort(offset + COMPOSITE_TEMPERATURE_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return available spare in percent}
     */
    public int availableSpare()
    {
        return buffer.getByte(offset + AVAILABLE_SPARE_OFFSET) & 0xFF;
    }

    /**
     * Sets available spare in percent.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public SmartLog availableSpare(final int value)
    {
        buffer.putByte(offset + AVAILABLE_SPARE_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return threshold of the available spare in percent}
     */
    public int availableSpareThreshold()
    {
        return buffer.getByte(offset + AVAILABLE_SPARE_THRESHOLD_OFFSET) & 0xFF;
    }

    /**
     * Sets threshold of the available spare in percent.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public SmartLog availableSpareThreshold(final int value)
    {
        buffer.putByte(offset + AVAILABLE_SPARE_THRESHOLD_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return percentage of life used}
     */
    public int percentageUsed()
    {
        return buffer.getByte(offset + PERCENTAGE_USED_OFFSET) & 0xFF;
    }

    /**
     * Sets percentage of life used.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public SmartLog percentageUsed(final int value)
    {
        buffer.putByte(offset + PERCENTAGE_USED_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return thousands of 512 bytes read, rounded up; the low 8 of 16 bytes}
     */
    public long dataUnitsRead()
    {
        return buffer.getLong(offset + DATA_UNITS_READ_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets thousands of 512 bytes read, rounded up; the low 8 of 16 bytes.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public SmartLog dataUnitsRead(final long value)
    {
        buffer.putLong(offset + DATA_UNITS_READ_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        buffer.putLong(offset + DATA_UNITS_READ_OFFSET + 8, 0, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return thousands of 512 bytes written, rounded up; the low 8 of 16 bytes}
     */
    public long dataUnitsWritten()
    {
        return buffer.getLong(offset + DATA_UNITS_WRITTEN_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets thousands of 512 bytes written, rounded up; the low 8 of 16 bytes.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public SmartLog dataUnitsWritten(final long value)
    {
        buffer.putLong(offset + DATA_UNITS_WRITTEN_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        buffer.putLong(offset + DATA_UNITS_WRITTEN_OFFSET + 8, 0, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return read and compare commands completed; the low 8 of 16 bytes}
     */
    public long hostReadCommands()
    {
        return buffer.getLong(offset + HOST_READ_COMMANDS_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets read and compare commands completed; the low 8 of 16 bytes.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public SmartLog hostReadCommands(final long value)
    {
        buffer.putLong(offset + HOST_READ_COMMANDS_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        buffer.putLong(offset + HOST_READ_COMMANDS_OFFSET + 8, 0, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return write commands completed; the low 8 of 16 bytes}
     */
    public long hostWriteCommands()
    {
        return buffer.getLong(offset + HOST_WRITE_COMMANDS_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets write commands completed; the low 8 of 16 bytes.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public SmartLog hostWriteCommands(final long value)
    {
        buffer.putLong(offset + HOST_WRITE_COMMANDS_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        buffer.putLong(offset + HOST_WRITE_COMMANDS_OFFSET + 8, 0, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return minutes in which the controller was busy; the low 8 of 16 bytes}
     */
    public long controllerBusyTime()
    {
        return buffer.getLong(offset + CONTROLLER_BUSY_TIME_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets minutes in which the controller was busy; the low 8 of 16 bytes.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public SmartLog controllerBusyTime(final long value)
    {
        buffer.putLong(offset + CONTROLLER_BUSY_TIME_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        buffer.putLong(offset + CONTROLLER_BUSY_TIME_OFFSET + 8, 0, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return power cycles; the low 8 of 16 bytes}
     */
    public long powerCycles()
    {
        return buffer.getLong(offset + POWER_CYCLES_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets power cycles; the low 8 of 16 bytes.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public SmartLog powerCycles(final long value)
    {
        buffer.putLong(offset + POWER_CYCLES_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        buffer.putLong(offset + POWER_CYCLES_OFFSET + 8, 0, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return power-on hours; the low 8 of 16 bytes}
     */
    public long powerOnHours()
    {
        return buffer.getLong(offset + POWER_ON_HOURS_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets power-on hours; the low 8 of 16 bytes.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public SmartLog powerOnHours(final long value)
    {
        buffer.putLong(offset + POWER_ON_HOURS_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        buffer.putLong(offset + POWER_ON_HOURS_OFFSET + 8, 0, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return unsafe shutdowns; the low 8 of 16 bytes}
     */
    public long unsafeShutdowns()
    {
        return buffer.getLong(offset + UNSAFE_SHUTDOWNS_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets unsafe shutdowns; the low 8 of 16 bytes.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public SmartLog unsafeShutdowns(final long value)
    {
        buffer.putLong(offset + UNSAFE_SHUTDOWNS_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        buffer.putLong(offset + UNSAFE_SHUTDOWNS_OFFSET + 8, 0, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return media and data integrity errors; the low 8 of 16 bytes}
     */
    public long mediaErrors()
    {
        return buffer.getLong(offset + MEDIA_ERRORS_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets media and data integrity errors; the low 8 of 16 bytes.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public SmartLog mediaErrors(final long value)
    {
        buffer.putLong(offset + MEDIA_ERRORS_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        buffer.putLong(offset + MEDIA_ERRORS_OFFSET + 8, 0, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return entries of the error information log over the life of the controller; the low 8 of 16 bytes}
     */
    public long errorLogEntries()
    {
        return buffer.getLong(offset + ERROR_LOG_ENTRIES_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets entries of the error information log over the life of the controller; the low 8 of 16 bytes.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public SmartLog errorLogEntries(final long value)
    {
        buffer.putLong(offset + ERROR_LOG_ENTRIES_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        buffer.putLong(offset + ERROR_LOG_ENTRIES_OFFSET + 8, 0, ByteOrder.LITTLE_ENDIAN);
        return this;
    }
}
