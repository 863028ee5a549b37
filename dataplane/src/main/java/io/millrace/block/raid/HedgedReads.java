package io.millrace.block.raid;

import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.MemoryHold;
import io.millrace.block.MemoryQuarantine;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.TimerListener;
import java.util.Arrays;

/**
 * Keeps a member that is slow from setting the latency of the array: a direct read that takes longer than most recent
 * ones is asked of the other members as well, and the first answer wins. Those of {@link HedgedRead} lie in other
 * memory, which is lent to the host's request, since the late member may write to the memory of that until it has ended
 * its part. So only requests that are {@link BlockRequest#lendable lendable} are hedged.
 * <p>
 * Of a channel; the reactor's only. A read that is not late costs two stores and an estimate. A hedge that wins
 * allocates the hold of the host's memory, as whatever a member keeps does.
 */
final class HedgedReads
{
    /** Also the most late reads, each of which keeps memory of a host. */
    private static final int HEDGES_MAX = 32;
    /** The part of the reactor's buffers that late reads may keep. */
    private static final int LATE_SHARE = 16;
    private static final int CREDIT_PER_HEDGE = 100;
    /** Those that may begin at once after there were none for a while. */
    private static final int CREDIT_MAX = 16 * CREDIT_PER_HEDGE;
    private static final long NOT_READING = Long.MAX_VALUE;
    private static final long NEVER = Long.MAX_VALUE;

    private final RaidChannel channel;
    private final RaidDevice device;
    private final DirectRequests requests;
    private final DirectRequest[] all;
    private final Reactor reactor;
    private final HedgeCounts counts;
    private final ReadLatencies latencies;
    private final TimerListener listener = this::onTimer;
    private final long intervalNs;
    /** When each request was submitted, by its index. */
    private final long[] startsNs;
    /** Of late reads. What members go on using after their end counts where that of other requests does. */
    private final MemoryQuarantine late = new MemoryQuarantine();
    private final long lateBytesMax;
    private final HedgedRead[] hedges = new HedgedRead[HEDGES_MAX];
    private HedgedRead free;
    private int lateCount;
    private int credit = CREDIT_MAX;
    private long timer;
    private long deadlineNs;
    private boolean isArmed;
    /** Whether a read began while the timer's listener looked at the others. */
    private boolean isMissed;
    /** Whether the reactor itself was late the last time. */
    private boolean wasStalled;

    /**
     * Nothing is read.
     *
     * @param channel  that it is of.
     * @param requests that are hedged.
     * @param all      of them, by their index.
     */
    HedgedReads(final RaidChannel channel, final DirectRequests requests, final DirectRequest... all)
    {
        this.channel = channel;
        this.requests = requests;
        this.all = all;
        device = channel.device();
        reactor = channel.reactor();
        counts = device.hedgeCounts();
        intervalNs = device.times().hedgeNs() / 2;
        latencies = new ReadLatencies(channel.layout().memberCount(), device.times().hedgeNs());
        lateBytesMax = channel.buffers().poolBytes() / LATE_SHARE;
        startsNs = new long[all.length];
        Arrays.fill(startsNs, NOT_READING);
        for (int i = 0; i < HEDGES_MAX; i++)
        {
            hedges[i] = new HedgedRead(i, channel, this);
            free(hedges[i]);
        }
    }

    /**
     * A read is about to be submitted to its member.
     *
     * @param direct that is filled.
     */
    void onSubmitted(final DirectRequest direct)
    {
        final int percent = counts.percent();
        if (0 == percent)
        {
            return;
        }
        final long nowNs = reactor.nowNs();
        startsNs[direct.index] = nowNs;
        credit = Math.min(CREDIT_MAX, credit + percent);
        if (!direct.request.lendable())
        {
            return;
        }
        if (isArmed)
        {
            isMissed = true;
        }
        else
        {
            arm(nowNs + latencies.lateNs());
        }
    }

    private void arm(final long newDeadlineNs)
    {
        isArmed = true;
        deadlineNs = newDeadlineNs;
        timer = reactor.schedule(newDeadlineNs, listener);
    }

    private void onTimer(final long nowNs)
    {
        isMissed = false;
        long nextNs = NEVER;
        if (0 != counts.percent() && !channel.isClosing())
        {
            nextNs = beginLate(nowNs);
        }
        isArmed = false;
        if (NEVER != nextNs)
        {
            arm(Math.max(nextNs, nowNs + intervalNs));
        }
    }

    /** {@return when to look again} */
    private long beginLate(final long nowNs)
    {
        // What members have answered meanwhile is seen in this cycle, after the timers.
        wasStalled = !wasStalled && nowNs - deadlineNs > intervalNs;
        final long lateNs = latencies.lateNs();
        long nextNs = NEVER;
        for (int i = 0; i < startsNs.length; i++)
        {
            final DirectRequest direct = all[i];
            if (NOT_READING != startsNs[i] && !direct.isHedged && direct.request.lendable())
            {
                final long dueNs = startsNs[i] + lateNs;
                if (wasStalled || dueNs - nowNs > 0 || !begin(direct))
                {
                    nextNs = Math.min(nextNs, dueNs);
                }
            }
        }
        return isMissed ? Math.min(nextNs, nowNs + lateNs) : nextNs;
    }

    /** {@return false when it cannot be hedged now} */
    private boolean begin(final DirectRequest direct)
    {
        final HedgedRead hedge = free;
        if (credit < CREDIT_PER_HEDGE || HEDGES_MAX == lateCount || null == hedge || channel.isHeld() ||
            channel.isClosing() || late.bytes() + direct.request.segments().totalBytes() > lateBytesMax)
        {
            return false;
        }
        free = hedge.next;
        credit -= CREDIT_PER_HEDGE;
        lateCount++;
        direct.isHedged = true;
        direct.hedge = hedge;
        if (hedge.begin(direct))
        {
            counts.onBegun();
            return true;
        }
        direct.hedge = null;
        direct.isHedged = false;
        lateCount--;
        credit += CREDIT_PER_HEDGE;
        free(hedge);
        return false;
    }

    /**
     * A hedge has ended, and its buffer is given back.
     *
     * @param hedge that is idle.
     */
    void free(final HedgedRead hedge)
    {
        hedge.next = free;
        free = hedge;
    }

    /**
     * A member has ended a read.
     *
     * @param direct whose part has ended.
     * @return whether nothing more is to be done: a hedge has answered it before.
     */
    boolean onEnded(final DirectRequest direct)
    {
        final long startNs = startsNs[direct.index];
        if (NOT_READING != startNs)
        {
            startsNs[direct.index] = NOT_READING;
            latencies.add(direct.slot, reactor.nowNs() - startNs);
        }
        return direct.isHedged && onHedgedEnded(direct);
    }

    private boolean onHedgedEnded(final DirectRequest direct)
    {
        direct.isHedged = false;
        lateCount--;
        if (null != direct.hedge)
        {
            direct.hedge.abandon();
            direct.hedge = null;
        }
        if (null != direct.request)
        {
            return false;
        }
        onFailed(direct.view, direct.slot, direct.part);
        if (direct.isAnswering)
        {
            direct.isEnded = true;
        }
        else
        {
            endLate(direct);
        }
        return true;
    }

    private void endLate(final DirectRequest direct)
    {
        final MemoryHold hold = direct.hold;
        final MemoryHold below = direct.part.hold();
        direct.hold = null;
        if (null == below)
        {
            hold.release();
        }
        else
        {
            direct.part.clearHold();
            below.whenReleased(hold::release);
        }
        requests.end(direct);
    }

    /**
     * A hedge has read before the member.
     *
     * @param direct  read that was hedged.
     * @param hedge   that has the data.
     * @param address of the data.
     */
    void answer(final DirectRequest direct, final HedgedRead hedge, final long address)
    {
        counts.onWon();
        final BlockRequest request = direct.request;
        direct.hedge = null;
        direct.request = null;
        direct.isAnswering = true;
        request.lend(address, request.segments().totalBytes());
        request.channelSlot(hedge.index());
        direct.hold = late.completeHeld(request, BlockStatus.SUCCESS);
        direct.isAnswering = false;
        if (direct.isEnded)
        {
            direct.isEnded = false;
            endLate(direct);
        }
    }

    /**
     * The host has used what a hedge has read.
     *
     * @param index of the hedge.
     */
    void releaseLoan(final int index)
    {
        hedges[index].release();
    }

    /**
     * A part that no stripe request goes on with has ended: a member that failed it is reported as by one, and rows
     * that it cannot read are repaired. Nothing is done when the part has succeeded.
     *
     * @param view that it went by.
     * @param slot of the member.
     * @param part that has ended.
     */
    void onFailed(final ArrayView view, final int slot, final BlockRequest part)
    {
        if (BlockStatus.SUCCESS == part.status() || channel.isClosing())
        {
            return;
        }
        if (BlockStatus.MEDIA_ERROR == part.status())
        {
            final ArrayLayout layout = channel.layout();
            final long offset = LostBlockWrites.dataOffset(part, channel.blockShift());
            final long stripMask = layout.stripBytes() - 1;
            device.onUnreadable(layout.parityCount() > 0 ? offset :
                (layout.strip(slot, offset >>> layout.stripShift()) << layout.stripShift()) + (offset & stripMask),
                part.blocks() << channel.blockShift());
        }
        else
        {
            device.onMemberFailed(view.member(slot), part.operation() + " ended with", part.status());
        }
    }

    /** The channel has closed. */
    void close()
    {
        if (isArmed)
        {
            isArmed = false;
            reactor.cancel(timer);
        }
    }
}
