package io.millrace.dataplane;

import io.millrace.dataplane.OperationException.Reason;
import io.millrace.dataplane.config.SubsystemSettings;
import io.millrace.nvmf.Subsystem;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.nvmf.namespace.NamespaceSnapshot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * The namespaces of a running data plane. Any thread but the reactors'; futures may complete on a reactor, so dependent
 * actions must not block.
 */
public final class Namespaces
{
    private final Operations operations;
    private final Devices devices;
    private final Subsystems subsystems;
    private final SpdkTarget spdk;
    private final Map<UUID, String> uuids = new HashMap<>();

    Namespaces(
        final Operations operations, final Devices devices, final Subsystems subsystems, final SpdkTarget spdk)
    {
        this.spdk = spdk;
        this.operations = operations;
        this.devices = devices;
        this.subsystems = subsystems;
    }

    /**
     * Adds a namespace; connected hosts are notified when every reactor serves it.
     *
     * @param nqn      of the subsystem.
     * @param settings of the namespace.
     * @throws OperationException when subsystem or device is not there, the device is in use, or NSID or UUID is taken
     *     or out of bounds.
     */
    public void add(final String nqn, final SubsystemSettings.NamespaceSettings settings)
    {
        synchronized (operations)
        {
            operations.checkOpen();
            attach(subsystems.require(nqn), settings);
            operations.publish(ResourceKind.NAMESPACE, ResourceChange.CREATED, nqn + '/' + settings.nsid(),
                "shows device " + settings.device());
        }
    }

    /**
     * Removes a namespace: new commands to it fail at once, and connected hosts are notified.
     *
     * @param nqn  of the subsystem.
     * @param nsid of the namespace.
     * @return done when no reactor uses its device any more, so that it is free. A device that keeps a request forever
     *     keeps this waiting; a fault device does until its rules are replaced.
     * @throws OperationException when it is not there.
     */
    public CompletableFuture<Void> remove(final String nqn, final int nsid)
    {
        synchronized (operations)
        {
            operations.checkOpen();
            final Subsystem subsystem = subsystems.require(nqn);
            if (null == subsystem.namespace(nsid))
            {
                throw new OperationException(Reason.NOT_FOUND, subject(nqn, nsid), "does not exist", "add it first");
            }
            spdk.removeNamespace(subject(nqn, nsid), devices.require(subsystem.namespace(nsid).device().name()));
            final ManagedDevice device = detach(subsystem, nsid);
            final CompletableFuture<Void> done = subsystem.removeNamespace(nsid).thenRun(() -> device.user(null));
            device.leaving(done);
            operations.publish(ResourceKind.NAMESPACE, ResourceChange.DELETED, nqn + '/' + nsid);
            return done;
        }
    }

    /**
     * {@return the namespaces with what was done to them, by subsystem and NSID}
     *
     * @param nqn of one subsystem; null for all.
     * @throws OperationException when it is not there.
     */
    public List<NamespaceSnapshot> list(final String nqn)
    {
        final List<Subsystem> selected = subsystems.select(nqn);
        final List<NamespaceSnapshot> list = new ArrayList<>();
        for (final Subsystem subsystem : selected)
        {
            list.addAll(subsystem.namespaceSnapshots());
        }
        return list;
    }

    /**
     * Adds a namespace to a subsystem, served or not, and its device to those in use; the lock is held.
     */
    void attach(final Subsystem subsystem, final SubsystemSettings.NamespaceSettings settings)
    {
        final String nqn = subsystem.nqn();
        final int nsid = settings.nsid();
        if (nsid < 1 || nsid > Namespace.NSID_MAX)
        {
            throw new OperationException(Reason.INVALID, subject(nqn, nsid),
                "NSID is not within 1 to " + Namespace.NSID_MAX, "choose another");
        }
        if (settings.anaGroup() < 1 || settings.anaGroup() > Namespace.ANA_GROUP_MAX)
        {
            throw new OperationException(Reason.INVALID, subject(nqn, nsid), "ANA group " + settings.anaGroup() +
                " is not within 1 to " + Namespace.ANA_GROUP_MAX, "choose another");
        }
        if (null != subsystem.namespace(nsid))
        {
            throw new OperationException(Reason.EXISTS, subject(nqn, nsid), "already exists", "choose another NSID");
        }
        final ManagedDevice device = devices.require(settings.device());
        DeviceChecks.checkUnused(device, "a device has one user: choose another");
        final Namespace namespace = null == settings.uuid() ?
            Namespace.of(nqn, nsid, device.device(), settings.anaGroup()) :
            new Namespace(nsid, device.device(), settings.uuid(), settings.anaGroup());
        final String other = uuids.get(namespace.uuid());
        if (null != other)
        {
            throw new OperationException(Reason.EXISTS, subject(nqn, nsid),
                "UUID " + namespace.uuid() + " is that of " + other, "choose another");
        }
        // First, as it may refuse the device.
        device.user(ManagedDevice.User.of(subsystem, nsid, spdk.addNamespace(subsystem, namespace, device)));
        try
        {
            subsystem.addNamespace(namespace);
        }
        catch (final IllegalArgumentException e)
        {
            spdk.removeNamespace(subject(nqn, nsid), device);
            device.user(null);
            throw new OperationException(Reason.UNSUPPORTED, "", e.getMessage(), "", e);
        }
        uuids.put(namespace.uuid(), subject(nqn, nsid));
    }

    /**
     * Removes an existing namespace; the lock is held.
     *
     * @return its device, whose user it is until nothing uses that any more.
     */
    ManagedDevice detach(final Subsystem subsystem, final int nsid)
    {
        final Namespace namespace = subsystem.namespace(nsid);
        uuids.remove(namespace.uuid());
        return devices.require(namespace.device().name());
    }

    /**
     * Removes all namespaces of a subsystem; the lock is held.
     *
     * @return their devices.
     */
    List<ManagedDevice> detachAll(final Subsystem subsystem)
    {
        return subsystem.namespaces().stream().map((each) -> detach(subsystem, each.nsid())).toList();
    }

    private static String subject(final String nqn, final int nsid)
    {
        return "namespace " + nqn + '/' + nsid;
    }
}
