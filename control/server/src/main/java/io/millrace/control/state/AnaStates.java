package io.millrace.control.state;

import io.millrace.control.codec.AnaState;
import io.millrace.control.codec.Transport;
import io.millrace.control.message.Command;
import io.millrace.control.setting.SettingType;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * ANA states of a subsystem by listener and group: a state is set for one listener or all and for one group or all, and
 * applies until another state is set for the same listener and group. A wildcard address covers every address with its
 * transport and port. The default is optimized.
 * <p>
 * Stored are differences to the state of the next wider address, so that equal states have equal representations.
 * Transitions are transient, and are {@linkplain #settled stored} as the state that they time out to. Immutable.
 */
public final class AnaStates
{
    /** All groups are optimized. */
    public static final AnaStates OPTIMIZED = new AnaStates(new TreeMap<>());
    /** Most listeners with states of their own. */
    static final int PLACES_MAX = 256;
    /** Stands for all groups. */
    static final int GROUPS_ALL = 0;
    /** States that can be persisted. */
    static final List<AnaState> SETTLED = List.of(
        AnaState.OPTIMIZED, AnaState.NON_OPTIMIZED, AnaState.INACCESSIBLE, AnaState.PERSISTENT_LOSS);

    private static final String WILDCARD_4 = "0.0.0.0";
    private static final String WILDCARD_6 = "::";

    /**
     * Listener that a state applies to, whether it exists or not. Wider addresses come first in order.
     *
     * @param transport of the listener.
     * @param address   in its one form; empty: every one, of every transport.
     * @param port      of it; 0: every one.
     */
    record Place(Transport transport, String address, int port) implements Comparable<Place>
    {
        /** All listeners. */
        static final Place ALL = new Place(Transport.TCP, "", 0);

        /** The next wider address; null if there is none. A socket on the IPv6 wildcard accepts IPv4 too. */
        Place around()
        {
            return Transport.VFIO_USER == transport ? ALL : switch (width())
            {
                case 0 -> null;
                case 1 -> ALL;
                case 2 -> new Place(transport, WILDCARD_6, port);
                default -> new Place(transport, address.indexOf(':') < 0 ? WILDCARD_4 : WILDCARD_6, port);
            };
        }

        private int width()
        {
            return switch (address)
            {
                case "" -> 0;
                case WILDCARD_6 -> 1;
                case WILDCARD_4 -> 2;
                default -> 3;
            };
        }

        private boolean covers(final Place other)
        {
            Place place = other;
            while (null != place && !place.equals(this))
            {
                place = place.around();
            }
            return null != place;
        }

        @Override
        public int compareTo(final Place other)
        {
            final int order = Integer.compare(width(), other.width());
            return 0 == order ? NaturalOrder.INSTANCE.compare(toString(), other.toString()) : order;
        }

        /** Name of the listener. */
        @Override
        public String toString()
        {
            return NetworkAddress.text(transport, address, port);
        }
    }

    /**
     * A state to be set.
     *
     * @param place that gets it.
     * @param group that gets it; 0: all.
     * @param state to get.
     */
    record Entry(Place place, int group, AnaState state)
    {
        Command.SetAnaState command(final String nqn)
        {
            return new Command.SetAnaState(nqn, place.transport(), place.address(), place.port(), group, state);
        }

        /** What it does, for people. */
        String sentence(final String nqn)
        {
            return "make " + (GROUPS_ALL == group ? "every ANA group" : "ANA group " + group) + " of " + nqn + ' ' +
                SettingType.word(state) + " at " + (Place.ALL.equals(place) ? "every listener" : place);
        }
    }

    private final NavigableMap<Place, NavigableMap<Integer, AnaState>> own;

    private AnaStates(final NavigableMap<Place, NavigableMap<Integer, AnaState>> own)
    {
        this.own = own;
    }

    /** The state as it is stored: a transition times out to inaccessible. */
    static AnaState settled(final AnaState state)
    {
        return AnaState.CHANGE == state ? AnaState.INACCESSIBLE : state;
    }

    /** How many listeners have states of their own. */
    int placeCount()
    {
        return own.size();
    }

    /** State of a group at a listener. */
    AnaState state(final Place place, final int group)
    {
        return state(own, place, group);
    }

    private static AnaState state(
        final NavigableMap<Place, NavigableMap<Integer, AnaState>> own, final Place place, final int group)
    {
        for (Place each = place; null != each; each = each.around())
        {
            final NavigableMap<Integer, AnaState> states = own.get(each);
            final AnaState state = null == states ? null : states.get(group);
            if (null != state)
            {
                return state;
            }
        }
        return AnaState.OPTIMIZED;
    }

    /** The same without listeners of transports that a peer does not know. */
    AnaStates without(final Predicate<Transport> isMissing)
    {
        final NavigableMap<Place, NavigableMap<Integer, AnaState>> left = new TreeMap<>(own);
        left.keySet().removeIf((each) -> isMissing.test(each.transport()));
        return new AnaStates(left);
    }

    /** The same with another state; group 0 stands for all. */
    AnaStates with(final Place place, final int group, final AnaState state)
    {
        final NavigableMap<Place, NavigableMap<Integer, AnaState>> next = new TreeMap<>();
        own.forEach((each, states) ->
        {
            final NavigableMap<Integer, AnaState> left = new TreeMap<>(states);
            if (place.covers(each))
            {
                left.keySet().removeIf((other) -> GROUPS_ALL == group || group == other);
            }
            next.put(each, left);
        });
        final NavigableMap<Integer, AnaState> states = next.computeIfAbsent(place, (_) -> new TreeMap<>());
        final int first = GROUPS_ALL == group ? 1 : group;
        final int last = GROUPS_ALL == group ? Names.ANA_GROUP_MAX : group;
        for (int each = first; each <= last; each++)
        {
            // Without an own state the next wider address applies.
            if (state != state(next, place, each))
            {
                states.put(each, state);
            }
        }
        next.values().removeIf(Map::isEmpty);
        return new AnaStates(next);
    }

    /** {@return the shortest list of entries that leads from optimized to these states, in order} */
    List<Entry> entries()
    {
        return entriesFrom(OPTIMIZED, new BitSet());
    }

    /**
     * Entries that lead from other states to these, in order: wider addresses first, since they cover others; for one
     * address gained access before lost access, so that hosts always have a path.
     *
     * @param before that are.
     * @param seen   groups that hosts see: these get no state that another takes back, which is short. It cannot be
     *               avoided where a wider address changes and what it covers does not.
     */
    List<Entry> entriesFrom(final AnaStates before, final BitSet seen)
    {
        final NavigableSet<Place> places = new TreeSet<>(own.keySet());
        places.addAll(before.own.keySet());
        final List<Entry> entries = new ArrayList<>();
        AnaStates now = before;
        for (final Place place : places)
        {
            final List<Entry> steps = entriesFrom(now, place, seen);
            for (final Entry each : steps)
            {
                now = now.with(place, each.group(), each.state());
            }
            entries.addAll(steps);
        }
        return entries;
    }

    private List<Entry> entriesFrom(final AnaStates now, final Place place, final BitSet seen)
    {
        final List<Entry> single = new ArrayList<>();
        final Map<AnaState, Integer> counts = new EnumMap<>(AnaState.class);
        for (int group = 1; group <= Names.ANA_GROUP_MAX; group++)
        {
            final AnaState wanted = state(place, group);
            counts.merge(wanted, 1, Integer::sum);
            if (wanted != now.state(place, group))
            {
                single.add(new Entry(place, group, wanted));
            }
        }
        single.sort(Comparator.comparing(Entry::state).thenComparing(Entry::group));
        final AnaState most = counts.entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow().getKey();
        final List<Entry> shorter = new ArrayList<>();
        shorter.add(new Entry(place, GROUPS_ALL, most));
        boolean isSeen = false;
        for (int group = 1; group <= Names.ANA_GROUP_MAX; group++)
        {
            if (most != state(place, group))
            {
                shorter.add(new Entry(place, group, state(place, group)));
                isSeen |= seen.get(group);
            }
        }
        return isSeen || single.size() <= shorter.size() ? single : shorter;
    }

    @Override
    public boolean equals(final Object other)
    {
        return this == other || other instanceof final AnaStates states && own.equals(states.own);
    }

    @Override
    public int hashCode()
    {
        return own.hashCode();
    }

    @Override
    public String toString()
    {
        return own.toString();
    }
}
