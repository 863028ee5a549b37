package io.millrace.manager.plane;

import io.millrace.control.message.Command;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.PeerInfo;
import io.millrace.control.setting.Units;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.NetworkAddress;
import io.millrace.control.state.PeerLimits;
import io.millrace.control.state.StateEditor;
import io.millrace.control.state.StatePlan;
import io.millrace.control.state.StateStep;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A plan that repairs drift: leads from the actual to the desired state without a current request. Steps that remove a
 * device, namespace, subsystem, listener or the access of a host, or that lose data, are withheld, unless all resources
 * were created by this desired state, the step was requested while the data plane was disconnected, or an operator
 * confirms it. After direct changes, steps that might revert them are withheld, too: access of hosts, ANA states,
 * limits and fault rules of existing resources. A volume larger than desired is never replaced by a smaller, empty one;
 * a volume of another incarnation than the desired one is replaced. Immutable.
 *
 * @param plan     to apply.
 * @param withheld steps that need confirmation.
 */
record DriftRepair(StatePlan plan, List<StateStep> withheld)
{
    /**
     * Copies the list.
     */
    DriftRepair
    {
        withheld = List.copyOf(withheld);
    }

    /**
     * Plans a repair of what the data plane knows.
     *
     * @param peer      that the data plane is.
     * @param mayRemove whether all steps are allowed, including removals.
     * @param mayUndo   whether there were no direct changes that a step could revert.
     * @param asked     requested changes, which are not withheld.
     */
    static DriftRepair of(
        final DesiredState actual, final DesiredState wantedState, final PeerInfo peer, final boolean mayRemove,
        final boolean mayUndo, final RequestedChanges asked)
    {
        final PeerLimits limits = PeerLimits.of(wantedState, peer);
        final DesiredState desired = limits.state();
        final StateEditor spared = desired.edit();
        final List<String> obstacles = new ArrayList<>();
        for (final DeviceSpec wanted : desired.devices().values())
        {
            final DeviceSpec was = actual.devices().get(wanted.name());
            if (null != was && isLargerOnly(was, wanted))
            {
                spared.apply(new Command.ResizeDevice(wanted.name(), was.sizeBytes()));
                obstacles.add("device " + wanted.name() + " has " + Units.size(was.sizeBytes()) + " instead of " +
                    Units.size(wanted.sizeBytes()) + " and cannot shrink: resize it in the desired state, or delete " +
                    "and recreate it");
            }
        }
        final StatePlan plan =
            StatePlan.between(actual, obstacles.isEmpty() ? desired : spared.state());
        obstacles.addAll(limits.obstacles());
        obstacles.addAll(plan.obstacles());
        return mayRemove ? new DriftRepair(new StatePlan(plan.stages(), obstacles), List.of()) :
            withheld(plan, obstacles, mayUndo ? DesiredState.EMPTY : actual, actual, asked);
    }

    private static boolean isLargerOnly(final DeviceSpec was, final DeviceSpec wanted)
    {
        return was.hasIncarnation() &&
            !was.isOtherIncarnation(wanted) && was.type().equals(wanted.type()) &&
            was.blockSizeBytes() == wanted.blockSizeBytes() && was.sizeBytes() > wanted.sizeBytes();
    }

    private static DriftRepair withheld(
        final StatePlan plan, final List<String> obstacles, final DesiredState direct, final DesiredState actual,
        final RequestedChanges asked)
    {
        final List<StateStep> withheld = new ArrayList<>();
        final Set<String> kept = new HashSet<>();
        final UnfinishedRenames renames = new UnfinishedRenames();
        final List<List<StateStep>> stages = new ArrayList<>();
        for (final List<StateStep> stage : plan.stages())
        {
            final List<StateStep> carriedOut = new ArrayList<>();
            for (final StateStep step : stage)
            {
                final String name = nameOf(step.command());
                final boolean isWithheld =
                    (takesAway(step) || undoes(step.command(), direct)) && !asked.contain(step, actual);
                if (isWithheld || renames.concern(step.command()))
                {
                    withheld.add(step);
                    renames.add(step.command());
                    if (isWithheld)
                    {
                        kept.add(name);
                    }
                }
                else if (null != name && kept.contains(name))
                {
                    // Blocked by a withheld removal.
                    withheld.add(step);
                }
                else
                {
                    carriedOut.add(step);
                }
            }
            if (!carriedOut.isEmpty())
            {
                stages.add(carriedOut);
            }
        }
        return new DriftRepair(new StatePlan(stages, obstacles), withheld);
    }

    /** Whether the step removes a resource. Removing a limit does not count. */
    static boolean takesAway(final StateStep step)
    {
        return step.destructive() || switch (step.command())
        {
            case Command.DeleteDevice _, Command.RemoveNamespace _, Command.DeleteSubsystem _, Command.DenyHost _,
                Command.RemoveListener _ -> true;
            case final Command.SetAllowAnyHost any -> !any.allowAnyHost();
            default -> false;
        };
    }

    /** Whether it changes settings in place that may have been changed directly. */
    private static boolean undoes(final Command command, final DesiredState direct)
    {
        return switch (command)
        {
            case final Command.AllowHost allow -> direct.subsystems().containsKey(allow.nqn());
            case final Command.SetAllowAnyHost any ->
                any.allowAnyHost() && direct.subsystems().containsKey(any.nqn());
            case final Command.SetAnaState ana -> direct.subsystems().containsKey(ana.nqn());
            case final Command.SetQos set -> direct.subsystems().containsKey(set.qos().nqn()) &&
                (0 == set.qos().nsid() ||
                    direct.subsystems().get(set.qos().nqn()).namespaces().containsKey(set.qos().nsid()));
            case final Command.ModifyDevice set -> direct.devices().containsKey(set.name());
            case final Command.RenameDevice rename -> direct.devices().containsKey(rename.name());
            default -> false;
        };
    }

    /** Whether it allows hosts that were not allowed before. */
    static boolean allows(final Command command)
    {
        return command instanceof Command.AllowHost ||
            command instanceof final Command.SetAllowAnyHost any && any.allowAnyHost();
    }

    /** Reason why a withheld step needs confirmation. */
    static String reason(final StateStep step)
    {
        return takesAway(step) ? "removes a resource that this desired state did not create" :
            allows(step.command()) ? "allows access that may have been revoked directly" :
            undoes(step) ? "reverts settings that may have been changed directly" : "depends on another withheld step";
    }

    private static boolean undoes(final StateStep step)
    {
        return switch (step.command())
        {
            case Command.SetAnaState _, Command.SetQos _, Command.ModifyDevice _, Command.RenameDevice _ -> true;
            default -> false;
        };
    }

    /** Name of the removed or created resource, equal for both; null: none. */
    private static String nameOf(final Command command)
    {
        return switch (command)
        {
            case final Command.DeleteDevice delete -> "device " + delete.name();
            case final Command.CreateDevice create -> "device " + create.device().name();
            case final Command.RenameDevice rename -> "device " + rename.newName();
            case final Command.ModifyDevice modify -> "device " + modify.name();
            case final Command.RemoveNamespace remove -> "namespace " + remove.nqn() + ' ' + remove.nsid();
            case final Command.AddNamespace add -> "namespace " + add.namespace().nqn() + ' ' + add.namespace().nsid();
            case final Command.DeleteSubsystem delete -> "subsystem " + delete.nqn();
            case final Command.CreateSubsystem create -> "subsystem " + create.subsystem().nqn();
            case final Command.RemoveListener remove -> "listener " +
                NetworkAddress.text(remove.transport(), remove.address(), remove.port());
            case final Command.AddListener add -> "listener " + NetworkAddress.text(add.listener().transport(),
                add.listener().address(), add.listener().port());
            default -> null;
        };
    }
}
