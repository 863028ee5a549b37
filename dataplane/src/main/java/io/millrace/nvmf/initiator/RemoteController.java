package io.millrace.nvmf.initiator;

import io.millrace.nvme.AnaState;
import io.millrace.nvme.ControllerConfiguration;
import io.millrace.nvme.ControllerProperty;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.identify.ControllerInfo;
import io.millrace.nvme.identify.IdentifyCns;
import io.millrace.nvme.identify.InvalidIdentifyException;
import io.millrace.nvme.identify.NamespaceInfo;
import io.millrace.reactor.Reactor;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * An association with a controller of a remote subsystem: admin queue, keep-alive, events, and reconnecting of all its
 * queues. Lives on the reactor it was connected on; methods may be called from any thread and return futures that are
 * completed on that reactor, so their dependent actions must not block. Its state is {@link ControllerState}.
 * <p>
 * The loss of any connection ends the association, as the specification has it: all queues are disconnected, then
 * attempts to connect again follow with growing delay, until the controller loss time-out.
 */
public final class RemoteController implements AutoCloseable
{
    private static final int LOG_PIECE_BYTES = AdminCommand.DATA_BYTES_MAX;
    private static final long SHUTDOWN_TIMEOUT_MS = 1_000;

    private final HostPollGroup group;
    private final Reactor reactor;
    private final HostConfig host;
    private final ConnectionConfig config;
    private final ControllerListener listener;
    private final AdminQueue admin;
    private final KeepAlive keepAlive;
    private final EventRequests events;
    private final List<RemoteQueuePair> queues = new ArrayList<>();
    private final BitSet queueIds = new BitSet();
    private int lastQueueId;
    private final CompletableFuture<RemoteController> connected = new CompletableFuture<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private volatile ControllerState state = ControllerState.CONNECTING;
    private volatile AssociationInfo association;
    private volatile int reconnectCount;
    private long lostNs;
    /** When no command of a former association that is to be sent again can be executed any more. */
    private long commandsEndNs;
    private int reconnectDelayMs;
    private String lostMeanwhile;

    private RemoteController(
        final HostPollGroup group,
        final HostConfig host,
        final ConnectionConfig config,
        final ControllerListener listener)
    {
        this.group = group;
        this.reactor = group.reactor();
        this.host = host;
        this.config = config;
        this.listener = listener;
        commandsEndNs = reactor.nowNs();
        admin = new AdminQueue(group, config, host, this::onConnectionLost);
        keepAlive = new KeepAlive(reactor, admin, config.keepAliveMs(), this::onConnectionLost);
        events = new EventRequests(reactor, admin, (event) -> listener.onAsyncEvent(this, event));
    }

    /**
     * Connects to a subsystem. Any thread.
     *
     * @param group    on whose reactor the admin queue is to live.
     * @param host     as whom.
     * @param config   where to, and how.
     * @param listener notified of its events; {@link ControllerListener#NONE} for none.
     * @return the controller once it is live; fails with an {@link InitiatorException}, also when it is not live, and
     *     accepted by the listener, within the connect time-out.
     */
    public static CompletableFuture<RemoteController> connect(
        final HostPollGroup group,
        final HostConfig host,
        final ConnectionConfig config,
        final ControllerListener listener)
    {
        return group.reactor().call(() -> new RemoteController(group, host, config, listener).begin())
            .thenCompose((connecting) -> connecting);
    }

    private CompletableFuture<RemoteController> begin()
    {
        new SetupDeadline<AssociationInfo>(reactor, admin, config).of(associate()).whenComplete((newInfo, failure) ->
        {
            if (ControllerState.CLOSED == state)
            {
                return;
            }
            if (null == failure)
            {
                onLive(newInfo);
                connected.complete(this);
                return;
            }
            final String reason = reason(failure);
            state(ControllerState.CLOSED, reason);
            admin.close(reason).whenComplete((done, ignored) -> reactor.execute(() ->
            {
                admin.free();
                connected.completeExceptionally(new InitiatorException(reason));
                closed.complete(null);
            }));
        });
        return connected;
    }

    private CompletableFuture<AssociationInfo> associate()
    {
        return new ControllerSetup(reactor, admin, config).run().thenCompose((newInfo) ->
            listener.onAssociated(this, newInfo.controller()).thenApply((accepted) -> newInfo));
    }

    private static String reason(final Throwable failure)
    {
        final Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause instanceof InitiatorException ? cause.getMessage() : cause.toString();
    }

    private void state(final ControllerState next, final String reason)
    {
        if (!state.canBecome(next))
        {
            throw new IllegalStateException("controller cannot go from " + state + " to " + next);
        }
        state = next;
        listener.onState(this, next, reason);
    }

    private void onLive(final AssociationInfo newInfo)
    {
        association = newInfo;
        keepAlive.start();
        events.start();
        state(ControllerState.LIVE, "");
    }

    /**
     * Ends the association and connects again, as after the loss of a connection. Any thread; does nothing unless it
     * is connected or being connected.
     *
     * @param reason in one sentence.
     */
    public void reset(final String reason)
    {
        reactor.execute(() -> onConnectionLost(reason));
    }

    private void onConnectionLost(final String reason)
    {
        if (ControllerState.LIVE != state)
        {
            lostMeanwhile = reason;
            return;
        }
        keepAlive.stop();
        events.stop();
        if (0 == config.controllerLossTimeoutMs())
        {
            onGivenUp(reason);
            return;
        }
        lostNs = reactor.nowNs();
        reconnectDelayMs = config.reconnectDelayMs();
        state(ControllerState.RECONNECTING, reason);
        disconnect(reason).thenRun(this::scheduleReconnect);
    }

    /**
     * Ends the association. When no I/O queue is left the controller is reset, where its admin queue still answers, so
     * that none of its commands is executed after those that follow.
     *
     * @param reason in one sentence.
     * @return done, on the reactor, when everything is disconnected.
     */
    private CompletableFuture<Void> disconnect(final String reason)
    {
        final List<CompletableFuture<Void>> all = new ArrayList<>();
        for (final RemoteQueuePair queue : queues)
        {
            all.add(queue.suspend(reason));
        }
        final CompletableFuture<Void> done = new CompletableFuture<>();
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
            .thenCompose((suspended) -> reactor.call(() -> new ControllerReset(reactor, admin).begin()))
            .thenCompose((outcome) -> outcome)
            .whenComplete((isQuiesced, failure) -> reactor.execute(() ->
                admin.close(reason).whenComplete((adminClosed, ignored) -> reactor.execute(() ->
                {
                    final boolean haveCommandsEnded = null == failure && isQuiesced;
                    boolean wereChangesLost = false;
                    for (final RemoteQueuePair queue : queues)
                    {
                        wereChangesLost |= queue.takeChangesLost();
                    }
                    if (!haveCommandsEnded && wereChangesLost)
                    {
                        commandsEndNs = reactor.nowNs() + info().commandEndMs(config.keepAliveMs()) * 1_000_000L;
                    }
                    listener.onDisassociated(this, haveCommandsEnded);
                    done.complete(null);
                }))));
        return done;
    }

    private void scheduleReconnect()
    {
        if (ControllerState.RECONNECTING == state)
        {
            final long nowNs = reactor.nowNs();
            reactor.schedule(nowNs + Math.max(reconnectDelayMs * 1_000_000L, commandsEndNs - nowNs),
                (dueNs) -> reconnect());
            reconnectDelayMs = (int)Math.min(2L * reconnectDelayMs, config.reconnectDelayMaxMs());
        }
    }

    private void reconnect()
    {
        if (ControllerState.RECONNECTING != state)
        {
            return;
        }
        lostMeanwhile = null;
        associate()
            .thenCompose((newInfo) -> openQueues(newInfo).thenApply((opened) -> newInfo))
            .whenComplete((newInfo, failure) -> reactor.execute(() -> onReconnected(newInfo, failure)));
    }

    private CompletableFuture<Void> openQueues(final AssociationInfo newInfo)
    {
        return CompletableFuture.allOf(
            queues.stream().map((queue) -> open(queue, newInfo)).toArray(CompletableFuture[]::new));
    }

    private CompletableFuture<Void> open(final RemoteQueuePair queue, final AssociationInfo of)
    {
        return queue.open(config, host, of.controller().controllerId(), of.queueEntriesMax(),
            CapsuleLimits.of(of.controller()));
    }

    private void onReconnected(final AssociationInfo newInfo, final Throwable failure)
    {
        if (ControllerState.RECONNECTING != state)
        {
            return;
        }
        if (null == failure && null == lostMeanwhile)
        {
            reconnectCount++;
            onLive(newInfo);
            return;
        }
        final String reason = null == failure ? lostMeanwhile : reason(failure);
        final long outageMs = TimeUnit.NANOSECONDS.toMillis(reactor.nowNs() - lostNs);
        if (config.controllerLossTimeoutMs() >= 0 && outageMs >= config.controllerLossTimeoutMs())
        {
            onGivenUp(reason);
        }
        else
        {
            disconnect(reason).thenRun(this::scheduleReconnect);
        }
    }

    private void onGivenUp(final String reason)
    {
        state(ControllerState.LOST, reason);
        admin.close(reason);
        for (final RemoteQueuePair queue : queues)
        {
            queue.abandon(reason);
        }
    }

    /**
     * Opens an I/O queue on any reactor.
     *
     * @param queueGroup on whose reactor the queue is to live.
     * @return the queue once it is connected; fails with an {@link InitiatorException}.
     */
    public CompletableFuture<RemoteQueuePair> openQueuePair(final HostPollGroup queueGroup)
    {
        return openQueuePair(queueGroup, QueueListener.NONE);
    }

    /**
     * Opens an I/O queue on any reactor.
     *
     * @param queueGroup    on whose reactor the queue is to live.
     * @param queueListener notified when commands may be submitted to it, and when not.
     * @return the queue once it is connected; fails with an {@link InitiatorException}.
     */
    public CompletableFuture<RemoteQueuePair> openQueuePair(
        final HostPollGroup queueGroup, final QueueListener queueListener)
    {
        return reactor.call(() ->
        {
            if (ControllerState.LIVE != state)
            {
                throw new InitiatorException("controller of " + config.subsystemNqn() + " is " + state +
                    ": queues can be opened while it is LIVE");
            }
            final int queueId = freeQueueId();
            queueIds.set(queueId - 1);
            lastQueueId = queueId;
            final RemoteQueuePair queue = new RemoteQueuePair(this, queueGroup, queueId, config, queueListener);
            queues.add(queue);
            return open(queue, association)
                .handle((opened, failure) -> null == failure ? CompletableFuture.completedFuture(queue) :
                    closeQueue(queue).thenCompose((done) ->
                        CompletableFuture.<RemoteQueuePair>failedFuture(new InitiatorException(reason(failure)))))
                .thenCompose((result) -> result);
        }).thenCompose((opening) -> opening);
    }

    /**
     * {@return an id that no queue has; not one that was freed just now, while others are free: the target may see the
     * end of its connection later than the new one, and would refuse a second queue of the id}
     */
    private int freeQueueId()
    {
        final int next = queueIds.nextClearBit(lastQueueId) + 1;
        final int queueId = next > association.ioQueueCount() ? queueIds.nextClearBit(0) + 1 : next;
        if (queueId > association.ioQueueCount())
        {
            throw new InitiatorException(config.subsystemNqn() + " at " + config.target() + " grants " +
                association.ioQueueCount() + " I/O queues, all are in use: use fewer");
        }
        return queueId;
    }

    /**
     * Closes a queue and forgets it.
     *
     * @param queue of this controller.
     * @return done when it is closed and freed.
     */
    CompletableFuture<Void> closeQueue(final RemoteQueuePair queue)
    {
        return reactor.call(() ->
        {
            if (!queues.remove(queue))
            {
                return CompletableFuture.<Void>completedFuture(null);
            }
            return queue.abandon("queue pair is closed").thenCompose((abandoned) -> queue.free())
                .thenRun(() -> reactor.execute(() -> queueIds.clear(queue.queueId() - 1)));
        }).thenCompose((closing) -> closing);
    }

    /**
     * Sends a command on the admin queue.
     *
     * @param command to send.
     * @return its answer, whatever its status; fails when the connection does.
     */
    public CompletableFuture<AdminResult> admin(final AdminCommand command)
    {
        return reactor.isOnThread() ? admin.call(command) :
            reactor.call(() -> admin.call(command)).thenCompose((answer) -> answer);
    }

    private CompletableFuture<byte[]> data(final String name, final AdminCommand command)
    {
        return admin(command).thenApply((answer) -> data(name, answer));
    }

    private byte[] data(final String name, final AdminResult answer)
    {
        if (!answer.isSuccess())
        {
            throw new InitiatorException(name + " of " + config.subsystemNqn() + " was answered with " +
                AssociationCommand.describe(answer.status()));
        }
        return answer.data();
    }

    private static String name(final int cns)
    {
        return "Identify 0x" + Integer.toHexString(cns);
    }

    /**
     * Identify.
     *
     * @param cns  what to identify, as {@link IdentifyCns} has it.
     * @param nsid namespace, or 0.
     * @return 4096 bytes; fails when the controller refuses.
     */
    public CompletableFuture<byte[]> identify(final int cns, final int nsid)
    {
        return data(name(cns), AdminCommand.identify(cns, nsid));
    }

    /**
     * Reads a log page, or a part of one.
     *
     * @param logPageId   as {@link io.millrace.nvme.LogPageId} has it.
     * @param nsid        namespace, or FFFFFFFFh for the controller.
     * @param offset      where to begin, in bytes.
     * @param lengthBytes how much; a multiple of 4.
     * @return the bytes; fails when the controller refuses.
     */
    public CompletableFuture<byte[]> logPage(
        final int logPageId, final int nsid, final long offset, final int lengthBytes)
    {
        return logPage(logPageId, nsid, offset, new byte[lengthBytes], 0);
    }

    private CompletableFuture<byte[]> logPage(
        final int logPageId, final int nsid, final long offset, final byte[] whole, final int done)
    {
        final int piece = Math.min(LOG_PIECE_BYTES, whole.length - done);
        return data("Get Log Page 0x" + Integer.toHexString(logPageId),
            AdminCommand.logPage(logPageId, nsid, offset + done, piece)).thenCompose((data) ->
            {
                System.arraycopy(data, 0, whole, done, piece);
                return done + piece == whole.length ? CompletableFuture.completedFuture(whole) :
                    logPage(logPageId, nsid, offset, whole, done + piece);
            });
    }

    /**
     * Lists the active namespaces of a live controller.
     *
     * @return all of them, ascending; fails when the list is invalid or has more than
     *     {@value NamespaceList#NAMESPACES_MAX}.
     */
    public CompletableFuture<List<NamespaceInfo>> namespaces()
    {
        return new NamespaceList(this, info()).read();
    }

    /**
     * Looks for an active namespace.
     *
     * @param newInfo   of the controller, which may not be live yet.
     * @param condition that the namespace fulfils.
     * @return the first namespace that fulfils it; null when no namespace does. Fails as {@link #namespaces()} does.
     */
    public CompletableFuture<NamespaceInfo> findNamespace(
        final ControllerInfo newInfo, final Predicate<NamespaceInfo> condition)
    {
        return new NamespaceList(this, newInfo).find(condition);
    }

    /**
     * Identifies a namespace.
     *
     * @param nsid of the namespace.
     * @return its reported properties; null when it is not active. Fails when the controller refuses, also when it
     *     supports Namespace Identification Descriptors and does not return them now.
     */
    public CompletableFuture<NamespaceInfo> namespace(final int nsid)
    {
        return identify(IdentifyCns.NAMESPACE, nsid).thenCompose((data) -> null == decode(nsid, data, null) ?
            CompletableFuture.<NamespaceInfo>completedFuture(null) :
            admin(AdminCommand.identify(IdentifyCns.NAMESPACE_DESCRIPTORS, nsid)).thenApply((descriptors) ->
                decode(nsid, data, NvmeStatus.isUnsupported(descriptors.status()) ?
                    null : data(name(IdentifyCns.NAMESPACE_DESCRIPTORS), descriptors))));
    }

    private NamespaceInfo decode(final int nsid, final byte[] data, final byte[] descriptors)
    {
        try
        {
            return NamespaceInfo.of(
                nsid, new UnsafeBuffer(data), null == descriptors ? null : new UnsafeBuffer(descriptors));
        }
        catch (final InvalidIdentifyException e)
        {
            throw new InitiatorException(config.subsystemNqn() + " at " + config.target() + " " + e.getMessage(), e);
        }
    }

    /**
     * Reads the state of an ANA group.
     *
     * @param groupId of the group.
     * @return its state; null when the controller reports no such group among the first
     *     {@value AnaGroups#GROUPS_MAX}, or a state that the specification does not have.
     */
    public CompletableFuture<AnaState> anaState(final int groupId)
    {
        return data("Get Log Page of ANA groups", AdminCommand.anaGroups(AdminCommand.DATA_BYTES_MAX))
            .thenApply((log) -> AnaGroups.state(log, groupId));
    }

    /**
     * {@return the present state; may be outdated when it is read from another thread}
     */
    public ControllerState state()
    {
        return state;
    }

    /**
     * {@return properties that the controller reported when it was last connected; null before it was}
     */
    public ControllerInfo info()
    {
        final AssociationInfo last = association;
        return null == last ? null : last.controller();
    }

    /**
     * {@return I/O queues that the controller granted when it was last connected}
     */
    public int ioQueueCount()
    {
        return association.ioQueueCount();
    }

    /**
     * {@return largest queue that the controller takes, in entries; one fewer commands may be outstanding}
     */
    public int queueEntriesMax()
    {
        return association.queueEntriesMax();
    }

    /**
     * {@return how often it was connected again}
     */
    public int reconnectCount()
    {
        return reconnectCount;
    }

    /**
     * {@return settings it was connected with}
     */
    public ConnectionConfig config()
    {
        return config;
    }

    /**
     * Shuts the controller down and disconnects. Outstanding commands complete with
     * {@link HostRequest#STATUS_ABORTED_BY_HOST}, those that wait for a reconnect with
     * {@link HostRequest#STATUS_HOST_PATH_ERROR}. Any thread, any number of times.
     *
     * @return done when everything is closed and freed.
     */
    public CompletableFuture<Void> closeAsync()
    {
        reactor.execute(this::beginClose);
        return closed;
    }

    private void beginClose()
    {
        if (ControllerState.CLOSED == state)
        {
            return;
        }
        final boolean live = ControllerState.LIVE == state;
        keepAlive.stop();
        events.stop();
        state(ControllerState.CLOSED, "");
        connected.completeExceptionally(new InitiatorException("controller was closed while it was being connected"));
        final List<CompletableFuture<Void>> all = new ArrayList<>();
        for (final RemoteQueuePair queue : List.copyOf(queues))
        {
            all.add(closeQueue(queue));
        }
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
            .thenCompose((done) -> live ? shutDown() : CompletableFuture.completedFuture(null))
            .whenComplete((done, failure) -> reactor.execute(() ->
                admin.close("controller is closed").whenComplete((adminClosed, ignored) -> reactor.execute(() ->
                {
                    admin.free();
                    closed.complete(null);
                }))));
    }

    private CompletableFuture<AdminResult> shutDown()
    {
        final CompletableFuture<AdminResult> shutDown =
            admin(AdminCommand.getProperty(ControllerProperty.CONFIGURATION, 4))
            .thenCompose((answer) -> admin(AdminCommand.setProperty(ControllerProperty.CONFIGURATION,
                answer.result0() & ~ControllerConfiguration.SHUTDOWN_MASK | ControllerConfiguration.SHUTDOWN_NORMAL)));
        reactor.execute(() -> reactor.schedule(reactor.nowNs() + TimeUnit.MILLISECONDS.toNanos(SHUTDOWN_TIMEOUT_MS),
            (nowNs) -> shutDown.completeExceptionally(new InitiatorException("controller does not shut down"))));
        return shutDown;
    }

    /**
     * As {@link #closeAsync()}, and waits for it. Any thread but a reactor's.
     */
    @Override
    public void close()
    {
        Reactor.checkMayBlock("the end of a controller");
        closeAsync().join();
    }
}
