package io.millrace.dataplane;

import io.millrace.dataplane.OperationException.Reason;
import io.millrace.dataplane.config.SubsystemSettings;
import io.millrace.nvme.AnaState;
import io.millrace.nvmf.Subsystem;
import io.millrace.nvmf.ana.AnaPath;
import io.millrace.nvmf.ana.AnaSnapshot;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.nvmf.queue.UnfinishedCommands;
import io.millrace.nvmf.transport.TransportAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Asymmetric namespace access of a running data plane: how the ANA groups of its subsystems are reached through each
 * listener. A state belongs to the subsystem and is stored by address: it may be set before a listener exists, so that
 * no host sees a wrong one, and it persists when a listener is removed and added again. It is removed with the
 * subsystem. Any thread but the reactors'; futures may complete on a reactor, so dependent actions must not block.
 */
public final class AnaStates
{
    private static final String ALL = "*";

    private final Operations operations;
    private final Subsystems subsystems;
    private final SpdkTarget spdk;

    AnaStates(final Operations operations, final Subsystems subsystems, final SpdkTarget spdk)
    {
        this.spdk = spdk;
        this.operations = operations;
        this.subsystems = subsystems;
    }

    /**
     * Sets a state, at once for commands that come from now on; connected hosts are notified as the specification says.
     * A transition ({@link AnaState#CHANGE}) that is not ended in the time of the limits ends as
     * {@link AnaState#INACCESSIBLE}. Hosts that had {@link AnaState#PERSISTENT_LOSS} are disconnected when it ends.
     *
     * @param nqn      of the subsystem.
     * @param listener address and port, whether something listens there or not; null for all, a wildcard address for
     *                 all with its port.
     * @param group    from 1 to {@link Namespace#ANA_GROUP_MAX}; 0 for all.
     * @param state    to get.
     * @return done when no command that came before uses a namespace any more to which commands are refused now, with
     *     an empty sentence; or after five seconds, with one that says which devices have not completed such commands
     *     and what to do. The state is set in either case. Setting it again waits again.
     * @throws OperationException when the subsystem is not there, group or address is invalid, or too many listeners
     *     have states of their own.
     */
    public CompletableFuture<String> set(
        final String nqn, final TransportAddress listener, final int group, final AnaState state)
    {
        synchronized (operations)
        {
            operations.checkOpen();
            final Subsystem subsystem = subsystems.require(nqn);
            final TransportAddress address = address(nqn, listener);
            try
            {
                final boolean isSet = subsystem.ana().isSet(address, group, state);
                final List<AnaPath> before = spdk.anaPaths(subsystem);
                final CompletableFuture<List<UnfinishedCommands>> own = subsystem.ana().set(address, group, state);
                final String unfinishedOfSpdk = spdk.onAnaChanged(subsystem, before, isSet);
                final CompletableFuture<String> done = own.thenApply((unfinished) -> join(
                    unfinished.isEmpty() ? "" : UnfinishedCommands.describe(nqn, unfinished), unfinishedOfSpdk));
                if (!isSet)
                {
                    operations.publish(ResourceKind.ANA, ResourceChange.CHANGED, name(nqn, address, group), "is " +
                        state);
                }
                return done;
            }
            catch (final IllegalArgumentException e)
            {
                throw new OperationException(Reason.INVALID, "subsystem " + nqn, e.getMessage(), "", e);
            }
        }
    }

    private static String join(final String first, final String second)
    {
        return first + (first.isEmpty() || second.isEmpty() ? "" : "; ") + second;
    }

    /**
     * {@return the states, by subsystem, listener and group: of each listener that is there or has states of its own,
     * the groups that have namespaces and those that are not optimized somewhere; of all others, under no address, the
     * groups that are not optimized}
     *
     * @param nqn of one subsystem; null for all.
     * @throws OperationException when it is not there.
     */
    public List<AnaSnapshot> list(final String nqn)
    {
        return subsystems.select(nqn).stream().flatMap((each) -> each.ana().snapshots().stream()).toList();
    }

    /**
     * Sets the ANA states of a subsystem that is not served yet.
     *
     * @param subsystem that gets it.
     * @param settings  settings.
     * @throws OperationException       when the address is invalid.
     * @throws IllegalArgumentException when the group is invalid.
     */
    static void prepare(final Subsystem subsystem, final SubsystemSettings.AnaSettings settings)
    {
        subsystem.ana().set(address(subsystem.nqn(), settings.listener()), settings.group(), settings.state());
    }

    /**
     * {@return name of a state for events: NQN, listener and group, with {@code *} for all}
     *
     * @param nqn      of the subsystem.
     * @param listener null for all.
     * @param group    0 for all.
     */
    static String name(final String nqn, final TransportAddress listener, final int group)
    {
        return nqn + '/' + (null == listener ? ALL : listener.listenerName()) + '/' + (0 == group ? ALL : group);
    }

    /** Null stays null. */
    private static TransportAddress address(final String nqn, final TransportAddress listener)
    {
        if (null == listener)
        {
            return null;
        }
        final TransportAddress address;
        try
        {
            address = listener.canonical();
        }
        catch (final IllegalArgumentException e)
        {
            throw Listeners.notCanonical(subject(nqn, listener), listener, e);
        }
        if (address.hasPort() && 0 == address.port())
        {
            throw new OperationException(Reason.INVALID, subject(nqn, address), "has no port",
                "give the port of the listener, or no address for all listeners");
        }
        return address;
    }

    private static String subject(final String nqn, final TransportAddress listener)
    {
        return "ANA of subsystem " + nqn + " at " + listener.listenerName();
    }
}
