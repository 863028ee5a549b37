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
 * unless all that is there came from this desired state, or a person allows it; so is access of hosts to a subsystem
 * that is there, when somebody has changed the data plane directly and may have revoked it. A volume that is larger
 * than it should be is never replaced by a smaller, empty one. Immutable.
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
     * @param mayAllow  whether hosts may be allowed into subsystems that are there without them.
     */
    static DriftRepair of(
        final DesiredState actual, final DesiredState wantedState, final PeerInfo peer, final boolean mayRemove,
        final boolean mayAllow)
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
            withheld(plan, obstacles, mayAllow ? DesiredState.EMPTY : actual);
    }

    private static boolean isLargerOnly(final DeviceSpec was, final DeviceSpec wanted)
    {
        return (DeviceType.MEMORY == was.type() || DeviceType.NULL_DEVICE == was.type()) &&
            was.type() == wanted.type() && was.blockSizeBytes() == wanted.blockSizeBytes() &&
            was.sizeBytes() > wanted.sizeBytes();
    }

    private static DriftRepair withheld(
        final StatePlan plan, final List<String> obstacles, final DesiredState closed)
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
                if (takesAway(step) || opens(step, closed))
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

    /** Whether hosts would be allowed into one of these subsystems, from which somebody may have revoked them. */
    private static boolean opens(final StateStep step, final DesiredState closed)
    {
        return switch (step.command())
        {
            case final Command.AllowHost allow -> closed.subsystems().containsKey(allow.nqn());
            case final Command.SetAllowAnyHost any ->
                any.allowAnyHost() && closed.subsystems().containsKey(any.nqn());
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
