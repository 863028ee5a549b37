package io.millrace.block.fault;

/**
 * Effect of a {@link FaultRule} on a request.
 */
public enum FaultEffect
{
    /** Ends it with the rule's status; nothing reaches the device. */
    ERROR,
    /** Sends it on after the rule's delay; rules behind this one are asked too. */
    DELAY,
    /** Writes only the first blocks, how many is drawn, and ends with the rule's status; for writes only. */
    TORN_WRITE,
    /** Writes nothing and ends with the rule's status; for writes, write zeroes, deallocate and copy. */
    LOST_WRITE,
    /** Keeps it until the channel is closed or the plan replaced. */
    HANG,
    /**
     * Loses what the write cache of the device has not written back, or a part of it that is drawn, and ends with the
     * rule's status each request that is outstanding on any channel, except those that hang. Nothing of a request
     * reaches the device below after it has ended. The device goes on at once.
     */
    POWER_LOSS
}
