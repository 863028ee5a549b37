package io.millrace.cli.control.top;

import io.millrace.cli.control.ControlLink;
import io.millrace.control.client.Call;
import io.millrace.control.message.ControlException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.NanoClock;

/**
 * The load of one data plane as {@code top} follows it: samples, and what is shown while none arrives. One thread.
 */
final class TopPlane
{
    /** A sample that is later than this counts as missing. */
    private static final long SILENT_NS = TimeUnit.SECONDS.toNanos(2);

    private final ControlLink link;
    private final NanoClock clock;
    private final long intervalNs;
    private String name;
    private List<Call> calls;
    private TopSample sample;
    private TopReport report;
    private boolean coversInterval;
    private ControlException failure;
    private long answeredNs;

    /**
     * @param name       at the manager; empty: that which the data plane tells.
     * @param link       to the data plane.
     * @param intervalNs between two samples.
     * @param clock      of time.
     */
    TopPlane(final String name, final ControlLink link, final long intervalNs, final NanoClock clock)
    {
        this.name = name;
        this.link = link;
        this.intervalNs = intervalNs;
        this.clock = clock;
        answeredNs = clock.nanoTime();
    }

    /** Requests a sample, unless one is outstanding. */
    void request()
    {
        if (null != calls)
        {
            return;
        }
        try
        {
            calls = TopSample.request(link);
        }
        catch (final ControlException e)
        {
            failure = e;
        }
    }

    boolean isWaiting()
    {
        return null != calls;
    }

    /** Keeps the session alive; whether a requested sample has arrived, or failed. */
    boolean poll()
    {
        link.client().poll();
        if (null == calls || !calls.stream().allMatch(Call::isDone))
        {
            return false;
        }
        final List<Call> done = calls;
        calls = null;
        try
        {
            final TopSample after = TopSample.of(done);
            coversInterval = null != sample && after.follows(sample);
            report = TopReport.of(coversInterval ? sample : null, after);
            sample = after;
            name = name.isEmpty() ? after.plane().name() : name;
            answeredNs = clock.nanoTime();
            failure = null;
        }
        catch (final ControlException e)
        {
            failure = e;
        }
        return true;
    }

    String name()
    {
        return name;
    }

    /** The last report, of the time since the start if there was no earlier sample; null: none yet. */
    TopReport report()
    {
        return report;
    }

    /** Whether the last report is of the time between two samples. */
    boolean coversInterval()
    {
        return coversInterval;
    }

    /** Why the last sample failed; null: it did not. */
    ControlException failure()
    {
        return failure;
    }

    /** Empty while the session lasts. */
    String lossOfSession()
    {
        return link.client().isConnected() ? "" : "connection lost: " + link.client().lastError();
    }

    /** Whether the last report is out of date. */
    boolean isOut()
    {
        return null != failure || !link.client().isConnected() ||
            clock.nanoTime() - answeredNs > intervalNs + SILENT_NS;
    }

    TopOutage outage()
    {
        return new TopOutage(name.isEmpty() ? "data plane" : name, clock.nanoTime() - answeredNs,
            null == failure ? lossOfSession() : failure.getMessage());
    }

    /** For programs. */
    Map<String, Object> map()
    {
        return null != failure || null == report ? outage().map() : report.map(name);
    }
}
