package io.millrace.dataplane;

import io.millrace.dataplane.OperationException.Reason;
import io.millrace.nvmf.ControllerSnapshot;
import io.millrace.nvmf.config.ControllerIds;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The controllers that hosts have on a running data plane. Any thread but the reactors'; futures may complete on a
 * reactor, so dependent actions must not block.
 */
public final class Controllers
{
    private final Operations operations;
    private final Subsystems subsystems;
    private final SpdkTarget spdk;

    Controllers(final Operations operations, final Subsystems subsystems, final SpdkTarget spdk)
    {
        this.spdk = spdk;
        this.operations = operations;
        this.subsystems = subsystems;
    }

    /**
     * Ends an association; its host may connect again.
     *
     * @param nqn          of the subsystem.
     * @param controllerId in it.
     * @return done when it is gone.
     * @throws OperationException when subsystem or controller is not there.
     */
    public CompletableFuture<Void> disconnect(final String nqn, final int controllerId)
    {
        synchronized (operations)
        {
            operations.checkOpen();
            final CompletableFuture<Void> done =
                subsystems.require(nqn).controllers().disconnect(controllerId, "disconnected by an operator");
            if (null == done)
            {
                throw new OperationException(Reason.NOT_FOUND, "controller " + nqn + '/' + controllerId,
                    "does not exist", "list controllers to see the existing ones");
            }
            return done;
        }
    }

    /**
     * Sets the ids that new controllers of every subsystem get; those that are there keep theirs. A range that the data
     * plane was configured with stays.
     *
     * @param range not used by another data plane that serves a subsystem of the same name.
     * @throws OperationException when another range is configured.
     */
    public void assignIds(final ControllerIds range)
    {
        synchronized (operations)
        {
            operations.checkOpen();
            final ControllerIds configured = operations.target().config().controllerIds();
            if (!ControllerIds.ALL.equals(configured) && !configured.equals(range))
            {
                throw new OperationException(Reason.IN_USE, "controller ids " + range, "are not those that this data " +
                    "plane is configured with, " + configured, "take limits.controller-id-first and " +
                    "limits.controller-id-last out of its configuration to have them assigned");
            }
            if (range.equals(operations.target().controllerIds()) && spdk.hasControllerIds())
            {
                return;
            }
            if (range.count() < 2)
            {
                spdk.checkAbsent("controller ids " + range, "are not enough for SPDK's target");
            }
            operations.target().controllerIds(range);
            spdk.onControllerIdsChanged();
        }
    }

    /**
     * {@return the ids that new controllers get}
     */
    public ControllerIds ids()
    {
        return operations.target().controllerIds();
    }

    /**
     * {@return the controllers by subsystem and id}
     *
     * @param nqn of one subsystem; null for all.
     * @throws OperationException when it is not there.
     */
    public List<ControllerSnapshot> list(final String nqn)
    {
        return subsystems.select(nqn).stream().flatMap((each) -> each.controllers().snapshots().stream()).toList();
    }
}
