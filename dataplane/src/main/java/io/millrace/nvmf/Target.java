package io.millrace.nvmf;

import io.millrace.nvmf.config.ControllerIds;
import io.millrace.nvmf.config.Nqn;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.config.TargetListener;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.Kernel;
import io.millrace.reactor.LinuxKernel;
import io.millrace.reactor.Reactor;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;

/**
 * The served subsystems and their addresses. Any thread may call it: what reactors see is replaced as a whole.
 */
public final class Target
{
    /**
     * An address of discovery.
     *
     * @param portId        its number in the log, from 1.
     * @param address       start address.
     * @param discoveryOnly other subsystems are not reached there.
     */
    record Listener(int portId, TransportAddress address, boolean discoveryOnly)
    {
        /**
         * {@return whether a host that came in on an address came to this listener}
         *
         * @param local address it came in on.
         */
        boolean takes(final TransportAddress local)
        {
            return address.transportType() == local.transportType() &&
                address.serviceId().equals(local.serviceId()) &&
                (address.isWildcard() || address.address().equals(local.address()));
        }
    }

    private final TargetConfig config;
    private final TargetListener listener;
    private final Subsystem discovery = Subsystem.discovery(this);
    private final CopyOnWriteArrayList<PollGroup> pollGroups = new CopyOnWriteArrayList<>();
    private final AtomicLong discoveryGeneration = new AtomicLong();
    private final Kernel kernel;
    private final long startNs;
    private final ConcurrentHashMap<String, Subsystem> subsystems = new ConcurrentHashMap<>();
    /** The same by when they were added. */
    private final ConcurrentSkipListMap<Long, Subsystem> ordered = new ConcurrentSkipListMap<>();
    private final Map<Subsystem, Long> orders = new IdentityHashMap<>();
    private long lastOrder;
    private volatile boolean acceptsControllers = true;
    private volatile List<Listener> listeners = List.of();
    private volatile ControllerIds controllerIds;
    private volatile boolean reservesIds;

    /**
     * Makes a target that serves nothing yet but the discovery service.
     *
     * @param config limits of the target.
     */
    public Target(final TargetConfig config)
    {
        this(config, TargetListener.NONE);
    }

    /**
     * Makes a target that serves nothing yet but the discovery service.
     *
     * @param config   limits of the target.
     * @param listener notified of hosts that come and go.
     */
    public Target(final TargetConfig config, final TargetListener listener)
    {
        this(config, listener, LinuxKernel.INSTANCE);
    }

    /**
     * Makes a target that serves nothing yet but the discovery service.
     *
     * @param config   limits of the target.
     * @param listener notified of hosts that come and go.
     * @param kernel   of the reactors that serve it.
     */
    public Target(final TargetConfig config, final TargetListener listener, final Kernel kernel)
    {
        this.config = config;
        this.listener = listener;
        this.kernel = kernel;
        startNs = kernel.nanoTime();
        controllerIds = config.controllerIds();
    }

    /**
     * {@return limits it was made with}
     */
    public TargetConfig config()
    {
        return config;
    }

    /**
     * {@return the ids that new controllers get, by this target or another of the data plane}
     */
    public ControllerIds controllerIds()
    {
        return controllerIds;
    }

    /**
     * Sets the ids that controllers get from now on; those that are there keep theirs.
     *
     * @param range of the ids.
     */
    public void controllerIds(final ControllerIds range)
    {
        controllerIds = range;
    }

    /**
     * Keeps a part of the ids for another target that serves the same subsystems, or not any more.
     *
     * @param isReserving which of both; controllers that have such ids keep them.
     */
    public void reserveIds(final boolean isReserving)
    {
        reservesIds = isReserving;
    }

    /**
     * {@return the ids that this target gives to new controllers}
     */
    public ControllerIds newControllerIds()
    {
        final ControllerIds all = controllerIds;
        return reservesIds ? all.unreserved() : all;
    }

    /**
     * Begins to serve a subsystem. Hosts with a discovery controller are notified.
     *
     * @param subsystem to serve.
     * @throws IllegalArgumentException when the name is taken, another target serves it or a device of it cannot be
     *     served.
     */
    public synchronized void addSubsystem(final Subsystem subsystem)
    {
        if (subsystems.containsKey(subsystem.nqn()))
        {
            throw new IllegalArgumentException(
                "subsystem " + subsystem.nqn() + " already exists: choose another NQN");
        }
        subsystem.attach(this);
        lastOrder++;
        orders.put(subsystem, lastOrder);
        ordered.put(lastOrder, subsystem);
        subsystems.put(subsystem.nqn(), subsystem);
        onDiscoveryChanged();
    }

    /**
     * Ends serving a subsystem: its controllers are disconnected. Hosts with a discovery controller are notified.
     *
     * @param nqn NQN of the subsystem.
     * @return done when its controllers are gone and no reactor uses its devices for it any more; false when there was
     *     none.
     */
    public synchronized CompletableFuture<Boolean> removeSubsystem(final String nqn)
    {
        final Subsystem removed = subsystems.remove(nqn);
        if (null == removed)
        {
            return CompletableFuture.completedFuture(false);
        }
        ordered.remove(orders.remove(removed));
        final CompletableFuture<Void> drained = removed.detach();
        onDiscoveryChanged();
        return drained.thenApply((nothing) -> true);
    }

    /**
     * {@return a subsystem, or null when there is none}
     *
     * @param nqn NQN of the subsystem; the discovery service's name included.
     */
    public Subsystem subsystem(final String nqn)
    {
        return Nqn.DISCOVERY.equals(nqn) ? discovery : subsystems.get(nqn);
    }

    /**
     * {@return what is served, without the discovery service, in the order it was added}
     */
    public List<Subsystem> subsystems()
    {
        return new ArrayList<>(ordered.values());
    }

    /**
     * Accepts new controllers, or answers Connect with Controller Busy, which hosts retry later. Existing controllers
     * continue, and their hosts may connect more I/O queues.
     *
     * @param isTaking which of both.
     */
    public void acceptControllers(final boolean isTaking)
    {
        acceptsControllers = isTaking;
    }

    /**
     * Holds I/O commands that come from now on, or lets them go on. Those under way end as they would; admin queues are
     * not touched.
     *
     * @param isPaused which of both.
     * @return done when every reactor does so.
     */
    public CompletableFuture<Void> pause(final boolean isPaused)
    {
        return onReactors((pollGroup, done) ->
        {
            pollGroup.pause(isPaused);
            done.complete(null);
        });
    }

    /**
     * {@return the discovery service}
     */
    public Subsystem discovery()
    {
        return discovery;
    }

    /**
     * Adds an address of every subsystem to the discovery log. A wildcard address is reported as the one that the
     * asking host came in on.
     *
     * @param address that a transport listens on.
     */
    public void addListener(final TransportAddress address)
    {
        addListener(address, false);
    }

    /**
     * Adds an address of the discovery service alone to the discovery log, such as that of port 8009: a host that
     * connects to all entries would otherwise connect to each subsystem twice.
     *
     * @param address that a transport listens on.
     */
    public void addDiscoveryListener(final TransportAddress address)
    {
        addListener(address, true);
    }

    /**
     * Removes an address from the discovery log.
     *
     * @param address that was added.
     * @return false when it was not there.
     */
    public synchronized boolean removeListener(final TransportAddress address)
    {
        final List<Listener> changed = new ArrayList<>(listeners);
        if (!changed.removeIf((each) -> each.address().equals(address)))
        {
            return false;
        }
        listeners = List.copyOf(changed);
        onDiscoveryChanged();
        return true;
    }

    /**
     * {@return addresses that transports listen on}
     */
    public List<TransportAddress> listeners()
    {
        return listeners.stream().map(Listener::address).toList();
    }

    /**
     * {@return how often the discovery log has changed}
     */
    public long discoveryGeneration()
    {
        return discoveryGeneration.get();
    }

    /**
     * {@return listener for what an operator should know}
     */
    public TargetListener listener()
    {
        return listener;
    }

    List<Listener> discoveryListeners()
    {
        return listeners;
    }

    /**
     * {@return whether other subsystems than discovery are reached at an address}
     *
     * @param local address that a host came in on.
     */
    boolean servesSubsystemsAt(final TransportAddress local)
    {
        for (final Listener each : listeners)
        {
            if (each.discoveryOnly() && each.takes(local))
            {
                return false;
            }
        }
        return true;
    }

    /**
     * {@return since when it serves, on the clock of reactors}
     */
    long startNs()
    {
        return startNs;
    }

    /**
     * {@return now, on the clock of reactors}
     */
    long nowNs()
    {
        return kernel.nanoTime();
    }

    int pollGroupCount()
    {
        return pollGroups.size();
    }

    void addPollGroup(final PollGroup pollGroup)
    {
        pollGroups.add(pollGroup);
    }

    void removePollGroup(final PollGroup pollGroup)
    {
        pollGroups.remove(pollGroup);
    }

    boolean acceptsControllers()
    {
        return acceptsControllers;
    }

    /**
     * Makes every reactor open, close or refresh the channel to a namespace.
     *
     * @param subsystem its subsystem.
     * @param nsid      that came, went or grew.
     * @return done when all have, and a removed namespace is no longer in use.
     */
    CompletableFuture<Void> onNamespaceChanged(final Subsystem subsystem, final int nsid)
    {
        return onReactors((pollGroup, done) -> pollGroup.onNamespaceChanged(subsystem, nsid, done));
    }

    /**
     * Makes every reactor close the channels of a subsystem that is no longer served.
     *
     * @param subsystem that was removed.
     * @return done when nothing of it is in use any more.
     */
    CompletableFuture<Void> onSubsystemRemoved(final Subsystem subsystem)
    {
        return onReactors((pollGroup, done) -> pollGroup.onSubsystemRemoved(subsystem, done));
    }

    /**
     * Makes every reactor apply the present limits of a namespace.
     *
     * @param subsystem its subsystem.
     * @param nsid      its id.
     * @return done when all do.
     */
    CompletableFuture<Void> onNamespaceLimited(final Subsystem subsystem, final int nsid)
    {
        return onReactors((pollGroup, done) ->
        {
            pollGroup.onNamespaceLimited(subsystem, nsid);
            done.complete(null);
        });
    }

    /**
     * Makes every reactor apply the present limits of a host.
     *
     * @param subsystem that it is on.
     * @param hostNqn   of the host.
     * @return done when all do.
     */
    CompletableFuture<Void> onHostLimited(final Subsystem subsystem, final String hostNqn)
    {
        return onReactors((pollGroup, done) ->
        {
            pollGroup.onHostLimited(subsystem, hostNqn);
            done.complete(null);
        });
    }

    /**
     * The discovery log has changed: hosts that enabled the event are notified.
     */
    void onDiscoveryChanged()
    {
        discoveryGeneration.incrementAndGet();
        for (final Controller controller : discovery.controllers().list())
        {
            controller.onDiscoveryChanged();
        }
    }

    /**
     * Runs a task on a reactor after a delay; never when there is no reactor.
     *
     * @param delayNs from now.
     * @param task    to run; must not throw.
     */
    void later(final long delayNs, final Runnable task)
    {
        for (final PollGroup pollGroup : pollGroups)
        {
            final Reactor reactor = pollGroup.reactor();
            reactor.execute(() -> reactor.schedule(reactor.nowNs() + delayNs, (nowNs) -> task.run()));
            return;
        }
    }

    private CompletableFuture<Void> onReactors(final BiConsumer<PollGroup, CompletableFuture<Void>> task)
    {
        final List<CompletableFuture<Void>> parts = new ArrayList<>();
        for (final PollGroup pollGroup : pollGroups)
        {
            final CompletableFuture<Void> part = new CompletableFuture<>();
            parts.add(part);
            pollGroup.reactor().execute(() -> task.accept(pollGroup, part));
        }
        return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new));
    }

    private synchronized void addListener(final TransportAddress address, final boolean discoveryOnly)
    {
        int portId = 1;
        for (final Listener each : listeners)
        {
            if (each.address().equals(address))
            {
                throw new IllegalArgumentException("listener " + address + " already exists: choose another port");
            }
            portId = Math.max(portId, each.portId() + 1);
        }
        final List<Listener> changed = new ArrayList<>(listeners);
        changed.add(new Listener(portId, address, discoveryOnly));
        listeners = List.copyOf(changed);
        onDiscoveryChanged();
    }
}
