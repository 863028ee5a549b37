package io.millrace.manager.plane;

import io.millrace.control.message.ReactorInfo;
import io.millrace.control.message.Resource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Detects stalled reactors: those with commands of hosts but without a poll cycle for some time. An idle reactor sleeps
 * and is not stalled. The manager's thread.
 */
final class StallDetector
{
    private static final long STALL_NS = TimeUnit.SECONDS.toNanos(5);

    private record Sample(long cycles, long changedNs)
    {
    }

    private final Map<Integer, Sample> samples = new HashMap<>();
    private String stall = "";

    void clear()
    {
        samples.clear();
        stall = "";
    }

    void sample(final List<Resource> reactors, final long nowNs)
    {
        stall = "";
        for (final Resource each : reactors)
        {
            if (each instanceof final ReactorInfo reactor)
            {
                final Sample before = samples.get(reactor.index());
                if (null == before || before.cycles() != reactor.cycles() || 0 == reactor.requests())
                {
                    samples.put(reactor.index(), new Sample(reactor.cycles(), nowNs));
                }
                else if (nowNs - before.changedNs() >= STALL_NS)
                {
                    stall = reactor.name() + " has " + reactor.requests() +
                        " commands of hosts and no poll cycle for " +
                        TimeUnit.NANOSECONDS.toSeconds(nowNs - before.changedNs()) + " s";
                }
            }
        }
    }

    /** What is wrong; empty: nothing. */
    String stall()
    {
        return stall;
    }
}
