package io.millrace.serve;

import io.millrace.control.agent.ControlAgent;
import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.snapshot.DataPlaneState;
import io.millrace.manager.metrics.CycleWatch;
import io.millrace.manager.metrics.Probes;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.Reactor;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.agrona.concurrent.NanoClock;

/**
 * Probes of a data plane: each reactor has to carry out an empty task, and the control thread to turn. Any thread.
 */
final class ServeProbes implements Probes
{
    private static final long WAIT_MS = 200;

    private final DataPlane dataPlane;
    private final NanoClock clock;
    private final CycleWatch control;
    private final List<Watch> reactors = new ArrayList<>();

    /** One task at a time: a reactor that does not answer is not given more of them. */
    private static final class Watch
    {
        private final Reactor reactor;
        private CompletableFuture<Void> task;
        private long sinceNs;

        Watch(final Reactor reactor)
        {
            this.reactor = reactor;
        }
    }

    /**
     * @param dataPlane that is asked.
     * @param agent     that takes its commands; null: none does.
     * @param clock     for the time between probes.
     */
    ServeProbes(final DataPlane dataPlane, final ControlAgent agent, final NanoClock clock)
    {
        this.dataPlane = dataPlane;
        this.clock = clock;
        control = null == agent ? null : new CycleWatch(agent::cycles, clock);
        dataPlane.reactors().forEach((reactor) -> reactors.add(new Watch(reactor)));
    }

    @Override
    public synchronized Answer health()
    {
        for (final Watch each : reactors)
        {
            final String problem = problem(each);
            if (null != problem)
            {
                return new Answer(false, "reactor " + each.reactor.config().name() + ' ' + problem);
            }
        }
        final long seconds = null == control ? 0 : control.stalledSeconds();
        return 0 == seconds ? new Answer(true, "healthy") :
            new Answer(false, "the control thread has had no cycle for " + seconds + " s");
    }

    private String problem(final Watch watch)
    {
        if (watch.reactor.hasEnded())
        {
            return "has ended";
        }
        if (null == watch.task)
        {
            watch.task = watch.reactor.call(() -> null);
            watch.sinceNs = clock.nanoTime();
        }
        try
        {
            watch.task.get(WAIT_MS, TimeUnit.MILLISECONDS);
            watch.task = null;
            return null;
        }
        catch (final TimeoutException _)
        {
            final long elapsedNs = clock.nanoTime() - watch.sinceNs;
            return elapsedNs < CycleWatch.STALL_NS ? null :
                "has not carried out a task for " + TimeUnit.NANOSECONDS.toSeconds(elapsedNs) + " s";
        }
        catch (final ExecutionException e)
        {
            watch.task = null;
            return "refuses tasks: " + e.getCause().getMessage();
        }
        catch (final InterruptedException _)
        {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    @Override
    public Answer ready()
    {
        final Answer health = health();
        if (!health.isOk())
        {
            return health;
        }
        final DataPlaneState state = dataPlane.snapshot().state();
        if (DataPlaneState.SERVING != state)
        {
            return new Answer(false, "the data plane is " + state.name().toLowerCase(Locale.ROOT));
        }
        final List<TransportAddress> addresses = dataPlane.addresses();
        return addresses.isEmpty() ? new Answer(false, "no listeners") : new Answer(true, "serving on " +
            addresses.stream().map(TransportAddress::listenerName).collect(Collectors.joining(", ")));
    }
}
