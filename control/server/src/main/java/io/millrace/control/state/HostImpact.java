package io.millrace.control.state;

import io.millrace.control.message.Command;
import io.millrace.control.message.ControllerInfo;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Marks the steps of a plan that take a resource from connected hosts as destructive, and names these hosts. Stateless.
 */
public final class HostImpact
{
    /** Nobody is connected, or that is not known. */
    public static final Map<String, Set<String>> NONE = Map.of();
    private static final int HOSTS_NAMED_MAX = 3;

    private HostImpact()
    {
    }

    /**
     * {@return NQNs of connected hosts by the NQN of their subsystem}
     *
     * @param controllers of a data plane.
     */
    public static Map<String, Set<String>> hosts(final Collection<ControllerInfo> controllers)
    {
        final Map<String, Set<String>> hosts = new HashMap<>();
        controllers.forEach((each) -> hosts.computeIfAbsent(each.nqn(), (_) -> new TreeSet<>()).add(each.hostNqn()));
        return hosts;
    }

    /**
     * Marks steps that remove or replace a subsystem or namespace in use, disconnect a host, or remove the last
     * listener.
     *
     * @param plan    to the desired state.
     * @param desired state.
     * @param hosts   that are connected, by the NQN of their subsystem.
     * @return the plan with these steps marked.
     */
    public static StatePlan mark(
        final StatePlan plan, final DesiredState desired, final Map<String, Set<String>> hosts)
    {
        return hosts.isEmpty() ? plan : new StatePlan(plan.stages().stream()
            .map((stage) -> stage.stream().map((step) -> mark(step, desired, hosts)).toList()).toList(),
            plan.obstacles());
    }

    /**
     * {@return hosts as a phrase, such as {@code host nqn.2014-08.org.nvmexpress:uuid:1}}
     *
     * @param hosts NQNs, not empty.
     */
    public static String phrase(final Collection<String> hosts)
    {
        return (1 == hosts.size() ? "host " : hosts.size() + " hosts: ") +
            hosts.stream().limit(HOSTS_NAMED_MAX).collect(Collectors.joining(", ")) +
            (hosts.size() > HOSTS_NAMED_MAX ? " and others" : "");
    }

    private static StateStep mark(
        final StateStep step, final DesiredState desired, final Map<String, Set<String>> hosts)
    {
        final List<String> losers = losers(step.command(), desired, hosts);
        return losers.isEmpty() ? step : new StateStep(step.command(), step.effect(), true, step.sentence() + "; " +
            phrase(losers) + (1 == losers.size() ? " is" : " are") + " connected");
    }

    private static List<String> losers(
        final Command command, final DesiredState desired, final Map<String, Set<String>> hosts)
    {
        return switch (command)
        {
            case final Command.DeleteSubsystem delete -> of(hosts, delete.nqn(), (_) -> true);
            case final Command.RemoveNamespace remove -> of(hosts, remove.nqn(), (_) -> true);
            case final Command.DenyHost deny -> isAllowed(desired, deny.nqn(), deny.hostNqn()) ? List.of() :
                of(hosts, deny.nqn(), deny.hostNqn()::equals);
            case final Command.SetAllowAnyHost set -> of(hosts, set.nqn(),
                (host) -> !isAllowed(desired, set.nqn(), host));
            case final Command.RemoveListener _ -> desired.listeners().values().stream()
                .allMatch((each) -> each.discoveryOnly()) ? hosts.values().stream().flatMap(Set::stream).distinct()
                .sorted().toList() : List.of();
            default -> List.of();
        };
    }

    private static boolean isAllowed(final DesiredState desired, final String nqn, final String host)
    {
        final SubsystemState subsystem = desired.subsystems().get(nqn);
        return null != subsystem && (subsystem.spec().allowAnyHost() || subsystem.hosts().contains(host));
    }

    private static List<String> of(
        final Map<String, Set<String>> hosts, final String nqn, final Predicate<String> which)
    {
        return hosts.getOrDefault(nqn, Set.of()).stream().filter(which).toList();
    }
}
