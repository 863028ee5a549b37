package io.millrace.status;

/**
 * Counters of one kind of I/O command. Immutable.
 *
 * @param bytes     of the commands that succeeded.
 * @param errors    commands that failed.
 * @param latencies of the commands that succeeded, from their arrival until the socket had their answers.
 */
public record OperationStatus(long bytes, long errors, LatencyHistogram latencies)
{
    /** Nothing. */
    public static final OperationStatus NONE = new OperationStatus(0, 0, LatencyHistogram.EMPTY);

    /**
     * {@return how many commands succeeded}
     */
    public long count()
    {
        return latencies.count();
    }

    /**
     * {@return whether nothing was done}
     */
    public boolean isEmpty()
    {
        return 0 == count() && 0 == errors;
    }

    /**
     * {@return both together}
     *
     * @param other to add.
     */
    public OperationStatus plus(final OperationStatus other)
    {
        return new OperationStatus(bytes + other.bytes, errors + other.errors, latencies.plus(other.latencies));
    }

    /**
     * {@return what was done after an earlier reading; all of it when that is not an earlier one}
     *
     * @param earlier reading of the same.
     */
    public OperationStatus minus(final OperationStatus earlier)
    {
        return bytes < earlier.bytes || errors < earlier.errors || count() < earlier.count() ? this :
            new OperationStatus(bytes - earlier.bytes, errors - earlier.errors, latencies.minus(earlier.latencies));
    }
}
