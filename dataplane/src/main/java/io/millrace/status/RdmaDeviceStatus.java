package io.millrace.status;

import io.millrace.rdma.endpoint.DeviceCounters;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/**
 * Counters of an RDMA device, summed over the reactors. Immutable.
 *
 * @param name   of the device, as the kernel has it.
 * @param values as {@link DeviceCounters} has them in memory.
 */
public record RdmaDeviceStatus(String name, List<Long> values)
{
    /** Copies the list. */
    public RdmaDeviceStatus
    {
        values = List.copyOf(values);
    }

    static RdmaDeviceStatus of(final String name, final long[] values)
    {
        return new RdmaDeviceStatus(name, Arrays.stream(values).boxed().toList());
    }

    /**
     * {@return a value}
     *
     * @param value which.
     */
    public long value(final DeviceCounters.Value value)
    {
        return values.get(value.ordinal());
    }

    /**
     * {@return latencies of requests}
     *
     * @param timed which.
     */
    public RdmaLatencies latencies(final DeviceCounters.Timed timed)
    {
        final int first = DeviceCounters.bucketIndex(timed, 0);
        return new RdmaLatencies(values.subList(first, first + DeviceCounters.BUCKETS), value(timed.sum()));
    }

    /** {@return one for each device, by name} */
    static List<RdmaDeviceStatus> merge(final List<RdmaDeviceStatus> devices)
    {
        final TreeMap<String, RdmaDeviceStatus> merged = new TreeMap<>();
        devices.forEach((each) -> merged.merge(each.name, each, RdmaDeviceStatus::plus));
        return List.copyOf(merged.values());
    }

    private RdmaDeviceStatus plus(final RdmaDeviceStatus other)
    {
        final List<Long> sums = new ArrayList<>(values.size());
        for (int i = 0; i < values.size(); i++)
        {
            sums.add(values.get(i) + other.values.get(i));
        }
        return new RdmaDeviceStatus(name, sums);
    }
}
