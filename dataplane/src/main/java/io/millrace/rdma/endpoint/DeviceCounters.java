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
        /** Latencies of SEND requests that succeeded and whose latency is known, added up. */
        SEND_NS,
        /** The same of RDMA READ requests. */
        READ_NS,
        /** The same of RDMA WRITE requests. */
        WRITE_NS,
        /** The same of atomics. */
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

    /** Requests whose latencies are counted by {@link #BUCKETS} each, in this order: new ones go to the end. */
    public enum Timed
    {
        /** SEND requests. */
        SEND(Value.SEND_NS),
        /** RDMA READ requests. */
        READ(Value.READ_NS),
        /** RDMA WRITE requests. */
        WRITE(Value.WRITE_NS),
        /** Compare-and-swap and fetch-and-add requests. */
        ATOMIC(Value.ATOMIC_NS);

        private final Value sum;

        Timed(final Value sum)
        {
            this.sum = sum;
        }

        /**
         * {@return their latencies, added up}
         */
        public Value sum()
        {
            return sum;
        }

        /**
         * {@return a name of the counter of a bucket, such as {@code READ_NS_TO_4000}}
         *
         * @param bucket from 0.
         */
        public String bucketName(final int bucket)
        {
            return BUCKETS - 1 == bucket ? name() + "_NS_ABOVE_" + upperBoundNs(bucket - 1) :
                name() + "_NS_TO_" + upperBoundNs(bucket);
        }
    }

    /**
     * Buckets of latencies: up to 1 µs, up to each power of two of it, that included, to 67 s, and what is longer.
     */
    public static final int BUCKETS = 28;
    /** Where buckets begin, behind room for values of later versions. */
    public static final int BUCKETS_INDEX = 64;
    /** Numbers in their memory, 64 bits each. */
    public static final int COUNT = BUCKETS_INDEX + Timed.values().length * BUCKETS;
    /** Bytes of their memory. */
    public static final int SIZE_BYTES = COUNT * Long.BYTES;

    private static final int[] OFFSET_BY_STATUS = new int[CompletionStatus.values().length];

    private static final int OPCODES = 64;
    private static final int[] REQUESTS_BY_OPCODE = new int[OPCODES];
    /** 0 where bytes are not counted. */
    private static final int[] BYTES_BY_OPCODE = new int[OPCODES];
    /** 0 where latencies are not counted. */
    private static final int[] BUCKETS_BY_OPCODE = new int[OPCODES];
    private static final int[] NS_BY_OPCODE = new int[OPCODES];
    private static final int UNIT_NS = 1_000;

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
        latencies(Timed.SEND, sends);
        latencies(Timed.READ, reads);
        latencies(Timed.WRITE, writes);
        latencies(Timed.ATOMIC, atomics);
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

    private static void latencies(final Timed timed, final int[] opcodes)
    {
        offsets(NS_BY_OPCODE, timed.sum(), opcodes);
        for (final int opcode : opcodes)
        {
            BUCKETS_BY_OPCODE[opcode] = bucketIndex(timed, 0) * Long.BYTES;
        }
    }

    /**
     * {@return which number in their memory counts a bucket}
     *
     * @param timed  requests.
     * @param bucket from 0.
     */
    public static int bucketIndex(final Timed timed, final int bucket)
    {
        return BUCKETS_INDEX + timed.ordinal() * BUCKETS + bucket;
    }

    /**
     * {@return the longest latency of a bucket, but of the last one, which has none}
     *
     * @param bucket from 0.
     */
    public static long upperBoundNs(final int bucket)
    {
        return (long)UNIT_NS << bucket;
    }

    private static int bucket(final long latencyNs)
    {
        return Math.min(BUCKETS - 1, Long.SIZE - Long.numberOfLeadingZeros((latencyNs - 1) / UNIT_NS));
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

    /**
     * {@return how many latencies are in a bucket now; any thread}
     *
     * @param timed  requests.
     * @param bucket from 0.
     */
    public long get(final Timed timed, final int bucket)
    {
        return NativeMemory.getLong(address + (long)bucketIndex(timed, bucket) * Long.BYTES);
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
        if (0 != BUCKETS_BY_OPCODE[opcode])
        {
            add(BUCKETS_BY_OPCODE[opcode] + bucket(latencyNs) * Long.BYTES, 1);
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
