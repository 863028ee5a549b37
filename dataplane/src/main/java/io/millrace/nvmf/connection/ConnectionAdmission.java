package io.millrace.nvmf.connection;

import io.millrace.nvmf.config.CapacityLimits;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Counts the connections, in all and from each address, and enforces their limits: pending ones, whose Connect command
 * has not succeeded, queues, and discovery controllers, which any host may have and which are therefore counted
 * separately. Connections beyond the limits are refused, counted, and reported once a minute for each limit. Any
 * reactor; control path, under a lock that is held for a map look-up, or for one pass over the map when the limit of
 * pending connections is reached.
 */
public final class ConnectionAdmission
{
    /** What a connection was refused for. */
    public enum Limit
    {
        /** {@code limits.pending-connections}. */
        PENDING("limits.pending-connections"),
        /** {@code limits.pending-connections-per-address}. */
        PENDING_PER_ADDRESS("limits.pending-connections-per-address"),
        /** {@code limits.connections}. */
        CONNECTIONS("limits.connections"),
        /** {@code limits.connections-per-address}. */
        CONNECTIONS_PER_ADDRESS("limits.connections-per-address"),
        /** {@code limits.discovery-connections}. */
        DISCOVERY("limits.discovery-connections"),
        /** {@code limits.discovery-connections-per-address}. */
        DISCOVERY_PER_ADDRESS("limits.discovery-connections-per-address"),
        /** {@code rdma.capsules}: entries of the queues of a reactor. */
        CAPSULES("rdma.capsules", "raise it, or have hosts open fewer or shorter queues"),
        /** {@code rdma.connections} of each reactor. */
        RDMA_CONNECTIONS("rdma.connections", "raise it, or have hosts open fewer queues");

        private final String setting;
        private final String remedy;

        Limit(final String setting)
        {
            this(setting, "raise the limit and the heap (MILLRACE_JAVA_OPTS=-Xmx...) if these are hosts of yours");
        }

        Limit(final String setting, final String remedy)
        {
            this.setting = setting;
            this.remedy = remedy;
        }

        /**
         * {@return why a pending connection ends whose place another one gets}
         */
        public String evictionReason()
        {
            return CAPSULES == this ?
                "another host needs the receive buffers of a connection without a Connect command: " + setting :
                "more connections are to become queues than " + setting;
        }
    }

    /** Addresses whose refusals are kept, the latest. */
    static final int REFUSED_ADDRESSES_MAX = 64;
    private static final long REPORT_INTERVAL_NS = TimeUnit.MINUTES.toNanos(1);
    /** The last eighth of the permits is for addresses that have fewer than are left. */
    private static final int LAST_PART = 8;

    /** Connections of one address. */
    private static final class Address
    {
        /** The longest pending one first. */
        private final Set<ConnectionPermit> pending = new LinkedHashSet<>();
        private int queues;
        private int discovery;
    }

    private final CapacityLimits limits;
    private final ConnectionCounters counters;
    private final Consumer<String> onWarning;
    private final Map<String, Address> addresses = new HashMap<>();
    private final Map<String, Long> refused = new LinkedHashMap<>(16, 0.75f, true);
    private final long[] reportedNs = new long[Limit.values().length];
    private final long[] unreported = new long[Limit.values().length];
    private final boolean[] hasReported = new boolean[Limit.values().length];
    private int pending;
    private int queues;
    private int discovery;

    /**
     * Creates an instance without connections.
     *
     * @param limits    of them.
     * @param counters  of the transport.
     * @param onWarning receives one line about refused connections.
     */
    public ConnectionAdmission(
        final CapacityLimits limits, final ConnectionCounters counters, final Consumer<String> onWarning)
    {
        this.limits = limits;
        this.counters = counters;
        this.onWarning = onWarning;
    }

    /**
     * A connection was accepted. When the limit of pending ones is reached, one of the address that has most of them is
     * ended for it, unless the new one's address has nearly as many: so no address can exclude others by having many.
     *
     * @param address of its host.
     * @param nowNs   the reactor's clock.
     * @return its permit as a pending connection, which is {@link #end returned} once; null when it is refused.
     */
    public synchronized ConnectionPermit begin(final String address, final long nowNs)
    {
        final Address entry = addresses.computeIfAbsent(address, (key) -> new Address());
        if (entry.pending.size() >= limits.pendingPerAddress())
        {
            refuse(Limit.PENDING_PER_ADDRESS, limits.pendingPerAddress(), address, nowNs);
        }
        else if (pending >= limits.pendingConnections() &&
            !evictFor(entry, Limit.PENDING, limits.pendingConnections(), nowNs))
        {
            refuse(Limit.PENDING, limits.pendingConnections(), address, nowNs);
        }
        else
        {
            final ConnectionPermit permit = new ConnectionPermit(address);
            addPending(entry, permit);
            return permit;
        }
        forget(address, entry);
        return null;
    }

    /**
     * The connection of a permit exists.
     *
     * @param permit     among the pending connections.
     * @param onEvicted ends the connection, from any thread, for the limit that another one would exceed.
     */
    public synchronized void occupy(final ConnectionPermit permit, final Consumer<Limit> onEvicted)
    {
        permit.onEvicted(onEvicted);
    }

    /**
     * The transport has no memory for another connection: a pending one is ended for it, as when the limit of pending
     * connections is reached. Its memory comes back when it has ended. The new connection is refused when none is.
     *
     * @param address of the new connection's host.
     * @param limit   that is reached.
     * @param bound   of the limit.
     * @param nowNs   the reactor's clock.
     * @return whether one is ended.
     */
    public synchronized boolean makeRoom(final String address, final Limit limit, final int bound, final long nowNs)
    {
        if (evictFor(addresses.getOrDefault(address, new Address()), limit, bound, nowNs))
        {
            return true;
        }
        refuse(limit, bound, address, nowNs);
        return false;
    }

    /**
     * A limit of the transport's own is reached: the new connection is refused, counted and reported like others.
     *
     * @param limit   that is reached.
     * @param bound   of the limit.
     * @param address of the new connection's host.
     * @param nowNs   the reactor's clock.
     */
    public synchronized void refuseBeyond(
        final Limit limit, final int bound, final String address, final long nowNs)
    {
        refuse(limit, bound, address, nowNs);
    }

    /**
     * A pending connection is to become a queue. Of the last eighth of the permits an address gets another one while it
     * has fewer than are left, unless one address may have all: so busy addresses leave some to later ones.
     *
     * @param permit of the connection.
     * @param kind  queue or discovery.
     * @param nowNs the reactor's clock.
     * @return false when it is refused, and stays a pending one.
     */
    public synchronized boolean admit(final ConnectionPermit permit, final ConnectionPermit.Kind kind, final long nowNs)
    {
        if (ConnectionPermit.Kind.PENDING != permit.kind())
        {
            // Its permit was given to another connection, and it is about to end.
            return false;
        }
        final Address entry = addresses.get(permit.address());
        final boolean isDiscovery = ConnectionPermit.Kind.DISCOVERY == kind;
        final int all = isDiscovery ? limits.discoveryConnections() : limits.connections();
        final int each = isDiscovery ? limits.discoveryPerAddress() : limits.connectionsPerAddress();
        final int has = isDiscovery ? entry.discovery : entry.queues;
        if (has >= each)
        {
            refuse(isDiscovery ? Limit.DISCOVERY_PER_ADDRESS : Limit.CONNECTIONS_PER_ADDRESS, each, permit.address(),
                nowNs);
            return false;
        }
        final int left = all - (isDiscovery ? discovery : queues);
        if (left <= 0 || each < all && left <= all / LAST_PART && has >= left)
        {
            refuse(isDiscovery ? Limit.DISCOVERY : Limit.CONNECTIONS, all, permit.address(), nowNs);
            return false;
        }
        removePending(entry, permit);
        permit.kind(kind);
        count(entry, kind, 1);
        return true;
    }

    /**
     * An admitted connection is a pending one again.
     *
     * @param permit of the connection.
     */
    public synchronized void dismiss(final ConnectionPermit permit)
    {
        final Address entry = addresses.get(permit.address());
        count(entry, permit.kind(), -1);
        permit.kind(ConnectionPermit.Kind.PENDING);
        addPending(entry, permit);
    }

    /**
     * A connection has ended, and all its resources are released.
     *
     * @param permit of the connection.
     */
    public synchronized void end(final ConnectionPermit permit)
    {
        if (ConnectionPermit.Kind.NONE == permit.kind())
        {
            return;
        }
        final Address entry = addresses.get(permit.address());
        if (ConnectionPermit.Kind.PENDING == permit.kind())
        {
            removePending(entry, permit);
        }
        else
        {
            count(entry, permit.kind(), -1);
        }
        permit.kind(ConnectionPermit.Kind.NONE);
        forget(permit.address(), entry);
    }

    /**
     * {@return whether more than half of what there may be of discovery controllers is there, in all or of an address}
     *
     * @param permit of a discovery controller.
     */
    public synchronized boolean isDiscoveryCrowded(final ConnectionPermit permit)
    {
        final Address entry = addresses.get(permit.address());
        return 2 * discovery > limits.discoveryConnections() ||
            null != entry && 2 * entry.discovery > limits.discoveryPerAddress();
    }

    /**
     * {@return connections whose Connect command has not succeeded}
     */
    public synchronized int pending()
    {
        return pending;
    }

    /**
     * {@return queues, without those of discovery controllers}
     */
    public synchronized int queues()
    {
        return queues;
    }

    /**
     * {@return discovery controllers}
     */
    public synchronized int discovery()
    {
        return discovery;
    }

    /**
     * {@return addresses that have connections}
     */
    public synchronized int addresses()
    {
        return addresses.size();
    }

    /**
     * {@return how many connections were refused of each address, for the latest {@link #REFUSED_ADDRESSES_MAX}}
     */
    public synchronized Map<String, Long> refused()
    {
        return new LinkedHashMap<>(refused);
    }

    private boolean evictFor(final Address newcomer, final Limit limit, final int bound, final long nowNs)
    {
        Address most = newcomer;
        for (final Address each : addresses.values())
        {
            if (each.pending.size() > most.pending.size())
            {
                most = each;
            }
        }
        if (most.pending.size() <= newcomer.pending.size() + 1)
        {
            return false;
        }
        for (final ConnectionPermit oldest : most.pending)
        {
            if (null != oldest.onEvicted())
            {
                refuse(limit, bound, oldest.address(), nowNs);
                removePending(most, oldest);
                oldest.kind(ConnectionPermit.Kind.NONE);
                oldest.onEvicted().accept(limit);
                return true;
            }
        }
        return false;
    }

    private void addPending(final Address entry, final ConnectionPermit permit)
    {
        entry.pending.add(permit);
        pending++;
        counters.onPending(1);
    }

    private void removePending(final Address entry, final ConnectionPermit permit)
    {
        entry.pending.remove(permit);
        pending--;
        counters.onPending(-1);
    }

    private void count(final Address entry, final ConnectionPermit.Kind kind, final int change)
    {
        if (ConnectionPermit.Kind.DISCOVERY == kind)
        {
            discovery += change;
            entry.discovery += change;
            counters.onDiscovery(change);
        }
        else
        {
            queues += change;
            entry.queues += change;
        }
    }

    private void forget(final String address, final Address entry)
    {
        if (entry.pending.isEmpty() && 0 == entry.queues && 0 == entry.discovery)
        {
            addresses.remove(address);
        }
    }

    private void refuse(final Limit limit, final int bound, final String address, final long nowNs)
    {
        counters.onRefused(limit);
        final long ofAddress = refused.merge(address, 1L, Long::sum);
        if (refused.size() > REFUSED_ADDRESSES_MAX)
        {
            refused.remove(refused.keySet().iterator().next());
        }
        final int index = limit.ordinal();
        unreported[index]++;
        if (!hasReported[index] || nowNs - reportedNs[index] >= REPORT_INTERVAL_NS)
        {
            onWarning.accept("connection of " + address + " refused: " + limit.setting + " of " + bound +
                " is reached, " + unreported[index] + " refused for it since the last line, " + ofAddress +
                " of this address so far: " + limit.remedy);
            hasReported[index] = true;
            reportedNs[index] = nowNs;
            unreported[index] = 0;
        }
    }
}
