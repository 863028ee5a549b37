package io.millrace.nvmf.tcp;

import io.millrace.nvmf.CapacityLimits;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * How many connections there are, in all and from each address: pending ones, whose Connect command has not
 * succeeded, and admitted ones. What is beyond the limits is refused, counted, and said once a minute for each limit.
 * Any reactor; control path, under a lock that nobody holds for longer than a look into a map.
 */
final class ConnectionAdmission
{
    /** What a connection was refused for. */
    enum Limit
    {
        /** {@code limits.pending-connections}. */
        PENDING("limits.pending-connections"),
        /** {@code limits.pending-connections-per-address}. */
        PENDING_PER_ADDRESS("limits.pending-connections-per-address"),
        /** {@code limits.connections}. */
        CONNECTIONS("limits.connections"),
        /** {@code limits.connections-per-address}. */
        CONNECTIONS_PER_ADDRESS("limits.connections-per-address");

        private final String setting;

        Limit(final String setting)
        {
            this.setting = setting;
        }
    }

    /** Addresses whose refusals are kept, the latest. */
    static final int REFUSED_ADDRESSES_MAX = 64;
    private static final long REPORT_INTERVAL_NS = TimeUnit.MINUTES.toNanos(1);

    /** Connections of one address. */
    private static final class Address
    {
        private int pending;
        private int admitted;
    }

    private final CapacityLimits limits;
    private final TcpCounters counters;
    private final Consumer<String> onWarning;
    private final Map<String, Address> addresses = new HashMap<>();
    private final Map<String, Long> refused = new LinkedHashMap<>(16, 0.75f, true);
    private final long[] reportedNs = new long[Limit.values().length];
    private final long[] unreported = new long[Limit.values().length];
    private final boolean[] hasReported = new boolean[Limit.values().length];
    private int pending;
    private int admitted;

    /**
     * Has no connections.
     *
     * @param limits    of them.
     * @param counters  of the transport.
     * @param onWarning told in one line what is refused.
     */
    ConnectionAdmission(final CapacityLimits limits, final TcpCounters counters, final Consumer<String> onWarning)
    {
        this.limits = limits;
        this.counters = counters;
        this.onWarning = onWarning;
    }

    /**
     * A connection was accepted.
     *
     * @param address of its host.
     * @param nowNs   the reactor's clock.
     * @return false when it is refused; else it is {@link #end ended} once.
     */
    synchronized boolean begin(final String address, final long nowNs)
    {
        final Address entry = addresses.computeIfAbsent(address, (key) -> new Address());
        if (pending >= limits.pendingConnections())
        {
            refuse(Limit.PENDING, limits.pendingConnections(), address, nowNs);
        }
        else if (entry.pending >= limits.pendingPerAddress())
        {
            refuse(Limit.PENDING_PER_ADDRESS, limits.pendingPerAddress(), address, nowNs);
        }
        else
        {
            pending++;
            counters.onPending(1);
            entry.pending++;
            return true;
        }
        forget(address, entry);
        return false;
    }

    /**
     * A pending connection is to become a queue.
     *
     * @param address of its host.
     * @param nowNs   the reactor's clock.
     * @return false when it is refused, and goes on as a pending one.
     */
    synchronized boolean admit(final String address, final long nowNs)
    {
        final Address entry = addresses.get(address);
        if (admitted >= limits.connections())
        {
            refuse(Limit.CONNECTIONS, limits.connections(), address, nowNs);
            return false;
        }
        if (entry.admitted >= limits.connectionsPerAddress())
        {
            refuse(Limit.CONNECTIONS_PER_ADDRESS, limits.connectionsPerAddress(), address, nowNs);
            return false;
        }
        pending--;
        counters.onPending(-1);
        entry.pending--;
        admitted++;
        entry.admitted++;
        return true;
    }

    /**
     * An admitted connection is a pending one again.
     *
     * @param address of its host.
     */
    synchronized void dismiss(final String address)
    {
        final Address entry = addresses.get(address);
        pending++;
        counters.onPending(1);
        entry.pending++;
        admitted--;
        entry.admitted--;
    }

    /**
     * A connection has ended.
     *
     * @param address    of its host.
     * @param isAdmitted whether it was an admitted one.
     */
    synchronized void end(final String address, final boolean isAdmitted)
    {
        final Address entry = addresses.get(address);
        if (isAdmitted)
        {
            admitted--;
            entry.admitted--;
        }
        else
        {
            pending--;
            counters.onPending(-1);
            entry.pending--;
        }
        forget(address, entry);
    }

    /**
     * {@return connections whose Connect command has not succeeded}
     */
    synchronized int pending()
    {
        return pending;
    }

    /**
     * {@return connections whose Connect command has succeeded}
     */
    synchronized int admitted()
    {
        return admitted;
    }

    /**
     * {@return how many connections were refused of each address, for the latest {@link #REFUSED_ADDRESSES_MAX}}
     */
    synchronized Map<String, Long> refused()
    {
        return new LinkedHashMap<>(refused);
    }

    private void forget(final String address, final Address entry)
    {
        if (0 == entry.pending && 0 == entry.admitted)
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
                " of this address so far: raise the limit and the heap (MILLRACE_JAVA_OPTS=-Xmx...) if these are" +
                " hosts of yours");
            hasReported[index] = true;
            reportedNs[index] = nowNs;
            unreported[index] = 0;
        }
    }
}
