package io.millrace.nvmf;

import java.util.Arrays;

/**
 * One reactor's channels to the namespaces of a subsystem, by namespace id. Single-threaded; every queue pair of the
 * subsystem on the reactor holds it.
 */
final class SubsystemChannels
{
    private static final NamespaceChannel[] NONE = {};

    private final Subsystem subsystem;
    private NamespaceChannel[] byNsid = NONE;
    private int unopened;

    SubsystemChannels(final Subsystem subsystem)
    {
        this.subsystem = subsystem;
    }

    Subsystem subsystem()
    {
        return subsystem;
    }

    /**
     * {@return channel of a namespace; null when there is none}
     *
     * @param nsid as a host gave it: any number.
     */
    NamespaceChannel get(final int nsid)
    {
        final NamespaceChannel[] current = byNsid;
        return nsid > 0 && nsid < current.length ? current[nsid] : null;
    }

    /**
     * {@return one more than the largest namespace id there may be a channel for}
     */
    int limit()
    {
        return byNsid.length;
    }

    /**
     * {@return whether the device of some namespace could not be opened here}
     */
    boolean hasUnopened()
    {
        return 0 != unopened;
    }

    void set(final int nsid, final NamespaceChannel channel)
    {
        if (nsid >= byNsid.length)
        {
            byNsid = Arrays.copyOf(byNsid, Math.max(nsid + 1, Math.min(2 * byNsid.length, Namespace.NSID_MAX + 1)));
        }
        final NamespaceChannel before = byNsid[nsid];
        unopened += (null != channel && !channel.isOpen() ? 1 : 0) - (null != before && !before.isOpen() ? 1 : 0);
        byNsid[nsid] = channel;
    }
}
