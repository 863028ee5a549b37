package io.millrace.dataplane;

import io.millrace.block.BlockDeviceException;
import io.millrace.dataplane.OperationException.Reason;
import io.millrace.dataplane.snapshot.DataPlaneState;
import io.millrace.export.ExportedDevice;
import io.millrace.nvmf.ControllerSnapshot;
import io.millrace.nvmf.Subsystem;
import io.millrace.nvmf.ana.AnaPath;
import io.millrace.nvmf.config.ControllerIds;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.spdk.NvmfTarget;
import io.millrace.spdk.SpdkException;
import io.millrace.spdk.SpdkRuntime;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * SPDK's NVMe-oF target as the second target of a data plane: while it has a listener, it has the subsystems of the
 * data plane with their namespaces, hosts and ANA states, and follows each operation. Without a listener it has
 * nothing, and what follows operations does nothing. The lock of the operations is held; off the reactors.
 */
final class SpdkTarget implements AutoCloseable
{
    private final Operations operations;
    private final Devices devices;
    private final Supplier<SpdkRuntime> spdk;
    private final ExportMemory memory;
    private final Set<TransportAddress> listeners = new LinkedHashSet<>();
    /** NQNs of subsystems that SPDK did not take with the controller ids that they are to have. */
    private final Set<String> withoutIds = new TreeSet<>();
    /** Null before the first listener. */
    private SpdkRuntime runtime;

    /**
     * @param operations of the data plane.
     * @param devices    of the data plane.
     * @param spdk       starts SPDK when it does not run yet.
     * @param memory     of exported devices.
     */
    SpdkTarget(
        final Operations operations, final Devices devices, final Supplier<SpdkRuntime> spdk, final ExportMemory memory)
    {
        this.operations = operations;
        this.devices = devices;
        this.spdk = spdk;
        this.memory = memory;
    }

    private boolean serves()
    {
        return !listeners.isEmpty();
    }

    /**
     * Refuses what SPDK's target does not have, while it has a listener.
     *
     * @param subject of the refusal.
     * @param problem that ends with SPDK's target.
     */
    void checkAbsent(final String subject, final String problem)
    {
        if (serves())
        {
            throw new OperationException(Reason.UNSUPPORTED, subject, problem + ", which serves listener " +
                listeners.iterator().next().listenerName(), "remove the listeners whose provider is spdk first");
        }
    }

    /**
     * Listens on one more address.
     *
     * @param address canonical.
     * @throws OperationException when SPDK cannot, or has not what this data plane is set to.
     */
    void listen(final TransportAddress address)
    {
        final String subject = "listener " + address.listenerName();
        checkOperable(subject, address);
        try
        {
            runtime = spdk.get();
            memory.start(runtime);
            addTransport(subject, address.transportType());
            if (address.hasPort())
            {
                runtime.nvmf().addListener(
                    NvmfTarget.DISCOVERY, SpdkAna.ofPort(address), NvmfTarget.AnaState.OPTIMIZED);
            }
        }
        catch (final SpdkException e)
        {
            throw refused(subject, e);
        }
        final boolean isFirst = !serves();
        if (isFirst)
        {
            reserveIds();
        }
        listeners.add(address);
        final List<Subsystem> done = new ArrayList<>();
        try
        {
            for (final Subsystem each : operations.target().subsystems())
            {
                if (isFirst)
                {
                    addSubsystem(each);
                    done.add(each);
                }
                else
                {
                    // Its states come after it, and may be refused.
                    done.add(each);
                    final SpdkAna ana = new SpdkAna(runtime.nvmf(), each);
                    if (ana.isReached(address))
                    {
                        ana.addListener(address);
                    }
                }
            }
        }
        catch (final RuntimeException e)
        {
            withdraw(address, done);
            throw e instanceof final SpdkException cause ? refused(subject, cause) : e;
        }
        if (address.hasPort())
        {
            operations.target().addListener(address);
        }
    }

    private void addTransport(final String subject, final TransportAddress.Type type)
    {
        try
        {
            runtime.nvmf().addTransport(SpdkAna.transport(type));
        }
        catch (final SpdkException e)
        {
            throw new OperationException(Reason.FAILED, subject, e.problem(), remedy(type), e);
        }
    }

    /** {@return what a transport needs that SPDK refuses} */
    private static String remedy(final TransportAddress.Type type)
    {
        return switch (type)
        {
            case TCP -> "";
            case RDMA -> "SPDK has to be built with --with-rdma and needs an RDMA device ('rdma link'): without, " +
                "let Millrace's own target serve the listener, or use tcp";
            case VFIO_USER -> "SPDK has to be built with --with-vfio-user: build it again, and native/spdk with it";
        };
    }

    private void checkOperable(final String subject, final TransportAddress address)
    {
        if (!address.hasPort())
        {
            VfioUserSocket.check(address);
            operations.target().subsystems().forEach((each) -> VfioUserSocket.of(address, each.nqn()).checkFree());
        }
        else if (0 == address.port())
        {
            throw new OperationException(Reason.INVALID, subject, "has port 0, and SPDK chooses none", "name a port");
        }
        if (address.isWildcard())
        {
            throw new OperationException(Reason.UNSUPPORTED, subject, "has a wildcard address, and SPDK's target " +
                "refuses hosts whose connection is to another address than that of the listener",
                "add a listener for each address ('ip address')");
        }
        if (DataPlaneState.SERVING != operations.state())
        {
            throw new OperationException(Reason.UNSUPPORTED, subject, "is SPDK's, which cannot be paused or drained " +
                "as this data plane is", "resume it first");
        }
        if (operations.target().controllerIds().count() < 2)
        {
            throw new OperationException(Reason.UNSUPPORTED, subject, "needs controller ids of its own, and the data " +
                "plane has one, " + operations.target().controllerIds().first(), "give it more");
        }
        for (final Subsystem each : operations.target().subsystems())
        {
            if (!each.qos().snapshots().isEmpty())
            {
                throw new OperationException(Reason.UNSUPPORTED, subject, "is SPDK's, which has no limits, and " +
                    "subsystem " + each.nqn() + " has some", "remove them first ('millrace qos list')");
            }
        }
    }

    /** Of what is undone, or ends with the data plane, a failure is logged. */
    private void attempt(final Runnable action)
    {
        try
        {
            action.run();
        }
        catch (final SpdkException | OperationException e)
        {
            operations.onError("SPDK's target: " + e.getMessage());
        }
    }

    /**
     * Stops listening on an address. Hosts that were connected there are disconnected, and what they had under way is
     * waited for, five seconds at most for each subsystem.
     *
     * @param address that was listened on.
     * @return which devices may have commands left, a sentence; empty: none has.
     */
    String stopListening(final TransportAddress address)
    {
        operations.target().removeListener(address);
        withdraw(address, operations.target().subsystems());
        final StringJoiner problems = new StringJoiner("; ");
        for (final Subsystem each : operations.target().subsystems())
        {
            if (serves())
            {
                drain(each, problems);
            }
            else
            {
                // Subsystems end with the last listener, when what they wait for has ended.
                exported(each).forEach((device) -> problems.add("device " + device.name() + " may not have completed " +
                    "commands that came before by SPDK's target, which has not let go of it: delete the subsystem"));
            }
        }
        return problems.toString();
    }

    /** Waits for what hosts have under way that are disconnected already. */
    private void drain(final Subsystem subsystem, final StringJoiner problems)
    {
        final SpdkAna ana = new SpdkAna(runtime.nvmf(), subsystem);
        ana.drain(ana.groups(), problems);
    }

    /** What SPDK does not end is in the log, and its devices stay in use. */
    private void withdraw(final TransportAddress address, final List<Subsystem> from)
    {
        listeners.remove(address);
        for (final Subsystem each : from.reversed())
        {
            attempt(() ->
            {
                if (serves())
                {
                    new SpdkAna(runtime.nvmf(), each).removeListener(address);
                }
                else
                {
                    deleteSubsystem(each);
                    new SpdkAna(runtime.nvmf(), each).removeSocket(address);
                }
            });
        }
        removeDiscovery(address);
        operations.target().reserveIds(serves());
        if (!serves())
        {
            withoutIds.clear();
        }
    }

    private void removeDiscovery(final TransportAddress address)
    {
        if (address.hasPort())
        {
            attempt(() -> runtime.nvmf().removeListener(NvmfTarget.DISCOVERY, SpdkAna.ofPort(address)));
        }
    }

    /** Ids of controllers that hosts have already may be among those that SPDK gets. */
    private void reserveIds()
    {
        operations.target().reserveIds(true);
        final ControllerIds own = operations.target().newControllerIds();
        for (final Subsystem each : operations.target().subsystems())
        {
            for (final ControllerSnapshot controller : each.controllers().snapshots())
            {
                if (controller.controllerId() > own.last())
                {
                    each.controllers().disconnect(controller.controllerId(), "its id is needed for SPDK's target");
                }
            }
        }
    }

    /**
     * Makes a subsystem of the data plane one of SPDK's too, with all that it has; all or nothing.
     *
     * @param subsystem complete, served by the data plane or not yet.
     * @throws OperationException when SPDK refuses.
     */
    void addSubsystem(final Subsystem subsystem)
    {
        if (!serves())
        {
            return;
        }
        final String nqn = subsystem.nqn();
        final ControllerIds ids = operations.target().controllerIds().reserved();
        listeners.stream().filter((each) -> !each.hasPort())
            .forEach((each) -> VfioUserSocket.of(each, nqn).checkFree());
        try
        {
            runtime.nvmf().createSubsystem(nqn, subsystem.config().serialNumber(), subsystem.config().modelNumber(),
                subsystem.allowsAnyHost(), ids.first(), ids.last());
        }
        catch (final SpdkException e)
        {
            throw refused("subsystem " + nqn, e);
        }
        try
        {
            subsystem.hosts().forEach((host) -> runtime.nvmf().addHost(nqn, host));
            for (final Namespace each : subsystem.namespaces())
            {
                final ManagedDevice device = devices.require(each.device().name());
                device.user(ManagedDevice.User.of(subsystem, each.nsid(), export(nqn, each, device)));
            }
            final SpdkAna ana = new SpdkAna(runtime.nvmf(), subsystem);
            listeners.stream().filter(ana::isReached).forEach(ana::addListener);
        }
        catch (final RuntimeException e)
        {
            attempt(() -> deleteSubsystem(subsystem));
            throw e instanceof final SpdkException cause ? refused("subsystem " + nqn, cause) : e;
        }
    }

    /**
     * Deletes a subsystem of SPDK's, and gives its devices back.
     *
     * @param subsystem that is served no more.
     * @throws OperationException when SPDK does not end using it.
     */
    void removeSubsystem(final Subsystem subsystem)
    {
        try
        {
            if (serves())
            {
                deleteSubsystem(subsystem);
            }
            else
            {
                // What could not be removed with the last listener.
                exported(subsystem).forEach(SpdkTarget::release);
            }
        }
        catch (final SpdkException e)
        {
            throw refused("subsystem " + subsystem.nqn(), e);
        }
    }

    private void deleteSubsystem(final Subsystem subsystem)
    {
        final List<ManagedDevice> exported = exported(subsystem);
        try
        {
            runtime.nvmf().deleteSubsystem(
                subsystem.nqn(), () -> exported.forEach((each) -> each.user().export().refuse()));
            final SpdkAna ana = new SpdkAna(runtime.nvmf(), subsystem);
            listeners.forEach((each) -> attempt(() -> ana.removeSocket(each)));
        }
        finally
        {
            // A subsystem that SPDK has still loses its namespaces.
            exported.forEach(SpdkTarget::release);
        }
    }

    private List<ManagedDevice> exported(final Subsystem subsystem)
    {
        return subsystem.namespaces().stream().map((each) -> devices.require(each.device().name()))
            .filter((each) -> null != each.user() && null != each.user().export()).toList();
    }

    /**
     * Adds a namespace to a subsystem that the data plane serves.
     *
     * @param subsystem that gets it.
     * @param namespace with a device that nobody else uses.
     * @param device    of the namespace.
     * @return the device as SPDK has it; null: SPDK serves no subsystems, or not this one yet.
     * @throws OperationException when SPDK cannot serve it.
     */
    ExportedDevice addNamespace(final Subsystem subsystem, final Namespace namespace, final ManagedDevice device)
    {
        if (!serves() || subsystem != operations.target().subsystem(subsystem.nqn()))
        {
            return null;
        }
        follow("namespace " + subsystem.nqn() + '/' + namespace.nsid(), () -> listeners.forEach((address) ->
            new SpdkAna(runtime.nvmf(), subsystem).setGroup(address, namespace.anaGroup())));
        return export(subsystem.nqn(), namespace, device);
    }

    private ExportedDevice export(final String nqn, final Namespace namespace, final ManagedDevice device)
    {
        final String subject = "namespace " + nqn + '/' + namespace.nsid();
        if (namespace.nsid() > NvmfTarget.NSID_MAX)
        {
            throw new OperationException(Reason.UNSUPPORTED, subject, "NSID is above " + NvmfTarget.NSID_MAX +
                ", the largest that SPDK's target serves", "choose another, or remove the listeners whose provider " +
                "is spdk");
        }
        final ExportedDevice exported;
        try
        {
            exported = ExportedDevice.export(device.device(), "device " + device.name(), runtime, memory::buffers);
        }
        catch (final BlockDeviceException e)
        {
            throw new OperationException(Reason.FAILED, subject, e.getMessage(), "", e);
        }
        try
        {
            runtime.nvmf().addNamespace(nqn, namespace.nsid(), device.name(), namespace.uuid(), namespace.anaGroup());
        }
        catch (final SpdkException e)
        {
            exported.close();
            throw refused(subject, e);
        }
        return exported;
    }

    /**
     * Removes a namespace. Its bdev goes, and SPDK's target lets go of what has gone.
     *
     * @param subject of messages.
     * @param device  of the namespace.
     * @throws OperationException when SPDK does not end using it.
     */
    void removeNamespace(final String subject, final ManagedDevice device)
    {
        try
        {
            release(device);
        }
        catch (final SpdkException e)
        {
            throw refused(subject, e);
        }
    }

    private static void release(final ManagedDevice device)
    {
        final ManagedDevice.User user = device.user();
        if (null != user && null != user.export())
        {
            user.export().close();
            device.user(ManagedDevice.User.of(user.subsystem(), user.nsid()));
        }
    }

    /**
     * Allows a host.
     *
     * @param nqn     of the subsystem.
     * @param hostNqn not on its list yet.
     * @throws OperationException when SPDK refuses.
     */
    void allowHost(final String nqn, final String hostNqn)
    {
        follow("host " + hostNqn + " of subsystem " + nqn, () -> runtime.nvmf().addHost(nqn, hostNqn));
    }

    /**
     * Removes a host from the list, and disconnects it; it connects again if every host may.
     *
     * @param nqn     of the subsystem.
     * @param hostNqn on its list.
     * @throws OperationException when SPDK does not say that it is gone: it may have commands left.
     */
    void denyHost(final String nqn, final String hostNqn)
    {
        if (!serves())
        {
            return;
        }
        try
        {
            runtime.nvmf().removeHost(nqn, hostNqn);
        }
        catch (final SpdkException e)
        {
            throw new OperationException(Reason.FAILED, "host " + hostNqn + " of subsystem " + nqn, "is off the " +
                "list, and may have commands left that came by SPDK's target: " + e.problem(),
                "remove the namespaces whose devices do not answer, or the listeners whose provider is spdk", e);
        }
    }

    /**
     * Allows every host, or only those on the list; then all hosts of the subsystem have to connect again, as SPDK
     * does not disconnect those alone that may no longer be there. What they had under way is waited for, five seconds
     * at most. Virtual machines reach the subsystem while every host may.
     *
     * @param subsystem that is changed.
     * @param isAllowed which of both.
     * @return which devices may have commands left, a sentence; empty: none has.
     * @throws OperationException when SPDK refuses.
     */
    String allowAnyHost(final Subsystem subsystem, final boolean isAllowed)
    {
        final String nqn = subsystem.nqn();
        final StringJoiner problems = new StringJoiner("; ");
        if (!serves())
        {
            return "";
        }
        final SpdkAna ana = new SpdkAna(runtime.nvmf(), subsystem);
        final List<TransportAddress> local = listeners.stream().filter((each) -> !each.hasPort()).toList();
        if (!isAllowed)
        {
            local.forEach((each) -> attempt(problems, each, () -> ana.removeListener(each)));
        }
        follow("subsystem " + nqn, () -> runtime.nvmf().allowAnyHost(nqn, isAllowed));
        if (isAllowed)
        {
            local.forEach((each) -> attempt(problems, each, () -> ana.addListener(each)));
            return problems.toString();
        }
        for (final TransportAddress each : listeners)
        {
            if (each.hasPort())
            {
                attempt(problems, each, () -> ana.removeListener(each));
                attempt(problems, each, () -> ana.addListener(each));
            }
        }
        drain(subsystem, problems);
        return problems.toString();
    }

    private static void attempt(final StringJoiner problems, final TransportAddress address, final Runnable action)
    {
        try
        {
            action.run();
        }
        catch (final SpdkException e)
        {
            problems.add("listener " + address.listenerName() + ": " + e.problem());
        }
        catch (final OperationException e)
        {
            problems.add(e.getMessage());
        }
    }

    /** {@return whether SPDK's target has all subsystems with the controller ids that it is to have} */
    boolean hasControllerIds()
    {
        return withoutIds.isEmpty();
    }

    /**
     * New controllers get other ids: hosts of SPDK's target have to connect again. A subsystem that SPDK refuses does
     * not keep others from their ids.
     *
     * @throws OperationException naming those that SPDK's target does not have now, or with former ids.
     */
    void onControllerIdsChanged()
    {
        if (!serves())
        {
            return;
        }
        withoutIds.clear();
        reserveIds();
        final StringJoiner problems = new StringJoiner("; ");
        for (final Subsystem each : operations.target().subsystems())
        {
            // One that SPDK has lost, as by a method of its own, is made again.
            final String undeleted = problem(() -> deleteSubsystem(each));
            final String problem = problem(() -> addSubsystem(each));
            if (!problem.isEmpty())
            {
                withoutIds.add(each.nqn());
                problems.add(undeleted.isEmpty() ? problem : undeleted);
            }
        }
        if (!withoutIds.isEmpty())
        {
            throw new OperationException(Reason.FAILED, "controller ids", "are not set for subsystems " + withoutIds +
                " at SPDK's target: " + problems, "assign them again, or remove the listeners whose provider is spdk");
        }
    }

    private static String problem(final Runnable action)
    {
        try
        {
            action.run();
            return "";
        }
        catch (final SpdkException | OperationException e)
        {
            return e.getMessage();
        }
    }

    private void follow(final String subject, final Runnable action)
    {
        if (!serves())
        {
            return;
        }
        try
        {
            action.run();
        }
        catch (final SpdkException e)
        {
            throw refused(subject, e);
        }
    }

    /**
     * Sets the ANA states that have changed at the listeners. Waits until no command that came before uses a namespace
     * to which commands are refused now, five seconds at most for each.
     *
     * @param subsystem with its states now.
     * @param isAgain   whether all states are given to SPDK again, which may have refused one before, and what is
     *                  refused already is waited for again.
     * @param before    its states before, by the order of {@link #anaPaths}.
     * @return what did not succeed, a sentence; empty: all did.
     */
    String onAnaChanged(final Subsystem subsystem, final List<AnaPath> before, final boolean isAgain)
    {
        if (!serves())
        {
            return "";
        }
        final StringJoiner problems = new StringJoiner("; ");
        final SpdkAna ana = new SpdkAna(runtime.nvmf(), subsystem);
        final Set<Integer> ended = new TreeSet<>();
        int index = 0;
        for (final TransportAddress each : listeners)
        {
            try
            {
                ana.onChanged(each, before.get(index++), isAgain, ended);
            }
            catch (final SpdkException e)
            {
                problems.add("ANA of subsystem " + subsystem.nqn() + " at " + each.listenerName() + ": " +
                    e.problem());
            }
            if (isAgain)
            {
                ended.addAll(ana.inaccessible(each));
            }
        }
        // Access has ended at all listeners before one of them is waited for.
        ana.drain(ended, problems);
        return problems.toString();
    }

    /** {@return the ANA states of a subsystem at each listener} */
    List<AnaPath> anaPaths(final Subsystem subsystem)
    {
        return listeners.stream().map((each) -> subsystem.ana().path(each)).toList();
    }

    private static OperationException refused(final String subject, final SpdkException e)
    {
        return new OperationException(Reason.FAILED, subject, e.problem(), "", e);
    }

    /** Hosts are disconnected, and SPDK lets go of all devices. */
    @Override
    public void close()
    {
        synchronized (operations)
        {
            if (!serves())
            {
                return;
            }
            listeners.forEach(this::removeDiscovery);
            for (final Subsystem each : operations.target().subsystems())
            {
                attempt(() -> deleteSubsystem(each));
            }
            listeners.clear();
            if (devices.isAnyShared())
            {
                memory.keep();
            }
        }
    }
}
