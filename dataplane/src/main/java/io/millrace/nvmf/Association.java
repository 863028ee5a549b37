package io.millrace.nvmf;

import io.millrace.nvmf.ana.AnaPath;
import io.millrace.nvmf.config.Nqn;

/**
 * The association of a host and a controller (NVM Express Base 2.0, section 3.1) as its queue pairs see it, whichever
 * reactors they are on: who it is, ANA states, cache mode, error log, event requests. Any thread but where a method
 * says otherwise.
 */
abstract class Association
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
    Association(
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
    abstract void onDraining();

    /**
     * A queue pair of it is gone. The queue pair's reactor.
     *
     * @param queuePair that was disconnected.
     * @param reason    why.
     */
    abstract void onDisconnected(QueuePair queuePair, String reason);

    String subsystemNqn()
    {
        return subsystemNqn;
    }

    String hostNqn()
    {
        return hostNqn;
    }

    /**
     * {@return id of the controller in its subsystem; set before the association has queue pairs}
     */
    int id()
    {
        return id;
    }

    void id(final int newId)
    {
        id = newId;
    }

    ErrorLog errorLog()
    {
        return errorLog;
    }

    /**
     * {@return its event requests; the reactor of the admin queue only}
     */
    AsyncEvents asyncEvents()
    {
        return asyncEvents;
    }

    /**
     * {@return whether writes must be stable before they complete, because no cache was reported to the host, or it
     * disabled the cache}
     */
    boolean writeThrough()
    {
        return writeThrough;
    }

    void writeThrough(final boolean isWriteThrough)
    {
        writeThrough = isWriteThrough;
    }

    /**
     * {@return ANA states of its listener}
     */
    AnaPath anaPath()
    {
        return anaPath;
    }

    /**
     * Replaces the ANA states. The monitor of the subsystem is held.
     *
     * @param path states of its listener.
     */
    void anaPath(final AnaPath path)
    {
        anaPath = path;
    }

    /**
     * {@return controller id, host and subsystem, for messages}
     */
    String describe()
    {
        return "controller " + id + " of " + Nqn.printable(hostNqn) + " on " + subsystemNqn;
    }
}
