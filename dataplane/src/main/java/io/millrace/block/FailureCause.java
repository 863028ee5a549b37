package io.millrace.block;

/**
 * Where the code comes from that says why a {@link BlockRequest} failed.
 */
public enum FailureCause
{
    /** There is no code: the {@link BlockStatus} is all that is known. */
    NONE,
    /** The kernel: a positive {@code errno}. */
    ERRNO,
    /** A drive: status code type and status code of its command, such as 281h, without the bits beside them. */
    NVME_STATUS,
    /** A fault device: the number of its rule, from 1. */
    FAULT_RULE
}
