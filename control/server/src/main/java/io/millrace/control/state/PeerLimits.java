package io.millrace.control.state;

import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.PeerInfo;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/**
 * The part of a desired state that a data plane supports, which is what it is reconciled with: devices of types that it
 * does not make are left out, with what depends on them, and so are listeners of transports that it does not know.
 * Stateless.
 *
 * @param state     to compare the data plane with.
 * @param obstacles one sentence for each resource that is left out.
 */
public record PeerLimits(DesiredState state, List<String> obstacles)
{
    /**
     * Copies the list.
     */
    public PeerLimits
    {
        obstacles = List.copyOf(obstacles);
    }

    /**
     * {@return the part of a state that a peer knows}
     *
     * @param desired all of it.
     * @param peer    data plane.
     */
    public static PeerLimits of(final DesiredState desired, final PeerInfo peer)
    {
        final List<String> obstacles = new ArrayList<>();
        final Set<String> missing = new HashSet<>();
        final NavigableMap<String, DeviceSpec> devices = new TreeMap<>(NaturalOrder.INSTANCE);
        for (final DeviceSpec each : desired.devicesInOrder())
        {
            if (peer.deviceTypes().contains(each.type()) && each.bases().stream().noneMatch(missing::contains))
            {
                devices.put(each.name(), each);
            }
            else
            {
                missing.add(each.name());
                obstacles.add("device " + each.name() + ": the data plane does not support type " + each.type() +
                    ": upgrade it");
            }
        }
        final NavigableMap<String, ListenerSpec> listeners = new TreeMap<>(desired.listeners());
        listeners.values().removeIf((each) -> peer.isMissing(each.transport()) || peer.isMissing(each.provider()));
        desired.listeners().keySet().stream().filter((name) -> !listeners.containsKey(name)).forEach((name) ->
            obstacles.add("listener " + name + ": the data plane does not support its " +
                (peer.isMissing(desired.listeners().get(name).transport()) ? "transport" : "provider") +
                ": upgrade it"));
        final boolean isStateKnown = desired.subsystems().values().stream()
            .allMatch((each) -> each.ana().equals(each.ana().without(peer::isMissing)));
        if (obstacles.isEmpty() && isStateKnown)
        {
            return new PeerLimits(desired, obstacles);
        }
        final NavigableMap<String, StateEditor.Subsystem> subsystems = new TreeMap<>(NaturalOrder.INSTANCE);
        for (final SubsystemState each : desired.subsystems().values())
        {
            final StateEditor.Subsystem subsystem = new StateEditor.Subsystem(each)
                .with(each.ana().without(peer::isMissing));
            for (final NamespaceSpec namespace : List.copyOf(subsystem.namespaces().values()))
            {
                if (missing.contains(namespace.device()))
                {
                    subsystem.namespaces().remove(namespace.nsid());
                    obstacles.add("namespace " + namespace.nsid() + " of " + each.nqn() + ": its device is missing");
                }
            }
            subsystems.put(each.nqn(), subsystem);
        }
        return new PeerLimits(
            new DesiredState(devices, StateEditor.frozen(subsystems), listeners), obstacles);
    }
}
