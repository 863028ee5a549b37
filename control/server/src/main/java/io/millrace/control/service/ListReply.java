package io.millrace.control.service;

import io.millrace.control.codec.Code;
import io.millrace.control.wire.ResponseWriter;

/**
 * Sends the records of a List and its answer.
 */
final class ListReply implements OutgoingMessage
{
    private final Session session;
    private final long correlationId;
    private final Listing<?> listing;
    private int next;

    ListReply(final Session session, final long correlationId, final Listing<?> listing)
    {
        this.session = session;
        this.correlationId = correlationId;
        this.listing = listing;
    }

    @Override
    public int encode(final ResponseWriter writer)
    {
        final int size = listing.snapshots().size();
        return next == size ?
            writer.answer(session.id(), correlationId, Code.OK, size, "") :
            writer.resource(correlationId, listing.get(next));
    }

    @Override
    public boolean onSent()
    {
        if (next++ < listing.snapshots().size())
        {
            return false;
        }
        session.endList();
        session.endCommand();
        return true;
    }
}
