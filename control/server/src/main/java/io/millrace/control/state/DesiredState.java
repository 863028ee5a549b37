package io.millrace.control.state;

import io.millrace.control.codec.AnaState;
import io.millrace.control.codec.DeviceType;
import io.millrace.control.codec.Kind;
import io.millrace.control.message.AnaInfo;
import io.millrace.control.message.Command;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.DeviceInfo;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.HostInfo;
import io.millrace.control.message.ListenerInfo;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.message.NamespaceInfo;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.QosInfo;
import io.millrace.control.message.Resource;
import io.millrace.control.message.SubsystemInfo;
import io.millrace.control.message.SubsystemSpec;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;

/**
 * What a data plane should serve. Defaults and generated values (block size, serial number, UUID ...) are written out,
 * so that a state read back from a data plane equals the one that was declared; only a file device without a size stays
 * without, and is met by whatever size its file has. Maps are in natural order of names. Immutable.
 */
public final class DesiredState
{
    /** Nothing is served. */
    public static final DesiredState EMPTY = new DesiredState(new TreeMap<>(), new TreeMap<>(), new TreeMap<>());

    /** Kinds of resource that it is made of. */
    public static final List<Kind> KINDS = List.of(
        Kind.DEVICE, Kind.SUBSYSTEM, Kind.NAMESPACE, Kind.HOST, Kind.LISTENER, Kind.ANA, Kind.QOS);

    private final NavigableMap<String, DeviceSpec> devices;
    private final NavigableMap<String, SubsystemState> subsystems;
    private final NavigableMap<String, ListenerSpec> listeners;

    /** Takes the maps over: who made them changes them no more. */
    DesiredState(
        final NavigableMap<String, DeviceSpec> devices,
        final NavigableMap<String, SubsystemState> subsystems,
        final NavigableMap<String, ListenerSpec> listeners)
    {
        this.devices = Collections.unmodifiableNavigableMap(devices);
        this.subsystems = Collections.unmodifiableNavigableMap(subsystems);
        this.listeners = Collections.unmodifiableNavigableMap(listeners);
    }

    /**
     * The state that a data plane reports. Takes what it gets: lists that were not made at one moment may contradict
     * each other; what belongs to a subsystem that is not there is dropped.
     *
     * @param reported devices, subsystems, namespaces, hosts, listeners, ANA states and limits in any order; other
     *                 resources are ignored. A group in transition counts as what it becomes when nobody ends that:
     *                 inaccessible.
     * @return the state.
     */
    public static DesiredState of(final Collection<? extends Resource> reported)
    {
        final NavigableMap<String, DeviceSpec> devices = new TreeMap<>(NaturalOrder.INSTANCE);
        final NavigableMap<String, StateEditor.Subsystem> subsystems = new TreeMap<>(NaturalOrder.INSTANCE);
        final NavigableMap<String, ListenerSpec> listeners = new TreeMap<>(NaturalOrder.INSTANCE);
        for (final Resource each : reported)
        {
            switch (each)
            {
                // Of a later version, which this one cannot judge.
                case final DeviceInfo d when DeviceType.SBE_UNKNOWN == d.type() || DeviceType.NULL_VAL == d.type() ->
                {
                }
                case final DeviceInfo d -> devices.put(d.name(), Canonical.device(d.spec()));
                case final SubsystemInfo s -> subsystems.put(s.nqn(), new StateEditor.Subsystem(
                    Canonical.subsystem(new SubsystemSpec(s.nqn(), s.allowAnyHost(), s.serial(), s.model()))));
                case final ListenerInfo l ->
                {
                    final ListenerSpec spec = Canonical.listener(
                        new ListenerSpec(l.transport(), l.address(), l.port(), l.discoveryOnly()));
                    listeners.put(Canonical.nameOf(spec), spec);
                }
                default ->
                {
                }
            }
        }
        for (final Resource each : reported)
        {
            if (each instanceof final NamespaceInfo n && subsystems.containsKey(n.nqn()))
            {
                subsystems.get(n.nqn()).namespaces().put(
                    n.nsid(), new NamespaceSpec(n.nqn(), n.nsid(), n.uuid(), n.device(),
                        Resource.UNKNOWN == n.anaGroup() ? NamespaceSpec.ANA_GROUP_DEFAULT : n.anaGroup()));
            }
            else if (each instanceof final HostInfo h && subsystems.containsKey(h.nqn()))
            {
                subsystems.get(h.nqn()).hosts().add(h.hostNqn());
            }
            else if (each instanceof final QosInfo q && subsystems.containsKey(q.limits().nqn()))
            {
                subsystems.get(q.limits().nqn()).limits().put(QosLimits.Key.of(q.limits()), q.limits());
            }
        }
        addAnaStates(subsystems, reported);
        return new DesiredState(devices, StateEditor.frozen(subsystems), listeners);
    }

    /** Those of wider addresses first, since they cover the others; what is so already is left. */
    private static void addAnaStates(
        final NavigableMap<String, StateEditor.Subsystem> subsystems, final Collection<? extends Resource> reported)
    {
        final NavigableMap<AnaStates.Place, List<AnaInfo>> states = new TreeMap<>();
        for (final Resource each : reported)
        {
            if (each instanceof final AnaInfo a && subsystems.containsKey(a.nqn()) &&
                AnaStates.SETTLED.contains(AnaStates.settled(a.state())))
            {
                states.computeIfAbsent(new AnaStates.Place(NetworkAddress.canonical(a.address()), a.port()),
                    (_) -> new ArrayList<>()).add(a);
            }
        }
        states.forEach((place, infos) -> infos.forEach((info) -> subsystems.compute(info.nqn(), (_, subsystem) ->
        {
            final AnaState state = AnaStates.settled(info.state());
            return state == subsystem.ana().state(place, info.group()) ? subsystem :
                subsystem.with(subsystem.ana().with(place, info.group(), state));
        })));
    }

    /**
     * {@return whether a command changes what should be; the others (state, disconnecting, listing) are
     * about a process or a moment}
     *
     * @param command to look at.
     */
    public static boolean keeps(final Command command)
    {
        return switch (command)
        {
            case Command.CreateDevice _, Command.DeleteDevice _, Command.ResizeDevice _, Command.CreateSubsystem _,
                Command.DeleteSubsystem _, Command.AddNamespace _, Command.RemoveNamespace _, Command.AllowHost _,
                Command.DenyHost _, Command.SetAllowAnyHost _, Command.AddListener _, Command.RemoveListener _,
                Command.SetAnaState _, Command.SetQos _, Command.SetFaultRules _ -> true;
            default -> false;
        };
    }

    /**
     * The state after a command. To carry out many, {@link #edit()} once.
     *
     * @param command that {@linkplain #keeps is kept}.
     * @return the changed state.
     * @throws ControlException         with the code and a sentence such as a data plane would answer.
     * @throws IllegalArgumentException when the command is not about what should be.
     */
    public DesiredState with(final Command command)
    {
        final StateEditor editor = edit();
        editor.apply(command);
        return editor.state();
    }

    /**
     * {@return an editor that begins with this state, which stays as it is}
     */
    public StateEditor edit()
    {
        return new StateEditor(this);
    }

    /**
     * This state and whatever another has that this does not name: what is to be when nothing is to be taken away that
     * is not in the way.
     *
     * @param other mostly what is there.
     * @return both.
     */
    public DesiredState including(final DesiredState other)
    {
        return Union.of(this, other);
    }

    /**
     * This state with other incarnations of its devices.
     *
     * @param incarnation of each device that has one.
     * @return the state.
     */
    public DesiredState withIncarnations(final Function<DeviceSpec, UUID> incarnation)
    {
        final NavigableMap<String, DeviceSpec> named = new TreeMap<>(NaturalOrder.INSTANCE);
        devices.forEach((name, each) ->
            named.put(name, each.hasIncarnation() ? each.with(incarnation.apply(each)) : each));
        return new DesiredState(named, subsystems, listeners);
    }

    /**
     * This state without incarnations: as a document says it.
     *
     * @return the state.
     */
    public DesiredState withoutIncarnations()
    {
        return withIncarnations((_) -> DeviceSpec.NO_INCARNATION);
    }

    /**
     * This state as what comes of another: a device that can stay is the same incarnation, and one that is created or
     * replaced is a new one.
     *
     * @param base    that it comes of.
     * @param created makes up the incarnation of a device that is created.
     * @return the state.
     */
    public DesiredState following(final DesiredState base, final Function<DeviceSpec, UUID> created)
    {
        return withIncarnations((each) ->
        {
            final DeviceSpec was = base.devices.get(each.name());
            return null != was && was.hasIncarnation() && was.type() == each.type() &&
                was.blockSizeBytes() == each.blockSizeBytes() && was.sizeBytes() <= each.sizeBytes() ?
                was.incarnation() : created.apply(each);
        });
    }

    /**
     * {@return the devices by name}
     */
    public NavigableMap<String, DeviceSpec> devices()
    {
        return devices;
    }

    /**
     * {@return the subsystems by NQN}
     */
    public NavigableMap<String, SubsystemState> subsystems()
    {
        return subsystems;
    }

    /**
     * {@return the listeners by address and port, such as {@code 127.0.0.1:4420} or {@code [::1]:4420}}
     */
    public NavigableMap<String, ListenerSpec> listeners()
    {
        return listeners;
    }

    /**
     * {@return how many namespaces its subsystems have}
     */
    public int namespaceCount()
    {
        int count = 0;
        for (final SubsystemState each : subsystems.values())
        {
            count += each.namespaces().size();
        }
        return count;
    }

    /**
     * {@return the devices, each behind the one that it wraps}
     */
    List<DeviceSpec> devicesInOrder()
    {
        final List<DeviceSpec> ordered = new ArrayList<>(devices.size());
        final Set<String> done = HashSet.newHashSet(devices.size());
        final ArrayDeque<DeviceSpec> chain = new ArrayDeque<>();
        for (final DeviceSpec each : devices.values())
        {
            DeviceSpec next = each;
            while (null != next && done.add(next.name()))
            {
                chain.push(next);
                next = DeviceType.FAULT == next.type() ? devices.get(next.target()) : null;
            }
            while (!chain.isEmpty())
            {
                ordered.add(chain.pop());
            }
        }
        return ordered;
    }

    @Override
    public boolean equals(final Object other)
    {
        return this == other || other instanceof final DesiredState state && devices.equals(state.devices) &&
            subsystems.equals(state.subsystems) && listeners.equals(state.listeners);
    }

    @Override
    public int hashCode()
    {
        return Objects.hash(devices, subsystems, listeners);
    }

    @Override
    public String toString()
    {
        return devices.size() + " devices, " + subsystems.size() + " subsystems with " + namespaceCount() +
            " namespaces, " + listeners.size() + " listeners";
    }
}
