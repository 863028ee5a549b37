package io.millrace.nvmf.tcp;

import io.millrace.nvmf.MoveOutcome;
import java.util.concurrent.CompletableFuture;

/**
 * A connection on its way from its reactor to another, which counts it already. On the reactor that it leaves.
 *
 * @param connection that is to move.
 * @param to         where.
 * @param deadlineNs until which its commands have to have ended, on the reactor's clock.
 * @param done       told how it went.
 */
record ConnectionMove(
    TcpConnection connection, TcpPollGroup to, long deadlineNs, CompletableFuture<MoveOutcome> done)
{
    /**
     * It stays, or is no more.
     *
     * @param outcome why.
     */
    void giveUp(final MoveOutcome outcome)
    {
        if (!done.isDone())
        {
            to.assignedCount().decrementAndGet();
            done.complete(outcome);
        }
    }
}
