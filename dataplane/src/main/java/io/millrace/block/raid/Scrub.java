package io.millrace.block.raid;

import io.millrace.block.BlockStatus;
import io.millrace.block.DeviceProgress;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.reactor.Reactor;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.EpochClock;

/**
 * Reads everything of all members and compares copies, or parity with the data. Blocks that a member cannot read are
 * rewritten; what differs is counted and, by a repair, made equal. Parts of a strip are compared a batch at a time,
 * between pauses that keep the rate; where one is not right its rows are looked at one by one. The reactor's only.
 * <p>
 * A rebuild or a resync goes first. Once begun it is in memory only: with the process it ends.
 */
final class Scrub
{
    private static final int BATCH = 4;
    private static final String OPERATION = "scrub";

    private final RaidDevice device;
    private final RaidChannel channel;
    private final BooleanSupplier isPreceded;
    private final Reactor reactor;
    private final EpochClock clock;
    private final ScrubControl control;
    private final int stripBytes;
    private final boolean hasParity;
    private long endOffset;
    /** Of the present scrub. */
    private ArrayLayout layout;
    private final CopyRate rate;
    private final ScrubTally tally;
    private final Part[] parts = new Part[BATCH];
    private final ScrubRows rows;
    /** Null of an array without checksums. */
    private final ChecksumWindow window;
    private ScrubStatus status = ScrubStatus.COMPLETED;
    /** Offset as stripe requests lock it: on the array, or on the members of an array with parity. */
    private long nextOffset;
    /** Of the present batch. */
    private long startOffset;
    private int outstanding;
    /** When the batch began. */
    private long startNs;
    private long resumeNs;
    /** When the last scrub of this process ended, complete or not; 0: none has. */
    private long endedMs;
    private boolean isUnstored;

    /** A part of a strip that is compared as a whole first. */
    private final class Part
    {
        private final CheckRequest request = channel.newCheckRequest().verifying(window);
        private final WorkListener onDone = this::onDone;
        private long offset;
        private int length;
        /** Whether its rows are to be looked at one by one. */
        private boolean isSuspect;

        void begin()
        {
            isSuspect = false;
            offset = nextOffset;
            length = (int)Math.min(Math.min(channel.sizes().checkBytesMax(), stripBytes - (offset & stripBytes - 1)),
                batchEnd() - offset);
            nextOffset += length;
            outstanding++;
            channel.begin(request, Purpose.CHECK, offset, length, onDone);
        }

        private void onDone(final BlockStatus result)
        {
            outstanding--;
            isSuspect = BlockStatus.COMPARE_FAILURE == result || BlockStatus.MEDIA_ERROR == result;
            tally.onCompared((long)length * layout.dataCount(),
                isSuspect || BlockStatus.SUCCESS == result && request.hasCompared());
            if (0 == outstanding)
            {
                onBatch();
            }
        }
    }

    /**
     * Runs nothing yet.
     *
     * @param device     with redundancy.
     * @param channel    to its members.
     * @param isPreceded whether the array does something else that goes first.
     * @param reactor    that it is used on.
     * @param clock      with the present time of day.
     */
    Scrub(
        final RaidDevice device,
        final RaidChannel channel,
        final BooleanSupplier isPreceded,
        final Reactor reactor,
        final EpochClock clock)
    {
        this.device = device;
        this.channel = channel;
        this.isPreceded = isPreceded;
        this.reactor = reactor;
        this.clock = clock;
        control = device.scrubControl();
        layout = device.layout();
        stripBytes = layout.stripBytes();
        hasParity = layout.parityCount() > 0;
        rate = new CopyRate(layout.memberCount());
        tally = new ScrubTally();
        window = null == device.pages().checksums() ? null : new ChecksumWindow(device, channel, 0);
        rows = new ScrubRows(device, channel, tally, window);
        for (int i = 0; i < BATCH; i++)
        {
            parts[i] = new Part();
        }
        resumeNs = reactor.nowNs();
    }

    /**
     * {@return whether stripe requests are under way}
     */
    boolean isBusy()
    {
        return 0 != outstanding || rows.isBusy() || null != window && window.isBusy();
    }

    /**
     * {@return whether there is nothing to begin before a timer or a completion}
     */
    boolean canSleep()
    {
        if (isBusy())
        {
            return true;
        }
        if (!isRunning())
        {
            return !control.isWanted() && !isDue();
        }
        if (control.isStopWanted() || mustWait() != (ScrubStatus.WAITING == status))
        {
            return false;
        }
        return mustWait() || reactor.clockNs() - resumeNs < 0;
    }

    private boolean isRunning()
    {
        return ScrubStatus.RUNNING == status || ScrubStatus.WAITING == status;
    }

    /** Whether the interval says that a check is to begin. One that was stopped counts until the interval is over. */
    private boolean isDue()
    {
        final long intervalMs = control.intervalMs();
        return 0 != intervalMs && !isPreceded.getAsBoolean() &&
            clock.time() - Math.max(control.scrubbedMs(), endedMs) >= intervalMs;
    }

    /** Whether a rebuild or a resync goes first, or there is no parity to compare all data with. */
    private boolean mustWait()
    {
        final ArrayView view = device.view();
        return isPreceded.getAsBoolean() || hasParity && (!view.isComplete() || view.map().isReshaping());
    }

    /**
     * Goes on when what was begun has ended.
     *
     * @return steps that were begun or ended.
     */
    int poll()
    {
        if (isBusy())
        {
            return 0;
        }
        if (!isRunning())
        {
            return begin() ? 1 : 0;
        }
        if (control.isStopWanted())
        {
            end(ScrubStatus.STOPPED);
            return 1;
        }
        if (mustWait())
        {
            return pause() ? 1 : 0;
        }
        if (reactor.nowNs() - resumeNs < 0)
        {
            return 0;
        }
        status = ScrubStatus.RUNNING;
        if (rows.isIdle())
        {
            takeSuspect();
        }
        if (!rows.isIdle())
        {
            if (null != window && !window.move(rows.offset()))
            {
                return 1;
            }
            rows.step();
            return 1;
        }
        if (nextOffset == endOffset)
        {
            end(tally.hasCompared() ? ScrubStatus.COMPLETED : ScrubStatus.SKIPPED);
            return 1;
        }
        if (null != window && !window.move(nextOffset))
        {
            return 1;
        }
        publish();
        return batch();
    }

    private boolean begin()
    {
        if (!control.isWanted() && isDue())
        {
            control.request(ScrubMode.CHECK);
        }
        final ScrubMode mode = control.take();
        if (null == mode)
        {
            return false;
        }
        // One that has to wait shows no progress: what goes first shows its own.
        status = mustWait() ? ScrubStatus.WAITING : ScrubStatus.RUNNING;
        nextOffset = 0;
        layout = device.layout();
        endOffset = hasParity ? layout.memberBytes() : layout.dataBytes();
        tally.begin(mode, clock.time(), layout.dataBytes());
        if (ScrubStatus.RUNNING == status)
        {
            publish();
        }
        else
        {
            report(tally.result(status, 0));
        }
        device.reports().onChanged();
        return true;
    }

    /** {@return whether it has been going on until now} */
    private boolean pause()
    {
        if (ScrubStatus.WAITING == status)
        {
            return false;
        }
        status = ScrubStatus.WAITING;
        // A rebuild or a resync shows its own.
        device.reports().endProgress(OPERATION);
        report(tally.result(status, 0));
        device.reports().onChanged();
        return true;
    }

    /** Where a batch ends: all its blocks have their checksums in the same window. */
    private long batchEnd()
    {
        return null == window ? endOffset : Math.min(window.end(startOffset), endOffset);
    }

    private int batch()
    {
        startOffset = nextOffset;
        startNs = reactor.nowNs();
        int begun = 0;
        // Requests of hosts wait at the members behind all that a batch has there.
        final int most = rate.isBesideHosts() ? 1 : BATCH;
        for (final Part part : parts)
        {
            part.length = 0;
        }
        // Parts may end while they are begun.
        outstanding++;
        while (begun < most && nextOffset < batchEnd())
        {
            parts[begun].begin();
            begun++;
        }
        outstanding--;
        if (0 == outstanding)
        {
            onBatch();
        }
        return begun;
    }

    private void onBatch()
    {
        long bytes = 0;
        for (final Part part : parts)
        {
            bytes += part.length;
        }
        // A strip of a mirror is read from its copies alone.
        final long ofEachMember = hasParity ? bytes : Math.max(1, bytes * layout.copyCount() / layout.memberCount());
        resumeNs = startNs + rate.batchNs(ofEachMember, device.copyRates(), device.hostBytes(), reactor.nowNs());
        reactor.schedule(resumeNs, (nowNs) ->
        {
        });
    }

    private void takeSuspect()
    {
        for (final Part part : parts)
        {
            if (part.isSuspect)
            {
                part.isSuspect = false;
                rows.begin(part.offset, part.length);
                return;
            }
        }
    }

    private void report(final ScrubResult result)
    {
        isUnstored |= control.result(result);
    }

    private void publish()
    {
        report(tally.result(status, 0));
        device.reports().progress(new DeviceProgress(OPERATION, (int)(nextOffset * 1000 / endOffset)));
    }

    private void end(final ScrubStatus how)
    {
        status = how;
        endedMs = clock.time();
        rows.clear();
        if (null != window)
        {
            window.leave();
        }
        for (final Part part : parts)
        {
            part.isSuspect = false;
        }
        if (ScrubStatus.COMPLETED == how)
        {
            control.scrubbedMs(endedMs);
            isUnstored = true;
        }
        device.reports().endProgress(OPERATION);
        report(tally.result(how, endedMs));
        control.onEnded();
        device.reports().onChanged();
    }

    /** The array has failed, or its own work ends: so does the scrub. Nothing is under way. */
    void abort()
    {
        if (isRunning())
        {
            end(ScrubStatus.ABORTED);
        }
    }

    /**
     * {@return whether superblocks have not been given the time of the last complete scrub yet, or whether rows are
     * known not to match; they are from then on}
     */
    boolean takeUnstored()
    {
        final boolean wasUnstored = isUnstored;
        isUnstored = false;
        return wasUnstored;
    }
}
