package io.millrace.control.state;

import io.millrace.control.codec.Code;
import io.millrace.control.codec.ListenerProvider;
import io.millrace.control.codec.Transport;
import io.millrace.control.device.DeviceTypes;
import io.millrace.control.message.Command;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.QosSpec;
import io.millrace.control.message.SubsystemSpec;
import io.millrace.control.setting.InvalidSettingException;
import io.millrace.validation.ResourceValidation;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;

/**
 * Applies commands to a state, each in nearly constant time. Refuses commands that a data plane would refuse, with the
 * same code, except for conditions of the machine, such as whether a file can be opened. A refused command changes
 * nothing. Confined to one thread.
 */
public final class StateEditor
{
    private static final int PORT_MAX = 0xFFFF;

    /** A subsystem that can be changed. */
    record Subsystem(
        SubsystemSpec spec,
        NavigableMap<Integer, NamespaceSpec> namespaces,
        NavigableSet<String> hosts,
        AnaStates ana,
        NavigableMap<QosLimits.Key, QosSpec> limits)
    {
        Subsystem(final SubsystemSpec spec)
        {
            this(spec, new TreeMap<>(), new TreeSet<>(), AnaStates.OPTIMIZED, new TreeMap<>());
        }

        Subsystem(final SubsystemState state)
        {
            this(state.spec(), new TreeMap<>(state.namespaces()), new TreeSet<>(state.hosts()), state.ana(),
                new TreeMap<>(state.limits()));
        }

        Subsystem with(final AnaStates states)
        {
            return new Subsystem(spec, namespaces, hosts, states, limits);
        }

        SubsystemState frozen()
        {
            return new SubsystemState(spec, namespaces, hosts, ana, limits);
        }
    }

    /** Transports of this version. */
    static final Set<Transport> TRANSPORTS = EnumSet.of(Transport.TCP, Transport.RDMA, Transport.VFIO_USER);
    /** Providers of listeners of this version. */
    static final Set<ListenerProvider> PROVIDERS = EnumSet.of(ListenerProvider.MILLRACE, ListenerProvider.SPDK);

    private final NavigableMap<String, DeviceSpec> devices = new TreeMap<>(NaturalOrder.INSTANCE);
    private final NavigableMap<String, Subsystem> subsystems = new TreeMap<>(NaturalOrder.INSTANCE);
    private final NavigableMap<String, ListenerSpec> listeners = new TreeMap<>(NaturalOrder.INSTANCE);
    private final Map<String, String> usersByDevice = new HashMap<>();
    private final Map<String, String> devicesByLocation = new HashMap<>();
    private final Map<UUID, String> namespacesByUuid = new HashMap<>();

    StateEditor(final DesiredState state)
    {
        devices.putAll(state.devices());
        listeners.putAll(state.listeners());
        devices.values().forEach(this::index);
        for (final SubsystemState each : state.subsystems().values())
        {
            subsystems.put(each.nqn(), new Subsystem(each));
            each.namespaces().values().forEach(this::index);
        }
    }

    /**
     * {@return the state as it is now}
     */
    public DesiredState state()
    {
        final NavigableMap<String, DeviceSpec> devicesNow = new TreeMap<>(devices);
        final NavigableMap<String, ListenerSpec> listenersNow = new TreeMap<>(listeners);
        return new DesiredState(devicesNow, frozen(subsystems), listenersNow);
    }

    static NavigableMap<String, SubsystemState> frozen(final NavigableMap<String, Subsystem> subsystems)
    {
        final NavigableMap<String, SubsystemState> frozen = new TreeMap<>(NaturalOrder.INSTANCE);
        subsystems.forEach((nqn, each) -> frozen.put(nqn, each.frozen()));
        return frozen;
    }

    /**
     * Carries out a command.
     *
     * @param command that {@linkplain DesiredState#changesDesiredState changes the desired state}.
     * @throws ControlException         with code and message as a data plane would answer.
     * @throws IllegalArgumentException if the command does not change the desired state.
     */
    public void apply(final Command command)
    {
        if (!noChange(command).isEmpty())
        {
            return;
        }
        switch (command)
        {
            case final Command.CreateDevice create -> createDevice(create.device());
            case final Command.DeleteDevice delete -> deleteDevice(delete.name());
            case final Command.ResizeDevice resize -> resizeDevice(resize.name(), resize.sizeBytes());
            case final Command.CreateSubsystem create -> createSubsystem(create.subsystem());
            case final Command.DeleteSubsystem delete -> deleteSubsystem(delete.nqn());
            case final Command.AddNamespace add -> addNamespace(add.namespace());
            case final Command.RemoveNamespace remove -> removeNamespace(remove.nqn(), remove.nsid());
            case final Command.AllowHost allow -> allowHost(allow.nqn(), allow.hostNqn());
            case final Command.DenyHost deny -> denyHost(deny.nqn(), deny.hostNqn());
            case final Command.SetAllowAnyHost any -> allowAnyHost(any.nqn(), any.allowAnyHost());
            case final Command.AddListener add -> addListener(add.listener());
            case final Command.RemoveListener remove -> removeListener(remove);
            case final Command.SetAnaState ana -> setAnaState(ana);
            case final Command.SetQos set -> setQos(set.qos());
            case final Command.ModifyDevice modify -> modifyDevice(modify.name(), modify.properties());
            case final Command.RenameDevice rename -> renameDevice(rename.name(), rename.newName());
            default -> throw new IllegalArgumentException("not a change of the desired state: " + command);
        }
    }

    /**
     * Checks whether a command changes nothing: the resource to create exists with the same settings, or the one to
     * remove does not exist.
     *
     * @param command that {@linkplain DesiredState#changesDesiredState changes the desired state}.
     * @return one sentence saying so; empty when the command would change something, or is refused.
     */
    public String noChange(final Command command)
    {
        return switch (command)
        {
            case final Command.CreateDevice c -> isThere(subject(c.device().name()), devices.get(c.device().name()),
                (was) -> NoChange.differences(was, c.device()));
            case final Command.DeleteDevice c -> devices.containsKey(c.name()) ? "" : isNotThere(subject(c.name()));
            case final Command.CreateSubsystem c -> isThere("subsystem " + c.subsystem().nqn(),
                subsystems.get(c.subsystem().nqn()), (was) -> NoChange.differences(was.spec(), c.subsystem()));
            case final Command.DeleteSubsystem c ->
                subsystems.containsKey(c.nqn()) ? "" : isNotThere("subsystem " + c.nqn());
            case final Command.AddNamespace c -> isThere(subject(c.namespace().nqn(), c.namespace().nsid()),
                namespace(c.namespace().nqn(), c.namespace().nsid()),
                (was) -> NoChange.differences(was, c.namespace()));
            case final Command.RemoveNamespace c -> null != namespace(c.nqn(), c.nsid()) ? "" :
                isNotThere(subject(c.nqn(), c.nsid()));
            case final Command.AllowHost c -> isAllowed(c.nqn(), c.hostNqn()) ?
                Names.printable(hostOf(c.hostNqn(), c.nqn()) + ": is allowed already, no change") : "";
            case final Command.DenyHost c -> isAllowed(c.nqn(), c.hostNqn()) ? "" :
                Names.printable(hostOf(c.hostNqn(), c.nqn()) + ": is not allowed, no change");
            case final Command.AddListener c -> isThere("listener " + nameOf(c.listener()),
                listeners.get(nameOf(c.listener())), (was) -> NoChange.differences(was, c.listener()));
            case final Command.RemoveListener c -> listeners.containsKey(nameOf(c)) || !isAddress(c) ? "" :
                isNotThere("listener " + nameOf(c));
            default -> "";
        };
    }

    private static <T> String isThere(final String subject, final T was, final Function<T, String> differences)
    {
        return null != was && differences.apply(was).isEmpty() ?
            Names.printable(subject + ": " + NoChange.IS_THERE) : "";
    }

    private static String isNotThere(final String subject)
    {
        return Names.printable(subject + ": " + NoChange.IS_NOT_THERE);
    }

    /**
     * {@return a command that {@linkplain #noChange changes nothing}, with the existing incarnation of its device}
     *
     * @param command that {@linkplain DesiredState#changesDesiredState changes the desired state}.
     */
    public Command asDesired(final Command command)
    {
        return command instanceof final Command.CreateDevice create &&
            devices.containsKey(create.device().name()) ?
            new Command.CreateDevice(create.device().with(devices.get(create.device().name()).incarnation())) : command;
    }

    private NamespaceSpec namespace(final String nqn, final int nsid)
    {
        final Subsystem subsystem = subsystems.get(nqn);
        return null == subsystem ? null : subsystem.namespaces().get(nsid);
    }

    private boolean isAllowed(final String nqn, final String hostNqn)
    {
        final Subsystem subsystem = subsystems.get(nqn);
        return null != subsystem && subsystem.hosts().contains(hostNqn);
    }

    private static boolean isAddress(final Command.RemoveListener listener)
    {
        return TRANSPORTS.contains(listener.transport()) && listener.port() >= 0 && listener.port() <= PORT_MAX &&
            (Transport.VFIO_USER == listener.transport() ? NetworkAddress.isDirectory(listener.address()) :
            null != NetworkAddress.parse(NetworkAddress.canonical(listener.address())));
    }

    private static String nameOf(final ListenerSpec listener)
    {
        return NetworkAddress.text(
            listener.transport(), NetworkAddress.canonical(listener.address()), listener.port());
    }

    private static String nameOf(final Command.RemoveListener listener)
    {
        return NetworkAddress.text(
            listener.transport(), NetworkAddress.canonical(listener.address()), listener.port());
    }

    private void createDevice(final DeviceSpec wanted)
    {
        final String subject = subject(wanted.name());
        check("device name '" + wanted.name() + "'", "", ResourceValidation.ofName(wanted.name()));
        final DeviceSpec device = checked(wanted);
        if (devices.containsKey(wanted.name()))
        {
            throw refusal(Code.EXISTS, subject, "already exists, but " +
                NoChange.differences(devices.get(wanted.name()), wanted) + "; choose another name, or delete it first");
        }
        device.bases().forEach((base) -> checkFree(base, "a device has one user: use another"));
        final String location = device.location();
        final String other = location.isEmpty() ? null : devicesByLocation.get(location);
        if (null != other)
        {
            throw refusal(Code.IN_USE, subject, location + " is used by device " + other + "; choose another");
        }
        devices.put(device.name(), device);
        index(device);
    }

    /** The device in canonical form. */
    private static DeviceSpec checked(final DeviceSpec wanted)
    {
        try
        {
            DeviceTypes.of(wanted.type()).values(wanted.properties());
            return Canonical.device(wanted);
        }
        catch (final InvalidSettingException e)
        {
            throw refusal(Code.INVALID, subject(wanted.name()), e.getMessage());
        }
    }

    private static void check(final String subject, final String value, final ResourceValidation.Problem problem)
    {
        if (null != problem)
        {
            throw refusal(Code.INVALID, subject, value + "is " + problem.bound() + "; " + problem.remedy());
        }
    }

    private DeviceSpec device(final String name)
    {
        final DeviceSpec device = devices.get(name);
        if (null == device)
        {
            throw refusal(Code.NOT_FOUND, subject(name), Names.missing(name, devices.keySet(), "devices"));
        }
        return device;
    }

    private void checkFree(final String name, final String remedy)
    {
        checkNoUser(name, remedy);
        if (device(name).isSharedSpare())
        {
            throw refusal(Code.IN_USE, subject(name), "is a shared spare; set its " + DeviceSpec.SHARED_SPARE +
                " to false first, or use another");
        }
    }

    private void checkNoUser(final String name, final String remedy)
    {
        device(name);
        final String user = usersByDevice.get(name);
        if (null != user)
        {
            throw refusal(Code.IN_USE, subject(name), "is used by " + user + "; " + remedy);
        }
    }

    private void deleteDevice(final String name)
    {
        checkNoUser(name, "remove that first");
        final DeviceSpec device = devices.remove(name);
        device.bases().forEach(usersByDevice::remove);
        devicesByLocation.remove(device.location());
    }

    private void resizeDevice(final String name, final long sizeBytes)
    {
        final DeviceSpec device = device(name);
        if (null == DeviceTypes.of(device.type()).growable())
        {
            throw refusal(Code.UNSUPPORTED, subject(name), "size " + sizeBytes + " cannot be set, a " +
                device.type() + " device has that of what is below it; resize that");
        }
        final long presentBytes = device.sizeBytes();
        if (sizeBytes < presentBytes)
        {
            throw refusal(Code.INVALID, subject(name), "size " + sizeBytes + " is below its present " +
                presentBytes + ", and data is never cut off; give it that or more");
        }
        if ("true".equals(device.properties().get("read-only")) && sizeBytes != presentBytes)
        {
            throw refusal(Code.INVALID, subject(name), "size " + sizeBytes +
                " cannot be set, the device is read-only; grow the file by other means");
        }
        devices.put(name, checked(device.with(DeviceSpec.SIZE, Long.toString(sizeBytes))));
    }

    private void modifyDevice(final String name, final Map<String, String> properties)
    {
        final DeviceSpec device = device(name);
        try
        {
            final DeviceSpec changed = new DeviceSpec(name, device.type(),
                DeviceTypes.of(device.type()).applied(device.properties(), properties), device.incarnation());
            if (changed.isSharedSpare() && !device.isSharedSpare())
            {
                checkNoUser(name, "a shared spare has no other use: remove that first, or use another device");
            }
            changed.bases().stream().filter((base) -> !device.bases().contains(base))
                .forEach((base) -> checkFree(base, "a device has one user: use another"));
            device.bases().forEach(usersByDevice::remove);
            devices.put(name, changed);
            index(changed);
        }
        catch (final InvalidSettingException e)
        {
            throw refusal(Code.INVALID, subject(name), e.getMessage());
        }
    }

    private void renameDevice(final String name, final String newName)
    {
        final DeviceSpec device = device(name);
        if (!DeviceTypes.of(device.type()).hasMembers())
        {
            throw refusal(Code.INVALID, subject(name), "is not an array, and only arrays can be renamed; " +
                "create it by the other name");
        }
        check("device name '" + newName + "'", "", ResourceValidation.ofName(newName));
        if (devices.containsKey(newName))
        {
            throw refusal(Code.EXISTS, subject(newName), "already exists; choose another name for array " + name);
        }
        final String user = usersByDevice.get(name);
        if (null != user && user.startsWith(subject("")))
        {
            throw refusal(Code.IN_USE, subject(name), "is used by " + user + ", which names it; remove that first");
        }
        devices.remove(name);
        final DeviceSpec renamed =
            new DeviceSpec(newName, device.type(), device.properties(), device.incarnation());
        devices.put(newName, renamed);
        index(renamed);
        usersByDevice.remove(name);
        subsystems.values().forEach((subsystem) -> subsystem.namespaces().replaceAll((_, each) ->
            name.equals(each.device()) ?
            new NamespaceSpec(each.nqn(), each.nsid(), each.uuid(), newName, each.anaGroup()) : each));
        if (null != user)
        {
            usersByDevice.put(newName, user);
        }
    }

    private void createSubsystem(final SubsystemSpec wanted)
    {
        final String nqn = wanted.nqn();
        final String subject = "subsystem " + nqn;
        if (Names.DISCOVERY_NQN.equals(nqn))
        {
            throw refusal(Code.EXISTS, subject, "belongs to discovery; choose another NQN");
        }
        if (subsystems.containsKey(nqn))
        {
            throw refusal(Code.EXISTS, subject, "already exists, but " +
                NoChange.differences(subsystems.get(nqn).spec(), wanted) + "; choose another NQN, or change it");
        }
        final String problem = Names.nqnProblem(nqn);
        if (null != problem)
        {
            throw refusal(Code.INVALID, subject, problem);
        }
        final SubsystemSpec spec = Canonical.subsystem(wanted);
        check(subject, "serial '" + spec.serial() + "' ", ResourceValidation.ofSerial(spec.serial()));
        check(subject, "model '" + spec.model() + "' ", ResourceValidation.ofModel(spec.model()));
        subsystems.put(nqn, new Subsystem(spec));
    }

    private Subsystem subsystem(final String nqn)
    {
        final Subsystem subsystem = subsystems.get(nqn);
        if (null == subsystem)
        {
            throw refusal(Code.NOT_FOUND, "subsystem " + nqn, Names.missing(nqn, subsystems.keySet(), "subsystems"));
        }
        return subsystem;
    }

    private void deleteSubsystem(final String nqn)
    {
        subsystem(nqn).namespaces().values().forEach(this::unindex);
        subsystems.remove(nqn);
    }

    private void addNamespace(final NamespaceSpec wanted)
    {
        final Subsystem subsystem = subsystem(wanted.nqn());
        final int nsid = wanted.nsid();
        final String subject = subject(wanted.nqn(), nsid);
        if (nsid < 1 || nsid > Names.NSID_MAX)
        {
            throw refusal(Code.INVALID, subject, "NSID is not within 1 to " + Names.NSID_MAX + "; choose another");
        }
        if (wanted.anaGroup() < 1 || wanted.anaGroup() > Names.ANA_GROUP_MAX)
        {
            throw refusal(Code.INVALID, subject, "ANA group " + wanted.anaGroup() + " is not within 1 to " +
                Names.ANA_GROUP_MAX + "; choose another");
        }
        if (subsystem.namespaces().containsKey(nsid))
        {
            throw refusal(Code.EXISTS, subject, "already exists, but " +
                NoChange.differences(subsystem.namespaces().get(nsid), wanted) +
                "; choose another NSID, or remove it first");
        }
        checkFree(wanted.device(), "a device has one user: choose another");
        final NamespaceSpec namespace = Canonical.namespace(wanted);
        final String other = namespacesByUuid.get(namespace.uuid());
        if (null != other)
        {
            throw refusal(Code.EXISTS, subject, "UUID " + namespace.uuid() + " is that of " + other +
                "; choose another");
        }
        subsystem.namespaces().put(nsid, namespace);
        index(namespace);
    }

    private void removeNamespace(final String nqn, final int nsid)
    {
        final NamespaceSpec removed = subsystem(nqn).namespaces().remove(nsid);
        subsystem(nqn).limits().remove(new QosLimits.Key(nsid, ""));
        unindex(removed);
    }

    private void allowHost(final String nqn, final String hostNqn)
    {
        final Subsystem subsystem = subsystem(nqn);
        final String problem = Names.nqnProblem(hostNqn);
        if (null != problem)
        {
            throw refusal(Code.INVALID, "host " + hostNqn, problem);
        }
        subsystem.hosts().add(hostNqn);
    }

    private void denyHost(final String nqn, final String hostNqn)
    {
        subsystem(nqn).hosts().remove(hostNqn);
    }

    private void allowAnyHost(final String nqn, final boolean isAllowed)
    {
        final Subsystem subsystem = subsystem(nqn);
        final SubsystemSpec spec = subsystem.spec();
        subsystems.put(nqn, new Subsystem(new SubsystemSpec(nqn, isAllowed, spec.serial(), spec.model()),
            subsystem.namespaces(), subsystem.hosts(), subsystem.ana(), subsystem.limits()));
    }

    private void setAnaState(final Command.SetAnaState set)
    {
        final AnaStates.Place place = place(set);
        if (!AnaStates.SETTLED.contains(AnaStates.settled(set.state())))
        {
            throw refusal(Code.INVALID, "ANA of subsystem " + set.nqn(),
                "state is unknown; use a client of this version");
        }
        final Subsystem subsystem = subsystem(set.nqn());
        if (0 == place.port() && Transport.VFIO_USER != place.transport() && !AnaStates.Place.ALL.equals(place))
        {
            throw refusal(Code.INVALID, "ANA of subsystem " + set.nqn() + " at " + place,
                "has no port; give the port of the listener, or no address for all listeners");
        }
        if (set.group() < AnaStates.GROUPS_ALL || set.group() > Names.ANA_GROUP_MAX)
        {
            throw refusal(Code.INVALID, "subsystem " + set.nqn(), "ANA group " + set.group() +
                " is not within 1 to " + Names.ANA_GROUP_MAX + "; choose another, or 0 for all");
        }
        final AnaStates next = subsystem.ana().with(place, set.group(), AnaStates.settled(set.state()));
        if (next.placeCount() > AnaStates.PLACES_MAX)
        {
            throw refusal(Code.INVALID, "subsystem " + set.nqn(), "more than " + AnaStates.PLACES_MAX +
                " listeners have ANA states of their own; set the state of a group for all listeners first");
        }
        subsystems.put(set.nqn(), subsystem.with(next));
    }

    private static AnaStates.Place place(final Command.SetAnaState set)
    {
        if (set.address().isEmpty() && 0 == set.port())
        {
            return AnaStates.Place.ALL;
        }
        final String address = NetworkAddress.canonical(set.address());
        checkedName(set.transport(), address, set.port());
        return new AnaStates.Place(set.transport(), address, set.port());
    }

    private void setQos(final QosSpec wanted)
    {
        final QosSpec qos = QosLimits.checked(wanted);
        final Subsystem subsystem = subsystem(qos.nqn());
        if (qos.hostNqn().isEmpty() && !subsystem.namespaces().containsKey(qos.nsid()))
        {
            throw refusal(Code.NOT_FOUND, subject(qos.nqn(), qos.nsid()), "does not exist; add it first");
        }
        final String problem = qos.hostNqn().isEmpty() ? null : Names.nqnProblem(qos.hostNqn());
        if (null != problem)
        {
            throw refusal(Code.INVALID, "host " + qos.hostNqn(), problem);
        }
        if (QosLimits.isNone(qos))
        {
            subsystem.limits().remove(QosLimits.Key.of(qos));
        }
        else
        {
            listeners.values().stream().filter((each) -> ListenerProvider.SPDK == each.provider()).findFirst()
                .ifPresent((each) ->
                {
                    throw refusal(Code.UNSUPPORTED, "limits of subsystem " + qos.nqn(), "are not known to SPDK's " +
                        "target, which listens at " + Canonical.nameOf(each) + "; remove that listener first");
                });
            subsystem.limits().put(QosLimits.Key.of(qos), qos);
        }
    }

    private void addListener(final ListenerSpec wanted)
    {
        final ListenerSpec listener = Canonical.listener(wanted);
        final String name = checkedName(listener.transport(), listener.address(), listener.port());
        if (0 == listener.port() && Transport.VFIO_USER != listener.transport())
        {
            throw refusal(Code.INVALID, "listener " + name,
                "port 0 cannot be persisted, as it selects another port at each start; name a port");
        }
        if (!PROVIDERS.contains(listener.provider()))
        {
            throw refusal(Code.INVALID, "listener " + name, "provider is unknown; use millrace or spdk");
        }
        if (Transport.VFIO_USER == listener.transport() && ListenerProvider.SPDK != listener.provider())
        {
            throw refusal(Code.UNSUPPORTED, "listener " + name,
                "is of vfio-user, which SPDK's target alone serves; give it the provider spdk");
        }
        if (ListenerProvider.SPDK == listener.provider() && listener.discoveryOnly())
        {
            throw refusal(Code.INVALID, "listener " + name,
                "is for discovery alone, which is Millrace's own; leave out the provider");
        }
        if (ListenerProvider.SPDK == listener.provider())
        {
            checkSpdk(name, listener.address());
        }
        if (listeners.containsKey(name))
        {
            throw refusal(Code.EXISTS, "listener " + name, "already exists, but " +
                NoChange.differences(listeners.get(name), listener) + "; take another port, or remove it first");
        }
        for (final ListenerSpec each : listeners.values())
        {
            if (each.transport() == listener.transport() && each.port() == listener.port() &&
                NetworkAddress.overlap(each.address(), listener.address()))
            {
                throw refusal(Code.IN_USE, "listener " + name, "its port is listened on by " +
                    Canonical.nameOf(each) + "; take another port, or remove that first");
            }
        }
        listeners.put(name, listener);
    }

    private void checkSpdk(final String name, final String address)
    {
        if (NetworkAddress.isWildcard(address))
        {
            throw refusal(Code.UNSUPPORTED, "listener " + name, "has a wildcard address, and SPDK's target refuses " +
                "hosts whose connection is to another; add a listener for each address ('ip address')");
        }
        subsystems.forEach((nqn, each) ->
        {
            if (!each.limits().isEmpty())
            {
                throw refusal(Code.UNSUPPORTED, "listener " + name, "is SPDK's, which has no limits, and subsystem " +
                    nqn + " has some; remove them first ('millrace qos list')");
            }
        });
    }

    private void removeListener(final Command.RemoveListener remove)
    {
        final String name = checkedName(
            remove.transport(), NetworkAddress.canonical(remove.address()), remove.port());
        listeners.remove(name);
    }

    private static String checkedName(final Transport transport, final String address, final int port)
    {
        final String name = NetworkAddress.text(transport, address, port);
        if (!TRANSPORTS.contains(transport))
        {
            throw refusal(Code.INVALID, "listener " + name, "transport is unknown; use TCP, RDMA or VFIO_USER");
        }
        if (port < 0 || port > PORT_MAX)
        {
            throw refusal(Code.INVALID, "listener " + name,
                "port is not within 0 to " + PORT_MAX + "; choose another");
        }
        if (Transport.VFIO_USER == transport)
        {
            if (0 != port || !NetworkAddress.isDirectory(address))
            {
                throw refusal(Code.INVALID, "listener " + name, "is of vfio-user, whose address is an absolute path " +
                    "and has no port; write that of a directory, as /run/millrace/vfio-user");
            }
            return name;
        }
        if (null == NetworkAddress.parse(address))
        {
            throw refusal(Code.INVALID, "listener " + name,
                "is not a numeric address; write it as 192.0.2.1 or 2001:db8::1");
        }
        return name;
    }

    private void index(final DeviceSpec device)
    {
        device.bases().forEach((base) -> usersByDevice.put(base, subject(device.name())));
        if (!device.location().isEmpty())
        {
            devicesByLocation.put(device.location(), device.name());
        }
    }

    private void index(final NamespaceSpec namespace)
    {
        final String name = subject(namespace.nqn(), namespace.nsid());
        usersByDevice.put(namespace.device(), name);
        namespacesByUuid.put(namespace.uuid(), name);
    }

    private void unindex(final NamespaceSpec namespace)
    {
        usersByDevice.remove(namespace.device());
        namespacesByUuid.remove(namespace.uuid());
    }

    private static String subject(final String device)
    {
        return "device " + device;
    }

    private static String subject(final String nqn, final int nsid)
    {
        return "namespace " + nqn + '/' + nsid;
    }

    private static String hostOf(final String hostNqn, final String nqn)
    {
        return "host " + hostNqn + " of subsystem " + nqn;
    }

    private static ControlException refusal(final Code code, final String subject, final String problem)
    {
        return new ControlException(code, Names.printable(subject + ": " + problem));
    }
}
