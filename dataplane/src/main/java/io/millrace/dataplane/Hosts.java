package io.millrace.dataplane;

import io.millrace.dataplane.OperationException.Reason;
import io.millrace.nvmf.Nqn;
import io.millrace.nvmf.Subsystem;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Which hosts the subsystems of a running data plane let in. A host that is connected and may no longer be is
 * disconnected, and it cannot come again. Any thread but the reactors'; futures may complete on a reactor, so what
 * hangs on them must not block.
 */
public final class Hosts
{
    private final Operations operations;
    private final Subsystems subsystems;

    Hosts(final Operations operations, final Subsystems subsystems)
    {
        this.operations = operations;
        this.subsystems = subsystems;
    }

    /**
     * Lets a host in by name. While every host may connect this changes nothing yet.
     *
     * @param nqn     of the subsystem.
     * @param hostNqn of the host.
     * @throws OperationException when the subsystem is not there, the host is let in already or its name is no NQN.
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
            if (!subsystem.allowHost(hostNqn))
            {
                throw new OperationException(Reason.EXISTS, subject(hostNqn, nqn), "is let in already", "leave it");
            }
            operations.tell(ResourceKind.HOST, ResourceChange.CREATED, nqn + '/' + hostNqn);
        }
    }

    /**
     * Takes a host off the list. It is disconnected, unless every host may connect.
     *
     * @param nqn     of the subsystem.
     * @param hostNqn of the host.
     * @return done when it is gone.
     * @throws OperationException when the subsystem is not there or the host is not on its list.
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
                    subsystem.allowsAnyHost() ? "let not every host in" : "leave it");
            }
            final CompletableFuture<Void> done = subsystem.denyHost(hostNqn);
            operations.tell(ResourceKind.HOST, ResourceChange.DELETED, nqn + '/' + hostNqn);
            return done;
        }
    }

    /**
     * Lets every host in, or only those on the list.
     *
     * @param nqn       of the subsystem.
     * @param isAllowed whether every host may connect.
     * @return done when hosts that may no longer be there are gone.
     * @throws OperationException when the subsystem is not there.
     */
    public CompletableFuture<Void> allowAny(final String nqn, final boolean isAllowed)
    {
        synchronized (operations)
        {
            operations.checkOpen();
            final Subsystem subsystem = subsystems.require(nqn);
            if (isAllowed == subsystem.allowsAnyHost())
            {
                return CompletableFuture.completedFuture(null);
            }
            final CompletableFuture<Void> done = subsystem.allowAnyHost(isAllowed);
            operations.tell(ResourceKind.SUBSYSTEM, ResourceChange.CHANGED, nqn,
                isAllowed ? "lets every host in" : "lets hosts in by name");
            return done;
        }
    }

    /**
     * {@return the hosts that are let in by name}
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
