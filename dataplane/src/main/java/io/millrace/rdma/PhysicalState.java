package io.millrace.rdma;

/**
 * State of the physical link of a port, in the order of its numbers in verbs. Immutable; any thread.
 */
public enum PhysicalState
{
    /** Not reported. */
    UNKNOWN,
    /** No signal is sent. */
    SLEEP,
    /** Looks for the other end. */
    POLLING,
    /** Off: the network interface is down. */
    DISABLED,
    /** The two ends agree on speed and width. */
    TRAINING,
    /** There is a link. */
    LINK_UP,
    /** The link recovers from an error. */
    LINK_ERROR_RECOVERY,
    /** The port is tested. */
    PHY_TEST;

    private static final PhysicalState[] ALL = values();

    /**
     * {@return the state by its number}
     *
     * @param number in verbs; an unknown number becomes {@link #UNKNOWN}.
     */
    static PhysicalState of(final int number)
    {
        return number >= 0 && number < ALL.length ? ALL[number] : UNKNOWN;
    }
}
