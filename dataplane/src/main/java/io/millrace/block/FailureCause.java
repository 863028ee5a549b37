package io.millrace.block;

/**
 * Source of the code that explains the failure of a {@link BlockRequest}.
 */
public enum FailureCause
{
    /** No code: only the {@link BlockStatus} is known. */
    NONE,
    /** The kernel: a positive {@code errno}. */
    ERRNO,
    /** A drive: status code type and status code of its command, such as 281h, without the other bits. */
    NVME_STATUS,
    /** A fault device: the number of its rule, from 1. */
    FAULT_RULE,
    /** The submitter: the id of the {@link io.millrace.memory.MemoryDomain} that the device does not take. */
    MEMORY_DOMAIN,
    /** The submitter, which cancelled the rest of an emulated request. Without a code. */
    CANCELLED
}
