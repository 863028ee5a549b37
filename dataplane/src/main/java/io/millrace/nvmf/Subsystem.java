package io.millrace.nvmf;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

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
        /** Tells where others are. */
        DISCOVERY
    }

    private static final Namespace[] NOTHING = {};

    private final Type type;
    private final String nqn;
    private final SubsystemConfig config;
    private final ConcurrentHashMap<Integer, Controller> controllers = new ConcurrentHashMap<>();
    private final CopyOnWriteArrayList<NamespaceCounters> counters = new CopyOnWriteArrayList<>();
    private final NamespaceCounters retiredCounters = new NamespaceCounters();
    private int lastControllerId;
    private volatile Namespace[] namespaces = NOTHING;
    private volatile Target target;

    /**
     * Makes a subsystem without namespaces.
     *
     * @param config of it.
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
     * Adds a namespace. Connected hosts are told.
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
        final Namespace[] changed = Arrays.copyOf(namespaces, Math.max(namespaces.length, nsid + 1));
        changed[nsid] = namespace;
        namespaces = changed;
        onNamespacesChanged(nsid);
    }

    /**
     * Takes a namespace away. New commands to it fail at once; connected hosts are told.
     *
     * @param nsid of it.
     * @return done when no reactor uses its device for it any more, so that the device can be closed.
     */
    public synchronized CompletableFuture<Void> removeNamespace(final int nsid)
    {
        if (null == namespace(nsid))
        {
            return CompletableFuture.completedFuture(null);
        }
        final Namespace[] changed = namespaces.clone();
        changed[nsid] = null;
        namespaces = changed;
        return onNamespacesChanged(nsid);
    }

    /**
     * {@return a namespace, or null when there is none}
     *
     * @param nsid of it.
     */
    public Namespace namespace(final int nsid)
    {
        final Namespace[] current = namespaces;
        return nsid > 0 && nsid < current.length ? current[nsid] : null;
    }

    /**
     * {@return the namespaces in order of their ids}
     */
    public List<Namespace> namespaces()
    {
        return Arrays.stream(namespaces).filter((n) -> null != n).toList();
    }

    /**
     * {@return how many controllers hosts have on it}
     */
    public int controllerCount()
    {
        return controllers.size();
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
     * {@return namespaces by their ids as long as the subsystem is served}
     */
    Namespace[] served()
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
    }

    /**
     * Ends being served: controllers are disconnected.
     *
     * @return done when no reactor uses its devices any more.
     */
    synchronized CompletableFuture<Void> detach()
    {
        final Target former = target;
        target = null;
        for (final Controller controller : controllers.values())
        {
            controller.end("subsystem " + nqn + " is no longer served");
        }
        return drain(former);
    }

    /**
     * Gives a new controller an id. Reactors of admin queues.
     *
     * @param controller  without an id.
     * @param controllersMax of the subsystem.
     * @return whether there was one free.
     */
    synchronized boolean addController(final Controller controller, final int controllersMax)
    {
        if (controllers.size() >= controllersMax || null == target)
        {
            return false;
        }
        // Ids go round, so that a host which comes late with an old one does not meet another's controller.
        do
        {
            lastControllerId = lastControllerId % TargetConfig.CONTROLLERS_MAX + 1;
        }
        while (controllers.containsKey(lastControllerId));
        controller.id(lastControllerId);
        controllers.put(lastControllerId, controller);
        return true;
    }

    void removeController(final Controller controller)
    {
        controllers.remove(controller.id(), controller);
    }

    Controller controller(final int controllerId)
    {
        return controllers.get(controllerId);
    }

    List<Controller> controllers()
    {
        return new ArrayList<>(controllers.values());
    }

    void addCounters(final NamespaceCounters added)
    {
        counters.add(added);
    }

    synchronized void retireCounters(final NamespaceCounters removed)
    {
        counters.remove(removed);
        retiredCounters.add(removed);
    }

    /**
     * {@return numbers of all reactors and of namespaces that are gone}
     */
    synchronized NamespaceCounters totals()
    {
        final NamespaceCounters totals = new NamespaceCounters();
        totals.add(retiredCounters);
        counters.forEach(totals::add);
        return totals;
    }

    /**
     * {@return whether a flush of some namespace does something}
     */
    boolean hasVolatileCache()
    {
        return Arrays.stream(namespaces).anyMatch((n) -> null != n && n.device().geometry().volatileWriteCache());
    }

    /**
     * {@return whether every namespace can write zeroes}
     */
    boolean supportsWriteZeroes()
    {
        return Arrays.stream(namespaces).allMatch((n) -> null == n || n.device().geometry().supportsWriteZeroes());
    }

    private CompletableFuture<Void> onNamespacesChanged(final int nsid)
    {
        for (final Controller controller : controllers.values())
        {
            controller.onNamespaceChanged(nsid);
        }
        return drain(target);
    }

    private CompletableFuture<Void> drain(final Target servedBy)
    {
        return null == servedBy ? CompletableFuture.completedFuture(null) : servedBy.onNamespacesChanged(this);
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
