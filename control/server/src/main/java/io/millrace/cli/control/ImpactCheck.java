package io.millrace.cli.control;

import io.millrace.cli.control.ListenerCommand.Endpoint;
import io.millrace.console.Confirmation;
import io.millrace.console.Terminal;
import io.millrace.control.codec.AnaState;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Kind;
import io.millrace.control.codec.Transport;
import io.millrace.control.device.DeviceContent;
import io.millrace.control.device.DeviceTypes;
import io.millrace.control.message.AnaInfo;
import io.millrace.control.message.Command.List;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.ControllerInfo;
import io.millrace.control.message.DeviceInfo;
import io.millrace.control.message.HostInfo;
import io.millrace.control.message.ListenerInfo;
import io.millrace.control.message.NamespaceInfo;
import io.millrace.control.message.Resource;
import io.millrace.control.message.SubsystemInfo;
import io.millrace.control.state.HostImpact;
import io.millrace.control.state.NetworkAddress;
import io.millrace.control.setting.Units;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Determines which data a command would destroy and which hosts it would disconnect, and asks for confirmation. One
 * thread.
 */
final class ImpactCheck
{
    private static final Set<AnaState> USABLE = Set.of(AnaState.OPTIMIZED, AnaState.NON_OPTIMIZED);
    private static final Set<String> WILDCARDS = Set.of("0.0.0.0", "::");

    private final ControlLink link;
    private final Confirmation confirmation;

    ImpactCheck(final ControlLink link, final Confirmation confirmation)
    {
        this.link = link;
        this.confirmation = confirmation;
    }

    private void require(final String what)
    {
        confirmation.require(Terminal.standard(), what);
    }

    /** A device would be deleted. */
    void confirmDeleteDevice(final String name)
    {
        for (final DeviceInfo device : list(Kind.DEVICE, name, DeviceInfo.class))
        {
            if (null != DeviceTypes.find(device.type()) && device.users() <= 0 &&
                DeviceContent.VOLATILE == DeviceTypes.find(device.type()).content())
            {
                require("device " + name + " is in memory, and what its " + Units.size(device.sizeBytes()) +
                    " hold is lost with it");
            }
            else if (device.users() <= 0 && device.spec().losesData())
            {
                confirmDeleteData(name);
            }
        }
    }

    /** The logical volume of a device would be deleted with it. */
    void confirmDeleteData(final String name)
    {
        for (final DeviceInfo device : list(Kind.DEVICE, name, DeviceInfo.class))
        {
            require("volume " + name + ", " + Units.size(device.sizeBytes()) + ", would be deleted with all its data");
        }
    }

    /** A subsystem would be deleted. */
    void confirmDeleteSubsystem(final String nqn)
    {
        final Set<String> hosts = hosts(nqn, (each) -> true);
        if (!hosts.isEmpty())
        {
            require("subsystem " + nqn + " is in use by " + HostImpact.phrase(hosts) + ", which would lose its " +
                Units.count(list(Kind.NAMESPACE, nqn, NamespaceInfo.class).size(), "namespace"));
        }
    }

    /** A namespace would be removed. */
    void confirmRemoveNamespace(final String nqn, final int nsid)
    {
        final Set<String> hosts = hosts(nqn, (each) -> true);
        for (final NamespaceInfo each : list(Kind.NAMESPACE, nqn, NamespaceInfo.class))
        {
            if (nsid == each.nsid() && !hosts.isEmpty())
            {
                require("namespace " + nsid + " of " + nqn + ", " + Units.size(each.sizeBytes()) + " of device " +
                    each.device() + ", would be taken from " + HostImpact.phrase(hosts));
            }
        }
    }

    /** Hosts that are on no list would be refused. */
    void confirmRevokeAnyHost(final String nqn)
    {
        final Set<String> allowed = list(Kind.HOST, nqn, HostInfo.class).stream().map(HostInfo::hostNqn)
            .collect(Collectors.toSet());
        final Set<String> hosts = hosts(nqn, (each) -> !allowed.contains(each));
        if (!hosts.isEmpty())
        {
            require("subsystem " + nqn + " is in use by " + HostImpact.phrase(hosts) +
                " not on its list, which would be disconnected");
        }
    }

    /** A host would be taken off a list. */
    void confirmDenyHost(final String nqn, final String host)
    {
        final boolean isForAny =
            list(Kind.SUBSYSTEM, nqn, SubsystemInfo.class).stream().anyMatch(SubsystemInfo::allowAnyHost);
        if (!isForAny && !hosts(nqn, host::equals).isEmpty())
        {
            require("host " + host + " is connected to " + nqn + " and would be disconnected");
        }
    }

    /** A host would be disconnected. */
    void confirmDisconnect(final String nqn, final ControllerInfo controller)
    {
        require("host " + controller.hostNqn() + " is connected to " + nqn + " as controller " +
            controller.controllerId() + " and would be disconnected");
    }

    /** I/O would be held. */
    void confirmPause()
    {
        final Set<String> hosts = hosts("", (each) -> true);
        if (!hosts.isEmpty())
        {
            require("I/O of " + HostImpact.phrase(hosts) + " would wait until 'resume', and fail when the host's " +
                "time-out is shorter");
        }
    }

    /** A listener would be removed. */
    void confirmRemoveListener(final Endpoint listener)
    {
        final java.util.List<ListenerInfo> all = list(Kind.LISTENER, "", ListenerInfo.class).stream()
            .filter((each) -> !each.discoveryOnly()).toList();
        final java.util.List<ListenerInfo> left =
            all.stream().filter((each) -> !isAt(each.transport(), each.address(), each.port(), listener)).toList();
        if (left.size() == all.size())
        {
            return;
        }
        final Set<String> hosts = hosts("", (each) -> true);
        if (left.isEmpty())
        {
            require("listener " + listener + " is the last: no host could connect" +
                (hosts.isEmpty() ? "" : ", and " + HostImpact.phrase(hosts) + " could not connect again"));
            return;
        }
        final java.util.List<AnaInfo> paths = paths("");
        for (final String nqn : list(Kind.CONTROLLER, "", ControllerInfo.class).stream().map(ControllerInfo::nqn)
            .collect(Collectors.toCollection(TreeSet::new)))
        {
            final boolean isLast = paths.stream().filter((each) -> nqn.equals(each.nqn()))
                .map(AnaInfo::group).distinct().anyMatch((group) -> isUsable(paths, nqn, group, (each) -> true) &&
                !isUsable(paths, nqn, group, (each) -> !isAt(each.transport(), each.address(), each.port(), listener)));
            if (isLast)
            {
                require("listener " + listener + " is the last usable path to " + nqn +
                    " of " + HostImpact.phrase(hosts(nqn, (each) -> true)) + ", which could not connect again");
            }
        }
    }

    /** A state would be set for an ANA group, 0: all, at a listener, null: all. */
    void confirmSetAnaState(final String nqn, final AnaState state, final Endpoint listener, final int group)
    {
        final Set<String> hosts = USABLE.contains(state) ? Set.of() : hosts(nqn, (each) -> true);
        if (hosts.isEmpty())
        {
            return;
        }
        final java.util.List<AnaInfo> paths = paths(nqn);
        final Predicate<AnaInfo> isHit = (each) -> null == listener || isCovered(each, listener);
        for (final int each : paths.stream().map(AnaInfo::group).filter((g) -> 0 == group || g == group)
            .collect(Collectors.toCollection(TreeSet::new)))
        {
            final boolean wasOptimized = paths.stream().anyMatch((path) -> path.group() == each &&
                AnaState.OPTIMIZED == path.state());
            final boolean isOptimized = paths.stream().anyMatch((path) -> path.group() == each &&
                AnaState.OPTIMIZED == path.state() && !isHit.test(path));
            final boolean wasUsable = isUsable(paths, nqn, each, (path) -> true);
            final boolean isUsable = isUsable(paths, nqn, each, isHit.negate());
            if (wasUsable && !isUsable)
            {
                require("ANA group " + each + " of " + nqn + " would have no usable path left, and " +
                    HostImpact.phrase(hosts) + " could not reach its namespaces");
                return;
            }
            if (wasOptimized && !isOptimized)
            {
                require("ANA group " + each + " of " + nqn + " would have no optimized path left, and " +
                    HostImpact.phrase(hosts) + " would have only non-optimized paths");
                return;
            }
        }
    }

    /** States at listeners, of groups that have namespaces. */
    private java.util.List<AnaInfo> paths(final String nqn)
    {
        return list(Kind.ANA, nqn, AnaInfo.class).stream()
            .filter((each) -> each.namespaces() > 0 && !each.address().isEmpty()).toList();
    }

    private static boolean isUsable(
        final java.util.List<AnaInfo> paths, final String nqn, final int group, final Predicate<AnaInfo> among)
    {
        return paths.stream().anyMatch((each) -> nqn.equals(each.nqn()) && group == each.group() &&
            USABLE.contains(each.state()) && among.test(each));
    }

    private static boolean isAt(
        final Transport transport, final String address, final int port, final Endpoint listener)
    {
        return transport == listener.transport() && port == listener.port() &&
            NetworkAddress.canonical(address).equals(NetworkAddress.canonical(listener.address()));
    }

    private static boolean isCovered(final AnaInfo path, final Endpoint listener)
    {
        return path.transport() == listener.transport() && path.port() == listener.port() &&
            (WILDCARDS.contains(NetworkAddress.canonical(listener.address())) ||
            isAt(path.transport(), path.address(), path.port(), listener));
    }

    /** NQNs of hosts that are connected to a subsystem, or to any. */
    private Set<String> hosts(final String nqn, final Predicate<String> which)
    {
        return list(Kind.CONTROLLER, nqn, ControllerInfo.class).stream().map(ControllerInfo::hostNqn).filter(which)
            .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Empty if the named resource does not exist, or the data plane is down: no host is connected then. */
    private <T extends Resource> java.util.List<T> list(final Kind kind, final String name, final Class<T> type)
    {
        try
        {
            return link.client().execute(new List(kind, name)).resources().stream().map(type::cast).toList();
        }
        catch (final ControlException e)
        {
            if (Code.NOT_FOUND == e.code())
            {
                return java.util.List.of();
            }
            if (Code.FAILED == e.code() && link.isManager())
            {
                return Kind.CONTROLLER == kind ? java.util.List.of() :
                    link.client().execute(new List(kind, name,
                        List.DESIRED)).resources().stream().map(type::cast).toList();
            }
            throw e;
        }
    }
}
