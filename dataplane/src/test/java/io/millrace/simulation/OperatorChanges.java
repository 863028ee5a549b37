package io.millrace.simulation;

import io.millrace.nvme.AnaState;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.Subsystem;
import io.millrace.nvmf.qos.QosLimits;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;

/**
 * What operators change while hosts are at work, and change back.
 */
final class OperatorChanges
{
    private static final long MS = 1_000_000;
    private static final long LONGEST_STALL_NS = 1_600 * MS;
    private static final long CHANGE_NS = 100 * MS;
    private static final long ANA_NS = 5_100 * MS;
    /** A second for hosts, five for devices, and their closing. */
    private static final long REMOVAL_NS = 20_000 * MS;
    private static final AnaState[] STATES = {
        AnaState.OPTIMIZED, AnaState.NON_OPTIMIZED, AnaState.INACCESSIBLE, AnaState.CHANGE};

    private final Simulation simulation;
    private final Simulator simulator;
    private final Draw draw;
    private int nextAddress;

    OperatorChanges(final Simulation simulation, final Simulator simulator)
    {
        this.simulation = simulation;
        this.simulator = simulator;
        draw = simulator.draw();
    }

    private TargetProcess target()
    {
        return simulation.isPowered() ? simulation.anyTarget() : null;
    }

    void disconnect()
    {
        final TargetProcess target = target();
        if (null != target)
        {
            simulation.cause("disconnected controller", 0);
            target.disconnectAny(draw);
        }
    }

    void limit()
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
        simulation.note("limit of " + iops + " and " + bytes + " bytes a second" + (isOfHost ? " for a host" : ""));
        simulator.kernel().enter(target.process());
        limit(subsystem, isOfHost, nqn, limits(iops, bytes));
        final long forNs = draw.between(5 * MS, 400 * MS);
        simulation.cause("limit", forNs);
        if (!simulation.isRacing() && draw.oneIn(3))
        {
            simulator.after(draw.between(MS, forNs), () -> removeNamespace(target));
        }
        simulator.after(forNs, () ->
        {
            simulation.note("limit is over");
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

    void ana()
    {
        final TargetProcess target = simulation.severalPaths();
        if (null == target || !simulation.isPowered())
        {
            return;
        }
        final int path = draw.below(2);
        final AnaState state = STATES[draw.below(STATES.length)];
        simulation.note("path " + path + " becomes " + state);
        simulator.kernel().enter(target.process());
        promise("ANA state " + state, ANA_NS, target,
            target.subsystem().ana().set(target.address(path), 0, state));
        final long forNs = draw.between(5 * MS, 500 * MS);
        simulation.cause("ANA state", forNs);
        simulator.after(forNs, () ->
        {
            if (simulation.severalPaths() == target && simulation.isPowered())
            {
                simulation.note("path " + path + " is optimized");
                simulator.kernel().enter(target.process());
                target.subsystem().ana().set(target.address(path), 0, AnaState.OPTIMIZED);
            }
        });
    }

    void removeNamespace()
    {
        removeNamespace(target());
    }

    private void removeNamespace(final TargetProcess target)
    {
        if (null != target && simulation.isServing(target) && target.hasNamespace())
        {
            simulation.note("namespace is removed");
            simulation.cause("removed namespace", () -> !target.hasNamespace() && simulation.isServing(target));
            simulator.answers().expect(NvmeStatus.INVALID_NAMESPACE);
            promise("the removal of a namespace", REMOVAL_NS, target,
                target.removeNamespace(draw.between(MS, 100 * MS)));
        }
    }

    /** I/O commands are held for a while. */
    void pause()
    {
        final TargetProcess target = target();
        if (null != target)
        {
            simulation.note("I/O is paused");
            simulator.kernel().enter(target.process());
            promise("a pause", CHANGE_NS, target, target.target().pause(true));
            final long forNs = draw.between(MS, 300 * MS);
            simulation.cause("pause", forNs);
            simulator.after(forNs, () ->
            {
                simulation.note("I/O goes on");
                simulator.kernel().enter(target.process());
                promise("the end of a pause", CHANGE_NS, target, target.target().pause(false));
            });
        }
    }

    /** Controllers are not taken for a while. */
    void refuse()
    {
        final TargetProcess target = target();
        if (null != target)
        {
            simulation.note("no controllers are taken");
            simulator.kernel().enter(target.process());
            target.target().acceptControllers(false);
            final long forNs = draw.between(MS, 500 * MS);
            simulation.cause("refused controllers", forNs);
            simulator.after(forNs, () ->
            {
                simulation.note("controllers are taken");
                simulator.kernel().enter(target.process());
                target.target().acceptControllers(true);
            });
        }
    }

    /** Other addresses, one soon after the other, for a while or for good. */
    void listen()
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
        simulation.note("listens at " + address);
        simulator.kernel().enter(target.process());
        target.listen(address);
        simulator.after(draw.between(MS, 300 * MS), () ->
        {
            if (simulation.isServing(target) && draw.oneIn(2))
            {
                simulation.note("does not listen at " + address);
                simulator.kernel().enter(target.process());
                target.stopListening(address);
            }
        });
    }

    /** A change ends within a time, unless the power of its process is lost. */
    private void promise(
        final String what, final long boundNs, final TargetProcess target, final CompletableFuture<?> changed)
    {
        simulator.deadlines().promise(what, simulator.nowNs(), boundNs + LONGEST_STALL_NS,
            () -> changed.isDone() || !simulation.isServing(target));
    }
}
