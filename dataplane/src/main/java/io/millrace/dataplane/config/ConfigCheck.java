package io.millrace.dataplane.config;

import io.millrace.block.BlockDeviceException;
import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.device.DeviceFactories;
import io.millrace.dataplane.device.DeviceFactory;
import io.millrace.nvme.AnaState;
import io.millrace.nvmf.config.Nqn;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.nvmf.transport.TransportAddress.Family;
import io.millrace.nvmf.transport.TransportConfig;
import io.millrace.reactor.ReactorConfig;
import io.millrace.validation.ResourceValidation;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Checks the parts of a configuration against each other. What depends on the machine (CPUs, files, ports) is found by
 * {@link DataPlane#start}. Set-up thread.
 */
final class ConfigCheck
{
    private final List<ReactorConfig> reactors;
    private final long memoryBytes;
    private final List<DeviceConfig> devices;
    private final List<SubsystemSettings> subsystems;
    private final List<ListenerSettings> listeners;
    private final int discoveryPort;
    private final List<TransportConfig> transports;
    private final boolean managed;
    private final Map<String, String> users = new HashMap<>();

    ConfigCheck(
        final List<ReactorConfig> reactors,
        final long memoryBytes,
        final List<DeviceConfig> devices,
        final List<SubsystemSettings> subsystems,
        final List<ListenerSettings> listeners,
        final int discoveryPort,
        final List<TransportConfig> transports,
        final boolean managed)
    {
        this.reactors = reactors;
        this.memoryBytes = memoryBytes;
        this.devices = devices;
        this.subsystems = subsystems;
        this.listeners = listeners;
        this.discoveryPort = discoveryPort;
        this.transports = transports;
        this.managed = managed;
    }

    void run()
    {
        reactors();
        memory();
        devices();
        subsystems();
        transports();
        listeners();
    }

    private void reactors()
    {
        need("reactors", reactors);
        final Map<String, String> names = new HashMap<>();
        final Map<Integer, String> cpus = new HashMap<>();
        for (int i = 0; i < reactors.size(); i++)
        {
            final ReactorConfig reactor = reactors.get(i);
            final String key = "reactors[" + i + "]";
            unique(names, reactor.name(), key, "name");
            if (reactor.cpu() >= 0)
            {
                final String first = cpus.putIfAbsent(reactor.cpu(), key);
                if (null != first)
                {
                    throw new SettingException(key + ".cpu", reactor.cpu(), "already taken by " + first,
                        "a core runs one reactor: give each a core of its own");
                }
            }
        }
    }

    private void memory()
    {
        final long min = reactors.size() * DataPlaneConfig.MEMORY_BYTES_MIN;
        if (memoryBytes < min)
        {
            throw new SettingException("memory.size", memoryBytes, "below " + min + " bytes, " +
                DataPlaneConfig.MEMORY_BYTES_MIN + " for each of " + reactors.size() + " reactors",
                "raise it or take fewer reactors");
        }
    }

    private void devices()
    {
        final Map<String, String> names = new HashMap<>();
        final Map<String, String> locations = new HashMap<>();
        final DeviceFactories factories = new DeviceFactories();
        for (int i = 0; i < devices.size(); i++)
        {
            final DeviceConfig device = devices.get(i);
            final String key = "devices[" + i + "]";
            refuse(key + ".name", device.name(), ResourceValidation.ofName(device.name()));
            unique(names, device.name(), key, "name");
            final DeviceFactory factory = factories.find(device.type());
            if (null == factory)
            {
                throw new SettingException(key + ".type", device.type(), "not one of " +
                    String.join(", ", factories.types()), "use one of them");
            }
            try
            {
                device(key, device, factory, i, locations);
            }
            catch (final BlockDeviceException e)
            {
                throw new SettingException(key, null, e.getMessage(), "", e);
            }
        }
    }

    private void device(
        final String key,
        final DeviceConfig device,
        final DeviceFactory factory,
        final int index,
        final Map<String, String> locations)
    {
        final DeviceFactory.Problem problem = factory.problem(device.properties());
        if (null != problem)
        {
            throw new SettingException(
                key + '.' + problem.key(), problem.value(), problem.bound(), problem.remedy());
        }
        final String location = factory.location(device.properties());
        final String other = location.isEmpty() ? null : locations.putIfAbsent(location, key);
        if (null != other)
        {
            throw new SettingException(key, null, location + " is already used by " + other, "choose another");
        }
        factory.bases(device.properties()).forEach(
            (base) -> use(key + '.' + settingOf(base, device), base, devices.subList(0, index)));
    }

    private static String settingOf(final String base, final DeviceConfig device)
    {
        return device.properties().values().entrySet().stream()
            .filter((each) -> base.equals(each.getValue()) ||
                each.getValue() instanceof final List<?> names && names.contains(base))
            .map(Map.Entry::getKey).findFirst().orElseThrow();
    }

    private void subsystems()
    {
        needUnlessManaged("subsystems", subsystems);
        final Map<String, String> nqns = new HashMap<>();
        final Map<UUID, String> uuids = new HashMap<>();
        for (int i = 0; i < subsystems.size(); i++)
        {
            final SubsystemSettings subsystem = subsystems.get(i);
            final String key = "subsystems[" + i + "]";
            nqn(key + ".nqn", subsystem.nqn());
            if (Nqn.DISCOVERY.equals(subsystem.nqn()))
            {
                throw new SettingException(key + ".nqn", subsystem.nqn(), "belongs to discovery", "choose another");
            }
            unique(nqns, subsystem.nqn(), key, "nqn");
            access(key, subsystem);
            needUnlessManaged(key + ".namespaces", subsystem.namespaces());
            namespaces(key, subsystem, uuids);
            ana(key, subsystem);
            qos(key, subsystem);
        }
    }

    private static void qos(final String subsystemKey, final SubsystemSettings subsystem)
    {
        final Map<Integer, String> nsids = new HashMap<>();
        final Map<String, String> hosts = new HashMap<>();
        for (int i = 0; i < subsystem.qos().size(); i++)
        {
            final QosSettings qos = subsystem.qos().get(i);
            final String key = subsystemKey + ".qos[" + i + "]";
            if (qos.isNamespace() != qos.hostNqn().isEmpty())
            {
                throw new SettingException(key, null,
                    qos.isNamespace() ? "both nsid and host" : "neither nsid nor host",
                    "limits are of a namespace or of a host: give one of them");
            }
            if (qos.limits().isNone())
            {
                throw new SettingException(key, null, "no limit", "give one, such as iops");
            }
            if (qos.isNamespace())
            {
                if (subsystem.namespaces().stream().noneMatch((each) -> qos.nsid() == each.nsid()))
                {
                    throw new SettingException(key + ".nsid", qos.nsid(), "no namespace of this subsystem",
                        "declare it first");
                }
                unique(nsids, qos.nsid(), key, "nsid");
            }
            else
            {
                nqn(key + ".host", qos.hostNqn());
                unique(hosts, qos.hostNqn(), key, "host");
            }
        }
    }

    private static void nqn(final String key, final String nqn)
    {
        refuse(key, nqn, ResourceValidation.ofNqn(nqn));
    }

    private static void refuse(final String key, final Object value, final ResourceValidation.Problem problem)
    {
        if (null != problem)
        {
            throw new SettingException(key, value, problem.bound(), problem.remedy());
        }
    }

    private void access(final String key, final SubsystemSettings subsystem)
    {
        if (!managed && subsystem.allowAnyHost() && !subsystem.hosts().isEmpty())
        {
            throw new SettingException(key + ".allow-any-host", true, "but hosts lists " + subsystem.hosts().size(),
                "remove hosts, or set allow-any-host: false");
        }
        if (!managed && !subsystem.allowAnyHost() && subsystem.hosts().isEmpty())
        {
            throw new SettingException(key + ".hosts", null, "empty, so no host may connect",
                "list host NQNs, or set allow-any-host: true");
        }
        final Map<String, String> seen = new HashMap<>();
        for (int i = 0; i < subsystem.hosts().size(); i++)
        {
            final String hostKey = key + ".hosts[" + i + "]";
            nqn(hostKey, subsystem.hosts().get(i));
            final String first = seen.putIfAbsent(subsystem.hosts().get(i), hostKey);
            if (null != first)
            {
                throw new SettingException(hostKey, subsystem.hosts().get(i), "already given as " + first,
                    "remove one");
            }
        }
    }

    private void namespaces(
        final String subsystemKey,
        final SubsystemSettings subsystem,
        final Map<UUID, String> uuids)
    {
        final Map<Integer, String> nsids = new HashMap<>();
        for (int i = 0; i < subsystem.namespaces().size(); i++)
        {
            final SubsystemSettings.NamespaceSettings namespace = subsystem.namespaces().get(i);
            final String key = subsystemKey + ".namespaces[" + i + "]";
            unique(nsids, namespace.nsid(), key, "nsid");
            if (null != namespace.uuid())
            {
                unique(uuids, namespace.uuid(), key, "uuid");
            }
            use(key + ".device", namespace.device(), devices);
        }
    }

    private void ana(final String subsystemKey, final SubsystemSettings subsystem)
    {
        for (int i = 0; i < subsystem.ana().size(); i++)
        {
            final SubsystemSettings.AnaSettings each = subsystem.ana().get(i);
            final String key = subsystemKey + ".ana[" + i + "]";
            if (AnaState.CHANGE == each.state())
            {
                throw new SettingException(key + ".state", "change", "nothing that lasts",
                    "give the state it leads to");
            }
            if (null != each.listener() && !managed &&
                listeners.stream().noneMatch((l) -> covers(l.address(), each.listener())))
            {
                throw new SettingException(key + ".listener", each.listener().listenerName(),
                    "none of the listeners", listeners.isEmpty() ? "declare it" : "use one of: " + String.join(", ",
                    listeners.stream().map((l) -> l.address().listenerName()).toList()));
            }
            for (int earlier = 0; earlier < i; earlier++)
            {
                final SubsystemSettings.AnaSettings before = subsystem.ana().get(earlier);
                if (covers(each.listener(), before.listener()) &&
                    (0 == each.group() || each.group() == before.group()))
                {
                    throw new SettingException(key, null,
                        "leaves nothing of " + subsystemKey + ".ana[" + earlier + "], since they are set in order",
                        "remove one, or write the more general one first");
                }
            }
        }
    }

    /** Whether a state of one listener is one of the other as well; null stands for all. */
    private static boolean covers(final TransportAddress listener, final TransportAddress other)
    {
        if (null == listener || listener.equals(other))
        {
            return true;
        }
        // The IPv6 wildcard takes IPv4 too.
        return null != other && listener.transportType() == other.transportType() &&
            listener.serviceId().equals(other.serviceId()) && listener.isWildcard() &&
            (Family.IPV6 == listener.addressFamily() || Family.IPV4 == other.addressFamily());
    }

    /** Checks that a device exists and is unused. */
    private void use(final String setting, final String device, final List<DeviceConfig> usable)
    {
        if (usable.stream().noneMatch((d) -> d.name().equals(device)))
        {
            final boolean later = devices.stream().anyMatch((d) -> d.name().equals(device));
            final List<String> names = usable.stream().map(DeviceConfig::name).toList();
            throw new SettingException(setting, device, later ? "not declared before" : "no such device",
                names.isEmpty() ? "declare it first" : "use one of: " + String.join(", ", names));
        }
        if (usable.stream().anyMatch((d) -> d.name().equals(device) && d.isSharedSpare()))
        {
            throw new SettingException(setting, device, "a shared spare, which has no other use",
                "set its " + DeviceConfig.SHARED_SPARE + " to false, or name another device");
        }
        final String user = users.putIfAbsent(device, setting.substring(0, setting.lastIndexOf('.')));
        if (null != user)
        {
            throw new SettingException(setting, device, "already used by " + user,
                "a device has one user: declare another device");
        }
    }

    private void transports()
    {
        need("transports", transports);
        final Map<TransportAddress.Type, String> types = new HashMap<>();
        for (int i = 0; i < transports.size(); i++)
        {
            unique(types, transports.get(i).type(), "transports[" + i + "]", "type");
        }
    }

    private void listeners()
    {
        needUnlessManaged("listeners", listeners);
        final Map<TransportAddress.Type, Map<String, String>> addresses = new HashMap<>();
        for (int i = 0; i < listeners.size(); i++)
        {
            final ListenerSettings listener = listeners.get(i);
            served("listeners[" + i + "]", listener);
            spdk("listeners[" + i + "]", listener);
            if (!listener.address().hasPort())
            {
                unique(addresses.computeIfAbsent(listener.address().transportType(), (type) -> new HashMap<>()),
                    listener.address().address(), "listeners[" + i + "]", "address");
            }
            else if (0 != listener.address().port())
            {
                unique(addresses.computeIfAbsent(listener.address().transportType(), (type) -> new HashMap<>()),
                    listener.address().hostAndPort(), "listeners[" + i + "]", "port");
                overlap(i);
            }
        }
        if (discoveryPort < DataPlaneConfig.NO_DISCOVERY_PORT || discoveryPort > 0xffff)
        {
            throw new SettingException("discovery", discoveryPort, "not a port", "use 0 to 65535");
        }
    }

    /** What SPDK's target has not. */
    private void spdk(final String key, final ListenerSettings listener)
    {
        if (ListenerProvider.SPDK != listener.provider())
        {
            return;
        }
        if (listener.discoveryOnly())
        {
            throw new SettingException(key + ".discovery-only", true, "not for provider spdk", "leave out one of them");
        }
        if (listener.address().hasPort() && 0 == listener.address().port())
        {
            throw new SettingException(key + ".port", 0, "chosen by nobody, as SPDK listens", "name a port");
        }
        for (int i = 0; i < subsystems.size(); i++)
        {
            if (!subsystems.get(i).qos().isEmpty())
            {
                throw new SettingException(key + ".provider", listener.provider(), "without limits, and " +
                    "subsystems[" + i + "] has some", "remove its qos, or the provider");
            }
        }
    }

    private void served(final String key, final ListenerSettings listener)
    {
        final TransportAddress address = listener.address();
        if (!address.hasPort())
        {
            if (ListenerProvider.SPDK != listener.provider())
            {
                throw new SettingException(key + ".transport", address.transportType(), "served by SPDK's target alone",
                    "give the listener provider: spdk");
            }
            return;
        }
        if (transports.stream().noneMatch((each) -> address.transportType() == each.type()))
        {
            throw new SettingException(key + ".transport", address.transportType(), "not served by this data plane",
                "use one of: " + String.join(", ", transports.stream().map((each) -> each.type().toString()).toList()));
        }
    }

    private void overlap(final int index)
    {
        final TransportAddress address = listeners.get(index).address();
        for (int i = 0; i < index; i++)
        {
            final TransportAddress other = listeners.get(i).address();
            if (other.transportType() == address.transportType() && other.port() == address.port() &&
                ResourceValidation.overlap(other.socketAddress().getAddress(), address.socketAddress().getAddress()))
            {
                throw new SettingException("listeners[" + index + "].port", address.port(), "listened on by " +
                    other.hostAndPort() + ", listeners[" + i + "]", "give each its own");
            }
        }
    }

    private void needUnlessManaged(final String key, final List<?> list)
    {
        if (!managed)
        {
            need(key, list);
        }
    }

    private static void need(final String key, final List<?> list)
    {
        if (list.isEmpty())
        {
            throw new SettingException(key, null, "empty", "declare at least one");
        }
    }

    private static <T> void unique(
        final Map<T, String> seen, final T value, final String key, final String name)
    {
        final String first = seen.putIfAbsent(value, key);
        if (null != first)
        {
            throw new SettingException(key + "." + name, value, "already used by " + first, "give each its own");
        }
    }
}
