package io.millrace.nvmf.namespace;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The namespaces of a subsystem by their ids. One thread at a time changes it, any number read; a change costs the same
 * whatever there is already.
 */
public final class NamespaceTable
{
    private static final int CAPACITY_MIN = 8;

    private volatile AtomicReferenceArray<ServedNamespace> byNsid = new AtomicReferenceArray<>(CAPACITY_MIN);
    private volatile int count;

    /**
     * Creates an empty table.
     */
    public NamespaceTable()
    {
    }

    /**
     * {@return a namespace, or null when there is none}
     *
     * @param nsid any number.
     */
    public ServedNamespace get(final int nsid)
    {
        final AtomicReferenceArray<ServedNamespace> current = byNsid;
        return nsid > 0 && nsid < current.length() ? current.get(nsid) : null;
    }

    /**
     * Sets or clears a namespace.
     *
     * @param nsid      its id, from 1.
     * @param namespace the command's namespace, null for none.
     */
    public void set(final int nsid, final ServedNamespace namespace)
    {
        AtomicReferenceArray<ServedNamespace> current = byNsid;
        if (nsid >= current.length())
        {
            current = grow(current, nsid);
        }
        final ServedNamespace before = current.getAndSet(nsid, namespace);
        count += (null == namespace ? 0 : 1) - (null == before ? 0 : 1);
        byNsid = current;
    }

    /**
     * {@return one more than the largest id there may be}
     */
    public int limit()
    {
        return byNsid.length();
    }

    /**
     * {@return how many namespaces there are}
     */
    public int count()
    {
        return count;
    }

    /**
     * {@return the namespaces in order of their ids}
     */
    public List<ServedNamespace> list()
    {
        final AtomicReferenceArray<ServedNamespace> current = byNsid;
        final List<ServedNamespace> list = new ArrayList<>(count);
        for (int nsid = 1; nsid < current.length(); nsid++)
        {
            final ServedNamespace namespace = current.get(nsid);
            if (null != namespace)
            {
                list.add(namespace);
            }
        }
        return list;
    }

    private static AtomicReferenceArray<ServedNamespace> grow(
        final AtomicReferenceArray<ServedNamespace> from, final int nsid)
    {
        final int length = Math.max(nsid + 1, Math.min(2 * from.length(), Namespace.NSID_MAX + 1));
        final AtomicReferenceArray<ServedNamespace> grown = new AtomicReferenceArray<>(length);
        for (int i = 1; i < from.length(); i++)
        {
            grown.setPlain(i, from.get(i));
        }
        return grown;
    }
}
