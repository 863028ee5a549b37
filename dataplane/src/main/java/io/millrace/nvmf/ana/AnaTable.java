package io.millrace.nvmf.ana;

import io.millrace.nvme.AnaState;
import io.millrace.nvmf.transport.TransportAddress;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * ANA states of a subsystem by listener and group. Immutable.
 * <p>
 * A state is set for one listener or for all, and for one group or for all. It holds for what it covers until another
 * is set that covers it too, whether the listener is there or not: one that is opened later, or again, begins with what
 * was set before. A listener on a wildcard address covers every address with its port, as it does when it listens. What
 * nothing was set for is optimized.
 */
public final class AnaTable
{
    /** Largest group id, and how many groups there are (ANAGRPMAX, NANAGRPID). */
    public static final int GROUPS_MAX = 128;
    /** Stands for all groups. */
    static final int GROUPS_ALL = 0;
    /** Most listeners with states of their own. */
    static final int LISTENERS_MAX = 256;
    /** Everything is optimized. */
    public static final AnaTable OPTIMIZED = new AnaTable(0, AnaPath.OPTIMIZED, Map.of());

    private static final String WILDCARD_4 = "0.0.0.0";
    private static final String WILDCARD_6 = "::";

    private final long version;
    private final AnaPath others;
    private final Map<TransportAddress, AnaPath> paths;

    private AnaTable(final long version, final AnaPath others, final Map<TransportAddress, AnaPath> paths)
    {
        this.version = version;
        this.others = others;
        this.paths = paths;
    }

    /**
     * {@return number of the table, one more with each change}
     */
    public long version()
    {
        return version;
    }

    /**
     * {@return states of the listeners that have none of their own}
     */
    public AnaPath others()
    {
        return others;
    }

    /**
     * {@return states of the listeners that have their own; to read only}
     */
    public Map<TransportAddress, AnaPath> paths()
    {
        return paths;
    }

    /**
     * {@return states of the controllers that are reached at an address}
     *
     * @param local address that a host came in on, or of a listener.
     */
    public AnaPath path(final TransportAddress local)
    {
        return path(paths, others, local);
    }

    /**
     * A copy of the table with another state.
     *
     * @param listener that gets it; null for all.
     * @param group    that gets it, up to {@link #GROUPS_MAX}; {@link #GROUPS_ALL} for all.
     * @param state    to get.
     * @return the copy; this table when the state is unchanged.
     * @throws IllegalArgumentException when there is no such group, or more than {@link #LISTENERS_MAX} listeners would
     *     have states of their own.
     */
    public AnaTable with(final TransportAddress listener, final int group, final AnaState state)
    {
        if (group < GROUPS_ALL || group > GROUPS_MAX)
        {
            throw new IllegalArgumentException(
                "ANA group " + group + " is not within 1 to " + GROUPS_MAX + ": choose another, or 0 for all");
        }
        final BitSet groups = new BitSet();
        groups.set(GROUPS_ALL == group ? 1 : group, GROUPS_ALL == group ? GROUPS_MAX + 1 : group + 1);
        final long next = version + 1;
        final Map<TransportAddress, AnaPath> changed = new HashMap<>(paths);
        changed.replaceAll((address, path) -> covers(listener, address) ? path.with(groups, state, next) : path);
        if (null != listener && !paths.containsKey(listener))
        {
            final AnaPath before = path(listener);
            final AnaPath own = before.with(groups, state, next);
            if (before != own)
            {
                changed.put(listener, own);
            }
        }
        final AnaPath changedOthers = null == listener ? others.with(groups, state, next) : others;
        if (changed.size() > LISTENERS_MAX)
        {
            // A listener whose states equal those of the others needs none of its own.
            changed.entrySet().removeIf((own) -> own.getValue()
                .difference(path(changed, changedOthers, widerAddress(own.getKey()))).isEmpty());
        }
        if (changed.size() > LISTENERS_MAX)
        {
            throw new IllegalArgumentException("more than " + LISTENERS_MAX +
                " listeners have ANA states of their own: set the state of a group for all listeners first");
        }
        return changed(next, changedOthers, changed);
    }

    /**
     * The same table without the transitions of a former one.
     *
     * @param formerVersion of that table.
     * @return another table, in which they have ended without access; this one when there are none.
     */
    public AnaTable withoutTransitions(final long formerVersion)
    {
        final long next = version + 1;
        final Map<TransportAddress, AnaPath> changed = new HashMap<>(paths);
        changed.replaceAll((address, path) -> withoutTransitions(path, formerVersion, next));
        return changed(next, withoutTransitions(others, formerVersion, next), changed);
    }

    private AnaTable changed(final long next, final AnaPath nextOthers, final Map<TransportAddress, AnaPath> nextPaths)
    {
        return nextOthers == others && nextPaths.equals(paths) ? this : new AnaTable(next, nextOthers, nextPaths);
    }

    private static AnaPath withoutTransitions(final AnaPath path, final long formerVersion, final long next)
    {
        return path.with(path.groupsChangingSince(formerVersion), AnaState.INACCESSIBLE, next);
    }

    private static AnaPath path(
        final Map<TransportAddress, AnaPath> paths, final AnaPath others, final TransportAddress local)
    {
        for (TransportAddress address = local; null != address; address = widerAddress(address))
        {
            final AnaPath path = paths.get(address);
            if (null != path)
            {
                return path;
            }
        }
        return others;
    }

    private static boolean covers(final TransportAddress listener, final TransportAddress local)
    {
        TransportAddress address = local;
        while (null != address && !address.equals(listener))
        {
            address = widerAddress(address);
        }
        return null == listener || null != address;
    }

    /**
     * The next wider address with the same port; null for the widest. A socket on the IPv6 wildcard takes IPv4 too.
     */
    private static TransportAddress widerAddress(final TransportAddress address)
    {
        if (WILDCARD_6.equals(address.address()) || !address.hasPort())
        {
            return null;
        }
        final boolean isSingle4 =
            TransportAddress.Family.IPV4 == address.addressFamily() && !WILDCARD_4.equals(address.address());
        return new TransportAddress(address.transportType(),
            isSingle4 ? TransportAddress.Family.IPV4 : TransportAddress.Family.IPV6,
            isSingle4 ? WILDCARD_4 : WILDCARD_6, address.serviceId());
    }
}
