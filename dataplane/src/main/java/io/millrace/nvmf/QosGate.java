package io.millrace.nvmf;

import io.millrace.reactor.Reactor;

/**
 * One reactor's side of a limit, of a namespace or of a host: its lines of reads and of writes. Reads do not wait for
 * writes nor writes for reads; where they share a limit they take turns. Single-threaded.
 */
final class QosGate
{
    private final QosAdmission admission;
    private final SubsystemChannels channels;
    private final QosLine reads = new QosLine(this, true);
    private final QosLine writes = new QosLine(this, false);
    private QosPolicy policy;
    private boolean isActive;

    /**
     * Makes a gate that lets everything through.
     *
     * @param admission of the reactor.
     * @param channels  that ask it.
     */
    QosGate(final QosAdmission admission, final SubsystemChannels channels)
    {
        this.admission = admission;
        this.channels = channels;
    }

    QosAdmission admission()
    {
        return admission;
    }

    Reactor reactor()
    {
        return admission.reactor();
    }

    long nowNs()
    {
        return admission.reactor().nowNs();
    }

    QosLine line(final boolean isRead)
    {
        return isRead ? reads : writes;
    }

    /**
     * Goes by other limits from now on. Without limits, those who wait go on soon.
     *
     * @param newPolicy of the limits; null for none.
     */
    void policy(final QosPolicy newPolicy)
    {
        if (policy != newPolicy)
        {
            policy = newPolicy;
            reads.policy(newPolicy);
            writes.policy(newPolicy);
        }
    }

    /**
     * Lets those go on who may.
     */
    void run()
    {
        reads.run();
        writes.run();
    }

    /**
     * Fails the commands of a namespace that was taken away.
     *
     * @param namespace of them.
     * @param status    to fail them with.
     */
    void fail(final NamespaceChannel namespace, final int status)
    {
        reads.fail(namespace, status);
        writes.fail(namespace, status);
    }

    /**
     * Somebody came to wait, or waits no more, or limits have changed.
     */
    void onLineChanged()
    {
        final boolean limits = null != policy || 0 != reads.size() || 0 != writes.size();
        if (limits != isActive)
        {
            isActive = limits;
            channels.onGateChanged(limits);
        }
    }
}
