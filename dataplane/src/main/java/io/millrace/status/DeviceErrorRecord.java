package io.millrace.status;

import java.util.function.LongSupplier;

/**
 * One distinct error of a device on one reactor, for readers of the status file. Written by that reactor; other threads
 * may read the numbers as they were a moment ago. Nothing is allocated when the error happens again.
 */
public final class DeviceErrorRecord
{
    /** Values of the record, in order. */
    enum Value
    {
        /** Number of occurrences. */
        COUNT,
        /** First time. */
        FIRST_EPOCH_MS,
        /** Last time. */
        LAST_EPOCH_MS,
        /** First block of the request that met it first. */
        FIRST_LBA,
        /** First block of the request that met it last. */
        LAST_LBA
    }

    private final StatusPart part;
    private final RecordSlot slot;
    private final LongSupplier epochClock;
    private long count;
    private long firstEpochMs;
    private long lastEpochMs;
    private long firstLba;
    private long lastLba;

    DeviceErrorRecord(final StatusPart part, final RecordSlot slot, final LongSupplier epochClock)
    {
        this.part = part;
        this.slot = slot;
        this.epochClock = epochClock;
    }

    /**
     * It happened.
     *
     * @param lba first block of the request.
     */
    public void add(final long lba)
    {
        lastEpochMs = epochClock.getAsLong();
        lastLba = lba;
        if (0 == count)
        {
            firstEpochMs = lastEpochMs;
            firstLba = lba;
            put(Value.FIRST_EPOCH_MS, firstEpochMs);
            put(Value.FIRST_LBA, lba);
        }
        count++;
        put(Value.LAST_EPOCH_MS, lastEpochMs);
        put(Value.LAST_LBA, lba);
        put(Value.COUNT, count);
    }

    /**
     * {@return how often it happened}
     */
    public long count()
    {
        return count;
    }

    /**
     * {@return first time}
     */
    public long firstEpochMs()
    {
        return firstEpochMs;
    }

    /**
     * {@return last time}
     */
    public long lastEpochMs()
    {
        return lastEpochMs;
    }

    /**
     * {@return first block of the request that met it first}
     */
    public long firstLba()
    {
        return firstLba;
    }

    /**
     * {@return first block of the request that met it last}
     */
    public long lastLba()
    {
        return lastLba;
    }

    /**
     * Releases the record; nothing is added afterwards.
     */
    public void release()
    {
        part.release(slot);
    }

    private void put(final Value value, final long number)
    {
        slot.buffer().putLongOpaque(slot.type().valuesOffset() + value.ordinal() * Long.BYTES, number);
    }
}
