package io.millrace.status;

/**
 * State and counters of the whole data plane. Written by its first reactor a few times a second.
 */
public final class DataPlaneCounters
{
    /** Values of the record, in order. */
    public enum Value
    {
        /** 1 serving, 2 draining, 3 paused, 4 stopping. */
        STATE,
        /** Bytes of the arena of I/O buffers. */
        MEMORY_BYTES,
        /** Connections accepted. */
        ACCEPTED,
        /** Connections closed at once, as the reactors had no room for more. */
        REFUSED,
        /** Connections closed, whatever the reason. */
        CLOSED,
        /** How often accepting paused, as the process had no descriptors or memory left. */
        ACCEPT_PAUSES,
        /** Connections closed as no Connect command succeeded in time. */
        CONNECT_TIMEOUTS,
        /** PDUs with a wrong header digest. */
        HEADER_DIGEST_ERRORS,
        /** PDUs with a wrong data digest. */
        DATA_DIGEST_ERRORS,
        /** Capsules that waited in their connection, which received nothing meanwhile. */
        STALLED_CAPSULES,
        /** Answers whose data was copied as a host did not read them while somebody waited to write it. */
        COPIED_LOANS,
        /** Connections that the host ended with H2CTermReq. */
        HOST_TERMINATIONS,
        /** Bytes of memory for devices and the kernel to reach, of the whole process. */
        DMA_BYTES,
        /** Of them, in hugepages. */
        DMA_HUGEPAGE_BYTES,
        /** Connections closed as data that was asked for did not come in time. */
        DATA_TIMEOUTS,
        /** Connections closed as the host did not take answers in time. */
        SEND_TIMEOUTS,
        /** Of the connections refused, those closed as too many had not become queues. */
        REFUSED_PENDING,
        /** Connect commands refused as there were too many connections. */
        REFUSED_CONNECTS,
        /** Connections that have not become queues now. */
        PENDING_CONNECTIONS,
        /** Connect commands refused as there were too many discovery controllers. */
        REFUSED_DISCOVERY,
        /** Discovery controllers now. */
        DISCOVERY_CONNECTIONS,
        /** Capsules that were deferred until there was a slot, while data was awaited that may come behind them. */
        DEFERRED_CAPSULES;

        /**
         * {@return whether it counts connections, or what happened on them}
         */
        public boolean isOfConnections()
        {
            return STATE != this && MEMORY_BYTES != this && DMA_BYTES != this && DMA_HUGEPAGE_BYTES != this;
        }
    }

    private final RecordSlot slot;

    DataPlaneCounters(final RecordSlot slot)
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
