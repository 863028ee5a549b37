package io.millrace.status;

/**
 * State and counters of one reactor. Written by it a few times a second.
 */
public final class ReactorCounters
{
    /** Values of the record, in order. */
    public enum Value
    {
        /** Nanoseconds with work. */
        BUSY_NS,
        /** Nanoseconds without. */
        IDLE_NS,
        /** Cycles done. */
        CYCLES,
        /** How often it slept in the kernel. */
        SLEEPS,
        /** Nanoseconds of the longest cycle. */
        LONGEST_CYCLE_NS,
        /** Connections now. */
        CONNECTIONS,
        /** Commands of hosts that it works on now. */
        REQUESTS,
        /** Bytes of its buffer pool. */
        POOL_BYTES,
        /** Of them, handed out now. */
        POOL_USED_BYTES,
        /** Commands that wait for a buffer now. */
        POOL_WAITING,
        /** How often a command had to wait for a buffer. */
        POOL_WAITS,
        /** The most bytes of its pool that were handed out at one time. */
        POOL_PEAK_BYTES,
        /** Bytes of its pool that devices may still use though the commands have ended. */
        POOL_QUARANTINED_BYTES,
        /** How often a capsule had to wait for a slot for its command. */
        REQUEST_WAITS
    }

    private final RecordSlot slot;

    ReactorCounters(final RecordSlot slot)
    {
        this.slot = slot;
    }

    /**
     * Stores a value. On its reactor.
     *
     * @param value  which.
     * @param number of it now.
     */
    public void put(final Value value, final long number)
    {
        slot.buffer().putLongOpaque(slot.type().valuesOffset() + value.ordinal() * Long.BYTES, number);
    }
}
