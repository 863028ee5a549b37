package io.millrace.nvmf;

import io.millrace.nvme.AnaState;
import io.millrace.nvme.AsyncEvent;
import io.millrace.nvme.ControllerCapabilities;
import io.millrace.nvme.ControllerConfiguration;
import io.millrace.nvme.ControllerStatus;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.ana.AnaPath;
import io.millrace.nvmf.config.Nqn;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.queue.Association;
import io.millrace.nvmf.queue.QueuePair;
import io.millrace.nvmf.queue.QueuePairSnapshot;
import io.millrace.nvmf.queue.UnfinishedCommands;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A host's association with a subsystem (NVM Express Base 2.0, section 3.1): created by the Connect of an admin queue,
 * ended with that queue.
 * <p>
 * Lives on the reactor of its admin queue, its home: state changes, admin commands, events and timers happen there. I/O
 * queues may be on other reactors; they are added and removed through atomics, and the home reactor disconnects them
 * through their reactor's {@code execute}.
 */
final class Controller extends Association
{
    /** Longest time to wait for ready, as reported to hosts (CAP.TO); a reset takes far less. */
    static final int READY_TIMEOUT_MS = 5000;

    private final Subsystem subsystem;
    private final QueuePair adminQueuePair;
    private final byte[] hostId;
    private final KeepAlive keepAlive;
    private final FeatureValues features;
    private final AtomicReferenceArray<QueuePair> ioQueuePairs =
        new AtomicReferenceArray<>(TargetConfig.QUEUE_PAIRS_MAX + 1);
    private final AtomicInteger ioQueueCount = new AtomicInteger();
    /** I/O queues whose connection is gone while a device carries out writes that came on it. */
    private final AtomicInteger drainingCount = new AtomicInteger();
    private final Target target;
    private final CompletableFuture<Void> gone = new CompletableFuture<>();

    private volatile ControllerState state = ControllerState.DISABLED;
    private volatile int ioQueuesGranted;
    private final AnaLog anaLog = new AnaLog();
    private int configuration;
    private int aborts;
    private final String remote;
    /** Why the target ended it, null when it did not. */
    private String endReason;

    /**
     * Makes a disabled controller. Home only.
     *
     * @param target         that is served.
     * @param subsystem      it is on.
     * @param adminQueuePair that connects.
     * @param hostNqn        of the host.
     * @param hostId         of the host, 16 bytes.
     * @param keepAliveMs    timeout the host asked for; 0 for none.
     */
    Controller(
        final Target target,
        final Subsystem subsystem,
        final QueuePair adminQueuePair,
        final String hostNqn,
        final byte[] hostId,
        final int keepAliveMs)
    {
        super(subsystem.nqn(), hostNqn, adminQueuePair, noticesOf(subsystem));
        this.target = target;
        this.subsystem = subsystem;
        this.adminQueuePair = adminQueuePair;
        this.hostId = hostId;
        remote = adminQueuePair.transport().remote();
        ioQueuesGranted = target.config().queuePairsMax();
        keepAlive = new KeepAlive(this, adminQueuePair.resources().reactor(), keepAliveMs);
        features = new FeatureValues();
    }

    /**
     * {@return notices that controllers of a subsystem can send, as OAES and the asynchronous event configuration have
     * them; all are on until a host chooses}
     *
     * @param subsystem of the controller.
     */
    static int noticesOf(final Subsystem subsystem)
    {
        return subsystem.isDiscovery() ? AsyncEvent.ENABLE_DISCOVERY_NOTICES :
            AsyncEvent.ENABLE_NAMESPACE_NOTICES | AsyncEvent.ENABLE_ANA_NOTICES;
    }

    /**
     * {@return the controller of a queue pair; null before Connect}
     *
     * @param queuePair of the controller.
     */
    static Controller of(final QueuePair queuePair)
    {
        return (Controller)queuePair.association();
    }

    Subsystem subsystem()
    {
        return subsystem;
    }

    Target target()
    {
        return target;
    }

    QueuePair adminQueuePair()
    {
        return adminQueuePair;
    }

    String remote()
    {
        return remote;
    }

    byte[] hostId()
    {
        return hostId;
    }

    KeepAlive keepAlive()
    {
        return keepAlive;
    }

    FeatureValues features()
    {
        return features;
    }

    ControllerState state()
    {
        return state;
    }

    /**
     * {@return I/O queue pair, or null; any thread}
     *
     * @param queueId queue id; any number.
     */
    QueuePair ioQueuePair(final int queueId)
    {
        return queueId > 0 && queueId < ioQueuePairs.length() ? ioQueuePairs.get(queueId) : null;
    }

    /**
     * {@return its queue pairs, the admin queue first; any thread}
     */
    List<QueuePairSnapshot> queuePairSnapshots()
    {
        return Stream.concat(Stream.of(adminQueuePair),
                IntStream.range(1, ioQueuePairs.length()).mapToObj(ioQueuePairs::get).filter(Objects::nonNull))
            .map(QueuePair::snapshot).filter(Objects::nonNull).toList();
    }

    /**
     * {@return it as it is now; any thread}
     */
    ControllerSnapshot snapshot()
    {
        return new ControllerSnapshot(subsystem.nqn(), id(), Nqn.printable(hostNqn()), ioQueueCount(),
            keepAlive.timeoutMs(), state.name().toLowerCase(Locale.ROOT).replace('_', ' '));
    }

    int ioQueueCount()
    {
        return ioQueueCount.get();
    }

    int ioQueuesGranted()
    {
        return ioQueuesGranted;
    }

    void ioQueuesGranted(final int count)
    {
        ioQueuesGranted = count;
    }

    /**
     * {@return its ANA log page; only with the monitor of the subsystem held}
     */
    AnaLog anaLog()
    {
        return anaLog;
    }

    /**
     * The ANA states of its listener have changed. Any thread, with the monitor of the subsystem held.
     *
     * @param path     the states.
     * @param reported groups that are reported to its host: those with namespaces.
     * @return done when no command that came before still uses a namespace to which they are refused now, or those who
     *     have such commands have had their time: then with what devices have not completed.
     */
    CompletableFuture<List<UnfinishedCommands>> onAnaChanged(final AnaPath path, final BitSet reported)
    {
        final AnaPath before = anaPath();
        anaPath(path);
        final BitSet changed = before.difference(path);
        changed.and(reported);
        if (changed.isEmpty())
        {
            return CompletableFuture.completedFuture(List.of());
        }
        anaLog.onChanged(changed);
        if (before.groupsIn(AnaState.PERSISTENT_LOSS).intersects(changed))
        {
            // Persistent loss is for the life of a controller (section 8.1.3.4): the next one of the host has access.
            return UnfinishedCommands.all(List.of(
                end("access to an ANA group was restored").thenApply((nothing) -> List.of()), awaitRefused(changed)));
        }
        if (changed.stream().anyMatch((group) -> AnaState.CHANGE != path.state(group)))
        {
            onHome(asyncEvents()::onAnaChanged);
        }
        return awaitRefused(changed);
    }

    /**
     * The ANA states of its listener are others now, and it is gone, though maybe not all that its host brought to
     * devices. Any thread, with the monitor of the subsystem held.
     *
     * @param path   the states.
     * @param groups that have namespaces.
     * @return as of {@link #onAnaChanged}.
     */
    CompletableFuture<List<UnfinishedCommands>> onAnaChangedWhenGone(final AnaPath path, final BitSet groups)
    {
        anaPath(path);
        return awaitRefused(groups);
    }

    /**
     * {@return Abort commands under way}
     */
    int aborts()
    {
        return aborts;
    }

    void aborts(final int count)
    {
        aborts = count;
    }

    /**
     * {@return controller capabilities property}
     */
    long capabilities()
    {
        return ControllerCapabilities.ofQueueEntriesMax(target.config().queueDepthMax()) |
            ControllerCapabilities.CONTIGUOUS_QUEUES |
            ControllerCapabilities.ofTimeoutMs(READY_TIMEOUT_MS) |
            ControllerCapabilities.COMMAND_SET_NVM |
            ControllerCapabilities.COMMAND_SETS_SELECTABLE |
            ControllerCapabilities.READY_WITH_MEDIA;
    }

    /**
     * {@return controller configuration property}
     */
    int configuration()
    {
        return configuration;
    }

    /**
     * {@return controller status property. Home only: a controller that waits to be enabled is enabled by this read,
     * which hosts repeat}
     */
    int status()
    {
        if (ControllerState.ENABLING == state)
        {
            enable();
        }
        return switch (state)
        {
            case DISABLED, ENABLING -> 0;
            case READY, RESETTING -> ControllerStatus.READY;
            case SHUTTING_DOWN -> ControllerStatus.READY | ControllerStatus.SHUTDOWN_OCCURRING;
            case SHUTDOWN -> ControllerStatus.SHUTDOWN_COMPLETE |
                (ControllerConfiguration.isEnabled(configuration) ? ControllerStatus.READY : 0);
            case FAILED, DEAD -> ControllerStatus.FATAL;
        };
    }

    /**
     * {@return whether admin commands other than fabrics commands are taken}
     */
    boolean acceptsCommands()
    {
        return ControllerConfiguration.isEnabled(configuration) && ControllerStatus.isReady(status());
    }

    /**
     * Sets the controller configuration property: enable, disable, shut down. Home only.
     *
     * @param value of the property.
     * @return status of the command.
     */
    int configure(final int value)
    {
        if (!isSane(value))
        {
            return NvmeStatus.INVALID_FIELD | NvmeStatus.DO_NOT_RETRY;
        }
        final boolean wasEnabled = ControllerConfiguration.isEnabled(configuration);
        final boolean enable = ControllerConfiguration.isEnabled(value);
        final boolean shutDown = 0 != (value & ControllerConfiguration.SHUTDOWN_MASK);
        if (!wasEnabled && enable && !shutDown && !state.mayBecome(ControllerState.READY))
        {
            return NvmeStatus.COMMAND_SEQUENCE_ERROR | NvmeStatus.DO_NOT_RETRY;
        }
        configuration = value;
        if (wasEnabled && !enable)
        {
            if (state.mayBecome(ControllerState.RESETTING))
            {
                become(ControllerState.RESETTING);
                asyncEvents().abortAll();
                disconnectIoQueues("controller reset");
                onIoQueuesChanged();
            }
        }
        else if (shutDown)
        {
            shutDown();
        }
        else if (!wasEnabled && enable)
        {
            enable();
        }
        return NvmeStatus.SUCCESS;
    }

    private void enable()
    {
        if (!subsystem.controllers().isAnyEnding(this))
        {
            subsystem.ana().onEnabled(this);
            become(ControllerState.READY);
        }
        else if (ControllerState.ENABLING != state)
        {
            become(ControllerState.ENABLING);
        }
    }

    /**
     * {@return whether writes that came on queues of it may still be carried out though its host cannot see them end.
     * Any thread}
     */
    boolean isEnding()
    {
        final ControllerState now = state;
        final boolean isLeft = ControllerState.FAILED == now || ControllerState.DEAD == now ||
            ControllerState.RESETTING == now || ControllerState.SHUTTING_DOWN == now;
        return 0 != drainingCount.get() || isLeft && 0 != ioQueueCount.get();
    }

    /**
     * {@return whether it is of the same host as another one}
     *
     * @param other controller.
     */
    boolean isOfSameHost(final Controller other)
    {
        return hostNqn().equals(other.hostNqn()) && Arrays.equals(hostId, other.hostId);
    }

    /**
     * Adds an I/O queue. Any reactor.
     *
     * @param queuePair of the queue.
     * @param queueId   its id, within what was granted.
     * @return status of its Connect command.
     */
    int addIoQueue(final QueuePair queuePair, final int queueId)
    {
        if (ControllerState.READY != state || !ioQueuePairs.compareAndSet(queueId, null, queuePair))
        {
            return NvmeStatus.COMMAND_SEQUENCE_ERROR | NvmeStatus.DO_NOT_RETRY;
        }
        ioQueueCount.incrementAndGet();
        // A reset between the two checks disconnected the queues before this one was added.
        if (ControllerState.READY != state)
        {
            removeIoQueue(queuePair, queueId);
            return NvmeStatus.COMMAND_SEQUENCE_ERROR | NvmeStatus.DO_NOT_RETRY;
        }
        return NvmeStatus.SUCCESS;
    }

    @Override
    public void onDraining()
    {
        drainingCount.incrementAndGet();
    }

    @Override
    public void onDisconnected(final QueuePair queuePair, final String reason)
    {
        if (queuePair == adminQueuePair)
        {
            final boolean isShutDown = ControllerState.SHUTDOWN == state;
            become(ControllerState.DEAD);
            asyncEvents().onDisconnected();
            disconnectIoQueues("admin queue was disconnected");
            subsystem.controllers().remove(this);
            if (null == endReason)
            {
                endReason = isShutDown ? "shut down by the host" : reason;
            }
            target.listener().onDisconnected(Nqn.printable(hostNqn()), remote, subsystem.nqn(), id(), endReason);
            gone.complete(null);
        }
        else
        {
            drainingCount.decrementAndGet();
            removeIoQueue(queuePair, queuePair.id());
        }
    }

    /**
     * Enters the fatal status and disconnects everything. Home only.
     *
     * @param reason for the log.
     */
    void fail(final String reason)
    {
        if (state.mayBecome(ControllerState.FAILED))
        {
            become(ControllerState.FAILED);
            endReason = reason;
            disconnectIoQueues(reason);
            adminQueuePair.disconnect(reason);
        }
    }

    /**
     * Ends the association. Any thread.
     *
     * @param reason for the log.
     * @return done, on home, when its admin queue is disconnected and changes nothing any more.
     */
    CompletableFuture<Void> end(final String reason)
    {
        onHome(() -> fail(reason));
        return gone;
    }

    /**
     * A namespace was added or removed. Any thread.
     *
     * @param nsid namespace id.
     */
    void onNamespaceChanged(final int nsid)
    {
        onHome(() -> asyncEvents().onNamespaceChanged(nsid));
    }

    /**
     * The discovery log changed. Any thread.
     */
    void onDiscoveryChanged()
    {
        onHome(asyncEvents()::onDiscoveryChanged);
    }

    /**
     * Has commands end that came before they were refused. Any thread.
     *
     * @param groups of the namespaces that they use; those to which commands are not refused do not matter.
     * @return as of {@link #onAnaChanged}.
     */
    CompletableFuture<List<UnfinishedCommands>> awaitRefused(final BitSet groups)
    {
        if (groups.stream().noneMatch(anaPath()::isRefusing))
        {
            return CompletableFuture.completedFuture(List.of());
        }
        final List<CompletableFuture<List<UnfinishedCommands>>> parts = new ArrayList<>();
        for (int queueId = 1; queueId < ioQueuePairs.length(); queueId++)
        {
            final QueuePair queuePair = ioQueuePairs.get(queueId);
            if (null != queuePair)
            {
                final CompletableFuture<List<UnfinishedCommands>> part = new CompletableFuture<>();
                parts.add(part);
                queuePair.execute(() -> queuePair.resources().refused().await(queuePair, groups, part));
            }
        }
        return UnfinishedCommands.all(parts);
    }

    private void onHome(final Runnable task)
    {
        adminQueuePair.execute(task);
    }

    private boolean isSane(final int value)
    {
        final int commandSet = value & ControllerConfiguration.COMMAND_SET_MASK;
        if (0 != (value & (ControllerConfiguration.MEMORY_PAGE_SIZE_MASK | ControllerConfiguration.ARBITRATION_MASK)) ||
            ControllerConfiguration.SHUTDOWN_MASK == (value & ControllerConfiguration.SHUTDOWN_MASK) ||
            ControllerConfiguration.COMMAND_SET_NVM != commandSet &&
            ControllerConfiguration.COMMAND_SET_ALL != commandSet)
        {
            return false;
        }
        // Entry sizes matter where there are I/O queues, from the moment that the controller is enabled.
        return subsystem.isDiscovery() || !ControllerConfiguration.isEnabled(value) ||
            ControllerConfiguration.SUBMISSION_ENTRY_64 == (value & ControllerConfiguration.SUBMISSION_ENTRY_MASK) &&
            ControllerConfiguration.COMPLETION_ENTRY_16 == (value & ControllerConfiguration.COMPLETION_ENTRY_MASK);
    }

    private void shutDown()
    {
        if (state.mayBecome(ControllerState.SHUTTING_DOWN))
        {
            become(ControllerState.SHUTTING_DOWN);
            disconnectIoQueues("controller shutdown");
            onIoQueuesChanged();
        }
        else if (ControllerState.DISABLED == state)
        {
            become(ControllerState.SHUTDOWN);
        }
    }

    private void disconnectIoQueues(final String reason)
    {
        for (int queueId = 1; queueId < ioQueuePairs.length(); queueId++)
        {
            final QueuePair queuePair = ioQueuePairs.get(queueId);
            if (null != queuePair)
            {
                queuePair.execute(() -> queuePair.disconnect(reason));
            }
        }
    }

    private void removeIoQueue(final QueuePair queuePair, final int queueId)
    {
        if (ioQueuePairs.compareAndSet(queueId, queuePair, null) && 0 == ioQueueCount.decrementAndGet())
        {
            subsystem.controllers().onQueuesLeft(this);
            final ControllerState now = state;
            if (ControllerState.RESETTING == now || ControllerState.SHUTTING_DOWN == now)
            {
                onHome(this::onIoQueuesChanged);
            }
        }
    }

    private void onIoQueuesChanged()
    {
        if (0 == ioQueueCount.get())
        {
            if (ControllerState.RESETTING == state)
            {
                become(ControllerState.DISABLED);
            }
            else if (ControllerState.SHUTTING_DOWN == state)
            {
                become(ControllerState.SHUTDOWN);
            }
        }
    }

    private void become(final ControllerState next)
    {
        final ControllerState before = state;
        if (!before.mayBecome(next))
        {
            throw new IllegalStateException(describe() + " cannot become " + next + " from " + before);
        }
        state = next;
        keepAlive.onStateChanged();
    }
}
