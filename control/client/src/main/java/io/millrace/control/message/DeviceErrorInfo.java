package io.millrace.control.message;

import java.util.Objects;

/**
 * A distinct error of a device that is in use, all reactors added up.
 *
 * @param device       that failed.
 * @param operation    that failed, such as {@code write}; {@code other} stands for what had no room of its own.
 * @param status       that requests ended with, such as {@code CAPACITY_EXCEEDED}.
 * @param cause        such as {@code ENOSPC}, {@code NVMe status 0x281}, {@code fault rule 1}; empty: not known.
 * @param errno        of the cause; 0: it has none.
 * @param count        how often it happened.
 * @param firstEpochNs first time, since 1970.
 * @param lastEpochNs  last time, since 1970.
 * @param firstLba     first block of the request that met it first.
 * @param lastLba      first block of the request that met it last.
 */
public record DeviceErrorInfo(
    String device,
    String operation,
    String status,
    String cause,
    int errno,
    long count,
    long firstEpochNs,
    long lastEpochNs,
    long firstLba,
    long lastLba)
    implements Resource
{
    /**
     * Rejects null.
     */
    public DeviceErrorInfo
    {
        Objects.requireNonNull(device, "device");
        Objects.requireNonNull(operation, "operation");
        Objects.requireNonNull(status, "status");
        Objects.requireNonNull(cause, "cause");
    }
}
