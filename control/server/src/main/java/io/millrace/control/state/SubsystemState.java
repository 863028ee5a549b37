package io.millrace.control.state;

import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.SubsystemSpec;
import java.util.Collections;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A subsystem with what is in it. Immutable.
 *
 * @param spec       of the subsystem, defaults and generated values written out.
 * @param namespaces by their ids, in order.
 * @param hosts      NQNs of those on its list, in order.
 */
public record SubsystemState(
    SubsystemSpec spec, NavigableMap<Integer, NamespaceSpec> namespaces, NavigableSet<String> hosts)
{
    /**
     * Copies what could change.
     */
    public SubsystemState
    {
        namespaces = Collections.unmodifiableNavigableMap(new TreeMap<>(namespaces));
        hosts = Collections.unmodifiableNavigableSet(new TreeSet<>(hosts));
    }

    /**
     * {@return name of the subsystem}
     */
    public String nqn()
    {
        return spec.nqn();
    }
}
