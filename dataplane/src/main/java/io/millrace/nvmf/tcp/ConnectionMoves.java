package io.millrace.nvmf.tcp;

import io.millrace.nvmf.MoveOutcome;
import io.millrace.nvmf.QueuePair;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The connections of a group that are to move to other reactors: each goes as soon as its commands have ended, if they
 * do within {@link #TIMEOUT_NS}. One that was given up stays here until it is as before. Its group's reactor only;
 * polled while there are some, and makes no objects then but when a connection goes.
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
     * {@return whether one has to be polled; a move that was given up needs nothing but what the host sends}
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
     * Carries a connection over to another reactor as soon as its commands have ended, if they do in time.
     *
     * @param queuePair of it; on this reactor.
     * @param to        connections of the other reactor.
     * @param done      told how it went, here or there.
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
     * Lets those go that can, gives those up that took too long or have ended.
     *
     * @return how many went.
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
            else if (connection.isQuiet())
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
        final byte[] unread = connection.depart();
        to.reactor().execute(() -> to.receive(connection, unread, move.done()));
        connection.queuePair().handOver(from.pollGroup(), to.pollGroup());
    }
}
