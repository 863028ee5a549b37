package io.millrace.block;

import java.util.ArrayList;
import java.util.List;

/**
 * Memory of one request that a device may still use though the request has ended. Used on the reactor of the channel.
 */
public final class MemoryHold
{
    private final MemoryQuarantine quarantine;
    private final long bytes;
    private final List<Runnable> actions = new ArrayList<>(1);
    private boolean isReleased;

    MemoryHold(final MemoryQuarantine quarantine, final long bytes)
    {
        this.quarantine = quarantine;
        this.bytes = bytes;
    }

    /**
     * Registers an action that frees the memory when the device is done with it; it runs immediately when the device
     * already is.
     *
     * @param action that frees the memory.
     */
    public void whenReleased(final Runnable action)
    {
        if (isReleased)
        {
            action.run();
        }
        else
        {
            actions.add(action);
        }
    }

    /**
     * The device has completed the request late, or can no longer access the memory. Called by the channel, also after
     * it has closed; a second call does nothing.
     */
    public void release()
    {
        if (!isReleased)
        {
            isReleased = true;
            quarantine.change(-bytes);
            actions.forEach(Runnable::run);
            actions.clear();
        }
    }
}
