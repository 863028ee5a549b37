package io.millrace.nvmf.queue;

import io.millrace.reactor.Reactor;
import io.millrace.reactor.TimerListener;
import java.util.concurrent.TimeUnit;

/**
 * The time that commands have which came before what they use was taken from them, by the removal of a namespace or a
 * change of ANA states: their hosts {@link #HOST_LIMIT_NS} for data and answers, their devices
 * {@link #DEVICE_LIMIT_NS}. Looks at them every 50 ms while somebody wants that. Its reactor only; control path.
 */
public final class DrainTimer
{
    /**
     * How long a host has for its part of a transfer. Completing the command instead would be unsafe: a host that has
     * been asked for data may be sending it from memory that it uses again once the command is completed.
     */
    static final long HOST_LIMIT_NS = TimeUnit.SECONDS.toNanos(1);
    /** How long a device has for what it was given. */
    public static final long DEVICE_LIMIT_NS = TimeUnit.SECONDS.toNanos(5);
    /** How often they are looked at. */
    public static final long CHECK_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Reactor reactor;
    private final TimerListener look;
    private boolean isScheduled;

    /**
     * Does nothing yet.
     *
     * @param reactor whose timer it uses.
     * @param look    called once after each {@link #start}.
     */
    public DrainTimer(final Reactor reactor, final TimerListener look)
    {
        this.reactor = reactor;
        this.look = look;
    }

    /** Has a look taken soon, unless one is to come. */
    public void start()
    {
        if (!isScheduled)
        {
            isScheduled = true;
            reactor.schedule(reactor.nowNs() + CHECK_INTERVAL_NS, this::onTimer);
        }
    }

    private void onTimer(final long nowNs)
    {
        isScheduled = false;
        look.onTimer(nowNs);
    }

    /**
     * {@return whether hosts have had their time}
     *
     * @param sinceNs when it began.
     * @param nowNs   the cycle's clock.
     */
    public static boolean isHostOverdue(final long sinceNs, final long nowNs)
    {
        return nowNs - sinceNs >= HOST_LIMIT_NS;
    }

    /**
     * {@return whether devices have had their time}
     *
     * @param sinceNs when it began.
     * @param nowNs   the cycle's clock.
     */
    public static boolean isDeviceOverdue(final long sinceNs, final long nowNs)
    {
        return nowNs - sinceNs >= DEVICE_LIMIT_NS;
    }

    /**
     * Ends the connection of a host that has not done its part in time.
     *
     * @param queuePair of the connection.
     * @param change    what began its time, such as "a namespace was removed".
     */
    public static void endConnection(final QueuePair queuePair, final String change)
    {
        queuePair.abortConnection(change + ' ' + TimeUnit.NANOSECONDS.toMillis(HOST_LIMIT_NS) +
            " ms ago, and the host has neither sent nor taken the data of its commands");
    }
}
