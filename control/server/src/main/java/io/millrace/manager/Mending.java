package io.millrace.manager;

import io.millrace.control.codec.DeviceType;
import io.millrace.control.message.Command;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.PeerInfo;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.PeerLimits;
import io.millrace.control.state.StateEditor;
import io.millrace.control.state.StatePlan;
import io.millrace.settings.Units;
import java.util.ArrayList;
import java.util.List;

/**
 * The way from what a data plane is to what it should be, when nobody has asked for it just now: a volume that is
 * larger than it should be is not replaced by a smaller, empty one. Stateless.
 */
final class Mending
{
    private Mending()
    {
    }

    static StatePlan plan(final DesiredState actual, final DesiredState wanted, final PeerInfo peer)
    {
        final PeerLimits limits = PeerLimits.of(wanted, peer);
        final DesiredState desired = limits.state();
        final StateEditor spared = desired.edit();
        final List<String> obstacles = new ArrayList<>();
        for (final DeviceSpec each : desired.devices().values())
        {
            final DeviceSpec was = actual.devices().get(each.name());
            if (null != was && isLargerOnly(was, each))
            {
                spared.apply(new Command.ResizeDevice(each.name(), was.sizeBytes()));
                obstacles.add("device " + each.name() + " has " + Units.size(was.sizeBytes()) + " instead of " +
                    Units.size(each.sizeBytes()) + " and does not become smaller: resize it to what it has, or " +
                    "delete it and create it anew");
            }
        }
        final StatePlan plan =
            StatePlan.between(actual, obstacles.isEmpty() ? desired : spared.state());
        obstacles.addAll(limits.obstacles());
        obstacles.addAll(plan.obstacles());
        return new StatePlan(plan.stages(), obstacles);
    }

    private static boolean isLargerOnly(final DeviceSpec was, final DeviceSpec wanted)
    {
        return (DeviceType.MEMORY == was.type() || DeviceType.NULL_DEVICE == was.type()) &&
            was.type() == wanted.type() && was.blockSizeBytes() == wanted.blockSizeBytes() &&
            was.sizeBytes() > wanted.sizeBytes();
    }
}
