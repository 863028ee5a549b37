package io.millrace.block;

/**
 * Operation of a {@link BlockRequest}.
 */
public enum BlockOperation
{
    /** Device to memory. */
    READ,
    /** Memory to device. */
    WRITE,
    /** Everything written and completed before is stable when this completes. */
    FLUSH,
    /** Range reads as zeroes afterwards. */
    WRITE_ZEROES,
    /** Range's content is no longer needed; it reads as zeroes afterwards where the device says so. */
    DEALLOCATE,
    /** Checks that the data of the range can be read; no data moves. */
    VERIFY,
    /** Memory is compared with the device; {@link BlockStatus#COMPARE_FAILURE} when they differ. */
    COMPARE,
    /**
     * Range is overwritten with the data of another range of the same device; no data passes through memory of the
     * host. See {@link BlockRequest#resetCopy}.
     */
    COPY;

    /**
     * {@return whether it changes data of the device}
     */
    public boolean changesData()
    {
        return WRITE == this || WRITE_ZEROES == this || DEALLOCATE == this || COPY == this;
    }
}
