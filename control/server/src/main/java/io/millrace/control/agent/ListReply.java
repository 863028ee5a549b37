package io.millrace.control.agent;

import io.millrace.control.codec.Code;
import io.millrace.control.message.Resource;
import io.millrace.control.wire.ResponseWriter;
import java.util.List;
import java.util.function.Function;

/**
 * The records of a List and its answer. Holds snapshots, and makes a record of each when its turn comes.
 *
 * @param <T> of the snapshots.
 */
final class ListReply<T> implements Outgoing
{
    private final Session session;
    private final long correlationId;
    private final List<T> snapshots;
    private final Function<T, Resource> record;
    private int next;

    ListReply(
        final Session session,
        final long correlationId,
        final List<T> snapshots,
        final Function<T, Resource> record)
    {
        this.session = session;
        this.correlationId = correlationId;
        this.snapshots = snapshots;
        this.record = record;
    }

    @Override
    public int encode(final ResponseWriter writer)
    {
        return next == snapshots.size() ?
            writer.answer(session.id(), correlationId, Code.OK, snapshots.size(), "") :
            writer.resource(correlationId, record.apply(snapshots.get(next)));
    }

    @Override
    public boolean onSent()
    {
        if (next++ < snapshots.size())
        {
            return false;
        }
        session.endList();
        session.endCommand();
        return true;
    }
}
