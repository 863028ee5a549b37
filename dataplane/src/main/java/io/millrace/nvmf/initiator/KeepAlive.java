package io.millrace.nvmf.initiator;

import io.millrace.reactor.Reactor;
import io.millrace.reactor.TimerListener;
import java.util.function.Consumer;

/**
 * Sends Keep Alive twice in each keep-alive time-out, and detects that none was answered within one. On the
 * controller's reactor.
 */
final class KeepAlive
{
    private static final long NO_TIMER = -1;

    private final Reactor reactor;
    private final AdminQueue admin;
    private final int timeoutMs;
    private final Consumer<String> expired;
    private final TimerListener timerListener = this::onTimer;
    private long timer = NO_TIMER;
    private long sentNs;
    private boolean outstanding;
    private int epoch;

    /**
     * Made once for a controller.
     *
     * @param reactor   of the controller.
     * @param admin     queue to send on.
     * @param timeoutMs keep-alive time-out; 0 for none.
     * @param expired   called with the reason when the connection must be closed.
     */
    KeepAlive(final Reactor reactor, final AdminQueue admin, final int timeoutMs, final Consumer<String> expired)
    {
        this.reactor = reactor;
        this.admin = admin;
        this.timeoutMs = timeoutMs;
        this.expired = expired;
    }

    void start()
    {
        if (timeoutMs > 0)
        {
            outstanding = false;
            epoch++;
            schedule();
        }
    }

    private void schedule()
    {
        timer = reactor.schedule(reactor.nowNs() + timeoutMs * 500_000L, timerListener);
    }

    private void onTimer(final long nowNs)
    {
        timer = NO_TIMER;
        if (!outstanding)
        {
            outstanding = true;
            sentNs = nowNs;
            final int sentEpoch = epoch;
            admin.call(AdminCommand.keepAlive()).whenComplete((answer, failure) -> onAnswer(sentEpoch, answer));
        }
        else if (nowNs - sentNs >= timeoutMs * 1_000_000L)
        {
            expired.accept("keep-alive was not answered within " + timeoutMs + " ms");
            return;
        }
        schedule();
    }

    private void onAnswer(final int sentEpoch, final AdminResult answer)
    {
        if (sentEpoch != epoch || null == answer)
        {
            return;
        }
        outstanding = false;
        if (!answer.isSuccess())
        {
            expired.accept("keep-alive was answered with " + AssociationCommand.describe(answer.status()));
        }
    }

    void stop()
    {
        epoch++;
        if (NO_TIMER != timer)
        {
            reactor.cancel(timer);
            timer = NO_TIMER;
        }
    }
}
