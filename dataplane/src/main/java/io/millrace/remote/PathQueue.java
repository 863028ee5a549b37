package io.millrace.remote;

import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.QueueListener;
import io.millrace.nvmf.initiator.RemoteQueuePair;

/**
 * A channel's part of a path: the I/O queue of its reactor, what the path is good for, and the requests that changed
 * data on it and have no answer. Everything on the channel's reactor, which a {@link RemotePath} sends its news to.
 */
final class PathQueue implements QueueListener
{
    private final RemoteChannel channel;
    private final RemotePath path;
    private final RemoteRequests unanswered = new RemoteRequests();
    private RemoteQueuePair queue;
    private RemoteQueuePair pair;
    private PathAccess access = PathAccess.UNAVAILABLE;
    private PathLimits limits;
    private int nsid;
    private int association;

    /**
     * Without a queue yet.
     *
     * @param channel of the reactor.
     * @param path    of the device.
     */
    PathQueue(final RemoteChannel channel, final RemotePath path)
    {
        this.channel = channel;
        this.path = path;
    }

    RemoteChannel channel()
    {
        return channel;
    }

    RemotePath path()
    {
        return path;
    }

    HostPollGroup group()
    {
        return channel.group();
    }

    /**
     * {@return whether commands may be sent}
     */
    boolean isUsable()
    {
        return access.isUsable() && null != queue && queue.isLive();
    }

    /**
     * {@return whether its connection is there, so that an answer came from the controller}
     */
    boolean isLive()
    {
        return null != queue && queue.isLive();
    }

    /**
     * {@return its queue as the path has it; null when it has none. For the path, on the path's reactor}
     */
    RemoteQueuePair pair()
    {
        return pair;
    }

    /**
     * Sets the queue. For the path, on the path's reactor.
     *
     * @param opened queue; null when it could not be opened.
     */
    void pair(final RemoteQueuePair opened)
    {
        pair = opened;
    }

    PathAccess access()
    {
        return access;
    }

    PathLimits limits()
    {
        return limits;
    }

    int nsid()
    {
        return nsid;
    }

    /**
     * {@return number of the association that commands are sent in}
     */
    int association()
    {
        return association;
    }

    /**
     * Sends a command.
     *
     * @param request that is filled.
     * @return false when the queue is full.
     */
    boolean submit(final RemoteRequest request)
    {
        return queue.submit(request.command());
    }

    /**
     * A request that changes data lost its connection: it is not sent again before {@link #onCommandsEnded}.
     *
     * @param request that may still be executed.
     */
    void keep(final RemoteRequest request)
    {
        unanswered.add(request);
    }

    RemoteRequests unanswered()
    {
        return unanswered;
    }

    /** A command was refused because of the path: it is not used before {@link #onAccess}. */
    void suspend()
    {
        access = PathAccess.UNAVAILABLE;
        channel.choosePath();
        path.refreshSoon();
    }

    /**
     * The path's news.
     *
     * @param newAccess      how good it is.
     * @param newLimits      of its commands; null while it is not known.
     * @param newNsid        of the namespace on it.
     */
    void onAccess(final PathAccess newAccess, final PathLimits newLimits, final int newNsid)
    {
        access = newAccess;
        limits = newLimits;
        nsid = newNsid;
        channel.onPathsChanged();
    }

    /**
     * An association has ended, and its commands have been given back.
     *
     * @param newAssociation number of the one that follows.
     */
    void onDisassociated(final int newAssociation)
    {
        association = newAssociation;
    }

    /**
     * Commands of an association are not executed any more: requests that were held until then are sent again. Those
     * of an association before it may be executed still, when this one was reset and that one was not.
     *
     * @param ended number of the association.
     */
    void onCommandsEnded(final int ended)
    {
        final RemoteRequests all = unanswered.takeAll();
        for (RemoteRequest request = all.poll(); null != request; request = all.poll())
        {
            if (ended == request.association())
            {
                channel.retry(request);
            }
            else
            {
                unanswered.add(request);
            }
        }
        channel.onPathsChanged();
    }

    @Override
    public void onLive(final RemoteQueuePair liveQueue)
    {
        queue = liveQueue;
        channel.onPathsChanged();
    }

    @Override
    public void onSuspended(final RemoteQueuePair suspended)
    {
        channel.onPathsChanged();
    }
}
