package io.millrace.nvmf;

import io.millrace.nvme.AnaState;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Asymmetric namespace access of a subsystem (NVM Express Base 2.0, section 8.1): the states that were set, by listener
 * and group, and what its controllers tell of them. Any thread may call it; the monitor of the subsystem guards it.
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
     * listener is there or not. Hosts that asked for it are told, unless it is {@link AnaState#CHANGE}, which they see
     * when they look. A transition that is not ended in the target's time ends as {@link AnaState#INACCESSIBLE}. A
     * controller keeps {@link AnaState#PERSISTENT_LOSS} for life: when the state is another afterwards, it is
     * disconnected, and its host may connect again.
     *
     * @param listener that gets it; null for all, a wildcard address for all with its port.
     * @param group    that gets it, from 1 to {@link Namespace#ANA_GROUP_MAX}; 0 for all.
     * @param state    to get.
     * @return done when no command that came before uses a namespace any more to which commands are refused now.
     * @throws IllegalArgumentException when there is no such group, or too many listeners have states of their own.
     */
    public CompletableFuture<Void> set(final TransportAddress listener, final int group, final AnaState state)
    {
        synchronized (subsystem)
        {
            final AnaTable before = table;
            table = before.with(listener, group, state);
            if (before == table)
            {
                return CompletableFuture.completedFuture(null);
            }
            if (AnaState.CHANGE == state)
            {
                limitTransitions();
            }
            return tellControllers();
        }
    }

    /**
     * {@return whether a state is so already}
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
     * {@return states of a new controller}
     *
     * @param local address that its host came in on.
     */
    AnaPath path(final TransportAddress local)
    {
        synchronized (subsystem)
        {
            return table.path(local);
        }
    }

    /**
     * A controller begins anew, and its change counts with it.
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
     * A namespace came or went. Its event tells hosts; the page with its group is another all the same.
     *
     * @param group of the namespace.
     */
    void onNamespaceChanged(final int group)
    {
        final BitSet groups = new BitSet();
        groups.set(group);
        synchronized (subsystem)
        {
            subsystem.controllers().forEach((controller) -> controller.anaLog().onChanged(groups));
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

    /** Ends later what is in transition now: hosts are told how long that takes at most. */
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
            tellControllers();
            final TargetListener told = target.listener();
            table.others().difference(before.others()).stream()
                .forEach((group) -> told.onAnaTransitionExpired(subsystem.nqn(), null, group));
            table.paths().forEach((listener, path) -> path.difference(before.path(listener)).stream()
                .forEach((group) -> told.onAnaTransitionExpired(subsystem.nqn(), listener, group)));
        }
    }

    private CompletableFuture<Void> tellControllers()
    {
        final BitSet reported = new BitSet();
        subsystem.namespaces().forEach((each) -> reported.set(each.anaGroup()));
        return CompletableFuture.allOf(subsystem.controllers().stream()
            .map((each) -> each.onAnaChanged(table.path(each.adminQueuePair().local()), reported))
            .toArray(CompletableFuture[]::new));
    }
}
