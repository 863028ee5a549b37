package io.millrace.dataplane;

import io.millrace.dataplane.OperationException.Reason;
import io.millrace.dataplane.config.QosSettings;
import io.millrace.dataplane.config.SubsystemSettings;
import io.millrace.dataplane.snapshot.SubsystemSnapshot;
import io.millrace.nvmf.Subsystem;
import io.millrace.nvmf.config.Nqn;
import io.millrace.nvmf.config.SubsystemConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The subsystems of a running data plane. Any thread but the reactors'; futures may complete on a reactor, so dependent
 * actions must not block.
 */
public final class Subsystems
{
    private final Operations operations;
    private final Namespaces namespaces;
    private final SpdkTarget spdk;

    Subsystems(final Operations operations, final Devices devices, final SpdkTarget spdk)
    {
        this.operations = operations;
        this.spdk = spdk;
        namespaces = new Namespaces(operations, devices, this, spdk);
    }

    /**
     * Makes a subsystem with its hosts, ANA states and namespaces, all or nothing, and begins to serve it.
     *
     * @param settings settings; model may be null for the default.
     * @throws OperationException when the name is taken, or a host, ANA state or namespace is invalid.
     */
    public void create(final SubsystemSettings settings)
    {
        synchronized (operations)
        {
            operations.checkOpen();
            final String nqn = settings.nqn();
            final Subsystem subsystem = make(settings);
            checkQos(settings);
            if (!settings.qos().isEmpty())
            {
                spdk.checkAbsent("limits of subsystem " + nqn, Qos.NOT_SPDKS);
            }
            final List<Integer> added = new ArrayList<>();
            try
            {
                for (final SubsystemSettings.AnaSettings each : settings.ana())
                {
                    AnaStates.prepare(subsystem, each);
                }
                for (final SubsystemSettings.NamespaceSettings each : settings.namespaces())
                {
                    namespaces.attach(subsystem, each);
                    added.add(each.nsid());
                }
                spdk.addSubsystem(subsystem);
                addToTarget(subsystem);
                settings.qos().forEach((each) -> limit(subsystem, each));
            }
            catch (final RuntimeException e)
            {
                // No reactor uses it yet.
                added.forEach((nsid) -> namespaces.detach(subsystem, nsid).user(null));
                throw e instanceof IllegalArgumentException ?
                    new OperationException(Reason.INVALID, "", e.getMessage(), "", e) : e;
            }
            operations.publish(ResourceKind.SUBSYSTEM, ResourceChange.CREATED, nqn);
            settings.hosts().forEach((host) ->
                operations.publish(ResourceKind.HOST, ResourceChange.CREATED, nqn + '/' + host));
            added.forEach((nsid) -> operations.publish(ResourceKind.NAMESPACE, ResourceChange.CREATED, nqn + '/' +
                nsid));
        }
    }

    private void addToTarget(final Subsystem subsystem)
    {
        try
        {
            operations.target().addSubsystem(subsystem);
        }
        catch (final IllegalArgumentException e)
        {
            spdk.removeSubsystem(subsystem);
            throw e;
        }
    }

    /**
     * Ends serving a subsystem, at once for new commands: its hosts are disconnected and its namespaces removed.
     *
     * @param nqn NQN of the subsystem.
     * @return done when its controllers are gone and its devices are free.
     * @throws OperationException when it is not there.
     */
    public CompletableFuture<Void> delete(final String nqn)
    {
        synchronized (operations)
        {
            operations.checkOpen();
            final Subsystem subsystem = require(nqn);
            spdk.removeSubsystem(subsystem);
            final List<ManagedDevice> devices = namespaces.detachAll(subsystem);
            final CompletableFuture<Void> done = operations.target().removeSubsystem(nqn)
                .thenAccept((removed) -> devices.forEach((device) -> device.user(null)));
            devices.forEach((device) -> device.leaving(done));
            operations.publish(ResourceKind.SUBSYSTEM, ResourceChange.DELETED, nqn);
            return done;
        }
    }

    /**
     * {@return the subsystems in the order they were made}
     */
    public List<SubsystemSnapshot> list()
    {
        return operations.target().subsystems().stream().map(Subsystems::snapshot).toList();
    }

    /**
     * {@return a subsystem}
     *
     * @param nqn NQN of the subsystem.
     * @throws OperationException when it is not there.
     */
    public SubsystemSnapshot get(final String nqn)
    {
        return snapshot(require(nqn));
    }

    Namespaces namespaces()
    {
        return namespaces;
    }

    /**
     * {@return a subsystem}
     *
     * @param nqn NQN of the subsystem.
     */
    Subsystem require(final String nqn)
    {
        final Subsystem subsystem = null == nqn || Nqn.DISCOVERY.equals(nqn) ?
            null : operations.target().subsystem(nqn);
        if (null == subsystem)
        {
            throw OperationException.missing("subsystem " + nqn, operations.target().subsystems().stream()
                .map(Subsystem::nqn).filter((each) -> !Nqn.DISCOVERY.equals(each)).toList(), "subsystems");
        }
        return subsystem;
    }

    /**
     * {@return one subsystem, or all}
     *
     * @param nqn of one; null for all.
     */
    List<Subsystem> select(final String nqn)
    {
        return null == nqn ? operations.target().subsystems() : List.of(require(nqn));
    }

    private Subsystem make(final SubsystemSettings settings)
    {
        final String nqn = settings.nqn();
        if (null != nqn && null != operations.target().subsystem(nqn))
        {
            throw new OperationException(Reason.EXISTS, "subsystem " + nqn,
                Nqn.DISCOVERY.equals(nqn) ? "belongs to discovery" : "already exists", "choose another NQN");
        }
        try
        {
            Nqn.check("subsystem", nqn);
            return new Subsystem(new SubsystemConfig(nqn, settings.allowAnyHost(), Set.copyOf(settings.hosts()),
                null == settings.serial() ? SubsystemConfig.serialNumberOf(nqn) : settings.serial(),
                null == settings.model() ? SubsystemSettings.MODEL_DEFAULT : settings.model()));
        }
        catch (final IllegalArgumentException e)
        {
            throw new OperationException(Reason.INVALID, "", e.getMessage(), "", e);
        }
    }

    private static void checkQos(final SubsystemSettings settings)
    {
        for (final QosSettings each : settings.qos())
        {
            final String problem = each.isNamespace() ?
                settings.namespaces().stream().anyMatch((namespace) -> each.nsid() == namespace.nsid()) ? null :
                    "does not exist" :
                Nqn.problem(each.hostNqn());
            if (null != problem)
            {
                throw new OperationException(Reason.INVALID, "limits of subsystem " + settings.nqn() +
                    (each.isNamespace() ? ": namespace " + each.nsid() : ": host"), problem, "");
            }
        }
    }

    private static void limit(final Subsystem subsystem, final QosSettings settings)
    {
        if (settings.isNamespace())
        {
            subsystem.qos().limitNamespace(settings.nsid(), settings.limits());
        }
        else
        {
            subsystem.qos().limitHost(settings.hostNqn(), settings.limits());
        }
    }

    private static SubsystemSnapshot snapshot(final Subsystem subsystem)
    {
        return new SubsystemSnapshot(subsystem.nqn(), subsystem.config().serialNumber(),
            subsystem.config().modelNumber(), subsystem.allowsAnyHost(), subsystem.namespaceCount(),
            subsystem.controllers().count());
    }
}
