package io.millrace.block.raid;

import io.millrace.block.CloseListener;
import io.millrace.reactor.Reactor;

/**
 * How a {@link RaidChannel} closes. What has not begun ends at once. A write with parity that is logged, or that
 * members have in part, ends first, and members stay open for that: aborted, it would leave parity that does not match
 * the data, and what a missing member held is computed from both.
 * <p>
 * A member that does not end its part of such a write within {@link RaidTimes#closeNs} is closed before the others. So
 * the part fails, and a write that is logged goes on as whenever a member fails: without it, or to the failure of the
 * array, whose superblocks stay as they are, so that the next assembly replays the journal. One that is not logged is
 * aborted, since no member was missing: its region is resynchronized. The reactor's only.
 */
final class ChannelClosing
{
    private final RaidChannel channel;
    private final Reactor reactor;
    private final long timeoutNs;
    private Stage stage = Stage.OPEN;
    private CloseListener listener;
    private long timer;

    private enum Stage
    {
        /** The channel serves. */
        OPEN,
        /** Writes that members have in part are awaited. */
        DRAINING,
        /** They still are, but for those that a resync can repair; members that hang were closed. */
        OVERDUE,
        /** All members are being closed. */
        CLOSING
    }

    /**
     * Of a channel that serves.
     *
     * @param channel   to close.
     * @param reactor   of the channel.
     * @param timeoutNs for members that hang.
     */
    ChannelClosing(final RaidChannel channel, final Reactor reactor, final long timeoutNs)
    {
        this.channel = channel;
        this.reactor = reactor;
        this.timeoutNs = timeoutNs;
    }

    /**
     * Nothing begins from now on.
     *
     * @param newListener of the close.
     */
    void begin(final CloseListener newListener)
    {
        listener = newListener;
        stage = Stage.DRAINING;
        timer = reactor.schedule(reactor.nowNs() + timeoutNs, this::onTimeout);
    }

    private void onTimeout(final long nowNs)
    {
        if (isAwaiting())
        {
            stage = Stage.OVERDUE;
            // Others may hang by the next time.
            timer = reactor.schedule(nowNs + timeoutNs, this::onTimeout);
            channel.members().closeBusy();
            channel.onProgress();
        }
    }

    /**
     * {@return whether nothing begins any more}
     */
    boolean hasBegun()
    {
        return Stage.OPEN != stage;
    }

    /**
     * {@return whether writes are awaited}
     */
    boolean isAwaiting()
    {
        return Stage.DRAINING == stage || Stage.OVERDUE == stage;
    }

    /**
     * {@return whether only those writes are awaited whose loss a resync could not repair}
     */
    boolean isOverdue()
    {
        return Stage.OVERDUE == stage || Stage.CLOSING == stage;
    }

    /**
     * Closes all members when no write is awaited any more. Not within a completion of theirs.
     *
     * @return steps that were made.
     */
    int poll()
    {
        if (!isAwaiting() || !channel.isDrained())
        {
            return 0;
        }
        stage = Stage.CLOSING;
        reactor.cancel(timer);
        channel.closeMembers(listener);
        return 1;
    }
}
