package io.millrace.status;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A distinct error of a device, summed over the reactors. Immutable.
 *
 * @param device       that failed.
 * @param operation    that failed, such as {@code write}; {@code other} stands for errors without a record of their
 *                     own.
 * @param status       that requests ended with, such as {@code CAPACITY_EXCEEDED}.
 * @param cause        such as {@code ENOSPC}, {@code NVMe status 0x281}, {@code fault rule 1}; empty when unknown.
 * @param errno        of the cause; 0 when it has none.
 * @param count        how often it happened.
 * @param firstEpochMs first time.
 * @param lastEpochMs  last time.
 * @param firstLba     first block of the request that met it first.
 * @param lastLba      first block of the request that met it last.
 */
public record DeviceErrorStatus(
    String device,
    String operation,
    String status,
    String cause,
    int errno,
    long count,
    long firstEpochMs,
    long lastEpochMs,
    long firstLba,
    long lastLba)
{
    private record Key(String device, String operation, String status, String cause)
    {
    }

    /**
     * Sums the errors of several reactors.
     *
     * @param errors of all reactors.
     * @return one for each distinct error, in the order of the first of each.
     */
    public static List<DeviceErrorStatus> merge(final List<DeviceErrorStatus> errors)
    {
        final Map<Key, DeviceErrorStatus> merged = new LinkedHashMap<>();
        for (final DeviceErrorStatus each : errors)
        {
            if (each.count > 0)
            {
                merged.merge(
                    new Key(each.device, each.operation, each.status, each.cause), each, DeviceErrorStatus::plus);
            }
        }
        return new ArrayList<>(merged.values());
    }

    private DeviceErrorStatus plus(final DeviceErrorStatus other)
    {
        final DeviceErrorStatus first = firstEpochMs <= other.firstEpochMs ? this : other;
        final DeviceErrorStatus last = lastEpochMs > other.lastEpochMs ? this : other;
        return new DeviceErrorStatus(device, operation, status, cause, errno, count + other.count,
            first.firstEpochMs, last.lastEpochMs, first.firstLba, last.lastLba);
    }
}
