package io.millrace.nvmf.queue;

import io.millrace.nvmf.ana.AnaPath;
import io.millrace.nvmf.config.Nqn;

/**
 * The association of a host and a controller (NVM Express Base 2.0, section 3.1) as its queue pairs see it, whichever
 * reactors they are on: who it is, ANA states, cache mode, error log, event requests. Any thread but where a method
 * says otherwise.
 */
public abstract class Association
{
    private final String subsystemNqn;
    private final String hostNqn;
    private final ErrorLog errorLog = new ErrorLog();
    private final AsyncEvents asyncEvents;
    private volatile boolean writeThrough;
    /** Set under the monitor of the subsystem, loaded by reactors once a command. */
    private volatile AnaPath anaPath = AnaPath.OPTIMIZED;
    private int id;

    /**
     * Begins with access to every group.
     *
     * @param subsystemNqn   of the subsystem.
     * @param hostNqn        of the host.
     * @param adminQueuePair that connects.
     * @param notices        kinds of events that are reported until the host configures them.
     */
    public Association(
        final String subsystemNqn, final String hostNqn, final QueuePair adminQueuePair, final int notices)
    {
        this.subsystemNqn = subsystemNqn;
        this.hostNqn = hostNqn;
        asyncEvents = new AsyncEvents(adminQueuePair, notices);
    }

    /**
     * The connection of an I/O queue is gone; {@link #onDisconnected} follows when no write that came on it is under
     * way. The queue pair's reactor.
     */
    public abstract void onDraining();

    /**
     * A queue pair of it is gone. The queue pair's reactor.
     *
     * @param queuePair that was disconnected.
     * @param reason    why.
     */
    public abstract void onDisconnected(QueuePair queuePair, String reason);

    /**
     * {@return NQN of the subsystem}
     */
    public String subsystemNqn()
    {
        return subsystemNqn;
    }

    /**
     * {@return NQN of the host, as it gave it}
     */
    public String hostNqn()
    {
        return hostNqn;
    }

    /**
     * {@return id of the controller in its subsystem; set before the association has queue pairs}
     */
    public int id()
    {
        return id;
    }

    /**
     * Sets the id of the controller, before the association has queue pairs.
     *
     * @param newId in its subsystem.
     */
    public void id(final int newId)
    {
        id = newId;
    }

    /**
     * {@return its error log}
     */
    public ErrorLog errorLog()
    {
        return errorLog;
    }

    /**
     * {@return its event requests; the reactor of the admin queue only}
     */
    public AsyncEvents asyncEvents()
    {
        return asyncEvents;
    }

    /**
     * {@return whether writes must be stable before they complete, because no cache was reported to the host, or it
     * disabled the cache}
     */
    public boolean writeThrough()
    {
        return writeThrough;
    }

    /**
     * Sets whether writes must be stable before they complete.
     *
     * @param isWriteThrough whether they must.
     */
    public void writeThrough(final boolean isWriteThrough)
    {
        writeThrough = isWriteThrough;
    }

    /**
     * {@return ANA states of its listener}
     */
    public AnaPath anaPath()
    {
        return anaPath;
    }

    /**
     * Replaces the ANA states. The monitor of the subsystem is held.
     *
     * @param path states of its listener.
     */
    public void anaPath(final AnaPath path)
    {
        anaPath = path;
    }

    /**
     * {@return controller id, host and subsystem, for messages}
     */
    public String describe()
    {
        return "controller " + id + " of " + Nqn.printable(hostNqn) + " on " + subsystemNqn;
    }
}
