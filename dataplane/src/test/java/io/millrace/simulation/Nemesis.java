package io.millrace.simulation;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.fault.FaultDevice;
import io.millrace.block.fault.FaultEffect;
import io.millrace.block.fault.FaultPlan;
import io.millrace.block.fault.FaultRule;
import io.millrace.block.file.ModelFaults;
import io.millrace.block.file.SimulatedFile;
import io.millrace.nvme.NvmeStatus;
import java.util.Set;

/**
 * What goes wrong in a simulation, beside what operators change. Each trouble ends by itself, so that all requests end.
 */
final class Nemesis
{
    private static final long MS = 1_000_000;
    private static final long FAULT_DELAY_NS = 50 * MS;
    /** Longer than a target keeps an association without commands. */
    private static final int HOLD_MS_MAX = 600;

    private final Simulation simulation;
    private final Simulator simulator;
    private final Draw draw;
    private final OperatorChanges changes;
    private final long pauseNs;
    private int left;

    Nemesis(final Simulation simulation, final Simulator simulator)
    {
        this.simulation = simulation;
        this.simulator = simulator;
        draw = simulator.draw();
        changes = new OperatorChanges(simulation, simulator);
        left = draw.below(9);
        pauseNs = draw.of(2, 20, 150) * MS;
    }

    void begin()
    {
        next();
    }

    private void next()
    {
        if (left > 0)
        {
            left--;
            simulator.after(draw.between(10_000, pauseNs), this::act);
        }
    }

    private void act()
    {
        if (!simulation.isGoingOn())
        {
            return;
        }
        // Commands wait for a device to open, but not for long.
        simulator.answers().expect(NvmeStatus.NAMESPACE_NOT_READY);
        // Without the loss of a connection nothing is executed twice.
        switch (simulation.isRacing() ? 7 + draw.of(0, 1, 3, 4, 6, 7) : draw.below(25))
        {
            case 0, 1 -> reset();
            case 2 -> silence();
            case 3 -> block();
            case 4, 5 -> resetController();
            case 6 -> changes.disconnect();
            case 7 -> changes.limit();
            case 8 -> changes.ana();
            case 9 -> changes.removeNamespace();
            case 10 -> stall();
            case 11 -> stick();
            case 12 -> losePower();
            case 13 -> fault();
            case 14 -> changes.pause();
            case 15 -> changes.refuse();
            case 16 -> changes.listen();
            case 17, 18 -> strand();
            case 19 -> hold();
            case 20, 21, 22 -> flipSome();
            case 23, 24 -> reopenQueue();
            default -> reset();
        }
        next();
    }

    private void reset()
    {
        final Stream stream = simulator.kernel().network().any();
        if (null != stream)
        {
            simulation.note("connection of " + stream.local + " is reset");
            simulation.cause("reset of a connection", 0);
            stream.reset();
        }
    }

    /** Bits of PDUs are flipped on their way. */
    private void flipSome()
    {
        for (int i = draw.below(4); i >= 0; i--)
        {
            flip();
        }
    }

    private void flip()
    {
        final Stream stream = simulator.kernel().network().any();
        if (null != stream)
        {
            final Stream sender = draw.oneIn(2) ? stream : stream.peer();
            simulation.cause("flipped bit", () -> sender.isConnected() && sender.pdus().isToFlip());
            sender.pdus().flip((what) ->
            {
                simulation.note(what + " from " + sender.local + " to " + sender.remote + " is flipped");
                simulator.answers().expect(NvmeStatus.TRANSIENT_TRANSPORT_ERROR);
            });
        }
    }

    /** One direction of a connection goes nowhere from now on. */
    private void silence()
    {
        final Stream stream = simulator.kernel().network().any();
        if (null != stream)
        {
            simulation.note("connection of " + stream.local + " is cut");
            simulation.cause("cut connection", stream::isConnected);
            (draw.oneIn(2) ? stream : stream.peer()).silence();
        }
    }

    /** What hosts send arrives late; they may lose their connections before, and come again by others. */
    private void hold()
    {
        final Stream stream = simulator.kernel().network().any();
        if (null != stream)
        {
            final long forNs = draw.between(MS, draw.of(40, 150, HOLD_MS_MAX) * MS);
            simulation.note("what is sent to " + stream.remote.getAddress() + " arrives after " + forNs / MS + " ms");
            simulation.cause("late connections", forNs);
            simulator.kernel().network().hold(
                stream.remote.getAddress(), simulator.nowNs() + forNs, draw.oneIn(2));
        }
    }

    private void block()
    {
        final long forNs = draw.between(MS, draw.oneIn(4) ? 2_000 * MS : 100 * MS);
        simulation.note("network delivers nothing for " + forNs / MS + " ms");
        simulation.cause("blocked network", forNs);
        simulator.kernel().network().block(simulator.nowNs() + forNs);
    }

    private void resetController()
    {
        final HostProcess host = simulation.hosts().get(draw.below(simulation.hosts().size()));
        simulation.note("host resets its controller");
        simulator.kernel().enter(host.node().process());
        simulation.cause("reset of a controller", 0);
        host.reset();
    }

    /** A queue is closed and another opened before the target sees the end of the first. */
    private void reopenQueue()
    {
        final long forNs = draw.between(MS, 40 * MS);
        simulation.note("what hosts have sent arrives after " + forNs / MS + " ms");
        simulation.cause("late connections", forNs);
        simulator.kernel().network().hold(simulation.address(), simulator.nowNs() + forNs, false);
        simulation.hosts().get(draw.below(simulation.hosts().size())).reopenQueue();
    }

    private void stall()
    {
        final long forNs = draw.between(MS, draw.oneIn(4) && !simulation.isRacing() ? 1_500 * MS : 60 * MS);
        final Simulator.Node node = simulator.any();
        simulation.note("reactor " + node.reactor().reactor().config().name() + " stalls for " + forNs / MS + " ms");
        simulation.cause("stall", forNs);
        node.stall(simulator.nowNs() + forNs);
    }

    private void stick()
    {
        stick(draw.between(MS, draw.oneIn(3) && !simulation.isRacing() ? longestNs() : 100 * MS));
    }

    /** {@return how long a drive takes at most: over a single path a host is not let back before it has ended} */
    private long longestNs()
    {
        return null == simulation.severalPaths() ? 9_000 * MS : 3_000 * MS;
    }

    private void stick(final long forNs)
    {
        if (simulation.storage().isDrive())
        {
            simulation.note("drive executes nothing for " + forNs / MS + " ms");
            simulation.cause("drive that executes nothing", forNs);
            simulation.storage().stick(simulator.nowNs() + forNs);
        }
    }

    /** A connection is lost, or the namespace removed, while the drive does not execute what has come. */
    private void strand()
    {
        stick(draw.between(MS, longestNs()));
        final int what = draw.below(5);
        simulator.after(draw.between(10_000, 3 * MS),
            what < 2 ? this::reset : what < 4 ? this::silence : changes::removeNamespace);
    }

    private void losePower()
    {
        if (simulation.storage().isDrive() && simulation.isPowered())
        {
            final long absentNs = draw.between(MS, 300 * MS);
            simulation.cause("loss of power", absentNs);
            simulation.losePower(absentNs);
        }
    }

    /** The file is short of room, moves less than it should or fails, for a while. */
    private void fileFaults()
    {
        final SimulatedFile file = simulation.storage().file();
        if (null == file)
        {
            return;
        }
        final boolean mayFail = !simulation.isSuccessExpected();
        final ModelFaults faults = new ModelFaults(0, draw.of(0, 300), draw.of(0, 300),
            mayFail ? draw.of(0, 30, 200) : 0, mayFail ? draw.of(0, 300) : 0);
        simulation.note("file has " + faults);
        if (mayFail)
        {
            simulator.answers().expect(
                NvmeStatus.WRITE_FAULT, NvmeStatus.UNRECOVERED_READ_ERROR, NvmeStatus.CAPACITY_EXCEEDED);
        }
        final ModelFaults before = file.faults(faults);
        final long forNs = draw.between(MS, 200 * MS);
        simulation.cause("file with faults", forNs);
        if (mayFail && !simulation.isRacing() && draw.oneIn(2))
        {
            // Whether hosts knew what syncs had lost shows then.
            simulator.after(draw.between(forNs / 2, 2 * forNs), () ->
            {
                if (simulation.isGoingOn())
                {
                    losePower();
                }
            });
        }
        simulator.after(forNs, () ->
        {
            simulation.note("file is as before");
            file.faults(before);
        });
    }

    private void fault()
    {
        final FaultDevice fault = simulation.fault();
        if (!simulation.isPowered())
        {
            return;
        }
        if (null == fault)
        {
            fileFaults();
            return;
        }
        final FaultEffect effect = FaultEffect.values()[draw.below(FaultEffect.values().length)];
        final boolean isDelay = FaultEffect.DELAY == effect;
        simulation.note("fault " + effect);
        // What hangs is aborted in the end, which a target in front of it answers with an error of its device.
        simulator.answers().expect(
            NvmeStatus.WRITE_FAULT, NvmeStatus.UNRECOVERED_READ_ERROR, NvmeStatus.INTERNAL_ERROR);
        fault.plan(FaultPlan.of(draw.next(), new FaultRule(effect,
            isDelay || FaultEffect.HANG == effect ? Set.of() : Set.of(BlockOperation.WRITE), 0, Long.MAX_VALUE,
            BlockStatus.MEDIA_ERROR, isDelay ? draw.between(MS, FAULT_DELAY_NS) : 0, 1 + draw.below(3), 1, 0)));
        final long forNs = draw.between(MS, 200 * MS);
        simulation.cause("fault", forNs + FAULT_DELAY_NS);
        simulator.after(forNs, () ->
        {
            simulation.note("fault is over");
            // A process that has lost power meanwhile has left its device.
            fault.plan(FaultPlan.NONE).thenRun(() -> simulation.note("nothing hangs any more"));
        });
    }
}
