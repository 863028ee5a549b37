package io.millrace.control.state;

import io.millrace.control.codec.Kind;
import io.millrace.control.message.Command;
import io.millrace.control.message.DeviceSettings;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.PeerInfo;
import io.millrace.control.message.Property;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/**
 * The part of a desired state that an older data plane supports, which is what it is reconciled with: unsupported
 * settings are removed, and settings that it cannot report are replaced by defaults on both sides of a comparison.
 * Stateless.
 *
 * @param state     to compare the data plane with.
 * @param obstacles one sentence for each removed setting with a visible effect.
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
        for (final DeviceSpec each : desired.devices().values())
        {
            if (!peer.deviceTypes().contains(each.type()))
            {
                missing.add(each.name());
                obstacles.add("device " + each.name() + ": the data plane does not support type " + each.type() +
                    ": upgrade it");
            }
            else if (0 != each.seed() && !peer.properties().contains(Property.DEVICE_SEED))
            {
                // Reported without; it is there, and not to be replaced for that.
                devices.put(each.name(), fitting(withoutSeed(each), peer));
                obstacles.add("device " + each.name() + ": the data plane does not support its seed: upgrade it");
            }
            else
            {
                devices.put(each.name(), fitting(each, peer));
            }
            if (!missing.contains(each.name()) && !isDefault(each) &&
                !peer.properties().contains(Property.DEVICE_SETTINGS))
            {
                obstacles.add("device " + each.name() + ": the data plane does not support its settings: upgrade it");
            }
        }
        final NavigableMap<String, StateEditor.Subsystem> subsystems = new TreeMap<>(NaturalOrder.INSTANCE);
        for (final SubsystemState each : desired.subsystems().values())
        {
            subsystems.put(each.nqn(), limited(each, peer, missing, obstacles));
        }
        return obstacles.isEmpty() && knowsAll(peer) ? new PeerLimits(desired, obstacles) :
            new PeerLimits(
                new DesiredState(devices, StateEditor.frozen(subsystems), desired.listeners()), obstacles);
    }

    /**
     * {@return a command without settings that a peer does not support, if it has the same effect without them}
     *
     * @param command that is sent.
     * @param peer    to which it is sent.
     */
    public static Command fitting(final Command command, final PeerInfo peer)
    {
        return command instanceof final Command.CreateDevice create && isDefault(create.device()) ?
            new Command.CreateDevice(fitting(create.device(), peer)) : command;
    }

    /** Settings that the peer does not tell are not compared. */
    private static DeviceSpec fitting(final DeviceSpec device, final PeerInfo peer)
    {
        return peer.properties().contains(Property.DEVICE_SETTINGS) ? device : device.with(DeviceSettings.UNKNOWN);
    }

    private static boolean isDefault(final DeviceSpec device)
    {
        return !device.settings().isKnown() ||
            Canonical.device(device.with(DeviceSettings.DEFAULT)).settings().equals(
                Canonical.device(device).settings());
    }

    private static DeviceSpec withoutSeed(final DeviceSpec device)
    {
        return new DeviceSpec(device.name(), device.type(), device.sizeBytes(), device.blockSizeBytes(),
            device.queueDepth(), device.readOnly(), device.preallocate(), 0, device.target(), device.settings());
    }

    private static boolean knowsAll(final PeerInfo peer)
    {
        return peer.kinds().containsAll(List.of(Kind.ANA, Kind.QOS)) &&
            peer.properties().containsAll(List.of(Property.NAMESPACE_ANA_GROUP, Property.DEVICE_SETTINGS));
    }

    private static StateEditor.Subsystem limited(
        final SubsystemState state, final PeerInfo peer, final Set<String> missing, final List<String> obstacles)
    {
        final boolean hasAna = peer.kinds().contains(Kind.ANA);
        final StateEditor.Subsystem all = new StateEditor.Subsystem(state);
        final StateEditor.Subsystem subsystem = hasAna ? all : all.with(AnaStates.OPTIMIZED);
        if (!hasAna && !AnaStates.OPTIMIZED.equals(state.ana()))
        {
            obstacles.add("ANA states of " + state.nqn() + ": the data plane does not support them: upgrade it");
        }
        if (!peer.kinds().contains(Kind.QOS) && !subsystem.limits().isEmpty())
        {
            subsystem.limits().clear();
            obstacles.add("limits of " + state.nqn() + ": the data plane does not support them: upgrade it");
        }
        for (final NamespaceSpec each : List.copyOf(subsystem.namespaces().values()))
        {
            if (missing.contains(each.device()))
            {
                subsystem.namespaces().remove(each.nsid());
                obstacles.add("namespace " + each.nsid() + " of " + state.nqn() + ": its device is missing");
            }
            else if (!peer.properties().contains(Property.NAMESPACE_ANA_GROUP) &&
                NamespaceSpec.ANA_GROUP_DEFAULT != each.anaGroup())
            {
                subsystem.namespaces().put(each.nsid(), new NamespaceSpec(
                    each.nqn(), each.nsid(), each.uuid(), each.device(), NamespaceSpec.ANA_GROUP_DEFAULT));
                obstacles.add("ANA group of namespace " + each.nsid() + " of " + state.nqn() +
                    ": the data plane does not support it: upgrade it");
            }
        }
        return subsystem;
    }
}
