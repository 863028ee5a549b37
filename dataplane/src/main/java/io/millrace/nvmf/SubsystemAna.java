package io.millrace.nvmf;

import io.millrace.nvme.AnaState;
import io.millrace.nvmf.ana.AnaPath;
import io.millrace.nvmf.ana.AnaSnapshot;
import io.millrace.nvmf.ana.AnaTable;
import io.millrace.nvmf.config.TargetListener;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.nvmf.queue.UnfinishedCommands;
import io.millrace.nvmf.transport.TransportAddress;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Asymmetric namespace access of a subsystem (NVM Express Base 2.0, section 8.1): the states by listener and group, and
 * their reporting by its controllers. Any thread may call it; the monitor of the subsystem guards it.
 */
public final class SubsystemAna
{
    private final Subsystem subsystem;
    private AnaTable table = AnaTable.OPTIMIZED;

    SubsystemAna(final Subsystem subsystem)
    {
        this.subsystem = subsystem;
    }

    /**
     * Sets a state, at once for commands that come from now on. It holds until another is set for the same, whether the
     * listener is there or not. Hosts that enabled the event are notified, unless it is {@link AnaState#CHANGE}, which
     * they see in the log page. A transition that is not ended in the target's time ends as
     * {@link AnaState#INACCESSIBLE}. A controller keeps {@link AnaState#PERSISTENT_LOSS} for life: when the state is
     * another afterwards, it is disconnected, and its host may connect again.
     *
     * @param listener that gets it; null for all, a wildcard address for all with its port.
     * @param group    that gets it, from 1 to {@link Namespace#ANA_GROUP_MAX}; 0 for all.
     * @param state    to get.
     * @return done when no command that came before uses a namespace any more to which commands are refused now, or
     *     when those who have such commands have had their time, five seconds in all: then with what devices have not
     *     completed, which is answered when they do, and what it writes may still replace what is written by another
     *     path. What waits here ends at once, and a host that was asked for data loses its connection after one second.
     *     Setting the same again waits again.
     * @throws IllegalArgumentException when there is no such group, or too many listeners have states of their own.
     */
    public CompletableFuture<List<UnfinishedCommands>> set(
        final TransportAddress listener, final int group, final AnaState state)
    {
        synchronized (subsystem)
        {
            final AnaTable before = table;
            table = before.with(listener, group, state);
            if (before == table)
            {
                return awaitRefused(group);
            }
            if (AnaState.CHANGE == state)
            {
                limitTransitions();
            }
            return notifyControllers();
        }
    }

    /**
     * {@return whether a state is already set}
     *
     * @param listener whose it is; null for all.
     * @param group    from 1 to {@link Namespace#ANA_GROUP_MAX}; 0 for all.
     * @param state    to be compared.
     * @throws IllegalArgumentException when {@link #set} would throw it.
     */
    public boolean isSet(final TransportAddress listener, final int group, final AnaState state)
    {
        synchronized (subsystem)
        {
            return table == table.with(listener, group, state);
        }
    }

    /**
     * {@return the states: of each listener that is there or has states of its own, the groups that have namespaces and
     * those that are not optimized somewhere; of all others, under no address, the groups that are not optimized}
     */
    public List<AnaSnapshot> snapshots()
    {
        synchronized (subsystem)
        {
            final int[] counts = new int[AnaTable.GROUPS_MAX + 1];
            subsystem.namespaces().forEach((each) -> counts[each.anaGroup()]++);
            final BitSet told = AnaPath.OPTIMIZED.difference(table.others());
            final List<AnaSnapshot> ofOthers = snapshots(null, table.others(), told, counts);
            table.paths().values().forEach((path) -> told.or(AnaPath.OPTIMIZED.difference(path)));
            subsystem.namespaces().forEach((each) -> told.set(each.anaGroup()));
            final List<AnaSnapshot> snapshots = new ArrayList<>();
            for (final TransportAddress listener : listeners())
            {
                snapshots.addAll(snapshots(listener, table.path(listener), told, counts));
            }
            snapshots.addAll(ofOthers);
            return snapshots;
        }
    }

    private Set<TransportAddress> listeners()
    {
        final Set<TransportAddress> listeners = new LinkedHashSet<>();
        if (subsystem.isServed())
        {
            subsystem.target().discoveryListeners().stream().filter((each) -> !each.discoveryOnly())
                .forEach((each) -> listeners.add(each.address()));
        }
        table.paths().keySet().stream().sorted(Comparator.comparing(TransportAddress::toString))
            .forEach(listeners::add);
        return listeners;
    }

    private List<AnaSnapshot> snapshots(
        final TransportAddress listener, final AnaPath path, final BitSet groups, final int[] counts)
    {
        return groups.stream().mapToObj((group) -> new AnaSnapshot(
            subsystem.nqn(), listener, group, path.state(group), path.changes(group), counts[group])).toList();
    }

    /**
     * {@return states of controllers that are reached at an address}
     *
     * @param local address that a host came in on, or of a listener.
     */
    public AnaPath path(final TransportAddress local)
    {
        synchronized (subsystem)
        {
            return table.path(local);
        }
    }

    /**
     * A controller starts again, with new change counts.
     *
     * @param controller that was reset or is new.
     */
    void onEnabled(final Controller controller)
    {
        synchronized (subsystem)
        {
            controller.anaLog().reset();
        }
    }

    /**
     * {@return the Asymmetric Namespace Access log page of a controller, of one moment}
     *
     * @param controller that is asked.
     * @param groupsOnly whether the ids of the namespaces are left out.
     */
    byte[] logPage(final Controller controller, final boolean groupsOnly)
    {
        synchronized (subsystem)
        {
            return controller.anaLog().page(controller.anaPath(), subsystem.namespaces(), groupsOnly);
        }
    }

    /**
     * A namespace was added or removed. Its event tells hosts; the page with its group is another nevertheless.
     *
     * @param group of the namespace.
     */
    void onNamespaceChanged(final int group)
    {
        final BitSet groups = new BitSet();
        groups.set(group);
        synchronized (subsystem)
        {
            subsystem.controllers().list().forEach((controller) -> controller.anaLog().onChanged(groups));
        }
    }

    /** The subsystem begins to be served. */
    void onServed()
    {
        synchronized (subsystem)
        {
            limitTransitions();
        }
    }

    /** Schedules the end of present transitions: their longest time is reported to hosts (ANATT). */
    private void limitTransitions()
    {
        if (subsystem.isServed())
        {
            final Target target = subsystem.target();
            final long version = table.version();
            target.later(TimeUnit.SECONDS.toNanos(target.config().anaTransitionSeconds()),
                () -> endTransitions(target, version));
        }
    }

    private void endTransitions(final Target target, final long version)
    {
        synchronized (subsystem)
        {
            final AnaTable before = table;
            table = before.withoutTransitions(version);
            if (before == table)
            {
                return;
            }
            notifyControllers();
            final TargetListener told = target.listener();
            table.others().difference(before.others()).stream()
                .forEach((group) -> told.onAnaTransitionExpired(subsystem.nqn(), null, group));
            table.paths().forEach((listener, path) -> path.difference(before.path(listener)).stream()
                .forEach((group) -> told.onAnaTransitionExpired(subsystem.nqn(), listener, group)));
        }
    }

    private CompletableFuture<List<UnfinishedCommands>> notifyControllers()
    {
        final BitSet reported = groupsOfNamespaces();
        final List<CompletableFuture<List<UnfinishedCommands>>> parts = new ArrayList<>();
        final List<Controller> present = subsystem.controllers().list();
        present.forEach((each) -> parts.add(each.onAnaChanged(table.path(each.adminQueuePair().local()), reported)));
        subsystem.controllers().ending().stream().filter((each) -> !present.contains(each)).forEach((each) ->
            parts.add(each.onAnaChangedWhenGone(table.path(each.adminQueuePair().local()), reported)));
        return told(parts);
    }

    /** Waits again, for what may be left of an earlier change. */
    private CompletableFuture<List<UnfinishedCommands>> awaitRefused(final int group)
    {
        final BitSet groups = groupsOfNamespaces();
        if (0 != group)
        {
            groups.clear();
            groups.set(group);
        }
        final Set<Controller> controllers = new LinkedHashSet<>(subsystem.controllers().list());
        controllers.addAll(subsystem.controllers().ending());
        return told(controllers.stream().map((each) -> each.awaitRefused(groups)).toList());
    }

    /** An operator is notified of what did not end, whoever waits for it. */
    private CompletableFuture<List<UnfinishedCommands>> told(
        final List<CompletableFuture<List<UnfinishedCommands>>> parts)
    {
        final Target target = subsystem.target();
        return UnfinishedCommands.all(parts).thenApply((unfinished) ->
        {
            if (null != target && !unfinished.isEmpty())
            {
                target.listener().onError(UnfinishedCommands.describe(subsystem.nqn(), unfinished));
            }
            return unfinished;
        });
    }

    private BitSet groupsOfNamespaces()
    {
        final BitSet groups = new BitSet();
        subsystem.namespaces().forEach((each) -> groups.set(each.anaGroup()));
        return groups;
    }
}
