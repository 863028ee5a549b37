package io.millrace.dataplane;

import io.millrace.dataplane.OperationException.Reason;
import io.millrace.nvmf.Subsystem;
import io.millrace.nvmf.config.Nqn;
import io.millrace.nvmf.qos.QosLimits;
import io.millrace.nvmf.qos.QosSnapshot;
import java.util.List;
import java.util.StringJoiner;
import java.util.concurrent.CompletableFuture;

/**
 * Limits of the namespaces and hosts of a running data plane. A command over a limit waits, and never fails for it. Any
 * thread but the reactors'; futures may complete on a reactor, so dependent actions must not block.
 */
public final class Qos
{
    /** What SPDK's target has not. */
    static final String NOT_SPDKS = "are not known to SPDK's target";

    private final Operations operations;
    private final Subsystems subsystems;
    private final SpdkTarget spdk;

    Qos(final Operations operations, final Subsystems subsystems, final SpdkTarget spdk)
    {
        this.spdk = spdk;
        this.operations = operations;
        this.subsystems = subsystems;
    }

    /**
     * Limits what all hosts together do on a namespace, in place of former limits. They go with the namespace.
     *
     * @param nqn    of the subsystem.
     * @param nsid   of the namespace.
     * @param limits {@link QosLimits#NONE} ends them.
     * @return done when every reactor applies them.
     * @throws OperationException when subsystem or namespace is not there.
     */
    public CompletableFuture<Void> setNamespace(final String nqn, final int nsid, final QosLimits limits)
    {
        synchronized (operations)
        {
            operations.checkOpen();
            final Subsystem subsystem = subsystems.require(nqn);
            check("limits of namespace " + nqn + '/' + nsid, limits);
            final QosLimits before = subsystem.qos().namespace(nsid);
            final CompletableFuture<Void> done = subsystem.qos().limitNamespace(nsid, limits);
            if (null == done)
            {
                throw new OperationException(
                    Reason.NOT_FOUND, "namespace " + nqn + '/' + nsid, "does not exist", "add it first");
            }
            publish(ResourceKind.NAMESPACE, nqn + '/' + nsid, before, limits);
            return done;
        }
    }

    /**
     * Limits what a host does on all namespaces of a subsystem together, in place of former limits. The host need
     * neither be connected nor on the subsystem's list; its limits stay when it goes.
     *
     * @param nqn     of the subsystem.
     * @param hostNqn of the host.
     * @param limits  {@link QosLimits#NONE} ends them.
     * @return done when every reactor applies them.
     * @throws OperationException when the subsystem is not there or the host's name is no NQN.
     */
    public CompletableFuture<Void> setHost(final String nqn, final String hostNqn, final QosLimits limits)
    {
        synchronized (operations)
        {
            operations.checkOpen();
            final Subsystem subsystem = subsystems.require(nqn);
            final String problem = Nqn.problem(hostNqn);
            if (null != problem)
            {
                throw new OperationException(Reason.INVALID, "host", problem, "");
            }
            check("limits of host " + hostNqn + " of subsystem " + nqn, limits);
            final QosLimits before = subsystem.qos().host(hostNqn);
            final CompletableFuture<Void> done = subsystem.qos().limitHost(hostNqn, limits);
            publish(ResourceKind.HOST, nqn + '/' + hostNqn, before, limits);
            return done;
        }
    }

    /**
     * Ends the limits of a namespace; what waits goes on.
     *
     * @param nqn  of the subsystem.
     * @param nsid of the namespace.
     * @return done when every reactor applies it.
     * @throws OperationException when subsystem or namespace is not there.
     */
    public CompletableFuture<Void> clearNamespace(final String nqn, final int nsid)
    {
        return setNamespace(nqn, nsid, QosLimits.NONE);
    }

    /**
     * Ends the limits of a host; what waits goes on.
     *
     * @param nqn     of the subsystem.
     * @param hostNqn of the host.
     * @return done when every reactor applies it.
     * @throws OperationException when the subsystem is not there or the host's name is no NQN.
     */
    public CompletableFuture<Void> clearHost(final String nqn, final String hostNqn)
    {
        return setHost(nqn, hostNqn, QosLimits.NONE);
    }

    /**
     * {@return the limits with their counters: by subsystem, namespaces before hosts}
     *
     * @param nqn of one subsystem; null for all.
     * @throws OperationException when it is not there.
     */
    public List<QosSnapshot> list(final String nqn)
    {
        return subsystems.select(nqn).stream().flatMap((each) -> each.qos().snapshots().stream()).toList();
    }

    private void check(final String subject, final QosLimits limits)
    {
        if (!limits.isNone())
        {
            spdk.checkAbsent(subject, NOT_SPDKS);
        }
    }

    private void publish(final ResourceKind kind, final String name, final QosLimits before, final QosLimits after)
    {
        if (!before.equals(after))
        {
            operations.publish(kind, ResourceChange.CHANGED, name, describe(after));
        }
    }

    private static String describe(final QosLimits limits)
    {
        final StringJoiner joiner = new StringJoiner(", ", "is limited to ", "");
        joiner.setEmptyValue("is not limited any more");
        add(joiner, limits.readIops(), "read IOPS");
        add(joiner, limits.writeIops(), "write IOPS");
        add(joiner, limits.iops(), "IOPS");
        add(joiner, limits.readBytesPerSecond(), "bytes/s of reads");
        add(joiner, limits.writeBytesPerSecond(), "bytes/s of writes");
        add(joiner, limits.bytesPerSecond(), "bytes/s");
        return joiner.toString();
    }

    private static void add(final StringJoiner joiner, final long limit, final String unit)
    {
        if (0 != limit)
        {
            joiner.add(limit + " " + unit);
        }
    }
}
