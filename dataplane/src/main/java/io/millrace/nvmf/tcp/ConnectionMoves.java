package io.millrace.nvmf.tcp;

import io.millrace.nvmf.MoveOutcome;
import io.millrace.nvmf.QueuePair;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The connections of a group that are to move to other reactors: each moves as soon as its commands have ended, if they
 * do within {@link #TIMEOUT_NS}. A failed move stays listed until the connection receives commands again. Its group's
 * reactor only; polled while there are moves, and allocates only when a connection moves.
 */
final class ConnectionMoves
{
    /** How long the commands of a connection that is to move may take to end. */
    static final long TIMEOUT_NS = 1_000_000_000L;

    private final TcpPollGroup from;
    private final List<ConnectionMove> moves = new ArrayList<>();

    /**
     * Has none.
     *
     * @param from group that they leave.
     */
    ConnectionMoves(final TcpPollGroup from)
    {
        this.from = from;
    }

    boolean isEmpty()
    {
        return moves.isEmpty();
    }

    /**
     * {@return whether a move has to be polled; a failed one is resumed by data of the host}
     */
    boolean isAnyUnderWay()
    {
        for (int i = 0; i < moves.size(); i++)
        {
            if (!moves.get(i).done().isDone())
            {
                return true;
            }
        }
        return false;
    }

    /**
     * Moves a connection to another reactor as soon as its commands have ended, if they do in time.
     *
     * @param queuePair the connection's queue pair; on this reactor.
     * @param to        connections of the other reactor.
     * @param done      completed with the outcome, on either reactor.
     */
    void begin(final QueuePair queuePair, final TcpPollGroup to, final CompletableFuture<MoveOutcome> done)
    {
        final TcpConnection connection = from.find(queuePair);
        if (null == connection || !connection.isReady() || !queuePair.connected())
        {
            done.complete(MoveOutcome.GONE);
        }
        else if (from == to)
        {
            done.complete(MoveOutcome.MOVED);
        }
        else if (isMoving(connection))
        {
            done.complete(MoveOutcome.MOVING);
        }
        else if (to.assignedCount().incrementAndGet() > from.config().connectionsMax())
        {
            to.assignedCount().decrementAndGet();
            done.complete(MoveOutcome.FULL);
        }
        else
        {
            moves.add(new ConnectionMove(connection, to, from.reactor().nowNs() + TIMEOUT_NS, done));
            connection.beginMove();
        }
    }

    private boolean isMoving(final TcpConnection connection)
    {
        for (final ConnectionMove move : moves)
        {
            if (connection == move.connection())
            {
                return true;
            }
        }
        return false;
    }

    /**
     * Moves the connections that are ready, and fails the moves that took too long or whose connection has ended.
     *
     * @return how many moved.
     */
    int poll()
    {
        int work = 0;
        for (int i = moves.size() - 1; i >= 0; i--)
        {
            final ConnectionMove move = moves.get(i);
            final TcpConnection connection = move.connection();
            if (!connection.isReady())
            {
                move.giveUp(MoveOutcome.GONE);
                moves.remove(i);
            }
            else if (move.done().isDone())
            {
                if (connection.endMove())
                {
                    moves.remove(i);
                }
            }
            else if (connection.isQuiesced())
            {
                moves.remove(i);
                send(move);
                work++;
            }
            else if (from.reactor().nowNs() - move.deadlineNs() >= 0)
            {
                move.giveUp(MoveOutcome.BUSY);
            }
        }
        return work;
    }

    private void send(final ConnectionMove move)
    {
        final TcpConnection connection = move.connection();
        final TcpPollGroup to = move.to();
        final byte[] unread = connection.detach();
        to.reactor().execute(() -> to.receive(connection, unread, move.done()));
        connection.queuePair().handOver(from.pollGroup(), to.pollGroup());
    }
}
