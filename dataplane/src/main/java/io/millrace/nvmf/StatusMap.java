package io.millrace.nvmf;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.nvme.NvmeStatus;

/**
 * NVMe status of a failed block request (NVM Express Base 2.0, section 3.3.3.2.1). Without the do-not-retry bit a host
 * tries again, here or on another path. Stateless.
 * <p>
 * Where the device has an NVMe status of its own ({@link BlockRequest#nvmeStatus()}), the host gets that, if it means
 * to the host what it meant to us:
 * <ul>
 * <li>Errors of the medium: Write Fault, Unrecovered Read Error, Access Denied. The host's blocks are the device's.
 * The first two have do-not-retry set in any case, since the device was asked again before.</li>
 * <li>States that pass: Internal Error, Namespace Not Ready, Command Interrupted, Format In Progress, with
 * do-not-retry as the device says.</li>
 * <li>Errors of the path below: Internal Path Error, Controller Pathing Error. The host may have another path.</li>
 * </ul>
 * Everything else is chosen by the {@link BlockStatus}. Invalid fields, opcodes, transfers and command-specific codes
 * are about commands that we made, not the host's; aborts and deleted queues are about ours too. ANA states and
 * reservations of the device are not those that our controller reports. Wrong protection information is damage between
 * us and the device, and the host sent none. Vendor-specific codes mean something only to whoever knows the vendor.
 * <p>
 * The retry delay is not passed: it is a number of a delay of the device's controller, and ours report none. Neither
 * is the more bit: it points to the device's error log, and the host reads ours.
 */
public final class StatusMap
{
    private StatusMap()
    {
    }

    /**
     * {@return NVMe status}
     *
     * @param request that a device has ended.
     */
    public static int of(final BlockRequest request)
    {
        final int passed = passed(request.nvmeStatus());
        return NvmeStatus.SUCCESS == passed ? of(request.status(), request.operation()) : passed;
    }

    /** What the host gets of a device's own status; success for nothing. */
    private static int passed(final int status)
    {
        return switch (NvmeStatus.code(status))
        {
            case NvmeStatus.WRITE_FAULT, NvmeStatus.UNRECOVERED_READ_ERROR ->
                NvmeStatus.code(status) | NvmeStatus.DO_NOT_RETRY;
            case NvmeStatus.ACCESS_DENIED, NvmeStatus.INTERNAL_ERROR, NvmeStatus.NAMESPACE_NOT_READY,
                NvmeStatus.COMMAND_INTERRUPTED, NvmeStatus.FORMAT_IN_PROGRESS, NvmeStatus.INTERNAL_PATH_ERROR,
                NvmeStatus.CONTROLLER_PATHING_ERROR -> status & (NvmeStatus.CODE_MASK | NvmeStatus.DO_NOT_RETRY);
            default -> NvmeStatus.SUCCESS;
        };
    }

    /**
     * {@return NVMe status}
     *
     * @param status    of the block request.
     * @param operation it did.
     */
    static int of(final BlockStatus status, final BlockOperation operation)
    {
        return switch (status)
        {
            case SUCCESS -> NvmeStatus.SUCCESS;
            case MEDIA_ERROR -> isRead(operation) ?
                NvmeStatus.UNRECOVERED_READ_ERROR | NvmeStatus.DO_NOT_RETRY :
                NvmeStatus.WRITE_FAULT | NvmeStatus.DO_NOT_RETRY;
            case DEVICE_ERROR -> NvmeStatus.INTERNAL_ERROR;
            case CAPACITY_EXCEEDED -> NvmeStatus.CAPACITY_EXCEEDED | NvmeStatus.DO_NOT_RETRY;
            case COMPARE_FAILURE -> NvmeStatus.COMPARE_FAILURE | NvmeStatus.DO_NOT_RETRY;
            case NOT_SUPPORTED -> NvmeStatus.INVALID_OPCODE | NvmeStatus.DO_NOT_RETRY;
            case WRITE_PROTECTED -> NvmeStatus.NAMESPACE_WRITE_PROTECTED | NvmeStatus.DO_NOT_RETRY;
            case OUT_OF_RANGE -> NvmeStatus.LBA_OUT_OF_RANGE | NvmeStatus.DO_NOT_RETRY;
            case ABORTED -> NvmeStatus.ABORT_REQUESTED;
        };
    }

    private static boolean isRead(final BlockOperation operation)
    {
        return BlockOperation.READ == operation || BlockOperation.VERIFY == operation ||
            BlockOperation.COMPARE == operation;
    }
}
