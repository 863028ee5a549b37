package io.millrace.nvmf.request;

import io.millrace.nvmf.qos.QosPolicy;
import io.millrace.reactor.Reactor;
import java.util.function.IntConsumer;

/**
 * Applies the limits of a namespace or host on one reactor, with a queue of reads and one of writes. Reads do not wait
 * for writes nor writes for reads; where they share a limit they take turns. Single-threaded.
 */
public final class RateLimiter
{
    private final QosAdmission admission;
    private final IntConsumer onActive;
    private final ThrottleQueue reads = new ThrottleQueue(this, true);
    private final ThrottleQueue writes = new ThrottleQueue(this, false);
    private QosPolicy policy;
    private boolean isActive;

    /**
     * Creates a limiter that admits everything.
     *
     * @param admission of the reactor.
     * @param onActive  told 1 when it begins to limit, -1 when it ends.
     */
    public RateLimiter(final QosAdmission admission, final IntConsumer onActive)
    {
        this.admission = admission;
        this.onActive = onActive;
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

    ThrottleQueue queue(final boolean isRead)
    {
        return isRead ? reads : writes;
    }

    /**
     * Replaces the limits. Without limits, waiting commands are released soon.
     *
     * @param newPolicy of the limits; null for none.
     */
    public void policy(final QosPolicy newPolicy)
    {
        if (policy != newPolicy)
        {
            policy = newPolicy;
            reads.policy(newPolicy);
            writes.policy(newPolicy);
        }
    }

    /**
     * Releases the commands that the limits admit.
     */
    public void run()
    {
        reads.run();
        writes.run();
    }

    /**
     * Fails the commands of a removed namespace.
     *
     * @param namespace of them.
     * @param status    to fail them with.
     */
    public void fail(final NamespaceChannel namespace, final int status)
    {
        reads.fail(namespace, status);
        writes.fail(namespace, status);
    }

    /**
     * The queues or the limits have changed.
     */
    void onQueueChanged()
    {
        final boolean limits = null != policy || 0 != reads.size() || 0 != writes.size();
        if (limits != isActive)
        {
            isActive = limits;
            onActive.accept(limits ? 1 : -1);
        }
    }
}
