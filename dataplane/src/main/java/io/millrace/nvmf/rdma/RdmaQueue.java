package io.millrace.nvmf.rdma;

import io.millrace.nvmf.connection.ConnectionPermit;
import io.millrace.nvmf.queue.QueuePair;
import io.millrace.nvmf.request.QueuePairTransport;
import io.millrace.nvmf.request.Request;
import io.millrace.nvmf.transport.DataPointerFormat;
import io.millrace.nvmf.transport.LocalDevice;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.rdma.endpoint.CompletionStatus;
import io.millrace.rdma.endpoint.ConnectionHandler;
import io.millrace.rdma.endpoint.RdmaConnection;
import io.millrace.rdma.endpoint.RdmaQueuePair;

/**
 * One host connection, which is one queue: the states of it (see {@link RdmaQueueState}), and the commands whose memory
 * its device uses. {@link CapsuleReceiver} receives, {@link DataReader} reads the data of writes,
 * {@link ResponseSender} sends. Memory of a command is returned when the device has reported the last request that uses
 * it, or the queue pair is gone. Its reactor only.
 */
final class RdmaQueue implements QueuePairTransport, ConnectionHandler
{
    private final RdmaPollGroup group;
    private final ConnectionPermit permit;
    private final RdmaConnection connection;
    private final boolean isAdmin;
    private final int[] buffers;
    private final QueuePair queuePair;
    private final QueueTimers timers;
    /** Commands that requests were posted for, by tag, and when the last one was. */
    private final Request[] posted;
    private final long[] postedNs;
    private RdmaQueueState state = RdmaQueueState.READY;
    private CapsuleReceiver receiver;
    private DataReader reader;
    private ResponseSender sender;
    private int postedCount;
    /** Grows with each transfer that ends. */
    private long progress;
    private String endReason = "";
    private boolean isListedAsWaiting;

    /**
     * A connection that is not accepted yet.
     *
     * @param group      of its reactor.
     * @param connection that its host asked for.
     * @param permit     of the connection.
     * @param isAdmin    whether it is to be an admin queue.
     * @param buffers    as many receive buffers as it has entries.
     */
    RdmaQueue(
        final RdmaPollGroup group,
        final RdmaConnection connection,
        final ConnectionPermit permit,
        final boolean isAdmin,
        final int[] buffers)
    {
        this.group = group;
        this.connection = connection;
        this.permit = permit;
        this.isAdmin = isAdmin;
        this.buffers = buffers;
        posted = new Request[buffers.length];
        postedNs = new long[buffers.length];
        queuePair = group.pollGroup().newQueuePair(
            this, TransportAddress.of(TransportAddress.Type.RDMA, connection.localAddress()));
        timers = new QueueTimers(group, this);
        group.admission().occupy(permit, (limit) -> group.reactor().execute(() -> close(limit.evictionReason())));
    }

    QueuePair queuePair()
    {
        return queuePair;
    }

    RdmaQueuePair pair()
    {
        return connection.queuePair();
    }

    boolean isAdmin()
    {
        return isAdmin;
    }

    boolean isReady()
    {
        return RdmaQueueState.READY == state;
    }

    /** {@return numbers of its receive buffers} */
    int[] buffers()
    {
        return buffers;
    }

    @Override
    public void onQueuePair(final RdmaConnection opened)
    {
        final int key = group.capsuleKey(opened.keys());
        // Not before: the device may have had to be opened, which is this side's time.
        timers.awaitConnect();
        receiver = new CapsuleReceiver(this, group.capsules(), buffers, key);
        reader = new DataReader(this, opened.keys(), opened.readsInitiated());
        sender = new ResponseSender(this, group.capsules(), buffers, key, opened.keys());
        pair().holdUntilPolled();
        receiver.open();
    }

    @Override
    public void onEstablished(final RdmaConnection established)
    {
        // Capsules may have come before: nothing waits for this.
    }

    @Override
    public void onReceived(final long id, final CompletionStatus status, final int bytes, final int immediate)
    {
        if (CompletionStatus.SUCCESS == status && isReady())
        {
            receiver.onReceived((int)id, bytes);
        }
    }

    @Override
    public void onSent(final long id, final CompletionStatus status)
    {
        // After an error the connection ends, and everything of it is returned then.
        if (CompletionStatus.SUCCESS != status || !state.maySend())
        {
            return;
        }
        progress++;
        final int tag = WorkId.tag(id);
        final Request request = posted[tag];
        switch (WorkId.kind(id))
        {
            case WorkId.READ ->
            {
                onEnded(tag);
                reader.onRead(request);
            }
            case WorkId.PART ->
            {
                onEnded(tag);
                request.transportState(TransferState.NONE);
                queuePair.dispatcher().onPartSent(request);
            }
            case WorkId.RESPONSE ->
            {
                onEnded(tag);
                queuePair.onSent(request, postedNs[tag]);
                queuePair.onFlushed();
            }
            default ->
            {
                // Reported though it is not asked for: the response that follows is what counts.
            }
        }
        if (state.maySend())
        {
            sender.post();
            reader.post();
            closeWhenDrained();
        }
    }

    /** A request was posted that uses the memory of a command. */
    void onPosted(final Request request)
    {
        final int tag = request.tag();
        if (null == posted[tag])
        {
            posted[tag] = request;
            postedCount++;
            timers.awaitTransfer();
        }
        postedNs[tag] = group.reactor().nowNs();
    }

    private void onEnded(final int tag)
    {
        posted[tag] = null;
        postedCount--;
    }

    /** Memory that a device lent was copied, since the RDMA device cannot read it. */
    void onCopied()
    {
        group.counters().onCopiedLoans(1);
    }

    boolean isAnyPosted()
    {
        return 0 != postedCount;
    }

    /** {@return whether answers or reads wait for something that the device does not announce} */
    boolean awaitsCopy()
    {
        return state.maySend() && null != sender && sender.awaitsCopy();
    }

    /** Tries again what waits for room or a buffer. */
    void retry()
    {
        if (state.maySend() && null != sender)
        {
            sender.post();
            reader.post();
        }
    }

    /** Lets writers pass what is lent to answers that wait behind a full send queue. */
    void copyWantedLoans()
    {
        if (state.maySend() && null != sender)
        {
            sender.copyWantedLoans();
        }
    }

    long progress()
    {
        return progress;
    }

    boolean isReading()
    {
        return null != reader && reader.isAnyOutstanding();
    }

    /**
     * {@return whether a writer waits for memory that a device lent to an answer which was posted long ago}
     *
     * @param beforeNs when.
     */
    boolean isLoanOverdue(final long beforeNs)
    {
        for (int tag = 0; tag < posted.length; tag++)
        {
            final Request request = posted[tag];
            if (null != request && TransferState.SENDING == request.transportState() &&
                postedNs[tag] - beforeNs <= 0 && request.isLoanWanted())
            {
                return true;
            }
        }
        return false;
    }

    /** A capsule waits. */
    void onStalled()
    {
        group.counters().onStalled();
        group.addWaiting(this);
    }

    boolean isWaiting()
    {
        return isReady() && null != receiver && receiver.isWaiting();
    }

    boolean isResumable()
    {
        return isWaiting() && receiver.isResumable();
    }

    int resume()
    {
        return receiver.resume();
    }

    boolean isListedAsWaiting()
    {
        return isListedAsWaiting;
    }

    void isListedAsWaiting(final boolean isListed)
    {
        isListedAsWaiting = isListed;
    }

    /**
     * The host broke the protocol, or does not take part in a transfer: reports it, and ends the connection.
     *
     * @param reason in words.
     */
    void onProtocolError(final String reason)
    {
        if (state.maySend())
        {
            queuePair.onProtocolError(reason);
            close(reason);
        }
    }

    /** This side cannot go on. */
    void fail(final String reason)
    {
        if (state.maySend())
        {
            group.pollGroup().target().listener().onError(remote() + ": " + reason);
            close(reason);
        }
    }

    /**
     * Ends the connection; what is posted is flushed first. Never within this call.
     *
     * @param reason why.
     */
    void close(final String reason)
    {
        if (state.maySend())
        {
            state = RdmaQueueState.CLOSING;
            endReason = reason;
            connection.close(reason);
        }
    }

    @Override
    public void onClosed(final RdmaConnection closed, final String reason)
    {
        final String why = RdmaQueueState.CLOSING == state ? endReason : reason;
        state = RdmaQueueState.CLOSED;
        timers.cancel();
        if (null != receiver)
        {
            receiver.close();
            reader.close();
            sender.close();
        }
        group.counters().onClosed(why);
        queuePair.onDisconnected(why);
        group.remove(this);
    }

    private void closeWhenDrained()
    {
        if (RdmaQueueState.DRAINING == state && 0 == postedCount && sender.isEmpty())
        {
            close(endReason);
        }
    }

    @Override
    public void receiveData(final Request request)
    {
        if (isReady())
        {
            reader.add(request);
        }
    }

    @Override
    public boolean cancelReceive(final Request request)
    {
        return null != reader && reader.cancel(request);
    }

    @Override
    public void respond(final Request request)
    {
        if (state.maySend())
        {
            sender.add(request);
            if (!sender.isEmpty())
            {
                timers.awaitTransfer();
            }
        }
    }

    @Override
    public boolean isSending(final Request request)
    {
        return TransferState.SENDING == request.transportState();
    }

    @Override
    public int queueDepthMax()
    {
        return buffers.length;
    }

    @Override
    public void disconnect(final String reason)
    {
        if (isReady())
        {
            state = RdmaQueueState.DRAINING;
            endReason = reason;
            timers.awaitEnd();
            if (null == sender)
            {
                close(reason);
            }
            else
            {
                closeWhenDrained();
            }
        }
    }

    @Override
    public void abort(final String reason)
    {
        close(reason);
    }

    @Override
    public String remote()
    {
        return TransportAddress.of(TransportAddress.Type.RDMA, connection.peerAddress()).toString();
    }

    @Override
    public LocalDevice device()
    {
        return new LocalDevice(connection.deviceName(), connection.devicePort(), connection.gidIndex());
    }

    @Override
    public String address()
    {
        return permit.address();
    }

    @Override
    public boolean admit(final int queueId, final boolean isDiscovery)
    {
        return group.admission().admit(permit,
            isDiscovery ? ConnectionPermit.Kind.DISCOVERY : ConnectionPermit.Kind.QUEUE, group.reactor().nowNs());
    }

    @Override
    public void dismiss()
    {
        group.admission().dismiss(permit);
    }

    @Override
    public boolean isDiscoveryCrowded()
    {
        return group.admission().isDiscoveryCrowded(permit);
    }

    /** Commands that devices still have take memory as a connection does, so it counts until they end. */
    @Override
    public void onDrained()
    {
        group.admission().end(permit);
    }

    @Override
    public DataPointerFormat dataPointers()
    {
        return group.dataPointers();
    }

    /** The host has not received everything in time that ends the connection. */
    void onEndOverdue()
    {
        close(endReason);
    }

    @Override
    public String toString()
    {
        return "queue of " + remote() + ' ' + state;
    }
}
