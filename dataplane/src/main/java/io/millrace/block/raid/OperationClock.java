package io.millrace.block.raid;

import io.millrace.block.DeviceProgress;
import org.agrona.concurrent.SystemNanoClock;

/**
 * How far the array's own work is, and how long its present operation will take at its rate so far. {@link ArrayWork}
 * alone changes it; any thread reads it.
 */
final class OperationClock
{
    private volatile DeviceProgress progress;
    private volatile Start start;

    /**
     * When an operation was first seen.
     *
     * @param operation its name.
     * @param timeNs    of {@link SystemNanoClock}.
     * @param perMille  that was done.
     */
    private record Start(String operation, long timeNs, int perMille)
    {
    }

    /**
     * {@return how far it is; null: no operation is running}
     */
    DeviceProgress progress()
    {
        return progress;
    }

    /**
     * Says how far it is.
     *
     * @param newProgress null: no operation is running.
     * @return whether another operation has begun, or the last has ended.
     */
    boolean progress(final DeviceProgress newProgress)
    {
        final Start present = start;
        final boolean isSame = null == newProgress ? null == present :
            null != present && present.operation().equals(newProgress.operation());
        if (!isSame)
        {
            start = null == newProgress ? null : new Start(
                newProgress.operation(), SystemNanoClock.INSTANCE.nanoTime(), newProgress.perMille());
        }
        progress = newProgress;
        return !isSame;
    }

    /**
     * {@return milliseconds until the operation ends; {@link RaidDetails#UNKNOWN}: none is running, or it has just
     * begun}
     */
    long leftMs()
    {
        final Start present = start;
        final DeviceProgress now = progress;
        if (null == present || null == now || now.perMille() <= present.perMille())
        {
            return RaidDetails.UNKNOWN;
        }
        final long elapsedMs = (SystemNanoClock.INSTANCE.nanoTime() - present.timeNs()) / 1_000_000;
        return elapsedMs * (1000 - now.perMille()) / (now.perMille() - present.perMille());
    }
}
