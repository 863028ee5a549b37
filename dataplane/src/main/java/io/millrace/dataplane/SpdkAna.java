package io.millrace.dataplane;

import io.millrace.nvmf.Subsystem;
import io.millrace.nvmf.ana.AnaPath;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.spdk.NvmfTarget;
import io.millrace.spdk.SpdkException;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Listeners of a subsystem at SPDK's target with their ANA states, as the subsystem has them. Used under the lock of
 * the operations; immutable.
 *
 * @param nvmf      SPDK's target.
 * @param subsystem that it has.
 */
record SpdkAna(NvmfTarget nvmf, Subsystem subsystem)
{
    /**
     * Sets the states that have changed.
     *
     * @param address of the listener.
     * @param before  states before.
     * @param isAgain whether those that have not changed are set too.
     * @param ended   gets the groups to which access has ended there.
     */
    void onChanged(
        final TransportAddress address, final AnaPath before, final boolean isAgain, final Set<Integer> ended)
    {
        final AnaPath now = subsystem.ana().path(address);
        for (final int group : groups())
        {
            final NvmfTarget.AnaState state = of(now.state(group));
            if (!isAgain && state == of(before.state(group)))
            {
                continue;
            }
            setGroup(address, group);
            if (NvmfTarget.AnaState.INACCESSIBLE == state)
            {
                ended.add(group);
            }
        }
    }

    /** {@return the groups that are not accessible at a listener} */
    Set<Integer> inaccessible(final TransportAddress address)
    {
        final AnaPath now = subsystem.ana().path(address);
        return groups().stream().filter((group) -> NvmfTarget.AnaState.INACCESSIBLE == of(now.state(group)))
            .collect(Collectors.toSet());
    }

    /** {@return those that have namespaces; hosts see no others, which get their states with their first namespace} */
    Set<Integer> groups()
    {
        return subsystem.namespaces().stream().map(Namespace::anaGroup).collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * Waits for requests that came before. SPDK waits for the requests of one namespace after those of another, so
     * that after one that is late no other is waited for.
     *
     * @param groups   of the namespaces that they are to.
     * @param problems gets a sentence for each device that may have some left.
     */
    void drain(final Set<Integer> groups, final StringJoiner problems)
    {
        String late = "";
        for (final Namespace each : subsystem.namespaces())
        {
            if (groups.contains(each.anaGroup()))
            {
                late = late.isEmpty() ? drain(each) : late;
                if (!late.isEmpty())
                {
                    problems.add("device " + each.device().name() + " may not have completed commands that came " +
                        "before by SPDK's target: " + late);
                }
            }
        }
    }

    /** {@return why requests to a namespace may be left; empty: none are} */
    private String drain(final Namespace namespace)
    {
        try
        {
            nvmf.drainNamespace(subsystem.nqn(), namespace.nsid(), namespace.anaGroup());
            return "";
        }
        catch (final SpdkException e)
        {
            return e.problem();
        }
    }

    /**
     * {@return whether hosts may reach the subsystem at a listener: a virtual machine has no NQN that could be allowed,
     * and SPDK's transport accesses freed memory when it has refused one}
     *
     * @param address of the listener.
     */
    boolean isReached(final TransportAddress address)
    {
        return address.hasPort() || subsystem.allowsAnyHost();
    }

    /**
     * Has the subsystem reached at a listener.
     *
     * @param address of the listener.
     */
    void addListener(final TransportAddress address)
    {
        final AnaPath path = subsystem.ana().path(address);
        final Set<NvmfTarget.AnaState> states =
            groups().stream().map((group) -> of(path.state(group))).collect(Collectors.toSet());
        // No host has access before the groups have their states.
        final NvmfTarget.AnaState first =
            1 == states.size() ? states.iterator().next() : NvmfTarget.AnaState.INACCESSIBLE;
        if (!address.hasPort())
        {
            VfioUserSocket.of(address, subsystem.nqn()).prepare();
        }
        nvmf.addListener(subsystem.nqn(), of(address), first);
        for (final int group : groups())
        {
            if (first != of(path.state(group)))
            {
                setGroup(address, group);
            }
        }
    }

    /**
     * Ends that the subsystem is reached at a listener.
     *
     * @param address of the listener.
     */
    void removeListener(final TransportAddress address)
    {
        if (!isReached(address))
        {
            return;
        }
        nvmf.removeListener(subsystem.nqn(), of(address));
        removeSocket(address);
    }

    /**
     * Removes what SPDK has left of a listener of vfio-user, at which it does not serve the subsystem any more.
     *
     * @param address of a listener.
     */
    void removeSocket(final TransportAddress address)
    {
        if (!address.hasPort())
        {
            VfioUserSocket.of(address, subsystem.nqn()).remove();
        }
    }

    /**
     * Gives a group its state at a listener.
     *
     * @param address of the listener.
     * @param group   from 1.
     */
    void setGroup(final TransportAddress address, final int group)
    {
        if (!isReached(address))
        {
            // It gets its states when it is.
            return;
        }
        nvmf.anaState(subsystem.nqn(), of(address), group, of(subsystem.ana().path(address).state(group)));
    }

    /** SPDK has three states: where commands are refused for another reason, the listener is inaccessible. */
    private static NvmfTarget.AnaState of(final io.millrace.nvme.AnaState state)
    {
        return switch (state)
        {
            case OPTIMIZED -> NvmfTarget.AnaState.OPTIMIZED;
            case NON_OPTIMIZED -> NvmfTarget.AnaState.NON_OPTIMIZED;
            case INACCESSIBLE, PERSISTENT_LOSS, CHANGE -> NvmfTarget.AnaState.INACCESSIBLE;
        };
    }

    /** A subsystem has a directory of its own at a listener of vfio-user. */
    private NvmfTarget.Address of(final TransportAddress address)
    {
        return address.hasPort() ? ofPort(address) :
            NvmfTarget.Address.vfioUser(VfioUserSocket.of(address, subsystem.nqn()).directory().toString());
    }

    /**
     * {@return an address as SPDK has it}
     *
     * @param address with a port.
     */
    static NvmfTarget.Address ofPort(final TransportAddress address)
    {
        return new NvmfTarget.Address(transport(address.transportType()),
            TransportAddress.Family.IPV6 == address.addressFamily() ? "IPv6" : "IPv4", address.address(),
            address.serviceId());
    }

    /** {@return name of a transport as SPDK has it} */
    static String transport(final TransportAddress.Type type)
    {
        return switch (type)
        {
            case TCP -> "TCP";
            case RDMA -> "RDMA";
            case VFIO_USER -> NvmfTarget.VFIO_USER;
        };
    }
}
