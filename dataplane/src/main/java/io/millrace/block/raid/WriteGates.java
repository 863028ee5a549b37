package io.millrace.block.raid;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The {@link WriteGate} of each channel of an array with parity. While they are closed, no write of a host to members
 * begins, on any reactor. A write that a member does not answer keeps {@link #isQuiet} waiting, at most for the
 * time-out of the member.
 */
final class WriteGates
{
    private final List<WriteGate> gates = new CopyOnWriteArrayList<>();
    private final Runnable onQuiet;
    private volatile boolean isClosed;

    /**
     * Open, of no channel.
     *
     * @param onQuiet run when a stripe request less writes members, while the gates are closed; any thread.
     */
    WriteGates(final Runnable onQuiet)
    {
        this.onQuiet = onQuiet;
    }

    /**
     * Adds the gate of a channel that is being opened.
     *
     * @return the gate.
     */
    WriteGate add()
    {
        final WriteGate gate = new WriteGate(this);
        gates.add(gate);
        return gate;
    }

    void remove(final WriteGate gate)
    {
        gates.remove(gate);
    }

    /** {@link ArrayWork} alone. */
    void close()
    {
        isClosed = true;
    }

    /** {@link ArrayWork} alone, after it has published a view. */
    void open()
    {
        isClosed = false;
    }

    /** A stripe request has left. */
    void onLeft()
    {
        if (isClosed)
        {
            onQuiet.run();
        }
    }

    boolean isClosed()
    {
        return isClosed;
    }

    /**
     * {@return whether no stripe request writes members; once the gates are closed, that stays so}
     */
    boolean isQuiet()
    {
        for (final WriteGate gate : gates)
        {
            if (!gate.isQuiet())
            {
                return false;
            }
        }
        return true;
    }
}
