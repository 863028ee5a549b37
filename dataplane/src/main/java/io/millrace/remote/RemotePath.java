package io.millrace.remote;

import io.millrace.nvme.AnaState;
import io.millrace.nvme.AsyncEvent;
import io.millrace.nvme.identify.CommandLimits;
import io.millrace.nvme.identify.ControllerInfo;
import io.millrace.nvme.identify.IdentifyCns;
import io.millrace.nvme.identify.NamespaceInfo;
import io.millrace.nvmf.initiator.AdminCommand;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.ControllerListener;
import io.millrace.nvmf.initiator.ControllerState;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.InitiatorException;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.Reactor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One way to a namespace: a controller, behind one address. Connects until it succeeds and again whenever the
 * association is lost; verifies each time, and whenever the controller reports a change, that the namespace is the
 * device's; and sends its news to the {@link PathQueue}s of all channels. Lives on one reactor, which has the
 * controller's admin queue; methods are for that reactor unless they say otherwise.
 */
final class RemotePath implements ControllerListener
{
    /** Between attempts to find out why a controller refuses commands, or what it has changed. */
    private static final long REFRESH_INTERVAL_NS = 20_000_000;
    private static final long NANOS_PER_MS = 1_000_000;
    private static final long NO_TIMER = -1;

    private final RemoteDevice device;
    private final HostPollGroup group;
    private final Reactor reactor;
    private final ConnectionConfig config;
    private final List<PathQueue> queues = new ArrayList<>();
    private final List<PathQueue> opening = new ArrayList<>();
    private final CompletableFuture<Void> attempted = new CompletableFuture<>();
    private CompletableFuture<?> connecting = CompletableFuture.completedFuture(null);
    private CompletableFuture<Void> verifying = CompletableFuture.completedFuture(null);
    private RemoteController controller;
    private volatile PathAccess access = PathAccess.UNAVAILABLE;
    private PathLimits limits;
    private volatile long blockCount;
    private int nsid;
    private int association;
    private int connectDelayMs;
    private long refreshTimer = NO_TIMER;
    private long refreshDueNs;
    private volatile boolean isClosed;
    private volatile String problem = "is not connected yet";

    /**
     * Connects nothing yet.
     *
     * @param device  whose path it is.
     * @param group   that the admin queue is to live in.
     * @param address of the target.
     */
    RemotePath(final RemoteDevice device, final HostPollGroup group, final TransportAddress address)
    {
        this.device = device;
        this.group = group;
        reactor = group.reactor();
        config = device.config().connection(address);
        connectDelayMs = config.reconnectDelayMs();
    }

    /**
     * Begins to connect. Any thread.
     *
     * @return done when the first attempt has succeeded; fails with the reason when it has failed, and others follow.
     */
    CompletableFuture<Void> begin()
    {
        reactor.execute(this::connect);
        return attempted;
    }

    private void connect()
    {
        if (isClosed)
        {
            return;
        }
        connecting = RemoteController.connect(group, device.config().host(), config, this)
            .whenComplete((connected, failure) -> reactor.execute(() -> onConnected(failure)));
    }

    private void onConnected(final Throwable failure)
    {
        if (null == failure)
        {
            attempted.complete(null);
            return;
        }
        controller = null;
        onProblem(failure);
        attempted.completeExceptionally(new InitiatorException(problem));
        reactor.schedule(reactor.nowNs() + connectDelayMs * NANOS_PER_MS, (nowNs) -> connect());
        connectDelayMs = (int)Math.min(2L * connectDelayMs, config.reconnectDelayMaxMs());
    }

    private void onProblem(final Throwable failure)
    {
        final Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        problem = cause instanceof InitiatorException ? cause.getMessage() : cause.toString();
    }

    @Override
    public CompletableFuture<Void> onAssociated(final RemoteController associated, final ControllerInfo info)
    {
        controller = associated;
        return verify(info);
    }

    /** Finds out what the namespace is and how good the path is, and passes that on. */
    private CompletableFuture<Void> verify(final ControllerInfo info)
    {
        verifying = new NamespaceQuery(controller, device.config()).run(info)
            .thenCompose((namespace) -> commandLimits(info).thenCompose((commands) -> state(info, namespace)
                .thenAccept((state) -> onVerified(info, namespace, commands, state))))
            .whenComplete((done, failure) ->
            {
                if (null != failure)
                {
                    onProblem(failure);
                    publish(problem.startsWith(RemoteDevice.FOREIGN) ? PathAccess.FOREIGN : PathAccess.UNAVAILABLE);
                }
            });
        return verifying;
    }

    private CompletableFuture<CommandLimits> commandLimits(final ControllerInfo info)
    {
        return controller.admin(AdminCommand.identify(IdentifyCns.CONTROLLER_COMMAND_SET, 0))
            .thenApply((answer) -> CommandLimits.of(
                info, answer.isSuccess() ? new UnsafeBuffer(answer.data()) : null));
    }

    private CompletableFuture<AnaState> state(final ControllerInfo info, final NamespaceInfo namespace)
    {
        return info.reportsAna() && 0 != namespace.anaGroup() ? controller.anaState(namespace.anaGroup()) :
            CompletableFuture.completedFuture(AnaState.OPTIMIZED);
    }

    private void onVerified(
        final ControllerInfo info, final NamespaceInfo namespace, final CommandLimits commands, final AnaState state)
    {
        final PathLimits found = PathLimits.of(info, commands, namespace.blockSizeBytes());
        final String refusal = device.adopt(this, info, namespace, found, state);
        if (null != refusal)
        {
            throw new InitiatorException(refusal);
        }
        announce();
        if (null == state || AnaState.CHANGE == state)
        {
            // Longer than a transition may take. Its end is reported by an event, unless that was lost.
            refreshAfter((1L + info.anaTransitionSeconds()) * 1_000 * NANOS_PER_MS);
        }
    }

    /** The device accepts the path; it holds its lock, so that it does not grow beyond the path meanwhile. */
    void accept(final NamespaceInfo namespace, final PathLimits newLimits, final AnaState state)
    {
        limits = newLimits;
        blockCount = namespace.blockCount();
        nsid = namespace.nsid();
        problem = null == state ? "reports an unknown state of ANA group " + namespace.anaGroup() :
            state.isAccessible() ? "" : "is " + state + " by ANA group " + namespace.anaGroup();
        access = AnaState.OPTIMIZED == state ? PathAccess.OPTIMIZED :
            AnaState.NON_OPTIMIZED == state ? PathAccess.NON_OPTIMIZED : PathAccess.UNAVAILABLE;
    }

    private void publish(final PathAccess newAccess)
    {
        access = newAccess;
        announce();
    }

    private void announce()
    {
        device.onPathChanged();
        queues.forEach(this::inform);
    }

    private void inform(final PathQueue queue)
    {
        final PathAccess sentAccess = access;
        final PathLimits sentLimits = limits;
        final int sentNsid = nsid;
        queue.channel().reactor().execute(() -> queue.onAccess(sentAccess, sentLimits, sentNsid));
    }

    /** Commands were refused because of the path: looks again at what the controller says. Any thread. */
    void refreshSoon()
    {
        reactor.execute(() -> refreshAfter(REFRESH_INTERVAL_NS));
    }

    private void refreshAfter(final long delayNs)
    {
        final long dueNs = reactor.nowNs() + delayNs;
        if (NO_TIMER != refreshTimer)
        {
            if (dueNs - refreshDueNs >= 0)
            {
                return;
            }
            // One for the end of a transition may be minutes away.
            reactor.cancel(refreshTimer);
        }
        refreshDueNs = dueNs;
        refreshTimer = reactor.schedule(dueNs, (nowNs) ->
        {
            refreshTimer = NO_TIMER;
            refresh();
        });
    }

    private void refresh()
    {
        if (!verifying.isDone())
        {
            // What has changed since it began may have been read before.
            refreshAfter(REFRESH_INTERVAL_NS);
        }
        else if (null != controller && ControllerState.LIVE == controller.state())
        {
            verify(controller.info()).whenComplete((done, failure) ->
            {
                if (null != failure)
                {
                    refreshAfter(config.reconnectDelayMs() * NANOS_PER_MS);
                }
            });
        }
    }

    @Override
    public void onAsyncEvent(final RemoteController reporting, final int event)
    {
        if (AsyncEvent.NAMESPACE_CHANGED == event || AsyncEvent.ANA_CHANGED == event)
        {
            refresh();
        }
    }

    @Override
    public void onState(final RemoteController changed, final ControllerState state, final String reason)
    {
        if (ControllerState.LIVE == state)
        {
            connectDelayMs = config.reconnectDelayMs();
            queues.forEach(this::openQueue);
        }
        else if (!reason.isEmpty())
        {
            problem = reason;
            publish(PathAccess.FOREIGN == access ? access : PathAccess.UNAVAILABLE);
        }
    }

    @Override
    public void onDisassociated(final RemoteController ended, final boolean isQuiesced)
    {
        final int endedAssociation = association++;
        final int newAssociation = association;
        for (final PathQueue queue : queues)
        {
            queue.channel().reactor().execute(() -> queue.onDisassociated(newAssociation));
        }
        final ControllerInfo info = ended.info();
        if (isQuiesced || null == info)
        {
            onCommandsEnded(endedAssociation);
        }
        else
        {
            reactor.schedule(reactor.nowNs() + info.commandEndMs(config.keepAliveMs()) * NANOS_PER_MS,
                (nowNs) -> onCommandsEnded(endedAssociation));
        }
    }

    /**
     * Ends an association whose controller does not answer, unless it has ended already: none of its commands is
     * executed after the {@link PathQueue#onCommandsEnded} that follows. Any thread.
     *
     * @param ended number of the association.
     */
    void endAssociation(final int ended)
    {
        reactor.execute(() ->
        {
            if (ended == association && null != controller)
            {
                controller.reset("a write was not answered before its device was closed");
            }
        });
    }

    private void onCommandsEnded(final int endedAssociation)
    {
        for (final PathQueue queue : queues)
        {
            queue.channel().reactor().execute(() -> queue.onCommandsEnded(endedAssociation));
        }
    }

    /**
     * A channel was opened. Any thread.
     *
     * @param queue of the channel.
     * @return done when its queue is connected, or the path is not there now and it will be connected later; fails with
     *     the reason when the controller refuses it.
     */
    CompletableFuture<Void> attach(final PathQueue queue)
    {
        return reactor.call(() ->
        {
            queues.add(queue);
            final int present = association;
            queue.channel().reactor().execute(() -> queue.onDisassociated(present));
            inform(queue);
            return openQueue(queue);
        }).thenCompose((opened) -> opened);
    }

    private CompletableFuture<Void> openQueue(final PathQueue queue)
    {
        if (null == controller || ControllerState.LIVE != controller.state() || null != queue.pair() ||
            opening.contains(queue))
        {
            return CompletableFuture.completedFuture(null);
        }
        opening.add(queue);
        final CompletableFuture<Void> opened = new CompletableFuture<>();
        controller.openQueuePair(queue.group(), queue).whenComplete((pair, failure) -> reactor.execute(() ->
        {
            opening.remove(queue);
            queue.pair(pair);
            if (!queues.contains(queue))
            {
                closeQueue(queue);
            }
            else if (null != failure)
            {
                onProblem(failure);
                reactor.schedule(reactor.nowNs() + config.reconnectDelayMs() * NANOS_PER_MS, (nowNs) ->
                {
                    if (queues.contains(queue))
                    {
                        openQueue(queue);
                    }
                });
                opened.completeExceptionally(failure);
                return;
            }
            opened.complete(null);
        }));
        return opened;
    }

    /**
     * A channel closes. Any thread. {@link RemoteChannel#onDetached} follows.
     *
     * @param queue of the channel.
     */
    void detach(final PathQueue queue)
    {
        reactor.execute(() ->
        {
            queues.remove(queue);
            if (!opening.contains(queue))
            {
                closeQueue(queue);
            }
        });
    }

    private void closeQueue(final PathQueue queue)
    {
        final CompletableFuture<Void> closed = null == queue.pair() ?
            CompletableFuture.completedFuture(null) : queue.pair().closeAsync();
        closed.whenComplete((done, failure) -> queue.channel().reactor().execute(queue.channel()::onDetached));
    }

    /**
     * {@return how good it is; any thread}
     */
    PathAccess access()
    {
        return access;
    }

    /**
     * {@return size of the namespace as it was last reported; any thread}
     */
    long blockCount()
    {
        return blockCount;
    }

    /**
     * {@return address and problem of the path in one sentence; empty when it may be used. Any thread}
     */
    String problem()
    {
        final String present = problem;
        return present.isEmpty() ? "" : "path " + config.target() + ": " + present;
    }

    /**
     * Ends the association. No channel is open any more. Any thread.
     *
     * @return done when everything is closed and freed.
     */
    CompletableFuture<Void> close()
    {
        isClosed = true;
        return reactor.call(() -> connecting.handle((connected, failure) -> null)
            .thenCompose((done) -> reactor.call(() -> null == controller ?
                CompletableFuture.<Void>completedFuture(null) : controller.closeAsync()))
            .thenCompose((closing) -> closing)).thenCompose((closed) -> closed);
    }
}
