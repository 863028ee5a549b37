package io.millrace.block.raid;

/**
 * Counts the stripe requests of a channel that write members for hosts, so that {@link ArrayWork} can wait until there
 * are none. The reactor's but for {@link #isQuiet}.
 */
final class WriteGate
{
    private final WriteGates gates;
    /** Written by the reactor alone. */
    private volatile int count;

    /**
     * Counts none.
     *
     * @param gates of the array.
     */
    WriteGate(final WriteGates gates)
    {
        this.gates = gates;
    }

    /**
     * Begins to write members.
     *
     * @return false while the gates are closed: try again.
     */
    boolean enter()
    {
        if (gates.isClosed())
        {
            return false;
        }
        // Counted before the look: who closes the gates looks at the count afterwards.
        count = count + 1;
        if (gates.isClosed())
        {
            leave();
            return false;
        }
        return true;
    }

    /** Members are written no more. */
    void leave()
    {
        count = count - 1;
        gates.onLeft();
    }

    /**
     * {@return whether no stripe request writes members; any thread}
     */
    boolean isQuiet()
    {
        return 0 == count;
    }
}
