package io.millrace.manager;

import io.millrace.manager.metrics.CycleWatch;
import io.millrace.manager.metrics.Probes;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.agrona.concurrent.SystemNanoClock;

/**
 * Probes of a manager. It is ready while it reaches one of its data planes: it takes changes of the others too, and
 * applies them later. Any thread.
 */
final class ManagerProbes implements Probes
{
    private final CycleWatch loop;
    private final int dataPlanes;
    private final Supplier<List<String>> unreachable;

    /**
     * @param cycles      of the manager's loop.
     * @param dataPlanes  that it has.
     * @param unreachable those of them that it does not reach now, each with the reason.
     */
    ManagerProbes(final LongSupplier cycles, final int dataPlanes, final Supplier<List<String>> unreachable)
    {
        loop = new CycleWatch(cycles, SystemNanoClock.INSTANCE);
        this.dataPlanes = dataPlanes;
        this.unreachable = unreachable;
    }

    @Override
    public Answer health()
    {
        final long seconds = loop.stalledSeconds();
        return 0 == seconds ? new Answer(true, "healthy") :
            new Answer(false, "the manager's thread has had no cycle for " + seconds + " s");
    }

    @Override
    public Answer ready()
    {
        final Answer health = health();
        if (!health.isOk())
        {
            return health;
        }
        final List<String> without = unreachable.get();
        final String text = String.join(", ", without);
        return without.size() == dataPlanes ? new Answer(false, "no data plane is connected: " + text) :
            new Answer(true, "ready" + (without.isEmpty() ? "" : "; not connected: " + text));
    }
}
