package io.millrace.block;

/**
 * How a {@link BlockRequest} ended. The NVMe status it becomes is chosen in {@code nvmf}.
 */
public enum BlockStatus
{
    /** Done. */
    SUCCESS,
    /** Device reported an error that retrying will not mend. */
    MEDIA_ERROR,
    /** Device or the way to it failed; may work on a retry. */
    DEVICE_ERROR,
    /** No room left on what the device stores its data in. */
    CAPACITY_EXCEEDED,
    /** Compared data differ. */
    COMPARE_FAILURE,
    /** Device cannot do this operation. */
    NOT_SUPPORTED,
    /** Device is read-only. */
    WRITE_PROTECTED,
    /** Range lies outside the device, as found at a time when the submitter's check no longer holds. */
    OUT_OF_RANGE,
    /** Channel was closed or the request was given up. */
    ABORTED
}
