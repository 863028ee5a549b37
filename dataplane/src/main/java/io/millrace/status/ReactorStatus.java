package io.millrace.status;

import java.util.Arrays;

/**
 * A reactor. Immutable.
 */
public final class ReactorStatus
{
    private final int index;
    private final int cpu;
    private final String name;
    private final long writtenEpochMs;
    private final long clockNs;
    private final long[] values;

    ReactorStatus(
        final int index,
        final int cpu,
        final String name,
        final long writtenEpochMs,
        final long clockNs,
        final long[] values)
    {
        this.index = index;
        this.cpu = cpu;
        this.name = name;
        this.writtenEpochMs = writtenEpochMs;
        this.clockNs = clockNs;
        this.values = values;
    }

    /**
     * {@return its index}
     */
    public int index()
    {
        return index;
    }

    /**
     * {@return the CPU it is pinned to, or -1}
     */
    public int cpu()
    {
        return cpu;
    }

    /**
     * {@return its name}
     */
    public String name()
    {
        return name;
    }

    /**
     * {@return when it wrote its values last; 0: never}
     */
    public long writtenEpochMs()
    {
        return writtenEpochMs;
    }

    /**
     * {@return a value}
     *
     * @param value which.
     */
    public long value(final ReactorCounters.Value value)
    {
        return values[value.ordinal()];
    }

    @Override
    public String toString()
    {
        return name + ' ' + Arrays.toString(values);
    }
}
