package io.millrace.nvmf;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Hosts that may connect to a subsystem. One thread at a time modifies the list, any number read it.
 */
final class AccessList
{
    private final Set<String> hostNqns = ConcurrentHashMap.newKeySet();
    private volatile boolean allowAnyHost;

    AccessList(final boolean allowAnyHost, final Set<String> hostNqns)
    {
        this.allowAnyHost = allowAnyHost;
        this.hostNqns.addAll(hostNqns);
    }

    boolean allows(final String hostNqn)
    {
        return allowAnyHost || hostNqns.contains(hostNqn);
    }

    boolean allowAnyHost()
    {
        return allowAnyHost;
    }

    void allowAnyHost(final boolean isAnyAllowed)
    {
        allowAnyHost = isAnyAllowed;
    }

    boolean add(final String hostNqn)
    {
        return hostNqns.add(hostNqn);
    }

    boolean remove(final String hostNqn)
    {
        return hostNqns.remove(hostNqn);
    }

    boolean contains(final String hostNqn)
    {
        return hostNqns.contains(hostNqn);
    }

    /**
     * {@return hosts that are named, in order of their names}
     */
    List<String> list()
    {
        return hostNqns.stream().sorted().toList();
    }
}
