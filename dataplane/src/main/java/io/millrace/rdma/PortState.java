package io.millrace.rdma;

/**
 * State of the logical link of a port, in the order of its numbers in verbs. Immutable; any thread.
 */
public enum PortState
{
    /** Not reported. */
    NOP,
    /** No link. */
    DOWN,
    /** A link without a subnet manager's configuration. */
    INIT,
    /** Configured, carries no data yet. */
    ARMED,
    /** Carries data. */
    ACTIVE,
    /** Carries data, after an error of the link a moment ago. */
    ACTIVE_DEFER;

    private static final PortState[] ALL = values();

    /**
     * {@return the state by its number, {@code IBV_PORT_*}}
     *
     * @param number in verbs; an unknown number becomes {@link #NOP}.
     */
    static PortState of(final int number)
    {
        return number >= 0 && number < ALL.length ? ALL[number] : NOP;
    }
}
