package io.millrace.nvmf.queue;

import io.millrace.nvmf.namespace.Namespace;
import io.millrace.nvmf.namespace.NamespaceTable;
import io.millrace.nvmf.namespace.ServedNamespace;
import io.millrace.nvmf.qos.QosPolicy;
import io.millrace.nvmf.request.HostChannel;
import io.millrace.nvmf.request.NamespaceChannel;
import io.millrace.nvmf.request.QosAdmission;
import io.millrace.nvmf.request.RateLimiter;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ObjIntConsumer;

/**
 * One reactor's channels to the namespaces of a subsystem, by namespace id, and the hosts that are on it.
 * Single-threaded; every queue pair of the subsystem on the reactor holds it.
 */
public final class SubsystemChannels
{
    private static final NamespaceChannel[] NONE = {};

    private final NamespaceTable served;
    private final Function<String, QosPolicy> hostPolicies;
    private final QosAdmission admission;
    private final Map<String, HostChannel> hosts = new HashMap<>();
    private NamespaceChannel[] byNsid = NONE;
    private final ObjIntConsumer<SubsystemChannels> opener;
    private int nextNsid = 1;
    private boolean isFilled;
    private int activeRateLimiters;

    /**
     * Has no channels yet.
     *
     * @param served       namespaces of the subsystem.
     * @param hostPolicies limits of a host by its NQN; null for none.
     * @param admission    of the reactor.
     * @param opener       opens the channel to a namespace, or closes it, as the subsystem has it then.
     */
    public SubsystemChannels(
        final NamespaceTable served,
        final Function<String, QosPolicy> hostPolicies,
        final QosAdmission admission,
        final ObjIntConsumer<SubsystemChannels> opener)
    {
        this.served = served;
        this.hostPolicies = hostPolicies;
        this.admission = admission;
        this.opener = opener;
    }

    /**
     * {@return namespaces of the subsystem, opened or not}
     */
    public NamespaceTable served()
    {
        return served;
    }

    /**
     * {@return channel of a namespace; null when there is none}
     *
     * @param nsid as a host gave it: any number.
     */
    public NamespaceChannel get(final int nsid)
    {
        final NamespaceChannel[] current = byNsid;
        return nsid > 0 && nsid < current.length ? current[nsid] : null;
    }

    /**
     * {@return channel of a namespace, which begins to be opened if that has not begun; null when there is none}
     *
     * @param nsid as a host gave it: any number.
     */
    public NamespaceChannel find(final int nsid)
    {
        final NamespaceChannel known = get(nsid);
        if (null != known || isFilled)
        {
            return known;
        }
        opener.accept(this, nsid);
        return get(nsid);
    }

    /**
     * Visits the next possible namespace of the subsystem. Those that come later are announced one by one.
     *
     * @return false when all have been visited.
     */
    public boolean fillNext()
    {
        if (nextNsid >= served.limit())
        {
            isFilled = true;
            return false;
        }
        final int nsid = nextNsid++;
        if (null == get(nsid))
        {
            opener.accept(this, nsid);
        }
        return true;
    }

    /**
     * {@return one more than the largest namespace id there may be a channel for}
     */
    public int limit()
    {
        return byNsid.length;
    }

    /**
     * Sets or clears the channel of a namespace.
     *
     * @param nsid    id of the namespace.
     * @param channel null for none.
     */
    public void set(final int nsid, final NamespaceChannel channel)
    {
        if (nsid >= byNsid.length)
        {
            byNsid = Arrays.copyOf(byNsid, Math.max(nsid + 1, Math.min(2 * byNsid.length, Namespace.NSID_MAX + 1)));
        }
        byNsid[nsid] = channel;
    }

    /**
     * {@return state of a host, for one more queue of the host}
     *
     * @param hostNqn of the host.
     */
    HostChannel acquireHost(final String hostNqn)
    {
        HostChannel host = hosts.get(hostNqn);
        if (null == host)
        {
            host = new HostChannel(hostNqn);
            host.rateLimiter(limited(null, hostPolicies.apply(hostNqn)));
            hosts.put(hostNqn, host);
        }
        host.retain();
        return host;
    }

    /**
     * A queue of a host is gone, and with it all that waited of it.
     *
     * @param host of the queue.
     */
    void releaseHost(final HostChannel host)
    {
        if (host.release())
        {
            hosts.remove(host.hostNqn());
            limited(host.rateLimiter(), null);
        }
    }

    /**
     * {@return whether anything here is limited, or waits for a limit that is gone}
     */
    public boolean isLimited()
    {
        return 0 != activeRateLimiters;
    }

    /**
     * The limits of a namespace, or its channel, have changed.
     *
     * @param nsid namespace id.
     */
    public void limitNamespace(final int nsid)
    {
        final NamespaceChannel channel = get(nsid);
        final ServedNamespace namespace = served.get(nsid);
        if (null != channel && null != namespace && namespace.namespace() == channel.namespace())
        {
            channel.rateLimiter(limited(channel.rateLimiter(), namespace.qos()));
        }
    }

    /**
     * The limits of a host have changed.
     *
     * @param hostNqn of the host.
     */
    public void limitHost(final String hostNqn)
    {
        final HostChannel host = hosts.get(hostNqn);
        if (null != host)
        {
            host.rateLimiter(limited(host.rateLimiter(), hostPolicies.apply(hostNqn)));
        }
    }

    /**
     * Ends what waits for limits on behalf of a namespace that is removed.
     *
     * @param channel of the namespace.
     * @param status  to fail commands with.
     */
    public void failWaiting(final NamespaceChannel channel, final int status)
    {
        if (!isLimited())
        {
            return;
        }
        if (null != channel.rateLimiter())
        {
            channel.rateLimiter().fail(channel, status);
            limited(channel.rateLimiter(), null);
        }
        for (final HostChannel host : hosts.values())
        {
            if (null != host.rateLimiter())
            {
                host.rateLimiter().fail(channel, status);
            }
        }
    }

    /**
     * Releases commands that were held by a pause although their limits admit them.
     */
    public void runRateLimiters()
    {
        if (!isLimited())
        {
            return;
        }
        for (final NamespaceChannel channel : byNsid)
        {
            if (null != channel && null != channel.rateLimiter())
            {
                channel.rateLimiter().run();
            }
        }
        for (final HostChannel host : hosts.values())
        {
            if (null != host.rateLimiter())
            {
                host.rateLimiter().run();
            }
        }
    }

    private RateLimiter limited(final RateLimiter present, final QosPolicy policy)
    {
        if (null == present && null == policy)
        {
            return null;
        }
        final RateLimiter rateLimiter = null == present ?
            new RateLimiter(admission, (change) -> activeRateLimiters += change) : present;
        rateLimiter.policy(policy);
        return rateLimiter;
    }
}
