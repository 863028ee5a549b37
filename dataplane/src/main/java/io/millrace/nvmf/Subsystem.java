package io.millrace.nvmf;

import io.millrace.block.BlockGeometry;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.config.ControllerIds;
import io.millrace.nvmf.config.Nqn;
import io.millrace.nvmf.config.SubsystemConfig;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.nvmf.namespace.NamespaceCounters;
import io.millrace.nvmf.namespace.NamespaceSnapshot;
import io.millrace.nvmf.namespace.NamespaceTable;
import io.millrace.nvmf.namespace.NamespaceTotals;
import io.millrace.nvmf.namespace.ServedNamespace;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A set of namespaces under one name, and the controllers that hosts have on it. Any thread may call it: what reactors
 * see is replaced as a whole.
 */
public final class Subsystem
{
    /** Kinds of subsystem. */
    enum Type
    {
        /** Serves namespaces. */
        NVM,
        /** Lists the other subsystems. */
        DISCOVERY
    }

    private static final NamespaceTable NOTHING = new NamespaceTable();

    private final Type type;
    private final String nqn;
    private final SubsystemConfig config;
    private final AccessList access;
    private final NamespaceTable namespaces = new NamespaceTable();
    private final SubsystemControllers controllers = new SubsystemControllers();
    private final Set<NamespaceCounters> counters = ConcurrentHashMap.newKeySet();
    private final NamespaceTotals retiredCounters = new NamespaceTotals();
    private final SubsystemAna ana = new SubsystemAna(this);
    private final SubsystemQos qos = new SubsystemQos(this);
    private volatile Target target;

    /**
     * Makes a subsystem without namespaces.
     *
     * @param config configuration.
     * @throws IllegalArgumentException when its name is the discovery service's.
     */
    public Subsystem(final SubsystemConfig config)
    {
        this(Type.NVM, config.nqn(), config);
        if (Nqn.DISCOVERY.equals(nqn))
        {
            throw new IllegalArgumentException("subsystem: NQN '" + nqn +
                "' belongs to the discovery service: choose another");
        }
    }

    private Subsystem(final Type type, final String nqn, final SubsystemConfig config)
    {
        this.type = type;
        this.nqn = nqn;
        this.config = config;
        access = new AccessList(config.allowAnyHost(), config.hostNqns());
    }

    /**
     * {@return a discovery subsystem}
     *
     * @param target that it tells of.
     */
    static Subsystem discovery(final Target target)
    {
        final Subsystem subsystem = new Subsystem(Type.DISCOVERY, Nqn.DISCOVERY,
            SubsystemConfig.open(Nqn.DISCOVERY));
        subsystem.target = target;
        return subsystem;
    }

    /**
     * {@return settings it was made with}
     */
    public SubsystemConfig config()
    {
        return config;
    }

    /**
     * {@return its name}
     */
    public String nqn()
    {
        return nqn;
    }

    /**
     * Adds a namespace. Connected hosts are notified when every reactor serves it.
     *
     * @param namespace to add.
     * @throws IllegalArgumentException when its id is taken or its device cannot be served.
     */
    public synchronized void addNamespace(final Namespace namespace)
    {
        final int nsid = namespace.nsid();
        if (null != namespace(nsid))
        {
            throw new IllegalArgumentException("subsystem " + nqn + ": nsid " + nsid + " is taken: choose another");
        }
        if (null != target)
        {
            checkDevice(namespace, target);
        }
        namespaces.set(nsid, new ServedNamespace(namespace));
        ana.onNamespaceChanged(namespace.anaGroup());
        onNamespaceChanged(nsid).thenRun(() -> notifyHosts(nsid));
    }

    /**
     * Removes a namespace. New commands to it fail at once; connected hosts are notified.
     *
     * @param nsid namespace id.
     * @return done when no reactor uses its device for it any more, so that the device can be closed.
     */
    public synchronized CompletableFuture<Void> removeNamespace(final int nsid)
    {
        final Namespace namespace = namespace(nsid);
        if (null == namespace)
        {
            return CompletableFuture.completedFuture(null);
        }
        namespaces.set(nsid, null);
        ana.onNamespaceChanged(namespace.anaGroup());
        notifyHosts(nsid);
        return onNamespaceChanged(nsid);
    }

    /**
     * The device of a namespace has grown: every reactor takes the new size, then connected hosts are notified.
     *
     * @param nsid namespace id; one that is not there is left alone.
     * @return done when hosts may use the new size.
     */
    public synchronized CompletableFuture<Void> onDeviceGrown(final int nsid)
    {
        final ServedNamespace served = namespaces.get(nsid);
        if (null == served)
        {
            return CompletableFuture.completedFuture(null);
        }
        final BlockGeometry grown = served.namespace().device().geometry();
        return onNamespaceChanged(nsid).thenRun(() ->
        {
            served.geometry(grown);
            notifyHosts(nsid);
        });
    }

    /**
     * {@return the controllers that hosts have on it}
     */
    public SubsystemControllers controllers()
    {
        return controllers;
    }

    /**
     * {@return limits of its namespaces and hosts}
     */
    public SubsystemQos qos()
    {
        return qos;
    }

    /**
     * {@return a namespace, or null when there is none}
     *
     * @param nsid namespace id.
     */
    public Namespace namespace(final int nsid)
    {
        final ServedNamespace served = namespaces.get(nsid);
        return null == served ? null : served.namespace();
    }

    /**
     * {@return the namespaces in order of their ids}
     */
    public List<Namespace> namespaces()
    {
        return namespaces.list().stream().map(ServedNamespace::namespace).toList();
    }

    /**
     * {@return how many namespaces it has}
     */
    public int namespaceCount()
    {
        return namespaces.count();
    }

    /**
     * {@return the namespaces with what was done to them, in order of their ids; reactors are not interrupted}
     */
    public List<NamespaceSnapshot> namespaceSnapshots()
    {
        final List<ServedNamespace> present = namespaces.list();
        final NamespaceTotals[] totals =
            new NamespaceTotals[present.isEmpty() ? 1 : present.getLast().namespace().nsid() + 1];
        for (final NamespaceCounters each : counters)
        {
            // What reactors counted for a former namespace of the same id is not this one's.
            final int nsid = each.namespace().nsid();
            if (nsid < totals.length && each.namespace() == namespace(nsid))
            {
                totals[nsid] = null == totals[nsid] ? new NamespaceTotals() : totals[nsid];
                each.addTo(totals[nsid]);
            }
        }
        final List<NamespaceSnapshot> snapshots = new ArrayList<>(present.size());
        for (final ServedNamespace served : present)
        {
            final NamespaceTotals counted = totals[served.namespace().nsid()];
            snapshots.add(NamespaceSnapshot.of(nqn, served, null == counted ? new NamespaceTotals() : counted));
        }
        return snapshots;
    }

    /**
     * {@return whether a host may connect}
     *
     * @param hostNqn of the host.
     */
    public boolean allows(final String hostNqn)
    {
        return access.allows(hostNqn);
    }

    /**
     * {@return whether every host may connect}
     */
    public boolean allowsAnyHost()
    {
        return access.allowAnyHost();
    }

    /**
     * {@return the allowed hosts, sorted by name}
     */
    public List<String> hosts()
    {
        return access.list();
    }

    /**
     * {@return whether a host is on the list of allowed hosts}
     *
     * @param hostNqn of the host.
     */
    public boolean hasHost(final String hostNqn)
    {
        return access.contains(hostNqn);
    }

    /**
     * Allows every host, or only those on the list; other connected hosts are disconnected then.
     *
     * @param isAnyAllowed which of both.
     * @return done when hosts that may no longer be there are gone.
     */
    public synchronized CompletableFuture<Void> allowAnyHost(final boolean isAnyAllowed)
    {
        access.allowAnyHost(isAnyAllowed);
        return onAccessChanged();
    }

    /**
     * Adds a host to the list of allowed hosts.
     *
     * @param hostNqn of the host.
     * @return false when it was already.
     * @throws IllegalArgumentException when it is no NQN.
     */
    public synchronized boolean allowHost(final String hostNqn)
    {
        Nqn.check("subsystem " + nqn + ": host", hostNqn);
        if (!access.add(hostNqn))
        {
            return false;
        }
        onAccessChanged();
        return true;
    }

    /**
     * Removes a host from the list of allowed hosts. Unless every host is allowed, it is disconnected and cannot
     * connect again.
     *
     * @param hostNqn of the host.
     * @return done when it is gone.
     */
    public synchronized CompletableFuture<Void> denyHost(final String hostNqn)
    {
        access.remove(hostNqn);
        return onAccessChanged();
    }

    /**
     * {@return its asymmetric namespace access}
     */
    public SubsystemAna ana()
    {
        return ana;
    }

    boolean isDiscovery()
    {
        return Type.DISCOVERY == type;
    }

    boolean isServed()
    {
        return null != target;
    }

    /**
     * {@return what serves it; null when nothing does}
     */
    Target target()
    {
        return target;
    }

    /**
     * {@return namespaces by their ids as long as the subsystem is served}
     */
    NamespaceTable served()
    {
        return isServed() ? namespaces : NOTHING;
    }

    /**
     * Begins to be served.
     *
     * @param newTarget that serves it.
     * @throws IllegalArgumentException when another does, or a device cannot be served.
     */
    synchronized void attach(final Target newTarget)
    {
        if (null != target)
        {
            throw new IllegalArgumentException("subsystem " + nqn + " is served already: make another");
        }
        for (final Namespace namespace : namespaces())
        {
            checkDevice(namespace, newTarget);
        }
        target = newTarget;
        ana.onServed();
    }

    /**
     * Ends being served: controllers are disconnected.
     *
     * @return done when they are gone and no reactor uses its devices any more.
     */
    synchronized CompletableFuture<Void> detach()
    {
        final Target former = target;
        target = null;
        final List<CompletableFuture<Void>> parts = new ArrayList<>();
        for (final Controller controller : controllers.list())
        {
            parts.add(controller.end("subsystem " + nqn + " is no longer served"));
        }
        parts.add(former.onSubsystemRemoved(this));
        return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new));
    }

    /**
     * Assigns an id to a new controller if its host is allowed: a host that is denied later is found among the
     * controllers. Reactors of admin queues.
     *
     * @param controller  without an id.
     * @param controllersMax of the subsystem.
     * @param ids            that it may get one of.
     * @return status of its Connect command.
     */
    synchronized int addController(final Controller controller, final int controllersMax, final ControllerIds ids)
    {
        if (!isDiscovery() && !access.allows(controller.hostNqn()))
        {
            return NvmeStatus.CONNECT_INVALID_HOST | NvmeStatus.DO_NOT_RETRY;
        }
        if (controllers.count() >= controllersMax || null == target)
        {
            return NvmeStatus.CONNECT_CONTROLLER_BUSY;
        }
        controller.anaPath(ana.path(controller.adminQueuePair().local()));
        return controllers.add(controller, ids) ? NvmeStatus.SUCCESS : NvmeStatus.CONNECT_CONTROLLER_BUSY;
    }

    /**
     * {@return a namespace as reported to hosts, or null when there is none}
     *
     * @param nsid namespace id; any number.
     */
    ServedNamespace servedNamespace(final int nsid)
    {
        return namespaces.get(nsid);
    }

    /**
     * {@return the namespaces as reported to hosts, in order of their ids}
     */
    List<ServedNamespace> servedNamespaces()
    {
        return namespaces.list();
    }

    void addCounters(final NamespaceCounters added)
    {
        counters.add(added);
    }

    synchronized void retireCounters(final NamespaceCounters removed)
    {
        counters.remove(removed);
        removed.addTo(retiredCounters);
    }

    /**
     * {@return numbers of all reactors and of namespaces that are gone}
     */
    synchronized NamespaceTotals totals()
    {
        final NamespaceTotals totals = new NamespaceTotals();
        totals.add(retiredCounters);
        counters.forEach((each) -> each.addTo(totals));
        return totals;
    }

    /**
     * {@return whether a flush of some namespace does something}
     */
    boolean hasVolatileCache()
    {
        return namespaces.list().stream().anyMatch((each) -> each.geometry().volatileWriteCache());
    }

    /**
     * {@return whether every namespace can copy}
     */
    boolean supportsCopy()
    {
        return namespaces.list().stream().allMatch((each) -> each.geometry().supportsCopy());
    }

    private void notifyHosts(final int nsid)
    {
        for (final Controller controller : controllers.list())
        {
            controller.onNamespaceChanged(nsid);
        }
    }

    private CompletableFuture<Void> onNamespaceChanged(final int nsid)
    {
        final Target servedBy = target;
        return null == servedBy ? CompletableFuture.completedFuture(null) : servedBy.onNamespaceChanged(this, nsid);
    }

    private CompletableFuture<Void> onAccessChanged()
    {
        final Target servedBy = target;
        if (null != servedBy)
        {
            servedBy.onDiscoveryChanged();
        }
        final List<CompletableFuture<Void>> parts = new ArrayList<>();
        for (final Controller controller : controllers.list())
        {
            if (!access.allows(controller.hostNqn()))
            {
                parts.add(controller.end("host may no longer access the subsystem"));
            }
        }
        return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new));
    }

    private void checkDevice(final Namespace namespace, final Target servedBy)
    {
        final int transferBytes = servedBy.config().maxTransferBytes();
        final int deviceBytes = namespace.device().geometry().maxTransferBytes();
        if (deviceBytes < transferBytes)
        {
            throw new IllegalArgumentException("subsystem " + nqn + ": device " + namespace.device().name() +
                " takes at most " + deviceBytes + " bytes at once, below the target's largest transfer of " +
                transferBytes + ": lower that");
        }
    }
}
