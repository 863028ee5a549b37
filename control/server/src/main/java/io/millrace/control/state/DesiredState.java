package io.millrace.control.state;

import io.millrace.control.codec.AnaState;
import io.millrace.control.codec.Kind;
import io.millrace.control.device.DeviceTypes;
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
import io.millrace.control.setting.Units;
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
 * The desired state of a data plane. Defaults and generated values (block size, serial number, UUID ...) are filled in,
 * so that a state read back from a data plane equals the declared one; only the size of a file device may be left open,
 * and then matches any size of the file. Maps are in natural order of names. Immutable.
 */
public final class DesiredState
{
    /** The empty state. */
    public static final DesiredState EMPTY = new DesiredState(new TreeMap<>(), new TreeMap<>(), new TreeMap<>());

    /** Kinds of resource that it is made of. */
    public static final List<Kind> KINDS = List.of(
        Kind.DEVICE, Kind.SUBSYSTEM, Kind.NAMESPACE, Kind.HOST, Kind.LISTENER, Kind.ANA, Kind.QOS);

    private final NavigableMap<String, DeviceSpec> devices;
    private final NavigableMap<String, SubsystemState> subsystems;
    private final NavigableMap<String, ListenerSpec> listeners;

    /** Takes ownership of the maps. */
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
     * The state that a data plane reports. Tolerates inconsistent lists, as they are not taken at one moment: parts of
     * a missing subsystem are dropped.
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
                // Of a later version, which is unknown here.
                case final DeviceInfo d when null == DeviceTypes.find(d.type()) ->
                {
                }
                case final DeviceInfo d -> devices.put(d.name(), Canonical.device(d.spec()));
                case final SubsystemInfo s -> subsystems.put(s.nqn(), new StateEditor.Subsystem(
                    Canonical.subsystem(new SubsystemSpec(s.nqn(), s.allowAnyHost(), s.serial(), s.model()))));
                case final ListenerInfo l when !StateEditor.TRANSPORTS.contains(l.transport()) ||
                    !StateEditor.PROVIDERS.contains(l.provider()) ->
                {
                }
                case final ListenerInfo l ->
                {
                    final ListenerSpec spec = Canonical.listener(
                        new ListenerSpec(l.transport(), l.address(), l.port(), l.discoveryOnly(), l.provider()));
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

    /** Wider addresses first, since they cover the others; entries without effect are skipped. */
    private static void addAnaStates(
        final NavigableMap<String, StateEditor.Subsystem> subsystems, final Collection<? extends Resource> reported)
    {
        final NavigableMap<AnaStates.Place, List<AnaInfo>> states = new TreeMap<>();
        for (final Resource each : reported)
        {
            if (each instanceof final AnaInfo a && subsystems.containsKey(a.nqn()) &&
                StateEditor.TRANSPORTS.contains(a.transport()) &&
                AnaStates.SETTLED.contains(AnaStates.settled(a.state())))
            {
                states.computeIfAbsent(new AnaStates.Place(
                    a.transport(), NetworkAddress.canonical(a.address()), a.port()),
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
     * {@return whether a command changes the desired state; others (state, disconnect, list) are transient}
     *
     * @param command to look at.
     */
    public static boolean changesDesiredState(final Command command)
    {
        return switch (command)
        {
            case Command.CreateDevice _, Command.DeleteDevice _, Command.ResizeDevice _, Command.CreateSubsystem _,
                Command.DeleteSubsystem _, Command.AddNamespace _, Command.RemoveNamespace _, Command.AllowHost _,
                Command.DenyHost _, Command.SetAllowAnyHost _, Command.AddListener _, Command.RemoveListener _,
                Command.SetAnaState _, Command.SetQos _, Command.ModifyDevice _, Command.RenameDevice _ -> true;
            default -> false;
        };
    }

    /**
     * The state after a command. To carry out many, {@link #edit()} once.
     *
     * @param command that {@linkplain #changesDesiredState changes the desired state}.
     * @return the changed state.
     * @throws ControlException         with code and message as a data plane would answer.
     * @throws IllegalArgumentException if the command does not change the desired state.
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
     * The union of this state and another, in which this one takes precedence: the target of an apply without pruning.
     *
     * @param other mostly the actual state.
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
     * This state as the successor of another: a device that can stay keeps its incarnation, and a created or replaced
     * one gets a new one.
     *
     * @param base    predecessor.
     * @param created supplies the incarnation of a created device.
     * @return the state.
     */
    public DesiredState following(final DesiredState base, final Function<DeviceSpec, UUID> created)
    {
        return withIncarnations((each) ->
        {
            final DeviceSpec was = base.devices.get(each.name());
            return null != was && was.hasIncarnation() && was.type().equals(each.type()) &&
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
     * {@return the devices, each behind those below it}
     */
    List<DeviceSpec> devicesInOrder()
    {
        final List<DeviceSpec> ordered = new ArrayList<>(devices.size());
        final Set<String> done = HashSet.newHashSet(devices.size());
        final Set<String> listed = HashSet.newHashSet(devices.size());
        final ArrayDeque<DeviceSpec> open = new ArrayDeque<>(devices.size() + 1);
        devices.descendingMap().values().forEach(open::push);
        while (!open.isEmpty())
        {
            final DeviceSpec next = open.pop();
            final List<DeviceSpec> below = done.contains(next.name()) ? List.of() : next.bases().stream()
                .map(devices::get).filter((each) -> null != each && !done.contains(each.name())).toList();
            if (done.add(next.name()) && !below.isEmpty())
            {
                // Comes again behind those below it, which are done before then.
                open.push(next);
                below.forEach(open::push);
            }
            else if (listed.add(next.name()))
            {
                ordered.add(next);
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
        return Units.count(devices.size(), "device") + ", " + Units.count(subsystems.size(), "subsystem") + " with " +
            Units.count(namespaceCount(), "namespace") + ", " + Units.count(listeners.size(), "listener");
    }
}
