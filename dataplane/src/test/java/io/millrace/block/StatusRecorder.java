package io.millrace.block;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Records each status that a device reports. */
public final class StatusRecorder implements DeviceServices
{
    private static final long LIMIT_S = 60;

    private final Supplier<DeviceStatus> source;
    private final BlockingQueue<DeviceStatus> reported = new LinkedBlockingQueue<>();

    public StatusRecorder(final Supplier<DeviceStatus> source)
    {
        this.source = source;
    }

    @Override
    public void onStatusChanged()
    {
        reported.add(source.get());
    }

    @Override
    public boolean run(final BackgroundWork work)
    {
        throw new IllegalStateException("no work is expected");
    }

    public DeviceStatus next()
    {
        try
        {
            final DeviceStatus next = reported.poll(LIMIT_S, TimeUnit.SECONDS);
            if (null == next)
            {
                throw new AssertionError("no status within " + LIMIT_S + " s");
            }
            return next;
        }
        catch (final InterruptedException e)
        {
            throw new AssertionError(e);
        }
    }

    public boolean isEmpty()
    {
        return reported.isEmpty();
    }
}
