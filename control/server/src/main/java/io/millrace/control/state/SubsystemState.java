package io.millrace.control.state;

import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.QosSpec;
import io.millrace.control.message.SubsystemSpec;
import java.util.Collection;
import java.util.Collections;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A subsystem with its namespaces, hosts, ANA states and limits. Immutable.
 */
public final class SubsystemState
{
    private final SubsystemSpec spec;
    private final NavigableMap<Integer, NamespaceSpec> namespaces;
    private final NavigableSet<String> hosts;
    private final AnaStates ana;
    private final NavigableMap<QosLimits.Key, QosSpec> limits;

    SubsystemState(
        final SubsystemSpec spec,
        final NavigableMap<Integer, NamespaceSpec> namespaces,
        final NavigableSet<String> hosts,
        final AnaStates ana,
        final NavigableMap<QosLimits.Key, QosSpec> limits)
    {
        this.spec = spec;
        this.namespaces = Collections.unmodifiableNavigableMap(new TreeMap<>(namespaces));
        this.hosts = Collections.unmodifiableNavigableSet(new TreeSet<>(hosts));
        this.ana = ana;
        this.limits = Collections.unmodifiableNavigableMap(new TreeMap<>(limits));
    }

    /**
     * {@return name of the subsystem}
     */
    public String nqn()
    {
        return spec.nqn();
    }

    /**
     * {@return the subsystem, defaults and generated values written out}
     */
    public SubsystemSpec spec()
    {
        return spec;
    }

    /**
     * {@return the namespaces by their ids, in order}
     */
    public NavigableMap<Integer, NamespaceSpec> namespaces()
    {
        return namespaces;
    }

    /**
     * {@return NQNs of the hosts on its list, in order}
     */
    public NavigableSet<String> hosts()
    {
        return hosts;
    }

    /**
     * {@return states of its ANA groups}
     */
    public AnaStates ana()
    {
        return ana;
    }

    /**
     * {@return limits of its namespaces, then of hosts, in order}
     */
    public Collection<QosSpec> qos()
    {
        return limits.values();
    }

    /** The same by what they limit. */
    NavigableMap<QosLimits.Key, QosSpec> limits()
    {
        return limits;
    }

    @Override
    public boolean equals(final Object other)
    {
        return this == other || other instanceof final SubsystemState state && spec.equals(state.spec) &&
            namespaces.equals(state.namespaces) && hosts.equals(state.hosts) && ana.equals(state.ana) &&
            limits.equals(state.limits);
    }

    @Override
    public int hashCode()
    {
        return Objects.hash(spec, namespaces, hosts, ana, limits);
    }

    @Override
    public String toString()
    {
        return spec + " " + namespaces.values() + ' ' + hosts + ' ' + ana + ' ' + limits.values();
    }
}
