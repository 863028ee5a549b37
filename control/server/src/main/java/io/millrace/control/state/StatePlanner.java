package io.millrace.control.state;

import io.millrace.control.codec.ListenerProvider;
import io.millrace.control.device.DeviceContent;
import io.millrace.control.device.DeviceSetting;
import io.millrace.control.device.DeviceType;
import io.millrace.control.device.DeviceTypes;
import io.millrace.control.device.OnChange;
import io.millrace.control.message.Command;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.QosSpec;
import io.millrace.control.message.SubsystemSpec;
import io.millrace.control.setting.Units;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Makes one {@link StatePlan}: finds the differences, then the removals that creations depend on, then lists the steps
 * in order. One thread, used once.
 */
final class StatePlanner
{
    /** A namespace by where it is. */
    private record Place(String nqn, int nsid)
    {
        static Place of(final NamespaceSpec namespace)
        {
            return new Place(namespace.nqn(), namespace.nsid());
        }
    }

    /** Of a setting without a default that is not given. */
    private static final String NO_VALUE = "none";

    private final DesiredState actual;
    private final DesiredState desired;
    private final List<String> obstacles = new ArrayList<>();

    /** Why devices cannot stay as they are, by name. */
    private final Map<String, String> replacedDevices = new HashMap<>();
    private final Map<String, String> replacedSubsystems = new HashMap<>();
    /** Removals, and whether they precede creations. */
    private final Map<String, Boolean> deviceRemovals = new HashMap<>();
    private final Map<String, Boolean> subsystemRemovals = new LinkedHashMap<>();
    private final Map<Place, Boolean> namespaceRemovals = new LinkedHashMap<>();
    private final Map<String, Boolean> listenerRemovals = new LinkedHashMap<>();
    /** Creations. */
    private final List<DeviceSpec> newDevices = new ArrayList<>();
    private final List<SubsystemSpec> newSubsystems = new ArrayList<>();
    private final Set<Place> newPlaces = new HashSet<>();
    private final List<NamespaceSpec> newNamespaces = new ArrayList<>();
    private final List<Command.AllowHost> newHosts = new ArrayList<>();
    private final List<ListenerSpec> newListeners = new ArrayList<>();
    private final List<StateStep> anaSteps = new ArrayList<>();
    private final List<StateStep> qosSteps = new ArrayList<>();
    /** Other steps. */
    private final List<StateStep> changes = new ArrayList<>();
    /** Of settings that name devices which are all there: what they name no more is free for creations. */
    private final List<StateStep> releases = new ArrayList<>();
    /** Devices that are used from such a change on, and were not before. */
    private final List<String> newBases = new ArrayList<>();
    private final List<Command.DenyHost> deniedHosts = new ArrayList<>();
    /** Users of resources in the actual state. */
    private final Map<String, String> wrappers = new HashMap<>();
    private final Map<String, Place> placesByDevice = new HashMap<>();
    private final Map<UUID, Place> placesByUuid = new HashMap<>();
    private final Map<String, String> devicesByLocation = new HashMap<>();

    StatePlanner(final DesiredState actual, final DesiredState desired)
    {
        this.actual = actual;
        this.desired = desired;
        for (final DeviceSpec each : actual.devices().values())
        {
            each.bases().forEach((base) -> wrappers.put(base, each.name()));
            if (!each.location().isEmpty())
            {
                devicesByLocation.put(each.location(), each.name());
            }
        }
        for (final SubsystemState subsystem : actual.subsystems().values())
        {
            for (final NamespaceSpec each : subsystem.namespaces().values())
            {
                placesByDevice.put(each.device(), Place.of(each));
                placesByUuid.put(each.uuid(), Place.of(each));
            }
        }
    }

    StatePlan plan()
    {
        findDevices();
        findSubsystems();
        findListeners();
        findBlockers();
        desired.subsystems().values().forEach(this::findAccess);
        freeFromSpdk();

        final List<List<StateStep>> stages = new ArrayList<>();
        addRemovals(stages, true);
        addStage(stages, releases);
        addCreations(stages);
        addStage(stages, changes);
        addRemovals(stages, false);
        return new StatePlan(stages, obstacles);
    }

    private void findDevices()
    {
        for (final DeviceSpec was : actual.devicesInOrder())
        {
            final DeviceSpec wanted = desired.devices().get(was.name());
            if (null == wanted)
            {
                deviceRemovals.put(was.name(), false);
                continue;
            }
            final String reason = reasonToReplace(was, wanted);
            if (null != reason)
            {
                replacedDevices.put(was.name(), reason);
                deviceRemovals.put(was.name(), true);
            }
            else
            {
                findChanges(was, wanted);
            }
        }
        for (final DeviceSpec wanted : desired.devicesInOrder())
        {
            if (!actual.devices().containsKey(wanted.name()) || replacedDevices.containsKey(wanted.name()))
            {
                checkSize(wanted);
                newDevices.add(wanted);
            }
        }
        arraysLast();
    }

    /** Each may have a member that it does not name any more, and that is among the other devices. */
    private void arraysLast()
    {
        final List<DeviceSpec> last = new ArrayList<>();
        final Set<String> names = new HashSet<>();
        for (final DeviceSpec each : newDevices)
        {
            if (DeviceTypes.of(each.type()).hasMembers() || each.bases().stream().anyMatch(names::contains))
            {
                last.add(each);
                names.add(each.name());
            }
        }
        newDevices.removeAll(last);
        newDevices.addAll(last);
    }

    /** Null when it can stay. */
    private String reasonToReplace(final DeviceSpec was, final DeviceSpec wanted)
    {
        if (!was.type().equals(wanted.type()))
        {
            return "a " + was.type() + " device does not become a " + wanted.type() + " device";
        }
        final DeviceType type = DeviceTypes.of(was.type());
        final List<DeviceSetting<?>> differences = NoChange.differences(type, was, wanted);
        // First, as an array that is deleted for another setting could not be created again with these.
        if (keepsBase(was, wanted) && differences.stream().anyMatch((each) -> OnChange.FIXED == each.onChange()))
        {
            obstacles.add("device " + was.name() + ": " + differences.stream()
                .filter((each) -> OnChange.FIXED == each.onChange())
                .map((each) -> change(each, was, wanted)).collect(Collectors.joining(", and ")) +
                " over the same devices, which hold it: name other devices, and copy the data");
            return null;
        }
        for (final DeviceSetting<?> each : differences)
        {
            if (OnChange.REPLACED == each.onChange() || OnChange.FIXED == each.onChange())
            {
                return change(each, was, wanted);
            }
        }
        for (final String base : was.bases())
        {
            if (replacedDevices.containsKey(base))
            {
                return "device " + base + " is replaced";
            }
        }
        // A device that is declared without a size has that of what it opens.
        if (0 == wanted.sizeBytes() || wanted.sizeBytes() >= was.sizeBytes())
        {
            return was.isOtherIncarnation(wanted) ? "it was deleted and recreated" : null;
        }
        if (DeviceContent.PERSISTENT == type.content())
        {
            obstacles.add(tooSmall(wanted, was));
            return null;
        }
        return "it does not become smaller, " + Units.size(wanted.sizeBytes()) + " instead of " +
            Units.size(was.sizeBytes());
    }

    private static String change(final DeviceSetting<?> setting, final DeviceSpec was, final DeviceSpec wanted)
    {
        return setting.key() + ' ' +
            Objects.requireNonNullElse(setting.text(was.properties()), NO_VALUE) + " does not become " +
            Objects.requireNonNullElse(setting.text(wanted.properties()), NO_VALUE);
    }

    /** Whether a device is over one that it was over, with what that holds. */
    private boolean keepsBase(final DeviceSpec was, final DeviceSpec wanted)
    {
        return wanted.bases().stream()
            .anyMatch((base) -> was.bases().contains(base) && !replacedDevices.containsKey(base));
    }

    /** Changes of a device that stays. */
    private void findChanges(final DeviceSpec was, final DeviceSpec wanted)
    {
        final Map<String, String> applied = new TreeMap<>();
        for (final DeviceSetting<?> each : NoChange.differences(DeviceTypes.of(was.type()), was, wanted))
        {
            if (OnChange.APPLIED == each.onChange())
            {
                applied.put(each.key(), wanted.properties().getOrDefault(each.key(), ""));
            }
        }
        if (!applied.isEmpty())
        {
            final List<String> added = new ArrayList<>(wanted.bases());
            added.removeAll(was.bases());
            newBases.addAll(added);
            if (wanted.isSharedSpare() && !was.isSharedSpare())
            {
                // It has no other use from then on.
                newBases.add(was.name());
            }
            final boolean isRelease = was.isSharedSpare() && !wanted.isSharedSpare() ||
                !wanted.bases().containsAll(was.bases()) && actual.devices().keySet().containsAll(added);
            (isRelease ? releases : changes).add(new StateStep(
                new Command.ModifyDevice(was.name(), applied), StateStep.Effect.CHANGE, false,
                "set " + applied.entrySet().stream()
                .map((each) -> each.getKey() + " to " + (each.getValue().isEmpty() ? "default" : each.getValue()))
                .collect(Collectors.joining(", ")) + " of device " + was.name()));
        }
        if (wanted.sizeBytes() > was.sizeBytes())
        {
            changes.add(new StateStep(new Command.ResizeDevice(was.name(), wanted.sizeBytes()),
                StateStep.Effect.CHANGE, false, "grow device " + was.name() + " from " +
                Units.size(was.sizeBytes()) + " to " + Units.size(wanted.sizeBytes())));
        }
    }

    /** What is persistent is never truncated, not even for a device of another name. */
    private void checkSize(final DeviceSpec wanted)
    {
        final String holder = wanted.location().isEmpty() ? null : devicesByLocation.get(wanted.location());
        final DeviceSpec was = null == holder ? null : actual.devices().get(holder);
        if (null != was && 0 != wanted.sizeBytes() && wanted.sizeBytes() < was.sizeBytes())
        {
            obstacles.add(tooSmall(wanted, was));
        }
    }

    private static String tooSmall(final DeviceSpec wanted, final DeviceSpec was)
    {
        return "device " + wanted.name() + ": size " + Units.size(wanted.sizeBytes()) + " is below the " +
            Units.size(was.sizeBytes()) + " that " + was.location() + " has, and data is never truncated; " +
            "give it that size or none";
    }

    private void findSubsystems()
    {
        for (final SubsystemState was : actual.subsystems().values())
        {
            final SubsystemState wanted = desired.subsystems().get(was.nqn());
            final String reason = null == wanted ? null : reasonToReplace(was.spec(), wanted.spec());
            if (null == wanted || null != reason)
            {
                subsystemRemovals.put(was.nqn(), null != reason);
                replacedSubsystems.put(was.nqn(), reason);
            }
            else
            {
                findChanges(was, wanted);
            }
        }
        for (final SubsystemState wanted : desired.subsystems().values())
        {
            final boolean isNew = !actual.subsystems().containsKey(wanted.nqn()) ||
                subsystemRemovals.containsKey(wanted.nqn());
            if (isNew)
            {
                newSubsystems.add(wanted.spec());
                wanted.namespaces().values().forEach(this::addNamespace);
                wanted.hosts().forEach((host) -> newHosts.add(new Command.AllowHost(wanted.nqn(), host)));
            }
        }
    }

    private static String reasonToReplace(final SubsystemSpec was, final SubsystemSpec wanted)
    {
        return !was.serial().equals(wanted.serial()) ?
            "serial number " + was.serial() + " does not become " + wanted.serial() :
            !was.model().equals(wanted.model()) ? "model " + was.model() + " does not become " + wanted.model() : null;
    }

    private void findChanges(final SubsystemState was, final SubsystemState wanted)
    {
        for (final NamespaceSpec each : was.namespaces().values())
        {
            final NamespaceSpec same = wanted.namespaces().get(each.nsid());
            if (null == same)
            {
                // Its device may have to be deleted first.
                namespaceRemovals.put(Place.of(each), replacedDevices.containsKey(each.device()));
            }
            else if (!same.equals(each) || replacedDevices.containsKey(each.device()))
            {
                namespaceRemovals.put(Place.of(each), true);
                addNamespace(same);
            }
        }
        for (final NamespaceSpec each : wanted.namespaces().values())
        {
            if (!was.namespaces().containsKey(each.nsid()))
            {
                addNamespace(each);
            }
        }
        for (final String host : wanted.hosts())
        {
            if (!was.hosts().contains(host))
            {
                newHosts.add(new Command.AllowHost(was.nqn(), host));
            }
        }
        for (final String host : was.hosts())
        {
            if (!wanted.hosts().contains(host))
            {
                deniedHosts.add(new Command.DenyHost(was.nqn(), host));
            }
        }
        final boolean isAllowed = wanted.spec().allowAnyHost();
        if (was.spec().allowAnyHost() != isAllowed)
        {
            changes.add(new StateStep(new Command.SetAllowAnyHost(was.nqn(), isAllowed), StateStep.Effect.CHANGE,
                false, isAllowed ? "allow any host on " + was.nqn() :
                "allow listed hosts only on " + was.nqn() + ", and disconnect others"));
        }
    }

    private void addNamespace(final NamespaceSpec namespace)
    {
        newNamespaces.add(namespace);
        newPlaces.add(Place.of(namespace));
    }

    private void findListeners()
    {
        actual.listeners().forEach((name, was) ->
        {
            final ListenerSpec wanted = desired.listeners().get(name);
            if (!was.equals(wanted))
            {
                listenerRemovals.put(name, null != wanted);
            }
        });
        desired.listeners().forEach((name, wanted) ->
        {
            if (!wanted.equals(actual.listeners().get(name)))
            {
                newListeners.add(wanted);
            }
        });
    }

    /** ANA states and limits, after it is known which subsystems and namespaces stay. */
    private void findAccess(final SubsystemState wanted)
    {
        final String nqn = wanted.nqn();
        final SubsystemState was = subsystemRemovals.containsKey(nqn) ? null : actual.subsystems().get(nqn);
        final StateStep.Effect effect = null == was ? StateStep.Effect.CREATE : StateStep.Effect.CHANGE;
        for (final AnaStates.Entry each : wanted.ana().entriesFrom(
            null == was ? AnaStates.OPTIMIZED : was.ana(), groupsOf(was)))
        {
            anaSteps.add(new StateStep(each.command(nqn), effect, false, each.sentence(nqn)));
        }
        final Map<QosLimits.Key, QosSpec> limits = new TreeMap<>(null == was ? Map.of() : was.limits());
        limits.keySet().removeIf((key) -> namespaceRemovals.containsKey(new Place(nqn, key.nsid())));
        wanted.limits().forEach((key, limit) ->
        {
            final QosSpec before = limits.remove(key);
            if (!limit.equals(before))
            {
                qosSteps.add(new StateStep(new Command.SetQos(limit),
                    null == before ? StateStep.Effect.CREATE : StateStep.Effect.CHANGE, false,
                    "limit " + QosLimits.subject(limit) + " to " + QosLimits.text(limit)));
            }
        });
        limits.forEach((key, limit) -> qosSteps.add(removal(new Command.SetQos(QosLimits.none(nqn, key)), false,
            "limit " + QosLimits.subject(limit) + ": none")));
    }

    /** ANA groups that have namespaces. */
    private static BitSet groupsOf(final SubsystemState subsystem)
    {
        final BitSet groups = new BitSet();
        if (null != subsystem)
        {
            subsystem.namespaces().values().forEach((each) -> groups.set(each.anaGroup()));
        }
        return groups;
    }

    private void findBlockers()
    {
        for (final DeviceSpec each : newDevices)
        {
            each.bases().forEach(this::free);
            if (devicesByLocation.containsKey(each.location()))
            {
                remove(devicesByLocation.get(each.location()));
            }
        }
        newBases.forEach(this::free);
        for (final NamespaceSpec each : newNamespaces)
        {
            free(each.device());
            final Place other = placesByUuid.get(each.uuid());
            if (null != other)
            {
                remove(other);
            }
        }
        for (final String each : replacedDevices.keySet())
        {
            free(each);
        }
        for (final ListenerSpec each : newListeners)
        {
            for (final String name : listenerRemovals.keySet())
            {
                final ListenerSpec was = actual.listeners().get(name);
                if (was.transport() == each.transport() && was.port() == each.port() &&
                    NetworkAddress.overlap(was.address(), each.address()))
                {
                    listenerRemovals.put(name, true);
                }
            }
        }
    }

    /** SPDK's target knows no limits: its listeners go before some are set. */
    private void freeFromSpdk()
    {
        if (!qosSteps.isEmpty())
        {
            listenerRemovals.replaceAll((name, isFirst) ->
                isFirst || ListenerProvider.SPDK == actual.listeners().get(name).provider());
        }
    }

    /** Users of a device are removed before creations. */
    private void free(final String device)
    {
        final Place place = placesByDevice.get(device);
        if (null != place)
        {
            remove(place);
        }
        final String wrapper = wrappers.get(device);
        if (null != wrapper && !isReleased(device, wrapper))
        {
            remove(wrapper);
        }
    }

    /** Whether its wrapper stays, and is not made of it any more. */
    private boolean isReleased(final String device, final String wrapper)
    {
        final DeviceSpec wanted = desired.devices().get(wrapper);
        return null != wanted && !replacedDevices.containsKey(wrapper) && !wanted.bases().contains(device);
    }

    private void remove(final Place place)
    {
        if (!Boolean.TRUE.equals(subsystemRemovals.get(place.nqn())))
        {
            namespaceRemovals.put(place, true);
        }
    }

    private void remove(final String device)
    {
        String next = device;
        while (null != next && !Boolean.TRUE.equals(deviceRemovals.put(next, true)))
        {
            final Place place = placesByDevice.get(next);
            if (null != place)
            {
                remove(place);
            }
            next = wrappers.get(next);
        }
    }

    private void addRemovals(final List<List<StateStep>> stages, final boolean isFirst)
    {
        final List<StateStep> steps = new ArrayList<>();
        listenerRemovals.forEach((name, first) ->
        {
            if (isFirst == first)
            {
                final ListenerSpec was = actual.listeners().get(name);
                steps.add(removal(new Command.RemoveListener(was.transport(), was.address(), was.port()), false,
                    "stop listening on " + name));
            }
        });
        if (!isFirst)
        {
            deniedHosts.forEach((deny) -> steps.add(removal(deny, false,
                "deny host " + deny.hostNqn() + " on " + deny.nqn())));
        }
        namespaceRemovals.forEach((place, first) ->
        {
            if (isFirst == first)
            {
                final NamespaceSpec was = actual.subsystems().get(place.nqn()).namespaces().get(place.nsid());
                steps.add(removal(new Command.RemoveNamespace(place.nqn(), place.nsid()), newPlaces.contains(place),
                    "remove namespace " + place.nsid() + " of " + place.nqn() + " from device " + was.device() +
                    otherUuid(was)));
            }
        });
        subsystemRemovals.forEach((nqn, first) ->
        {
            if (isFirst == first)
            {
                steps.add(subsystemRemoval(nqn));
            }
        });
        addStage(stages, steps);
        final List<StateStep> devices = new ArrayList<>();
        for (final DeviceSpec was : actual.devicesInOrder())
        {
            if (Objects.equals(isFirst, deviceRemovals.get(was.name())))
            {
                devices.add(deviceRemoval(was));
            }
        }
        addStage(stages, devices.reversed());
    }

    /** Hosts see another volume then: mostly the default UUID, of a document with another name of an array. */
    private String otherUuid(final NamespaceSpec was)
    {
        final SubsystemState subsystem = desired.subsystems().get(was.nqn());
        final NamespaceSpec wanted = null == subsystem ? null : subsystem.namespaces().get(was.nsid());
        return null == wanted || !was.device().equals(wanted.device()) || was.uuid().equals(wanted.uuid()) ? "" :
            ", since its uuid " + was.uuid() + " does not become " + wanted.uuid() +
            ": to keep it, give the namespace 'uuid: " + was.uuid() + "'";
    }

    private StateStep subsystemRemoval(final String nqn)
    {
        final String reason = replacedSubsystems.get(nqn);
        final int namespaces = actual.subsystems().get(nqn).namespaces().size();
        return removal(new Command.DeleteSubsystem(nqn), null != reason, "delete subsystem " + nqn +
            (0 == namespaces ? "" : " with its " + Units.count(namespaces, "namespace")) +
            (null == reason ? "" : " to recreate it, since " + reason));
    }

    private StateStep deviceRemoval(final DeviceSpec was)
    {
        final String reason = replacedDevices.get(was.name());
        final boolean isLost = was.losesData();
        return removal(new Command.DeleteDevice(was.name()), isLost || null != reason,
            "delete " + was.type() + " device " + was.name() +
            (null == reason ? "" : " to recreate it, since " + reason) +
            (isLost ? "; its data is lost" : ""));
    }

    private static StateStep removal(final Command command, final boolean isDestructive, final String sentence)
    {
        return new StateStep(command, StateStep.Effect.REMOVE, isDestructive, sentence);
    }

    private void addCreations(final List<List<StateStep>> stages)
    {
        final List<StateStep> steps = new ArrayList<>();
        newDevices.forEach((device) -> steps.add(creation(new Command.CreateDevice(device), sentence(device))));
        newSubsystems.forEach((subsystem) -> steps.add(creation(new Command.CreateSubsystem(subsystem),
            "create subsystem " + subsystem.nqn() + (subsystem.allowAnyHost() ? " for every host" : ""))));
        // Before their namespaces, so that no host sees other states.
        steps.addAll(anaSteps);
        newNamespaces.forEach((namespace) -> steps.add(creation(new Command.AddNamespace(namespace),
            "add namespace " + namespace.nsid() + " of " + namespace.nqn() + " on device " + namespace.device())));
        newHosts.forEach((allow) -> steps.add(creation(allow, "allow host " + allow.hostNqn() + " on " + allow.nqn())));
        steps.addAll(qosSteps);
        newListeners.forEach((listener) -> steps.add(creation(new Command.AddListener(listener),
            "listen on " + Canonical.nameOf(listener) + (listener.discoveryOnly() ? " for discovery" : "") +
            (ListenerProvider.SPDK == listener.provider() ? " by SPDK" : ""))));
        addStage(stages, steps);
    }

    private static StateStep creation(final Command command, final String sentence)
    {
        return new StateStep(command, StateStep.Effect.CREATE, false, sentence);
    }

    private static void addStage(final List<List<StateStep>> stages, final List<StateStep> steps)
    {
        if (!steps.isEmpty())
        {
            stages.add(steps);
        }
    }

    private static String sentence(final DeviceSpec device)
    {
        final List<String> settings = new ArrayList<>();
        DeviceTypes.of(device.type()).inOrder(device.properties())
            .forEach((setting, text) -> settings.add(setting.key() + ' ' + text));
        return "create " + device.type() + " device " + device.name() +
            (settings.isEmpty() ? "" : " with " + String.join(", ", settings));
    }
}
