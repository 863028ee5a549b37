package io.millrace.control.session;

/**
 * Remembers which counters were used. Aeron delivers in order and once, so that only what was sent by somebody else
 * comes late or twice; yet messages may be missing, since a sender that could not send drops the counter. Hence: each
 * counter must be above the one before. Belongs to one thread.
 */
public final class ReplayWindow
{
    private long highest;

    /**
     * Makes one that has seen nothing; counters begin at 1.
     */
    public ReplayWindow()
    {
    }

    /**
     * Asks whether a counter is fresh. Nothing changes, so it may be asked before the message is known to be genuine.
     *
     * @param counter of a message.
     * @return whether it is above all that were accepted.
     */
    public boolean isFresh(final long counter)
    {
        return counter > highest;
    }

    /**
     * Marks a counter as used.
     *
     * @param counter of a message that is genuine.
     * @return false when it was not fresh; nothing has changed then.
     */
    public boolean accept(final long counter)
    {
        if (!isFresh(counter))
        {
            return false;
        }
        highest = counter;
        return true;
    }

    /**
     * {@return the highest counter accepted; 0: none}
     */
    public long highest()
    {
        return highest;
    }
}
