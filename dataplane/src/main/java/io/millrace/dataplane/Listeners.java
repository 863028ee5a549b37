package io.millrace.dataplane;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeException;
import io.millrace.dataplane.OperationException.Reason;
import io.millrace.nvmf.tcp.TcpTransport;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The NVMe/TCP listeners of a running data plane. Any thread but the reactors'.
 */
public final class Listeners
{
    private final Operations operations;
    private final TcpTransport tcp;
    private final Map<InetSocketAddress, ListenerSnapshot> listeners = new LinkedHashMap<>();

    Listeners(final Operations operations, final TcpTransport tcp)
    {
        this.operations = operations;
        this.tcp = tcp;
    }

    /**
     * Listens on one more address; discovery tells of it.
     *
     * @param address       numeric; port 0 takes any that is free.
     * @param discoveryOnly whether no other subsystem than discovery is reached there.
     * @return the address with the port as taken.
     * @throws OperationException when it is taken, not of this machine or not permitted.
     */
    public InetSocketAddress add(final InetSocketAddress address, final boolean discoveryOnly)
    {
        synchronized (operations)
        {
            operations.checkOpen();
            if (address.isUnresolved())
            {
                throw new OperationException(Reason.INVALID, "listener " + address.getHostString(),
                    "is not a numeric address", "write it as 192.0.2.1 or 2001:db8::1");
            }
            final String where = ListenerSettings.text(address);
            if (listeners.containsKey(address))
            {
                throw new OperationException(Reason.EXISTS, "listener " + where, "already exists",
                    "take another port");
            }
            final InetSocketAddress taken;
            try
            {
                taken = discoveryOnly ? tcp.listenForDiscovery(address) : tcp.listen(address);
            }
            catch (final IllegalStateException e)
            {
                throw refused("listener " + where, e);
            }
            listeners.put(taken, new ListenerSnapshot(taken, discoveryOnly));
            operations.publish(ResourceKind.LISTENER, ResourceChange.CREATED, ListenerSettings.text(taken));
            return taken;
        }
    }

    /**
     * Stops listening on an address. Established connections stay, and so do ANA states that were set for it.
     *
     * @param address with the port as taken.
     * @throws OperationException when nothing listens there.
     */
    public void remove(final InetSocketAddress address)
    {
        synchronized (operations)
        {
            operations.checkOpen();
            if (address.isUnresolved() || null == listeners.remove(address))
            {
                throw new OperationException(Reason.NOT_FOUND, "listener " + address.getHostString() + ':' +
                    address.getPort(), "does not exist", "list listeners to see the existing ones");
            }
            tcp.stopListening(address);
            operations.publish(ResourceKind.LISTENER, ResourceChange.DELETED, ListenerSettings.text(address));
        }
    }

    /**
     * {@return the listeners in the order they were added}
     */
    public List<ListenerSnapshot> list()
    {
        synchronized (operations)
        {
            return List.copyOf(listeners.values());
        }
    }

    private static OperationException refused(final String subject, final IllegalStateException e)
    {
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
