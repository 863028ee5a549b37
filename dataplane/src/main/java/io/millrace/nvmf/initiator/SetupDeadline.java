package io.millrace.nvmf.initiator;

import io.millrace.reactor.Reactor;
import java.util.concurrent.CompletableFuture;

/**
 * Bounds the time of all steps of a set-up together by the connect time-out. Each step has a deadline of its own, but a
 * target that answers every one just in time, or never reports the end of what it lists, would hold whoever waits. One
 * use; on the controller's reactor.
 *
 * @param <T> what the set-up returns.
 */
final class SetupDeadline<T>
{
    private static final long NANOS_PER_MS = 1_000_000;
    private static final long RECHECK_INTERVAL_MS = 50;

    private final Reactor reactor;
    private final AdminQueue admin;
    private final ConnectionConfig config;
    private final CompletableFuture<T> outcome = new CompletableFuture<>();
    private long timer;

    SetupDeadline(final Reactor reactor, final AdminQueue admin, final ConnectionConfig config)
    {
        this.reactor = reactor;
        this.admin = admin;
        this.config = config;
    }

    /**
     * Begins to measure.
     *
     * @param setup that has begun.
     * @return outcome of the set-up; fails with an {@link InitiatorException} when it takes too long. The set-up is not
     *     ended by that: the admin queue is to be closed.
     */
    CompletableFuture<T> of(final CompletableFuture<T> setup)
    {
        timer = reactor.schedule(reactor.nowNs() + config.connectTimeoutMs() * NANOS_PER_MS, this::onTimer);
        setup.whenComplete((result, failure) ->
        {
            if (outcome.isDone())
            {
                return;
            }
            reactor.cancel(timer);
            if (null == failure)
            {
                outcome.complete(result);
            }
            else
            {
                outcome.completeExceptionally(failure);
            }
        });
        return outcome;
    }

    private void onTimer(final long nowNs)
    {
        if (!admin.isReady())
        {
            // The connection has the same deadline and says more about it.
            timer = reactor.schedule(nowNs + RECHECK_INTERVAL_MS * NANOS_PER_MS, this::onTimer);
            return;
        }
        outcome.completeExceptionally(new InitiatorException(config.target() + " answers, and its set-up was not " +
            "done within " + config.connectTimeoutMs() + " ms: check the target, or raise the connect time-out"));
    }
}
