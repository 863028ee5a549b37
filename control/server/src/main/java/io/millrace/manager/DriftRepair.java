package io.millrace.manager;

import io.millrace.control.codec.DeviceType;
import io.millrace.control.message.Command;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.PeerInfo;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.PeerLimits;
import io.millrace.control.state.StateEditor;
import io.millrace.control.state.StatePlan;
import io.millrace.control.state.StateStep;
import io.millrace.settings.Units;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The way from what a data plane is to what it should be, when nobody has asked for it just now. What would take
 * something away (a device, a namespace, a subsystem, the access of a host, a listener) or lose data is withheld,
 * unless all that is there came from this desired state, or it was asked for while the data plane was away, or a person
 * allows it. When somebody has changed the data plane directly, so is what may undo that: access of hosts to a
 * subsystem that is there, ANA states and limits of what is there, and fault rules. A volume that is larger than it
 * should be is never replaced by a smaller, empty one; one that is known to be an incarnation which this desired state
 * has no more is replaced by that which it has. Immutable.
 *
 * @param plan     what is carried out.
 * @param withheld what waits for a person.
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
     * @param mayRemove whether something may be taken away, and all else.
     * @param mayUndo   whether nobody has changed it directly, so that nothing of that can be undone.
     * @param asked     of the manager, and not withheld therefore.
     */
    static DriftRepair of(
        final DesiredState actual, final DesiredState wantedState, final PeerInfo peer, final boolean mayRemove,
        final boolean mayUndo, final AskedChanges asked)
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
                    Units.size(wanted.sizeBytes()) + " and does not become smaller: resize it to what it has, or " +
                    "delete it and create it anew");
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
        return (DeviceType.MEMORY == was.type() || DeviceType.NULL_DEVICE == was.type()) &&
            !was.isOtherIncarnation(wanted) && was.type() == wanted.type() &&
            was.blockSizeBytes() == wanted.blockSizeBytes() && was.sizeBytes() > wanted.sizeBytes();
    }

    private static DriftRepair withheld(
        final StatePlan plan, final List<String> obstacles, final DesiredState direct, final DesiredState actual,
        final AskedChanges asked)
    {
        final List<StateStep> withheld = new ArrayList<>();
        final Set<String> kept = new HashSet<>();
        final List<List<StateStep>> stages = new ArrayList<>();
        for (final List<StateStep> stage : plan.stages())
        {
            final List<StateStep> carriedOut = new ArrayList<>();
            for (final StateStep step : stage)
            {
                final String name = nameOf(step.command());
                if ((takesAway(step) || undoes(step.command(), direct)) && !asked.contain(step, actual))
                {
                    withheld.add(step);
                    kept.add(name);
                }
                else if (null != name && kept.contains(name))
                {
                    // What stays is in its way.
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

    /** Whether something that is there would not be any more. A limit that ends takes nothing away. */
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

    /** Whether it changes in place what somebody may have set directly in this state. */
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
            case final Command.SetFaultRules set -> direct.devices().containsKey(set.name());
            default -> false;
        };
    }

    /** Whether hosts are allowed by it that were not. */
    static boolean allows(final Command command)
    {
        return command instanceof Command.AllowHost ||
            command instanceof final Command.SetAllowAnyHost any && any.allowAnyHost();
    }

    /** Why a step that was withheld waits for a person. */
    static String reason(final StateStep step)
    {
        return takesAway(step) ? "takes something away that this desired state did not bring" :
            allows(step.command()) ? "allows access that may have been revoked directly" :
            undoes(step) ? "undoes what may have been set directly" : "cannot be before another step that waits";
    }

    private static boolean undoes(final StateStep step)
    {
        return switch (step.command())
        {
            case Command.SetAnaState _, Command.SetQos _, Command.SetFaultRules _ -> true;
            default -> false;
        };
    }

    /** Of what is taken away or made, alike for both; null: of neither. */
    private static String nameOf(final Command command)
    {
        return switch (command)
        {
            case final Command.DeleteDevice delete -> "device " + delete.name();
            case final Command.CreateDevice create -> "device " + create.device().name();
            case final Command.RemoveNamespace remove -> "namespace " + remove.nqn() + ' ' + remove.nsid();
            case final Command.AddNamespace add -> "namespace " + add.namespace().nqn() + ' ' + add.namespace().nsid();
            case final Command.DeleteSubsystem delete -> "subsystem " + delete.nqn();
            case final Command.CreateSubsystem create -> "subsystem " + create.subsystem().nqn();
            case final Command.RemoveListener remove -> "listener " + remove.address() + ' ' + remove.port();
            case final Command.AddListener add -> "listener " + add.listener().address() + ' ' + add.listener().port();
            default -> null;
        };
    }
}
