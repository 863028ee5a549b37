package io.millrace.nvmf;

import io.millrace.nvmf.namespace.ServedNamespace;
import io.millrace.nvmf.qos.QosCounters;
import io.millrace.nvmf.qos.QosLimits;
import io.millrace.nvmf.qos.QosPolicy;
import io.millrace.nvmf.qos.QosSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Limits of the namespaces and hosts of a subsystem that is served. Any thread may call it: what reactors see is
 * replaced as a whole, and commands that wait go by new limits at once.
 */
public final class SubsystemQos
{
    private final Subsystem subsystem;
    private final ConcurrentHashMap<String, QosPolicy> hosts = new ConcurrentHashMap<>();

    SubsystemQos(final Subsystem subsystem)
    {
        this.subsystem = subsystem;
    }

    /**
     * Limits a namespace, or ends that. The limits go with the namespace.
     *
     * @param nsid   namespace id.
     * @param limits of all hosts together; without any the end of it.
     * @return done when every reactor goes by them; null when there is no such namespace.
     */
    public CompletableFuture<Void> limitNamespace(final int nsid, final QosLimits limits)
    {
        synchronized (subsystem)
        {
            final ServedNamespace served = subsystem.servedNamespace(nsid);
            if (null == served)
            {
                return null;
            }
            served.qos(policy(limits, served.qos()));
            return served().onNamespaceLimited(subsystem, nsid);
        }
    }

    /**
     * Limits a host, or ends that, whether it is connected or not.
     *
     * @param hostNqn of the host.
     * @param limits  of all namespaces together; without any the end of it.
     * @return done when every reactor goes by them.
     */
    public CompletableFuture<Void> limitHost(final String hostNqn, final QosLimits limits)
    {
        synchronized (subsystem)
        {
            final QosPolicy policy = policy(limits, hosts.get(hostNqn));
            if (null == policy)
            {
                hosts.remove(hostNqn);
            }
            else
            {
                hosts.put(hostNqn, policy);
            }
            return served().onHostLimited(subsystem, hostNqn);
        }
    }

    /**
     * {@return limits of a namespace; none when it has none or is not there}
     *
     * @param nsid namespace id.
     */
    public QosLimits namespace(final int nsid)
    {
        final ServedNamespace served = subsystem.servedNamespace(nsid);
        final QosPolicy policy = null == served ? null : served.qos();
        return null == policy ? QosLimits.NONE : policy.limits();
    }

    /**
     * {@return limits of a host; none when it has none}
     *
     * @param hostNqn of the host.
     */
    public QosLimits host(final String hostNqn)
    {
        final QosPolicy policy = hosts.get(hostNqn);
        return null == policy ? QosLimits.NONE : policy.limits();
    }

    /**
     * {@return what is limited, with what that did: namespaces in order of their ids, then hosts by name; reactors are
     * not interrupted}
     */
    public List<QosSnapshot> snapshots()
    {
        final String nqn = subsystem.nqn();
        final List<QosSnapshot> snapshots = new ArrayList<>();
        for (final ServedNamespace served : subsystem.servedNamespaces())
        {
            final QosPolicy policy = served.qos();
            if (null != policy)
            {
                snapshots.add(QosSnapshot.of(nqn, served.namespace().nsid(), "", policy));
            }
        }
        hosts.entrySet().stream().sorted(Map.Entry.comparingByKey()).forEach((each) ->
            snapshots.add(QosSnapshot.of(nqn, 0, each.getKey(), each.getValue())));
        return snapshots;
    }

    /**
     * {@return what is in force for a host; null when it has no limits}
     *
     * @param hostNqn of the host.
     */
    QosPolicy hostPolicy(final String hostNqn)
    {
        return hosts.get(hostNqn);
    }

    private QosPolicy policy(final QosLimits limits, final QosPolicy before)
    {
        return limits.isNone() ? null : new QosPolicy(limits, null == before ? new QosCounters() : before.counters(),
            served().pollGroupCount(), served().nowNs());
    }

    private Target served()
    {
        final Target target = subsystem.target();
        if (null == target)
        {
            throw new IllegalStateException("subsystem " + subsystem.nqn() + " is not served: limits are for reactors");
        }
        return target;
    }
}
