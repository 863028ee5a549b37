package io.millrace.rdma.model;

/**
 * When things happen in a {@link ModelNetwork}: by a thread of its own, or by a simulation.
 */
public interface ModelClock
{
    /**
     * {@return the time in nanoseconds}
     */
    long nowNs();

    /**
     * Has something happen.
     *
     * @param dueNs  time, never before now.
     * @param action to run; those of the same time in the order of these calls.
     */
    void at(long dueNs, Runnable action);
}
