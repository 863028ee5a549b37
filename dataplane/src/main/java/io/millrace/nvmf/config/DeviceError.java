package io.millrace.nvmf.config;

import io.millrace.bindings.Errno;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.FailureCause;
import io.millrace.nvme.NvmeStatus;
import io.millrace.status.DeviceErrorRecord;
import io.millrace.status.DeviceErrorStatus;
import io.millrace.status.StatusPart;
import java.util.Locale;

/**
 * A distinct error of a device on one reactor: requests of the same operation that ended with the same status for the
 * same cause. Counted by that reactor; any thread may read it as it was a moment ago.
 */
public final class DeviceError
{
    private static final String OTHER = "other";

    private final BlockDevice device;
    private final BlockOperation operation;
    private final BlockStatus status;
    private final FailureCause cause;
    private final int causeCode;
    private final DeviceErrorRecord record;

    private DeviceError(
        final BlockDevice device,
        final BlockOperation operation,
        final BlockStatus status,
        final FailureCause cause,
        final int causeCode,
        final StatusPart part)
    {
        this.device = device;
        this.operation = operation;
        this.status = status;
        this.cause = cause;
        this.causeCode = causeCode;
        record = part.deviceError(device.name(), operationName(), statusName(), causeName(), errno());
    }

    /**
     * {@return the error of a request, which has not been counted; on the reactor}
     *
     * @param request that failed.
     * @param device  that failed.
     * @param part    of the reactor.
     */
    public static DeviceError of(final BlockRequest request, final BlockDevice device, final StatusPart part)
    {
        return new DeviceError(
            device, request.operation(), request.status(), request.cause(), request.causeCode(), part);
    }

    /**
     * {@return the error that stands for all errors without a record of their own}
     *
     * @param device that the errors belong to.
     * @param part   of the reactor.
     */
    public static DeviceError others(final BlockDevice device, final StatusPart part)
    {
        return new DeviceError(device, null, null, FailureCause.NONE, 0, part);
    }

    /**
     * {@return whether a failed request is another occurrence of this error}
     *
     * @param request with its status.
     * @param failed  device that failed it.
     */
    public boolean isOf(final BlockRequest request, final BlockDevice failed)
    {
        return operation == request.operation() && status == request.status() && cause == request.cause() &&
            (FailureCause.NONE == cause || causeCode == request.causeCode()) && device == failed;
    }

    /**
     * Counts a request that failed with it. On the reactor.
     *
     * @param request that failed.
     */
    public void add(final BlockRequest request)
    {
        record.add(request.lba());
    }

    /**
     * The device is closed: its record is free.
     */
    public void release()
    {
        record.release();
    }

    /**
     * {@return the device that failed}
     */
    public BlockDevice device()
    {
        return device;
    }

    /**
     * {@return the positive errno of the kernel that is the cause; 0 when it has none}
     */
    public int errno()
    {
        return FailureCause.ERRNO == cause ? causeCode : 0;
    }

    /**
     * {@return whether no controller executed the request: the status is the initiator's own}
     */
    public boolean isOfPath()
    {
        return FailureCause.NVME_STATUS == cause && NvmeStatus.HOST_PATHING_ERROR == causeCode;
    }

    /**
     * {@return where the code of the cause comes from}
     */
    public FailureCause cause()
    {
        return cause;
    }

    /**
     * {@return its present counts}
     */
    public DeviceErrorStatus snapshot()
    {
        return new DeviceErrorStatus(device.name(), operationName(), statusName(), causeName(), errno(),
            record.count(), record.firstEpochMs(), record.lastEpochMs(), record.firstLba(), record.lastLba());
    }

    private String operationName()
    {
        return null == operation ? OTHER : operation.name().toLowerCase(Locale.ROOT);
    }

    private String statusName()
    {
        return null == status ? OTHER : status.name();
    }

    private String causeName()
    {
        return switch (cause)
        {
            case NONE, CANCELLED -> "";
            case ERRNO -> Errno.name(causeCode);
            case NVME_STATUS -> "NVMe status 0x" + Integer.toHexString(causeCode);
            case FAULT_RULE -> "fault rule " + causeCode;
            case MEMORY_DOMAIN -> "memory domain " + causeCode;
        };
    }
}
