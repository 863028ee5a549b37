package io.millrace.rdma;

import io.millrace.bindings.verbs.Verbs;

/**
 * What RDMA atomics of a device are atomic with. Immutable; any thread.
 */
public enum AtomicCapability
{
    /** There are none. */
    NONE,
    /** With atomics of the queue pairs of the same device. */
    DEVICE,
    /** With every access to the memory, by CPUs too. */
    GLOBAL;

    /**
     * {@return the capability by its number, {@code IBV_ATOMIC_*}}
     *
     * @param number of verbs.
     */
    static AtomicCapability of(final int number)
    {
        return Verbs.IBV_ATOMIC_GLOB == number ? GLOBAL : Verbs.IBV_ATOMIC_HCA == number ? DEVICE : NONE;
    }
}
