package io.millrace.status;

import java.lang.ref.Reference;
import org.agrona.UnsafeApi;

/**
 * Commands, bytes, errors and latencies of a namespace, or of a host, on one reactor, by operation. Written by that
 * reactor alone; the rest may be read by any thread, each number separately. Counts by address, since this runs for
 * every I/O; the slot keeps the memory mapped.
 */
public final class IoCounters
{
    private static final int BYTES = StatusLayout.HISTOGRAM_BYTES_OFFSET;
    private static final int ERRORS = StatusLayout.HISTOGRAM_ERRORS_OFFSET;
    private static final int SUM = StatusLayout.HISTOGRAM_SUM_OFFSET;
    private static final int LONGEST = StatusLayout.HISTOGRAM_LONGEST_OFFSET;
    private static final int BUCKETS = StatusLayout.HISTOGRAM_HEADER_BYTES;

    private final StatusPart part;
    private final RecordSlot slot;
    private final long histograms;
    private final long mediaErrors;

    IoCounters(final StatusPart part, final RecordSlot slot)
    {
        this.part = part;
        this.slot = slot;
        histograms = slot.address() + slot.type().histogramsOffset();
        mediaErrors = slot.address() + slot.type().valuesOffset();
    }

    /**
     * A command has succeeded and its answer has left.
     *
     * @param operation   it was.
     * @param lengthBytes of its data.
     * @param latencyNs   it took.
     * @param bucket      of that latency.
     */
    public void onSuccess(final IoOperation operation, final int lengthBytes, final long latencyNs, final int bucket)
    {
        final long histogram = histogram(operation);
        add(histogram + BUCKETS + (long)bucket * Long.BYTES, 1);
        add(histogram + BYTES, lengthBytes);
        add(histogram + SUM, latencyNs);
        if (latencyNs > UnsafeApi.getLong(histogram + LONGEST))
        {
            UnsafeApi.putLong(histogram + LONGEST, latencyNs);
        }
    }

    /**
     * A command has failed and its answer has left.
     *
     * @param operation it was.
     */
    public void onError(final IoOperation operation)
    {
        add(histogram(operation) + ERRORS, 1);
    }

    /**
     * The device could not read or write its media.
     */
    public void onMediaError()
    {
        add(mediaErrors, 1);
    }

    /**
     * {@return how many commands succeeded}
     *
     * @param operation they were.
     */
    public long count(final IoOperation operation)
    {
        final long first = histogram(operation) + BUCKETS;
        long count = 0;
        for (long i = 0; i < LatencyBuckets.COUNT; i++)
        {
            count += UnsafeApi.getLong(first + i * Long.BYTES);
        }
        Reference.reachabilityFence(slot);
        return count;
    }

    /**
     * {@return bytes of the commands that succeeded}
     *
     * @param operation they were.
     */
    public long bytes(final IoOperation operation)
    {
        return get(histogram(operation) + BYTES);
    }

    /**
     * {@return how many commands failed}
     *
     * @param operation they were.
     */
    public long errors(final IoOperation operation)
    {
        return get(histogram(operation) + ERRORS);
    }

    /**
     * {@return how often the device could not read or write its media}
     */
    public long mediaErrors()
    {
        return get(mediaErrors);
    }

    /**
     * Releases the record; no method is called afterwards. On its reactor.
     */
    public void release()
    {
        part.release(slot);
    }

    private long histogram(final IoOperation operation)
    {
        return histograms + (long)operation.ordinal() * StatusLayout.HISTOGRAM_BYTES;
    }

    private long get(final long address)
    {
        final long value = UnsafeApi.getLong(address);
        Reference.reachabilityFence(slot);
        return value;
    }

    private static void add(final long address, final long amount)
    {
        UnsafeApi.putLong(address, UnsafeApi.getLong(address) + amount);
    }
}
