package io.millrace.nvmf;

import io.millrace.nvme.CompletionQueueEntry;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A submission and a completion queue over one connection: admin (id 0) or I/O. Lives on one reactor; every call is made
 * there. Made by {@link PollGroup#newQueuePair} when a connection is accepted, before its Connect command.
 */
public final class QueuePair
{
    private final PollGroup pollGroup;
    private final QueuePairTransport transport;
    private final TransportAddress local;

    QueuePair(final PollGroup pollGroup, final QueuePairTransport transport, final TransportAddress local)
    {
        this.pollGroup = pollGroup;
        this.transport = transport;
        this.local = local;
    }

    /**
     * A slot for the next command, with its tag set and the entry copied in.
     *
     * @param source that holds the submission queue entry.
     * @param offset of the entry in it.
     * @return null when the host has more commands outstanding than its queue holds: the transport ends the connection.
     */
    public Request begin(final UnsafeBuffer source, final int offset)
    {
        return null;
    }

    /**
     * Carries a command out. Data that came in the capsule has been named with {@link Request#inCapsuleData}; it is read
     * within this call only.
     *
     * @param request from {@link #begin}.
     * @return false when there is no buffer now for the data that came in the capsule: the transport keeps the capsule, parses
     * nothing behind it, and calls again with the same request, its data named again, in a later poll, until this is true.
     */
    public boolean onCommand(final Request request)
    {
        return true;
    }

    /**
     * All data that {@link QueuePairTransport#receiveData} asked for is there.
     *
     * @param request whose data it is.
     */
    public void onDataReceived(final Request request)
    {
    }

    /**
     * The data that {@link QueuePairTransport#receiveData} asked for came and is spoilt, such as by a wrong data digest. The
     * command fails, the connection goes on.
     *
     * @param request whose data it was.
     * @param status  to fail it with, of {@code NvmeStatus}; usually {@code TRANSIENT_TRANSPORT_ERROR}.
     */
    public void onDataError(final Request request, final int status)
    {
    }

    /**
     * An answer has left and its memory is no longer needed; the slot is free afterwards.
     *
     * @param request of {@link QueuePairTransport#respond}.
     */
    public void onSent(final Request request)
    {
    }

    /**
     * The connection is gone, and nothing touches the memory of its requests any more. Every request of it ends here, or when
     * its device is done with it. Called once; nothing else is called afterwards.
     */
    public void onDisconnected()
    {
    }

    /**
     * Fills a completion queue entry. Called when the answer is put on the wire, in the order of sending.
     *
     * @param request that is answered.
     * @param entry   to fill, all 16 bytes.
     */
    public void writeCompletion(final Request request, final CompletionQueueEntry entry)
    {
    }

    /**
     * Copies data that a device lent for a read into a buffer, and gives it back to the device. For connections that cannot
     * send now: lent blocks cannot be written. Changes {@link Request#dataAddress()}.
     *
     * @param request of {@link QueuePairTransport#respond}, not sent yet.
     * @return false when there is no buffer now, try later; true when nothing is lent (any more).
     */
    public boolean copyLoan(final Request request)
    {
        return false;
    }

    /**
     * {@return its id: 0 for the admin queue, and until Connect}
     */
    public int id()
    {
        return 0;
    }

    /**
     * {@return how many commands the host may have outstanding}
     */
    public int depth()
    {
        return 0;
    }

    /**
     * {@return whether its Connect command has succeeded and it has not been disconnected}
     */
    public boolean connected()
    {
        return false;
    }

    /**
     * {@return whether the host reads the submission queue head from completions; if so, none may be left out}
     */
    public boolean sqFlowControl()
    {
        return false;
    }

    /**
     * {@return whose and which it is, for messages; allocates}
     */
    public String describe()
    {
        return local + " " + transport + " " + pollGroup;
    }
}
