package io.millrace.rdma.endpoint;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.verbs.Verbs;
import java.util.Arrays;

/**
 * What the connections of a reactor have done by a device: requests when they are posted, receive requests, latencies
 * and failures when they complete. The memory is the caller's, such as a file that others read. Written by one reactor;
 * nothing is allocated.
 */
public final class DeviceCounters
{
    /** Values in their memory, 64 bits each, in this order: new ones go to the end. */
    public enum Value
    {
        /** SEND requests posted. */
        SENDS,
        /** Their bytes. */
        SENT_BYTES,
        /** Messages, and writes with immediate data, that were received. */
        RECEIVES,
        /** Their bytes. */
        RECEIVED_BYTES,
        /** RDMA READ requests posted. */
        READS,
        /** Their bytes. */
        READ_BYTES,
        /** RDMA WRITE requests posted. */
        WRITES,
        /** Their bytes. */
        WRITTEN_BYTES,
        /** Compare-and-swap and fetch-and-add requests posted. */
        ATOMICS,
        /** Other requests posted, such as those that bind memory windows. */
        OTHERS,
        /** Queue pairs now. */
        QUEUE_PAIRS,
        /** Connections that were established. */
        CONNECTIONS,
        /** How often the device was removed. */
        REMOVALS,
        /** Requests that ended as {@link CompletionStatus#LENGTH}. */
        FAILED_LENGTH(CompletionStatus.LENGTH),
        /** Requests that ended as {@link CompletionStatus#REQUEST}. */
        FAILED_REQUEST(CompletionStatus.REQUEST),
        /** Requests that ended as {@link CompletionStatus#PROTECTION}. */
        FAILED_PROTECTION(CompletionStatus.PROTECTION),
        /** Requests that ended as {@link CompletionStatus#FLUSHED}, as they do at each end of a connection. */
        FAILED_FLUSHED(CompletionStatus.FLUSHED),
        /** Requests that ended as {@link CompletionStatus#WINDOW}. */
        FAILED_WINDOW(CompletionStatus.WINDOW),
        /** Requests that ended as {@link CompletionStatus#BAD_RESPONSE}. */
        FAILED_BAD_RESPONSE(CompletionStatus.BAD_RESPONSE),
        /** Requests that ended as {@link CompletionStatus#LOCAL_ACCESS}. */
        FAILED_LOCAL_ACCESS(CompletionStatus.LOCAL_ACCESS),
        /** Requests that ended as {@link CompletionStatus#REMOTE_INVALID}. */
        FAILED_REMOTE_INVALID(CompletionStatus.REMOTE_INVALID),
        /** Requests that ended as {@link CompletionStatus#REMOTE_ACCESS}. */
        FAILED_REMOTE_ACCESS(CompletionStatus.REMOTE_ACCESS),
        /** Requests that ended as {@link CompletionStatus#REMOTE_OPERATION}. */
        FAILED_REMOTE_OPERATION(CompletionStatus.REMOTE_OPERATION),
        /** Requests that ended as {@link CompletionStatus#RETRIES}. */
        FAILED_RETRIES(CompletionStatus.RETRIES),
        /** Requests that ended as {@link CompletionStatus#RECEIVER_NOT_READY}. */
        FAILED_RECEIVER_NOT_READY(CompletionStatus.RECEIVER_NOT_READY),
        /** Requests that ended as {@link CompletionStatus#REMOTE_ABORT}. */
        FAILED_REMOTE_ABORT(CompletionStatus.REMOTE_ABORT),
        /** Requests that ended as {@link CompletionStatus#DEVICE}. */
        FAILED_DEVICE(CompletionStatus.DEVICE),
        /** Requests that ended as {@link CompletionStatus#TIMEOUT}. */
        FAILED_TIMEOUT(CompletionStatus.TIMEOUT),
        /** Requests that ended as {@link CompletionStatus#OTHER}. */
        FAILED_OTHER(CompletionStatus.OTHER),
        /** SEND requests that succeeded and whose latency is known. */
        TIMED_SENDS,
        /** Their latencies, added up. */
        SEND_NS,
        /** RDMA READ requests that succeeded and whose latency is known. */
        TIMED_READS,
        /** Their latencies, added up. */
        READ_NS,
        /** RDMA WRITE requests that succeeded and whose latency is known. */
        TIMED_WRITES,
        /** Their latencies, added up. */
        WRITE_NS,
        /** Atomics that succeeded and whose latency is known. */
        TIMED_ATOMICS,
        /** Their latencies, added up. */
        ATOMIC_NS;

        private final CompletionStatus status;

        Value()
        {
            this(CompletionStatus.SUCCESS);
        }

        Value(final CompletionStatus status)
        {
            this.status = status;
        }

        /**
         * {@return how the requests ended that it counts; {@link CompletionStatus#SUCCESS} when it counts something
         *     else}
         */
        public CompletionStatus status()
        {
            return status;
        }
    }

    /** How many there are. */
    public static final int COUNT = Value.values().length;
    /** Bytes of their memory. */
    public static final int SIZE_BYTES = COUNT * Long.BYTES;

    private static final int[] OFFSET_BY_STATUS = new int[CompletionStatus.values().length];

    private static final int OPCODES = 64;
    private static final int[] REQUESTS_BY_OPCODE = new int[OPCODES];
    /** 0 where bytes are not counted. */
    private static final int[] BYTES_BY_OPCODE = new int[OPCODES];
    /** 0 where latencies are not counted. */
    private static final int[] TIMED_BY_OPCODE = new int[OPCODES];
    private static final int[] NS_BY_OPCODE = new int[OPCODES];

    static
    {
        Arrays.fill(REQUESTS_BY_OPCODE, Value.OTHERS.ordinal() * Long.BYTES);
        final int[] sends = {Verbs.IBV_WR_SEND, Verbs.IBV_WR_SEND_WITH_IMM, Verbs.IBV_WR_SEND_WITH_INV};
        final int[] reads = {Verbs.IBV_WR_RDMA_READ};
        final int[] writes = {Verbs.IBV_WR_RDMA_WRITE, Verbs.IBV_WR_RDMA_WRITE_WITH_IMM};
        final int[] atomics = {Verbs.IBV_WR_ATOMIC_CMP_AND_SWP, Verbs.IBV_WR_ATOMIC_FETCH_AND_ADD};
        offsets(REQUESTS_BY_OPCODE, Value.SENDS, sends);
        offsets(REQUESTS_BY_OPCODE, Value.READS, reads);
        offsets(REQUESTS_BY_OPCODE, Value.WRITES, writes);
        offsets(REQUESTS_BY_OPCODE, Value.ATOMICS, atomics);
        offsets(BYTES_BY_OPCODE, Value.SENT_BYTES, sends);
        offsets(BYTES_BY_OPCODE, Value.READ_BYTES, reads);
        offsets(BYTES_BY_OPCODE, Value.WRITTEN_BYTES, writes);
        offsets(TIMED_BY_OPCODE, Value.TIMED_SENDS, sends);
        offsets(TIMED_BY_OPCODE, Value.TIMED_READS, reads);
        offsets(TIMED_BY_OPCODE, Value.TIMED_WRITES, writes);
        offsets(TIMED_BY_OPCODE, Value.TIMED_ATOMICS, atomics);
        offsets(NS_BY_OPCODE, Value.SEND_NS, sends);
        offsets(NS_BY_OPCODE, Value.READ_NS, reads);
        offsets(NS_BY_OPCODE, Value.WRITE_NS, writes);
        offsets(NS_BY_OPCODE, Value.ATOMIC_NS, atomics);
        for (final Value each : Value.values())
        {
            OFFSET_BY_STATUS[each.status.ordinal()] = each.ordinal() * Long.BYTES;
        }
    }

    private final long address;

    /**
     * Continues with what is in the memory.
     *
     * @param address of {@link #SIZE_BYTES}, aligned to 8, which exist as long as connections are counted.
     */
    public DeviceCounters(final long address)
    {
        this.address = address;
    }

    private static void offsets(final int[] table, final Value value, final int[] opcodes)
    {
        for (final int opcode : opcodes)
        {
            table[opcode] = value.ordinal() * Long.BYTES;
        }
    }

    /**
     * {@return a value now; any thread}
     *
     * @param value which.
     */
    public long get(final Value value)
    {
        return NativeMemory.getLong(address + (long)value.ordinal() * Long.BYTES);
    }

    void add(final Value value, final long number)
    {
        add(value.ordinal() * Long.BYTES, number);
    }

    private void add(final int offset, final long number)
    {
        NativeMemory.putLong(address + offset, NativeMemory.getLong(address + offset) + number);
    }

    /** A request was posted to a send queue. */
    void onPosted(final int opcode, final long bytes)
    {
        add(REQUESTS_BY_OPCODE[opcode], 1);
        if (0 != BYTES_BY_OPCODE[opcode])
        {
            add(BYTES_BY_OPCODE[opcode], bytes);
        }
    }

    /** A request of a send queue has succeeded. */
    void onTimed(final int opcode, final long latencyNs)
    {
        if (0 != TIMED_BY_OPCODE[opcode])
        {
            add(TIMED_BY_OPCODE[opcode], 1);
            add(NS_BY_OPCODE[opcode], latencyNs);
        }
    }

    /** A receive request has a message. */
    void onReceived(final long bytes)
    {
        add(Value.RECEIVES, 1);
        add(Value.RECEIVED_BYTES, bytes);
    }

    /** A request ended with an error. */
    void onFailed(final CompletionStatus status)
    {
        add(OFFSET_BY_STATUS[status.ordinal()], 1);
    }
}
