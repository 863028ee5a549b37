package io.millrace.status;

import org.agrona.UnsafeApi;

/**
 * Counters of one queue pair. Written by its reactor alone, by address; the slot keeps the memory mapped.
 */
public final class QueuePairCounters
{
    /** Values of the record, in order. */
    public enum Value
    {
        /** Commands that came; those not answered are outstanding. */
        COMMANDS,
        /** Commands that were answered. */
        ANSWERS,
        /** Bytes of reads that succeeded. */
        BYTES_READ,
        /** Bytes of writes that succeeded. */
        BYTES_WRITTEN,
        /** Commands that failed. */
        ERRORS,
        /** Commands that the host may have outstanding. */
        DEPTH
    }

    private final StatusPart part;
    private final RecordSlot slot;
    private final long commands;

    QueuePairCounters(final StatusPart part, final RecordSlot slot)
    {
        this.part = part;
        this.slot = slot;
        commands = slot.address() + slot.type().valuesOffset();
    }

    /**
     * A command came.
     *
     * @param count of all that came.
     */
    public void commands(final long count)
    {
        UnsafeApi.putLong(commands, count);
    }

    /**
     * Answers have left.
     *
     * @param answers      commands that were answered.
     * @param bytesRead    of reads that succeeded.
     * @param bytesWritten of writes that succeeded.
     * @param errors       commands that failed.
     */
    public void answered(final long answers, final long bytesRead, final long bytesWritten, final long errors)
    {
        put(Value.ANSWERS, answers);
        put(Value.BYTES_READ, bytesRead);
        put(Value.BYTES_WRITTEN, bytesWritten);
        put(Value.ERRORS, errors);
    }

    /**
     * Releases the record; no method is called afterwards. On its reactor.
     */
    public void release()
    {
        part.release(slot);
    }

    void put(final Value value, final long number)
    {
        UnsafeApi.putLong(commands + (long)value.ordinal() * Long.BYTES, number);
    }
}
