package io.millrace.dataplane;

import io.millrace.dataplane.OperationException.Reason;
import io.millrace.dataplane.snapshot.HostSnapshot;
import io.millrace.nvmf.Subsystem;
import io.millrace.nvmf.config.Nqn;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Hosts that the subsystems of a running data plane allow. A connected host that is no longer allowed is disconnected,
 * and cannot connect again. Any thread but the reactors'; futures may complete on a reactor, so dependent actions must
 * not block.
 */
public final class Hosts
{
    private final Operations operations;
    private final Subsystems subsystems;
    private final SpdkTarget spdk;

    Hosts(final Operations operations, final Subsystems subsystems, final SpdkTarget spdk)
    {
        this.spdk = spdk;
        this.operations = operations;
        this.subsystems = subsystems;
    }

    /**
     * Adds a host to the list of allowed hosts. It has no effect while every host may connect.
     *
     * @param nqn     of the subsystem.
     * @param hostNqn of the host.
     * @throws OperationException when the subsystem is not there, the host is already allowed or its name is no NQN.
     */
    public void allow(final String nqn, final String hostNqn)
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
            if (subsystem.hasHost(hostNqn))
            {
                throw new OperationException(Reason.EXISTS, subject(hostNqn, nqn), "is already allowed", "leave it");
            }
            spdk.allowHost(nqn, hostNqn);
            subsystem.allowHost(hostNqn);
            operations.publish(ResourceKind.HOST, ResourceChange.CREATED, nqn + '/' + hostNqn);
        }
    }

    /**
     * Removes a host from the list. It is disconnected, unless every host may connect.
     *
     * @param nqn     of the subsystem.
     * @param hostNqn of the host.
     * @return done when it is gone.
     * @throws OperationException when the subsystem is not there or the host is not on its list, or SPDK's target does
     *     not say that it is gone: then it is off the list, and may have commands left.
     */
    public CompletableFuture<Void> deny(final String nqn, final String hostNqn)
    {
        synchronized (operations)
        {
            operations.checkOpen();
            final Subsystem subsystem = subsystems.require(nqn);
            if (null == hostNqn || !subsystem.hasHost(hostNqn))
            {
                throw new OperationException(Reason.NOT_FOUND, subject(hostNqn, nqn), "is not on its list",
                    subsystem.allowsAnyHost() ? "allow only listed hosts" : "leave it");
            }
            final CompletableFuture<Void> done = subsystem.denyHost(hostNqn);
            operations.publish(ResourceKind.HOST, ResourceChange.DELETED, nqn + '/' + hostNqn);
            // Last: where SPDK fails, access has ended at Millrace's own target.
            spdk.denyHost(nqn, hostNqn);
            return done;
        }
    }

    /**
     * Allows every host, or only those on the list.
     *
     * @param nqn       of the subsystem.
     * @param isAllowed whether every host may connect.
     * @return done when hosts that may no longer be there are gone: which devices may have commands left that came by
     *     SPDK's target, a sentence; empty: none has.
     * @throws OperationException when the subsystem is not there.
     */
    public CompletableFuture<String> allowAny(final String nqn, final boolean isAllowed)
    {
        synchronized (operations)
        {
            operations.checkOpen();
            final Subsystem subsystem = subsystems.require(nqn);
            if (isAllowed == subsystem.allowsAnyHost())
            {
                return CompletableFuture.completedFuture("");
            }
            final String left = spdk.allowAnyHost(subsystem, isAllowed);
            final CompletableFuture<Void> done = subsystem.allowAnyHost(isAllowed);
            operations.publish(ResourceKind.SUBSYSTEM, ResourceChange.CHANGED, nqn,
                isAllowed ? "allows every host" : "allows listed hosts only");
            return done.thenApply((_) -> left);
        }
    }

    /**
     * {@return the hosts on the list of allowed hosts}
     *
     * @param nqn of one subsystem; null for all.
     * @throws OperationException when it is not there.
     */
    public List<HostSnapshot> list(final String nqn)
    {
        return subsystems.select(nqn).stream()
            .flatMap((each) -> each.hosts().stream().map((host) -> new HostSnapshot(each.nqn(), host))).toList();
    }

    private static String subject(final String hostNqn, final String nqn)
    {
        return "host " + hostNqn + " of subsystem " + nqn;
    }
}
