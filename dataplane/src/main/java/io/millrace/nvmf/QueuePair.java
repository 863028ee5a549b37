package io.millrace.nvmf;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * A submission and a completion queue over one connection: admin (id 0) or I/O. Lives on one reactor; every call is made
 * there. Made by {@code PollGroup.newQueuePair} when a connection is accepted, before its Connect command.
 */
public final class QueuePair
{
    QueuePair()
    {
    }

    /**
     * A slot for the next command, with its tag set.
     *
     * @param source that holds the submission queue entry; it is copied.
     * @param offset of the entry in it.
     * @return null when the host has more commands outstanding than its queue holds: the transport ends the connection.
     */
    public Request begin(final UnsafeBuffer source, final int offset)
    {
        return null;
    }

    /**
     * Carries a command out. {@link Request#begin} has been called, data that came in the capsule is named.
     *
     * @param request from {@link #begin}.
     */
    public void onCommand(final Request request)
    {
    }
}
