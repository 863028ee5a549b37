package io.millrace.dataplane;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeException;
import io.millrace.dataplane.OperationException.Reason;
import io.millrace.dataplane.config.ListenerProvider;
import io.millrace.dataplane.snapshot.ListenerSnapshot;
import io.millrace.nvmf.transport.Transport;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.rdma.RdmaException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Where hosts reach a running data plane over NVMe-oF. Any thread but the reactors'.
 */
public final class Listeners
{
    private final Operations operations;
    private final Transports transports;
    private final SpdkTarget spdk;
    /** Changed by operations, and read without their lock, which they hold while they wait for SPDK. */
    private final Map<TransportAddress, ListenerSnapshot> listeners =
        Collections.synchronizedMap(new LinkedHashMap<>());

    Listeners(final Operations operations, final Transports transports, final SpdkTarget spdk)
    {
        this.spdk = spdk;
        this.operations = operations;
        this.transports = transports;
    }

    /**
     * Listens on one more address with Millrace's own target; the discovery log names it.
     *
     * @param address       numeric, of a transport that is served; port 0 takes any that is free.
     * @param discoveryOnly whether no other subsystem than discovery is reached there.
     * @return the address with the port as taken.
     * @throws OperationException when it is taken, not of this machine, not permitted, or its transport not served.
     */
    public TransportAddress add(final TransportAddress address, final boolean discoveryOnly)
    {
        return add(address, discoveryOnly, ListenerProvider.MILLRACE);
    }

    /**
     * Listens on one more address; the discovery log names it. With SPDK's target as the provider SPDK starts, if it
     * does not run yet, and has the subsystems too.
     *
     * @param address       numeric, of a transport that is served; port 0 takes any that is free, with Millrace's own
     *                      target.
     * @param discoveryOnly whether no other subsystem than discovery is reached there; not with SPDK's target.
     * @param provider      whose target listens.
     * @return the address with the port as taken.
     * @throws OperationException when it is taken, not of this machine, not permitted, its transport not served, or
     *     SPDK's target cannot serve what the data plane has.
     */
    public TransportAddress add(
        final TransportAddress address, final boolean discoveryOnly, final ListenerProvider provider)
    {
        synchronized (operations)
        {
            operations.checkOpen();
            final TransportAddress wanted = canonical(address);
            if (!wanted.hasPort() && ListenerProvider.SPDK != provider)
            {
                throw new OperationException(Reason.UNSUPPORTED, "listener " + wanted.listenerName(), "is of " +
                    "vfio-user, which SPDK's target alone serves", "give it the provider spdk");
            }
            final String where = wanted.listenerName();
            if (listeners.containsKey(wanted))
            {
                throw new OperationException(Reason.EXISTS, "listener " + where, "already exists",
                    wanted.hasPort() ? "take another port" : "take another directory");
            }
            final TransportAddress taken = ListenerProvider.SPDK == provider ? listenBySpdk(wanted, discoveryOnly) :
                listen(transports.of(wanted), wanted, discoveryOnly);
            listeners.put(taken, new ListenerSnapshot(taken, discoveryOnly, true, provider));
            operations.publish(ResourceKind.LISTENER, ResourceChange.CREATED, taken.listenerName());
            return taken;
        }
    }

    private static TransportAddress listen(
        final Transport transport, final TransportAddress wanted, final boolean discoveryOnly)
    {
        try
        {
            return discoveryOnly ? transport.listenForDiscovery(wanted) : transport.listen(wanted);
        }
        catch (final IllegalStateException e)
        {
            throw refused("listener " + wanted.listenerName(), e);
        }
    }

    private TransportAddress listenBySpdk(final TransportAddress wanted, final boolean discoveryOnly)
    {
        if (discoveryOnly)
        {
            throw new OperationException(Reason.UNSUPPORTED, "listener " + wanted.listenerName(), "is for discovery " +
                "alone, which is Millrace's own", "leave out the provider");
        }
        spdk.listen(wanted);
        return wanted;
    }

    /**
     * Stops listening on an address. Established connections stay, unless they are SPDK's, and so do ANA states that
     * were set for it.
     *
     * @param address with the port as taken.
     * @return which devices may have commands left that came there by SPDK's target, a sentence; empty: none has.
     * @throws OperationException when nothing listens there.
     */
    public String remove(final TransportAddress address)
    {
        synchronized (operations)
        {
            operations.checkOpen();
            final TransportAddress local = canonical(address);
            final ListenerSnapshot removed = listeners.remove(local);
            if (null == removed)
            {
                throw new OperationException(Reason.NOT_FOUND, "listener " + local.listenerName(),
                    "does not exist", "list listeners to see the existing ones");
            }
            final boolean isSpdk = ListenerProvider.SPDK == removed.provider();
            final String left = isSpdk ? spdk.stopListening(local) : "";
            if (!isSpdk)
            {
                transports.of(local).stopListening(local);
            }
            operations.publish(ResourceKind.LISTENER, ResourceChange.DELETED, local.listenerName());
            return left;
        }
    }

    /**
     * {@return the listeners in the order they were added}
     */
    public List<ListenerSnapshot> list()
    {
        final List<ListenerSnapshot> present;
        synchronized (listeners)
        {
            present = List.copyOf(listeners.values());
        }
        return present.stream().map((each) -> new ListenerSnapshot(each.address(), each.discoveryOnly(),
            ListenerProvider.SPDK == each.provider() ||
            transports.of(each.address()).isListening(each.address()), each.provider())).toList();
    }

    private static TransportAddress canonical(final TransportAddress address)
    {
        try
        {
            return address.canonical();
        }
        catch (final IllegalArgumentException e)
        {
            throw notCanonical("listener " + address.address(), address, e);
        }
    }

    static OperationException notCanonical(
        final String subject, final TransportAddress address, final IllegalArgumentException e)
    {
        return address.hasPort() ? new OperationException(
            Reason.INVALID, subject, "is not a numeric address", "write it as 192.0.2.1 or 2001:db8::1", e) :
            new OperationException(Reason.INVALID, subject, "is no absolute path",
                "write that of a directory, as /run/millrace/vfio-user", e);
    }

    private static OperationException refused(final String subject, final IllegalStateException e)
    {
        if (e.getCause() instanceof final RdmaException cause)
        {
            final Reason reason = Errno.EADDRINUSE == cause.errno() ? Reason.IN_USE :
                Errno.EADDRNOTAVAIL == cause.errno() ? Reason.INVALID : Reason.FAILED;
            return new OperationException(reason, subject, cause.reason(), cause.remedy(), e);
        }
        return switch (e.getCause() instanceof final NativeException cause ? cause.errno() : 0)
        {
            case Errno.EADDRINUSE -> new OperationException(Reason.IN_USE, subject, "already in use",
                "stop what listens there or take another port", e);
            case Errno.EACCES -> new OperationException(Reason.FAILED, subject, "may not be listened on by this user",
                "use a port of 1024 or above", e);
            case Errno.EADDRNOTAVAIL -> new OperationException(Reason.INVALID, subject, "is not an address of this " +
                "machine",
                "use one that 'ip address' shows, or 0.0.0.0", e);
            default -> new OperationException(Reason.FAILED, subject, e.getMessage(), "", e);
        };
    }
}
