package io.millrace.control.state;

import io.millrace.control.codec.DeviceHealth;
import io.millrace.control.codec.DeviceState;
import io.millrace.control.codec.Kind;
import io.millrace.control.message.AnaInfo;
import io.millrace.control.message.DeviceInfo;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.HostInfo;
import io.millrace.control.message.ListenerInfo;
import io.millrace.control.message.NamespaceInfo;
import io.millrace.control.message.QosInfo;
import io.millrace.control.message.Resource;
import io.millrace.control.message.SubsystemInfo;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * The records of a state, as a data plane would send them. Values that only a running data plane knows (I/O counts,
 * connected hosts) are {@link Resource#UNKNOWN}. Stateless.
 */
public final class StateRecords
{
    /** Kinds of resource that a state consists of. */
    public static final List<Kind> KINDS = List.of(
        Kind.DEVICE, Kind.SUBSYSTEM, Kind.NAMESPACE, Kind.HOST, Kind.LISTENER, Kind.ANA, Kind.QOS);

    private StateRecords()
    {
    }

    /**
     * The records of a kind.
     *
     * @param state that they are of.
     * @param kind  one of {@link #KINDS}.
     * @param name  of one device, or NQN of the subsystem that they are of; empty: all.
     * @return the records; null if the named resource does not exist.
     */
    public static List<Resource> of(final DesiredState state, final Kind kind, final String name)
    {
        final boolean isThere = name.isEmpty() || Kind.LISTENER == kind ||
            (Kind.DEVICE == kind ? state.devices().containsKey(name) : state.subsystems().containsKey(name));
        if (!isThere)
        {
            return null;
        }
        final List<Resource> records = new ArrayList<>();
        switch (kind)
        {
            case DEVICE -> devices(state, name, records);
            case LISTENER -> state.listeners().values().forEach((each) -> records.add(
                new ListenerInfo(each.transport(), each.address(), each.port(), each.discoveryOnly(), true,
                    each.provider())));
            default ->
            {
                for (final SubsystemState each : state.subsystems().values())
                {
                    if (name.isEmpty() || name.equals(each.nqn()))
                    {
                        subsystem(state, each, kind, records);
                    }
                }
            }
        }
        return records;
    }

    private static void devices(final DesiredState state, final String name, final List<Resource> records)
    {
        final Map<String, Integer> users = new HashMap<>();
        state.subsystems().values().forEach((subsystem) -> subsystem.namespaces().values().forEach((each) ->
            users.merge(each.device(), 1, Integer::sum)));
        state.devices().values().forEach((each) ->
            each.bases().forEach((base) -> users.merge(base, 1, Integer::sum)));
        for (final DeviceSpec each : state.devices().values())
        {
            if (name.isEmpty() || name.equals(each.name()))
            {
                final DeviceSpec bottom = bottom(state, each.name());
                records.add(new DeviceInfo(each, null == bottom ? 0 : bottom.sizeBytes(),
                    null == bottom ? 0 : bottom.blockSizeBytes(), users.getOrDefault(each.name(), 0), each.bases(),
                    DeviceState.NULL_VAL, DeviceHealth.NULL_VAL, "", "", Resource.UNKNOWN));
            }
        }
    }

    private static void subsystem(
        final DesiredState state, final SubsystemState subsystem, final Kind kind, final List<Resource> records)
    {
        switch (kind)
        {
            case SUBSYSTEM -> records.add(new SubsystemInfo(subsystem.nqn(), subsystem.spec().allowAnyHost(),
                subsystem.namespaces().size(), Resource.UNKNOWN, subsystem.spec().serial(),
                subsystem.spec().model()));
            case NAMESPACE -> subsystem.namespaces().values().forEach((each) ->
            {
                final DeviceSpec device = bottom(state, each.device());
                records.add(new NamespaceInfo(each.nqn(), each.nsid(), each.uuid(),
                    null == device ? 0 : device.sizeBytes(), null == device ? 0 : device.blockSizeBytes(),
                    Resource.UNKNOWN, Resource.UNKNOWN, Resource.UNKNOWN, Resource.UNKNOWN, Resource.UNKNOWN,
                    Resource.UNKNOWN, each.device(), each.anaGroup()));
            });
            case HOST -> subsystem.hosts().forEach((each) -> records.add(new HostInfo(subsystem.nqn(), each)));
            case QOS -> subsystem.qos().forEach((each) -> records.add(
                new QosInfo(each, Resource.UNKNOWN, Resource.UNKNOWN, Resource.UNKNOWN, Resource.UNKNOWN)));
            case ANA -> ana(state, subsystem, records);
            default -> throw new IllegalArgumentException("no part of a state: " + kind);
        }
    }

    /** The device itself, or the device below it that has its size; null if it does not exist. */
    private static DeviceSpec bottom(final DesiredState state, final String name)
    {
        DeviceSpec device = state.devices().get(name);
        for (int depth = 0; null != device && 1 == device.bases().size() && depth < state.devices().size(); depth++)
        {
            device = state.devices().get(device.bases().getFirst());
        }
        return device;
    }

    /** Wider addresses first, as they cover the others. */
    private static void ana(final DesiredState state, final SubsystemState subsystem, final List<Resource> records)
    {
        final BitSet used = new BitSet();
        final Map<Integer, Integer> namespaces = new HashMap<>();
        subsystem.namespaces().values().forEach((each) ->
        {
            used.set(each.anaGroup());
            namespaces.merge(each.anaGroup(), 1, Integer::sum);
        });
        final NavigableSet<AnaStates.Place> places = new TreeSet<>();
        subsystem.ana().entries().forEach((each) -> places.add(each.place()));
        state.listeners().values().stream().filter((each) -> !each.discoveryOnly())
            .forEach((each) -> places.add(new AnaStates.Place(each.transport(), each.address(), each.port())));
        for (final AnaStates.Place place : places)
        {
            final boolean isSet = subsystem.ana().entries().stream().anyMatch((each) -> place.equals(each.place()));
            for (int group = 1; group <= Names.ANA_GROUP_MAX; group++)
            {
                if (isSet || used.get(group))
                {
                    records.add(new AnaInfo(subsystem.nqn(), place.transport(), place.address(),
                        place.port(), group, subsystem.ana().state(place, group), Resource.UNKNOWN,
                        namespaces.getOrDefault(group, 0)));
                }
            }
        }
    }
}
