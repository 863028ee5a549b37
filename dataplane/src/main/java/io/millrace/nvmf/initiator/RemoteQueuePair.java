package io.millrace.nvmf.initiator;

import io.millrace.reactor.Reactor;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * An I/O queue of a {@link RemoteController}, on one reactor. {@link #submit} and {@link #flush} are for that reactor's
 * thread alone and allocate nothing.
 * <p>
 * What is submitted within a cycle of the reactor leaves in one system call at the end of the poll group's turn. When
 * the connection is lost the controller reconnects; {@link OutagePolicy} sets how commands are treated meanwhile.
 */
public final class RemoteQueuePair implements AutoCloseable
{
    private enum State
    {
        /** Not connected now, or not yet. */
        SUSPENDED,
        /** Commands flow. */
        LIVE,
        /** Closed or lost: commands fail. */
        CLOSED
    }

    private final RemoteController controller;
    private final HostPollGroup group;
    private final int queueId;
    private final QueueListener listener;
    private final OutagePolicy outagePolicy;
    private final HostQueueTransport connection;
    private final Runnable failing = this::failWaiting;
    private volatile boolean wereChangesLost;
    private State state = State.SUSPENDED;
    private HostRequest waitingHead;
    private HostRequest waitingTail;
    private HostRequest failingHead;
    private CompletableFuture<Void> opening;
    private CompletableFuture<Void> suspending;

    RemoteQueuePair(
        final RemoteController controller,
        final HostPollGroup group,
        final int queueId,
        final ConnectionConfig config,
        final QueueListener listener)
    {
        this.listener = listener;
        this.controller = controller;
        this.group = group;
        this.queueId = queueId;
        outagePolicy = config.outagePolicy();
        connection = group.transport(config).queue(group, config.queueDepth(), new Events());
    }

    /**
     * Hands a command over.
     *
     * @param request filled and idle; one that is not complete is refused with an {@link IllegalStateException}.
     * @return false when the queue is full, or not connected now under {@link OutagePolicy#WAIT}: the submitter keeps
     *     the request and tries again in a later cycle.
     */
    public boolean submit(final HostRequest request)
    {
        request.startNs = group.nowNs();
        return State.LIVE == state ? connection.submit(request) : submitUnconnected(request);
    }

    private boolean submitUnconnected(final HostRequest request)
    {
        if (State.SUSPENDED == state && OutagePolicy.WAIT == outagePolicy)
        {
            return false;
        }
        // Completed in the next cycle, not here: a listener that submits again at once would never come to an end.
        if (null == failingHead)
        {
            group.reactor().execute(failing);
        }
        request.state(RequestState.HELD);
        request.next = failingHead;
        failingHead = request;
        return true;
    }

    private void failWaiting()
    {
        HostRequest request = failingHead;
        failingHead = null;
        while (null != request)
        {
            final HostRequest next = request.next;
            request.next = null;
            request.complete(HostRequest.STATUS_HOST_PATH_ERROR, group.nowNs());
            request = next;
        }
    }

    /**
     * Sends what was submitted now, rather than at the end of the poll group's turn.
     */
    public void flush()
    {
        connection.flush();
    }

    /**
     * {@return identifier of the queue, from 1}
     */
    public int queueId()
    {
        return queueId;
    }

    /**
     * {@return commands that may be outstanding at once; what was asked for or what the controller allows}
     */
    public int depth()
    {
        return connection.depth();
    }

    /**
     * {@return commands outstanding now}
     */
    public int inFlight()
    {
        return connection.inFlight();
    }

    /**
     * {@return whether commands that change data, which are to be sent again, were lost since the last call: an attempt
     * to reconnect that sends none loses none. For the controller's reactor, while the queue is suspended}
     */
    boolean takeChangesLost()
    {
        final boolean wereLost = wereChangesLost;
        wereChangesLost = false;
        return wereLost;
    }

    /**
     * {@return whether it is connected; on its reactor's thread}
     */
    public boolean isLive()
    {
        return State.LIVE == state;
    }

    /**
     * {@return the poll group it lives in}
     */
    public HostPollGroup group()
    {
        return group;
    }

    /**
     * {@return the controller it belongs to}
     */
    public RemoteController controller()
    {
        return controller;
    }

    /**
     * Closes the queue: outstanding commands complete with {@link HostRequest#STATUS_ABORTED_BY_HOST}. Any thread.
     *
     * @return done when it is closed and freed.
     */
    public CompletableFuture<Void> closeAsync()
    {
        return controller.closeQueue(this);
    }

    /**
     * As {@link #closeAsync()}, and waits for it. Any thread but a reactor's.
     */
    @Override
    public void close()
    {
        Reactor.checkMayBlock("the end of a queue pair");
        try
        {
            closeAsync().join();
        }
        catch (final CompletionException e)
        {
            throw new InitiatorException(
                "queue pair " + queueId + " cannot be closed: " + e.getCause().getMessage(), e);
        }
    }

    /**
     * Connects, on the queue's reactor; called from the controller's.
     *
     * @param config         where to.
     * @param host           as whom.
     * @param controllerId   of the association.
     * @param entries        that the controller allows.
     * @param capsules       what they may carry.
     * @return done when connected; fails with the reason.
     */
    CompletableFuture<Void> open(
        final ConnectionConfig config,
        final HostConfig host,
        final int controllerId,
        final int entries,
        final CapsuleLimits capsules)
    {
        final CompletableFuture<Void> opened = new CompletableFuture<>();
        group.reactor().execute(() ->
        {
            if (State.CLOSED == state)
            {
                opened.completeExceptionally(new InitiatorException("queue pair " + queueId + " is closed"));
                return;
            }
            opening = opened;
            connection.open(config, host, queueId, controllerId, Math.min(entries, config.queueDepth() + 1),
                capsules);
        });
        return opened;
    }

    /**
     * Disconnects, on the queue's reactor; called from the controller's.
     *
     * @param reason in one sentence.
     * @return done when disconnected.
     */
    CompletableFuture<Void> suspend(final String reason)
    {
        return group.reactor().call(() -> beginSuspend(reason)).thenCompose((done) -> done);
    }

    private CompletableFuture<Void> beginSuspend(final String reason)
    {
        if (connection.isClosed())
        {
            return CompletableFuture.completedFuture(null);
        }
        if (null == suspending)
        {
            suspending = new CompletableFuture<>();
        }
        connection.close(reason);
        return suspending;
    }

    /**
     * Fails every command from now on, those that wait for a reconnect included.
     *
     * @param reason in one sentence.
     * @return done when disconnected.
     */
    CompletableFuture<Void> abandon(final String reason)
    {
        return group.reactor().call(() ->
        {
            state = State.CLOSED;
            HostRequest request = waitingHead;
            waitingHead = null;
            waitingTail = null;
            while (null != request)
            {
                final HostRequest next = request.next;
                request.next = null;
                request.complete(HostRequest.STATUS_HOST_PATH_ERROR, group.nowNs());
                request = next;
            }
            return beginSuspend(reason);
        }).thenCompose((done) -> done);
    }

    /**
     * Unmaps what the queue used, on its reactor. It is abandoned.
     *
     * @return done when that has happened.
     */
    CompletableFuture<Void> free()
    {
        return group.reactor().call(() ->
        {
            connection.free();
            return null;
        });
    }

    private final class Events implements ConnectionListener
    {
        @Override
        public void onReady()
        {
            state = State.LIVE;
            HostRequest request = waitingHead;
            waitingHead = null;
            waitingTail = null;
            while (null != request)
            {
                final HostRequest next = request.next;
                request.next = null;
                if (!connection.submit(request))
                {
                    // The controller allows fewer commands than before the outage.
                    request.complete(HostRequest.STATUS_HOST_PATH_ERROR, group.nowNs());
                }
                request = next;
            }
            listener.onLive(RemoteQueuePair.this);
            opening.complete(null);
        }

        @Override
        public void onLost(final HostRequest request)
        {
            if (State.CLOSED == state)
            {
                request.complete(HostRequest.STATUS_ABORTED_BY_HOST, group.nowNs());
                return;
            }
            state = State.SUSPENDED;
            if (OutagePolicy.FAIL == outagePolicy)
            {
                request.complete(HostRequest.STATUS_HOST_PATH_ERROR, group.nowNs());
                return;
            }
            wereChangesLost |= request.changesData();
            if (null == waitingHead)
            {
                waitingHead = request;
                waitingTail = request;
            }
            else
            {
                waitingTail.next = request;
                waitingTail = request;
            }
        }

        @Override
        public void onClosed(final String reason)
        {
            if (State.CLOSED != state)
            {
                state = State.SUSPENDED;
            }
            final boolean failedToOpen = opening.completeExceptionally(new InitiatorException(reason));
            if (!failedToOpen)
            {
                listener.onSuspended(RemoteQueuePair.this);
            }
            if (null != suspending)
            {
                final CompletableFuture<Void> suspended = suspending;
                suspending = null;
                suspended.complete(null);
            }
            else if (!failedToOpen)
            {
                controller.reset(reason);
            }
        }
    }
}
