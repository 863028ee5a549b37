package io.millrace.nvmf.tcp;

import io.millrace.nvmf.MoveOutcome;
import java.util.concurrent.CompletableFuture;

/**
 * The move of a connection to another reactor, which already counts it. Used on the reactor that the connection leaves.
 *
 * @param connection that is to move.
 * @param to         where.
 * @param deadlineNs until which its commands have to have ended, on the reactor's clock.
 * @param done       completed with the outcome.
 */
record ConnectionMove(
    TcpConnection connection, TcpPollGroup to, long deadlineNs, CompletableFuture<MoveOutcome> done)
{
    /**
     * Ends the move: the connection stays, or has ended.
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
