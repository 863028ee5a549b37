package io.millrace.block;

/**
 * Outcome of a {@link BlockRequest}. The NVMe status it becomes is chosen in {@code nvmf}.
 */
public enum BlockStatus
{
    /** Done. */
    SUCCESS,
    /** Device reported an error that a retry will not cure. */
    MEDIA_ERROR,
    /** Device or the path to it failed; a retry may succeed. */
    DEVICE_ERROR,
    /** No room left on what the device stores its data in. */
    CAPACITY_EXCEEDED,
    /** Compared data differ. */
    COMPARE_FAILURE,
    /** Device cannot do this operation. */
    NOT_SUPPORTED,
    /** Device is read-only. */
    WRITE_PROTECTED,
    /** Range lies outside the device, found after the submitter's check. */
    OUT_OF_RANGE,
    /** Channel was closed or the request was abandoned. */
    ABORTED
}
