package io.millrace.nvmf.namespace;

import io.millrace.status.IoCounters;
import io.millrace.status.StatusPart;
import java.lang.invoke.VarHandle;

/**
 * I/O counters of a namespace on one reactor. The record is allocated by the first command: an unused namespace has
 * none. Reactor only, except where other threads sum up.
 */
public final class NamespaceCounters
{
    private final Namespace namespace;
    private final String nqn;
    private final StatusPart status;
    private volatile IoCounters io;

    /**
     * Counts nothing yet.
     *
     * @param namespace to count for.
     * @param nqn       of its subsystem.
     * @param status    of the reactor.
     */
    public NamespaceCounters(final Namespace namespace, final String nqn, final StatusPart status)
    {
        this.namespace = namespace;
        this.nqn = nqn;
        this.status = status;
    }

    /**
     * {@return the namespace that is counted}
     */
    public Namespace namespace()
    {
        return namespace;
    }

    /**
     * The first command of the namespace is to be counted. Called once.
     *
     * @return where to count.
     */
    public IoCounters begin()
    {
        io = status.namespace(nqn, namespace.nsid());
        return io;
    }

    /**
     * Adds what was counted. Any thread.
     *
     * @param totals to add to.
     */
    public void addTo(final NamespaceTotals totals)
    {
        final IoCounters present = io;
        if (null != present)
        {
            final NamespaceTotals counted = new NamespaceTotals();
            counted.add(present);
            VarHandle.loadLoadFence();
            // Its room may be another namespace's since it was released.
            if (present == io)
            {
                totals.add(counted);
            }
        }
    }

    /**
     * The reactor is done with the namespace.
     */
    public void release()
    {
        final IoCounters present = io;
        if (null != present)
        {
            io = null;
            present.release();
        }
    }
}
