package io.millrace.block.raid;

import io.millrace.block.StripeLocks;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.TimerListener;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Stripe requests of a channel that cannot go on now, which are tried again in each cycle of the reactor, and whether
 * the reactor may sleep meanwhile. What they wait for comes about on the reactor itself, which runs a whole cycle after
 * that before it sleeps, or it is reported to {@link RaidChannels#onProgress} by whoever brings it about:
 * <pre>
 *     reactor that is going to sleep        any other thread
 *     is armed                              brings it about
 *     -- full fence --                      -- full fence --
 *     tries all that wait once more         is any armed? then disarm it and wake its reactor
 *     raises its sleeping flag
 *     still armed? then it sleeps
 * </pre>
 * What comes about by time alone is not reported: the mark of a writer that waits for rows becomes stale, which lets
 * readers pass it, and lets those go on that it has refused. So all are tried again before a mark is stale.
 * The reactor's only, but for {@link #disarm}.
 */
final class WaitingStripes
{
    private static final int ATTEMPTS_PER_POLL = 64;
    private static final long RETRY_NS = StripeLocks.MARK_NS_MAX / 2;

    private final RaidChannels channels;
    private final Reactor reactor;
    private final TimerListener retryListener = this::onRetryDue;
    private final StripeList stripes = new StripeList();
    /** Whether the reactor is woken when something has come about. */
    private final AtomicBoolean isArmed = new AtomicBoolean();
    /** Attempts since it was armed that changed nothing. */
    private int refused;
    /** Whether all that waits was tried since it was armed. */
    private boolean isTried;
    /** Whether a timer is running that has all tried again. */
    private boolean isTimed;

    /**
     * Nothing waits.
     *
     * @param channels of the array.
     * @param reactor  of the channel.
     */
    WaitingStripes(final RaidChannels channels, final Reactor reactor)
    {
        this.channels = channels;
        this.reactor = reactor;
    }

    int size()
    {
        return stripes.size();
    }

    void add(final StripeRequest stripe)
    {
        stripes.add(stripe);
        refused = 0;
        isTried = false;
    }

    StripeRequest removeFirst()
    {
        return stripes.removeFirst();
    }

    /**
     * Tries them again, at most 64; whatever else the channel tries in a cycle comes before.
     *
     * @return how many need not be tried again.
     */
    int retry()
    {
        int advanced = 0;
        for (int left = Math.min(stripes.size(), ATTEMPTS_PER_POLL); left > 0 && 0 != stripes.size(); left--)
        {
            final StripeRequest stripe = stripes.removeFirst();
            if (stripe.advance())
            {
                advanced++;
                refused = 0;
            }
            else
            {
                stripes.add(stripe);
                refused++;
            }
        }
        isTried = refused >= stripes.size();
        return advanced;
    }

    /**
     * {@return whether the reactor may sleep though something waits; if not, it may after another cycle in which
     * nothing has come about}
     */
    boolean canSleep()
    {
        if (isArmed.get())
        {
            return isTried;
        }
        refused = 0;
        isTried = false;
        if (!isTimed)
        {
            isTimed = true;
            reactor.schedule(reactor.nowNs() + RETRY_NS, retryListener);
        }
        channels.onArmed();
        isArmed.set(true);
        VarHandle.fullFence();
        return false;
    }

    /** All are tried again before it is armed again, with another timer. */
    private void onRetryDue(final long nowNs)
    {
        isTimed = false;
        disarm();
    }

    /**
     * The reactor is not going to sleep before all were tried again. Any thread.
     *
     * @return whether it was armed.
     */
    boolean disarm()
    {
        if (!isArmed.get() || !isArmed.compareAndSet(true, false))
        {
            return false;
        }
        channels.onDisarmed();
        return true;
    }
}
