package io.millrace.simulation;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.fault.FaultDevice;
import io.millrace.block.fault.FaultEffect;
import io.millrace.block.fault.FaultPlan;
import io.millrace.block.fault.FaultRule;
import io.millrace.nvme.AnaState;
import io.millrace.nvmf.Subsystem;
import io.millrace.nvmf.qos.QosLimits;
import java.net.InetSocketAddress;
import java.util.Set;

/**
 * What goes wrong in a simulation, and what operators change meanwhile. Each trouble ends by itself, so that all
 * requests end.
 */
final class Nemesis
{
    private static final long MS = 1_000_000;
    private static final AnaState[] STATES = {
        AnaState.OPTIMIZED, AnaState.NON_OPTIMIZED, AnaState.INACCESSIBLE, AnaState.CHANGE};

    private final Simulation simulation;
    private final Simulator simulator;
    private final Draw draw;
    private final long pauseNs;
    private int left;
    private int nextAddress;

    Nemesis(final Simulation simulation, final Simulator simulator)
    {
        this.simulation = simulation;
        this.simulator = simulator;
        draw = simulator.draw();
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

    private void note(final String text)
    {
        simulator.trace().note(simulator.nowNs(), text);
    }

    private void act()
    {
        if (!simulation.isGoingOn())
        {
            return;
        }
        // Without the loss of a connection nothing is executed twice.
        switch (simulation.isRacing() ? 7 + draw.of(0, 1, 3, 4, 6, 7) : draw.below(20))
        {
            case 0, 1 -> reset();
            case 2 -> silence();
            case 3 -> block();
            case 4, 5 -> resetController();
            case 6 -> disconnect();
            case 7 -> limit();
            case 8 -> ana();
            case 9 -> removeNamespace();
            case 10 -> stall();
            case 11 -> stick();
            case 12 -> losePower();
            case 13 -> fault();
            case 14 -> pause();
            case 15 -> refuse();
            case 16 -> listen();
            case 17, 18 -> strand();
            default -> reset();
        }
        next();
    }

    private void reset()
    {
        final Stream stream = simulator.kernel().network().any();
        if (null != stream)
        {
            note("connection of " + stream.local + " is reset");
            stream.reset();
        }
    }

    /** One direction of a connection goes nowhere from now on. */
    private void silence()
    {
        final Stream stream = simulator.kernel().network().any();
        if (null != stream)
        {
            note("connection of " + stream.local + " is cut");
            (draw.oneIn(2) ? stream : stream.peer()).silence();
        }
    }

    private void block()
    {
        final long forNs = draw.between(MS, draw.oneIn(4) ? 2_000 * MS : 100 * MS);
        note("network delivers nothing for " + forNs / MS + " ms");
        simulator.kernel().network().block(simulator.nowNs() + forNs);
    }

    private void resetController()
    {
        final HostProcess host = simulation.hosts().get(draw.below(simulation.hosts().size()));
        note("host resets its controller");
        simulator.kernel().enter(host.node().process());
        host.reset();
    }

    private TargetProcess target()
    {
        return simulation.isPowered() ? simulation.anyTarget() : null;
    }

    private void disconnect()
    {
        final TargetProcess target = target();
        if (null != target)
        {
            target.disconnectAny(draw);
        }
    }

    private void limit()
    {
        final TargetProcess target = target();
        if (null == target)
        {
            return;
        }
        final Subsystem subsystem = target.subsystem();
        final long iops = draw.of(0, 50, 500, 5_000);
        final long bytes = draw.of(0, 64 << 10, 1 << 20);
        final boolean isOfHost = draw.oneIn(2);
        final String nqn = simulation.hosts().getFirst().nqn();
        note("limit of " + iops + " and " + bytes + " bytes a second" + (isOfHost ? " for a host" : ""));
        simulator.kernel().enter(target.process());
        limit(subsystem, isOfHost, nqn, limits(iops, bytes));
        simulator.after(draw.between(5 * MS, 400 * MS), () ->
        {
            note("limit is over");
            simulator.kernel().enter(target.process());
            limit(subsystem, isOfHost, nqn, QosLimits.NONE);
        });
    }

    private QosLimits limits(final long iops, final long bytes)
    {
        final int burstMs = draw.of(2, 10, 100);
        return switch (draw.below(3))
        {
            case 0 -> new QosLimits(iops, 0, 0, 0, bytes, 0, burstMs);
            case 1 -> new QosLimits(0, iops, 0, bytes, 0, 0, burstMs);
            default -> new QosLimits(0, 0, iops, 0, 0, bytes, burstMs);
        };
    }

    private static void limit(
        final Subsystem subsystem, final boolean isOfHost, final String nqn, final QosLimits limits)
    {
        if (isOfHost)
        {
            subsystem.qos().limitHost(nqn, limits);
        }
        else if (null != subsystem.namespace(1))
        {
            subsystem.qos().limitNamespace(1, limits);
        }
    }

    private void ana()
    {
        final TargetProcess target = simulation.severalPaths();
        if (null == target || !simulation.isPowered())
        {
            return;
        }
        final int path = draw.below(2);
        final AnaState state = STATES[draw.below(STATES.length)];
        note("path " + path + " becomes " + state);
        simulator.kernel().enter(target.process());
        target.subsystem().ana().set(target.address(path), 0, state);
        simulator.after(draw.between(5 * MS, 500 * MS), () ->
        {
            if (simulation.severalPaths() == target && simulation.isPowered())
            {
                note("path " + path + " is optimized");
                simulator.kernel().enter(target.process());
                target.subsystem().ana().set(target.address(path), 0, AnaState.OPTIMIZED);
            }
        });
    }

    private void removeNamespace()
    {
        final TargetProcess target = target();
        if (null != target && target.hasNamespace())
        {
            note("namespace is removed");
            target.removeNamespace(draw.between(MS, 100 * MS));
        }
    }

    private void stall()
    {
        final long forNs = draw.between(MS, draw.oneIn(4) && !simulation.isRacing() ? 1_500 * MS : 60 * MS);
        final Simulator.Node node = simulator.any();
        note("reactor " + node.reactor().reactor().config().name() + " stalls for " + forNs / MS + " ms");
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
            note("drive executes nothing for " + forNs / MS + " ms");
            simulation.storage().stick(simulator.nowNs() + forNs);
        }
    }

    /** A connection is lost, or the namespace removed, while the drive does not execute what has come. */
    private void strand()
    {
        stick(draw.between(MS, longestNs()));
        final int what = draw.below(5);
        simulator.after(draw.between(10_000, 3 * MS),
            what < 2 ? this::reset : what < 4 ? this::silence : this::removeNamespace);
    }

    private void losePower()
    {
        if (simulation.storage().isDrive() && simulation.isPowered())
        {
            simulation.losePower(draw.between(MS, 300 * MS));
        }
    }

    /** I/O commands are held for a while. */
    private void pause()
    {
        final TargetProcess target = target();
        if (null != target)
        {
            note("I/O is paused");
            simulator.kernel().enter(target.process());
            target.target().pause(true);
            simulator.after(draw.between(MS, 300 * MS), () ->
            {
                note("I/O goes on");
                simulator.kernel().enter(target.process());
                target.target().pause(false);
            });
        }
    }

    /** Controllers are not taken for a while. */
    private void refuse()
    {
        final TargetProcess target = target();
        if (null != target)
        {
            note("no controllers are taken");
            simulator.kernel().enter(target.process());
            target.target().acceptControllers(false);
            simulator.after(draw.between(MS, 500 * MS), () ->
            {
                note("controllers are taken");
                simulator.kernel().enter(target.process());
                target.target().acceptControllers(true);
            });
        }
    }

    /** Other addresses, one soon after the other, for a while or for good. */
    private void listen()
    {
        final TargetProcess target = target();
        for (int i = draw.below(3); i >= 0 && null != target; i--)
        {
            simulator.after(draw.between(0, 60 * MS), () -> listen(target));
        }
    }

    private void listen(final TargetProcess target)
    {
        if (!simulation.isServing(target))
        {
            return;
        }
        nextAddress++;
        final InetSocketAddress address = SimulatedKernel.address(100 + nextAddress, 4420);
        note("listens at " + address);
        simulator.kernel().enter(target.process());
        target.listen(address);
        simulator.after(draw.between(MS, 300 * MS), () ->
        {
            if (simulation.isServing(target) && draw.oneIn(2))
            {
                note("does not listen at " + address);
                simulator.kernel().enter(target.process());
                target.stopListening(address);
            }
        });
    }

    private void fault()
    {
        final FaultDevice fault = simulation.fault();
        if (null == fault || !simulation.isPowered())
        {
            return;
        }
        final FaultEffect effect = FaultEffect.values()[draw.below(FaultEffect.values().length)];
        final boolean isDelay = FaultEffect.DELAY == effect;
        note("fault " + effect);
        fault.plan(FaultPlan.of(draw.next(), new FaultRule(effect,
            isDelay || FaultEffect.HANG == effect ? Set.of() : Set.of(BlockOperation.WRITE), 0, Long.MAX_VALUE,
            BlockStatus.MEDIA_ERROR, isDelay ? draw.between(MS, 50 * MS) : 0, 1 + draw.below(3), 1, 0)));
        simulator.after(draw.between(MS, 200 * MS), () ->
        {
            note("fault is over");
            // A process that has lost power meanwhile has left its device.
            fault.plan(FaultPlan.NONE).thenRun(() -> note("nothing hangs any more"));
        });
    }
}
