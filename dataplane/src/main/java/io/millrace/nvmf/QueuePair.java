package io.millrace.nvmf;

import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.CompletionQueueEntry;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.SubmissionQueueEntry;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A submission and a completion queue over one connection: admin (id 0) or I/O. Lives on one reactor; every call is
 * made there, those of others by {@link #execute}. Made by {@link PollGroup#newQueuePair} when a connection is
 * accepted, before its Connect command.
 * <p>
 * An I/O queue may move to another reactor while it has no commands: {@link #leave}, then its adoption is put into the
 * line of the other reactor, then {@link #handOver}, so that whoever looks for it finds it on one of both, behind its
 * adoption: {@link #arrive}.
 */
public final class QueuePair
{
    /** What a host may have outstanding before Connect: the smallest admin queue. */
    private static final int DEPTH_BEFORE_CONNECT = 32;
    private static final VarHandle LAST_COMMAND_NS;

    static
    {
        try
        {
            LAST_COMMAND_NS = MethodHandles.lookup().findVarHandle(QueuePair.class, "lastCommandNs", long.class);
        }
        catch (final ReflectiveOperationException e)
        {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final QueuePairOwner owner;
    private PollGroup pollGroup;
    private QueuePairTransport transport;
    private final TransportAddress local;
    private volatile String remote;

    private final RequestTable requests = new RequestTable();
    private final QueuePairMeter meter;

    private QueuePairState state = QueuePairState.NEW;
    private final SubmissionQueue submissionQueue = new SubmissionQueue(DEPTH_BEFORE_CONNECT);
    private int id;
    private Controller controller;
    private SubsystemChannels channels;
    private HostChannel host;
    private Request disconnectAnswer;
    @SuppressWarnings("unused")
    private long lastCommandNs;
    private String endReason = "";

    QueuePair(final PollGroup pollGroup, final QueuePairTransport transport, final TransportAddress local)
    {
        this.pollGroup = pollGroup;
        owner = new QueuePairOwner(pollGroup);
        this.transport = transport;
        this.local = local;
        meter = new QueuePairMeter(pollGroup);
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
        if (submissionQueue.isFull() || state.isGone() || !requests.ensureRoom(submissionQueue.depth()))
        {
            return null;
        }
        final Request request = pollGroup.requests().acquire();
        request.begin(source, offset);
        request.queuePair(this);
        request.startNs(pollGroup.reactor().nowNs());
        requests.add(request);
        submissionQueue.onBegun();
        return request;
    }

    /**
     * Carries a command out. Data that came in the capsule has been named with {@link Request#inCapsuleData}; it is
     * read within this call only.
     *
     * @param request from {@link #begin}.
     * @return false when there is no buffer now for the data that came in the capsule: the transport keeps the capsule,
     *     parses
     * nothing behind it, and calls again with the same request, its data named again, in a later poll, until this is
     * true.
     */
    public boolean onCommand(final Request request)
    {
        if (RequestPhase.EXECUTING != request.phase())
        {
            return retryCapsule(request);
        }
        if (pollGroup.isPaused() && QueuePairState.IO == state && AdminOpcode.FABRICS != request.entry().opcode())
        {
            request.phase(RequestPhase.PAUSED);
            return false;
        }
        LAST_COMMAND_NS.setOpaque(this, pollGroup.reactor().nowNs());
        meter.onCommand();
        if (!claimCommandId(request))
        {
            complete(request, NvmeStatus.COMMAND_ID_CONFLICT | NvmeStatus.DO_NOT_RETRY);
            return true;
        }
        return dispatchCapsule(request);
    }

    /**
     * {@return whether it is worth while to call {@link #onCommand} again for a capsule that is kept}
     *
     * @param request of the capsule.
     */
    public boolean isResumable(final Request request)
    {
        return switch (request.phase())
        {
            case PAUSED -> !pollGroup.isPaused();
            case CAPSULE_THROTTLED -> !pollGroup.isPaused() && pollGroup.qos().hasRoom(request);
            case CAPSULE_AWAITING_BUFFER -> false;
            default -> true;
        };
    }

    /**
     * Takes back a command that waits for the end of a pause, as if its capsule had not come: it is given to
     * {@link #begin} again, from its first byte.
     *
     * @param request of the capsule that is kept.
     * @return false when it waits for something else.
     */
    public boolean takeBack(final Request request)
    {
        if (RequestPhase.PAUSED != request.phase())
        {
            return false;
        }
        submissionQueue.end(request);
        free(request);
        return true;
    }

    /**
     * Runs something on the reactor that has it then; behind its adoption when it moves. Any thread.
     *
     * @param task to run; must not throw.
     */
    public void execute(final Runnable task)
    {
        owner.execute(task);
    }

    /**
     * {@return the share of the reactor that has it; any thread, as it was a moment ago}
     */
    public PollGroup owner()
    {
        return owner.get();
    }

    /**
     * {@return whether it has no command, those included whose answers are leaving}
     */
    public boolean isIdle()
    {
        return requests.isEmpty();
    }

    /**
     * Lets go of everything that it has on its reactor. It is an I/O queue, {@link #connected} and {@link #isIdle}.
     */
    public void leave()
    {
        // Who waits for its commands waits for nothing any more.
        pollGroup.settleRefused();
        meter.onLeft();
        channels.releaseHost(host);
        host = null;
        channels = null;
        pollGroup.onLeft();
    }

    /**
     * Names its new reactor to whoever asks. On the one that it leaves, when the adoption is in the line of the other.
     *
     * @param from that it leaves.
     * @param to   that it goes to.
     */
    public void handOver(final PollGroup from, final PollGroup to)
    {
        owner.handOver(from, to);
    }

    /**
     * Is on another reactor now: the caller's. It {@link #begin begins} there when its connection is ready.
     *
     * @param newOwner     share of the reactor.
     * @param newTransport its connection there.
     */
    public void arrive(final PollGroup newOwner, final QueuePairTransport newTransport)
    {
        owner.set(newOwner);
        pollGroup = newOwner;
        transport = newTransport;
        newOwner.onArrived();
        meter.onArrived(newOwner, submissionQueue.depth());
        final Subsystem subsystem = controller.subsystem();
        if (newOwner.target().subsystem(subsystem.nqn()) == subsystem)
        {
            channels = newOwner.open(subsystem);
            host = channels.acquireHost(controller.hostNqn());
        }
    }

    /**
     * Its connection on another reactor is ready. It ends when its subsystem was removed while it was on the way.
     */
    public void begin()
    {
        if (null == channels)
        {
            disconnect("the subsystem is no longer served");
        }
    }

    /**
     * All data that {@link QueuePairTransport#receiveData} asked for is there.
     *
     * @param request whose data it is.
     */
    public void onDataReceived(final Request request)
    {
        request.phase(RequestPhase.EXECUTING);
        request.payload(RequestPayload.RECEIVED);
        dispatch(request);
    }

    /**
     * The data that {@link QueuePairTransport#receiveData} asked for came and is spoilt, such as by a wrong data
     * digest; or data that came in the capsule is, then this is called instead of {@link #onCommand}. The command
     * fails, the connection goes on.
     *
     * @param request whose data it was.
     * @param status  to fail it with, of {@code NvmeStatus}; usually {@code TRANSIENT_TRANSPORT_ERROR}.
     */
    public void onDataError(final Request request, final int status)
    {
        complete(request, status);
    }

    /**
     * An answer has left and its memory is no longer needed; the slot is free afterwards.
     *
     * @param request of {@link QueuePairTransport#respond}.
     * @param sentNs  when the last of it was handed on, on the reactor's clock.
     */
    public void onSent(final Request request, final long sentNs)
    {
        meter.onSent(request, sentNs);
        final boolean ends = request == disconnectAnswer;
        free(request);
        if (ends)
        {
            disconnectAnswer = null;
            disconnect("host asked for it");
        }
    }

    /**
     * All that left together has been told with {@link #onSent}.
     */
    public void onFlushed()
    {
        meter.onFlushed(submissionQueue.outstanding());
    }

    /**
     * The connection is gone, and nothing touches the memory of its requests any more. Every request of it ends here,
     * or when its device is done with it. Called once; nothing else is called afterwards.
     *
     * @param reason why, in words.
     */
    public void onDisconnected(final String reason)
    {
        if (state.isGone())
        {
            return;
        }
        state = QueuePairState.DRAINING;
        endReason = reason;
        meter.onLeft();
        for (int tag = 0; tag < requests.size(); tag++)
        {
            final Request request = requests.get(tag);
            if (null != request)
            {
                drop(request);
            }
        }
        if (null != host)
        {
            channels.releaseHost(host);
        }
        pollGroup.onLeft();
        closeWhenDrained();
    }

    /**
     * Fills a completion queue entry. Called when the answer is put on the wire, in the order of sending.
     *
     * @param request that is answered.
     * @param entry   to fill, all 16 bytes.
     */
    public void writeCompletion(final Request request, final CompletionQueueEntry entry)
    {
        entry.result0(request.result0())
            .result1(request.result1())
            .sqHead(submissionQueue.completionHead(request.entry()))
            .sqId(id)
            .commandId(request.entry().commandId())
            .statusField(NvmeStatus.toField(request.status()));
    }

    /**
     * {@return its id: 0 for the admin queue, and until Connect}
     */
    public int id()
    {
        return id;
    }

    /**
     * {@return how many commands the host may have outstanding}
     */
    public int depth()
    {
        return submissionQueue.depth();
    }

    /**
     * {@return whether its Connect command has succeeded and it has not been disconnected}
     */
    public boolean connected()
    {
        return QueuePairState.ADMIN == state || QueuePairState.IO == state;
    }

    /**
     * {@return commands that came}
     */
    public long commands()
    {
        return meter.commands();
    }

    /**
     * {@return bytes of reads that succeeded}
     */
    public long bytesRead()
    {
        return meter.bytesRead();
    }

    /**
     * {@return bytes of writes that succeeded}
     */
    public long bytesWritten()
    {
        return meter.bytesWritten();
    }

    /**
     * {@return commands that failed}
     */
    public long errors()
    {
        return meter.errors();
    }

    /**
     * {@return commands of the host that have not been answered}
     */
    public int outstanding()
    {
        return submissionQueue.outstanding();
    }

    /**
     * {@return whose and which it is, for messages; allocates}
     */
    public String describe()
    {
        return null == controller ? "queue pair before Connect at " + local :
            "queue " + id + " of " + controller.describe() + " at " + local;
    }

    PollGroup pollGroup()
    {
        return pollGroup;
    }

    QueuePairTransport transport()
    {
        return transport;
    }

    TransportAddress local()
    {
        return local;
    }

    QueuePairState state()
    {
        return state;
    }

    Controller controller()
    {
        return controller;
    }

    SubsystemChannels channels()
    {
        return channels;
    }

    /**
     * {@return its host on this reactor; null for admin queues}
     */
    HostChannel host()
    {
        return host;
    }

    /**
     * {@return when its last command came, on the clock of {@link System#nanoTime()}; any thread}
     */
    long lastCommandNs()
    {
        return (long)LAST_COMMAND_NS.getOpaque(this);
    }

    /**
     * Its Connect command is right: becomes a queue of a controller.
     *
     * @param owner       controller.
     * @param queueId     0 for the admin queue.
     * @param entries     of the queue.
     * @param flowControl whether the host reads the submission queue head.
     * @param subsystemChannels of its reactor.
     */
    void connect(
        final Controller owner,
        final int queueId,
        final int entries,
        final boolean flowControl,
        final SubsystemChannels subsystemChannels)
    {
        controller = owner;
        id = queueId;
        submissionQueue.onConnected(entries, flowControl);
        channels = subsystemChannels;
        if (0 != queueId)
        {
            host = channels.acquireHost(owner.hostNqn());
        }
        state = 0 == queueId ? QueuePairState.ADMIN : QueuePairState.IO;
        meter.onConnected(owner, queueId, entries);
        remote = transport.remote();
    }

    /**
     * The host broke the rules of the transport, and the connection ends for it: the target's listener is told.
     *
     * @param reason in words.
     */
    public void onProtocolError(final String reason)
    {
        pollGroup.target().listener().onProtocolError(transport.remote(), reason);
    }

    /**
     * {@return how it is, as it was a moment ago; null before its Connect command was right. Any thread}
     */
    QueuePairSnapshot snapshot()
    {
        return null == remote ? null : QueuePairSnapshot.of(this, remote);
    }

    /**
     * Tells the transport to end the connection.
     *
     * @param reason for the log.
     */
    void disconnect(final String reason)
    {
        if (!state.isGone() && QueuePairState.DISCONNECTING != state)
        {
            state = QueuePairState.DISCONNECTING;
            transport.disconnect(reason);
        }
    }

    /**
     * Ends the connection when an answer has left.
     *
     * @param request whose answer it is.
     */
    void disconnectAfter(final Request request)
    {
        disconnectAnswer = request;
    }

    void onBuffer(final Request request, final long address, final int lengthBytes)
    {
        PayloadBuffers.give(request, address, lengthBytes);
        if (RequestPhase.CAPSULE_AWAITING_BUFFER == request.phase())
        {
            request.phase(RequestPhase.CAPSULE_BUFFERED);
        }
        else
        {
            request.phase(RequestPhase.EXECUTING);
            dispatch(request);
        }
    }

    /**
     * A command that waited for a limit goes on.
     *
     * @param request of the command, out of the line.
     */
    void onPassed(final Request request)
    {
        request.qosStage(QosStage.AT_HOST == request.qosStage() ? QosStage.AT_NAMESPACE : QosStage.PASSED);
        // It has begun nothing, so what has become of its namespace meanwhile is looked at again.
        request.namespace().unbind(request);
        request.phase(RequestPhase.EXECUTING);
        dispatch(request);
    }

    /**
     * Answers a command.
     *
     * @param request that is done. It may be another command's when this returns.
     * @param status  of it; 0 for success.
     */
    void complete(final Request request, final int status)
    {
        request.status(status);
        if (NvmeStatus.SUCCESS != status)
        {
            onError(request, status);
        }
        submissionQueue.end(request);
        if (0 != request.bufferAddress() && !request.sendsData())
        {
            pollGroup.payloads().release(request);
        }
        if (state.isGone())
        {
            free(request);
            closeWhenDrained();
            return;
        }
        submissionQueue.onAnswered(request);
        request.phase(RequestPhase.RESPONDING);
        transport.respond(request);
    }

    /**
     * Answers a command with data from its buffer.
     *
     * @param request     with a buffer.
     * @param lengthBytes of the data.
     */
    void completeWithData(final Request request, final int lengthBytes)
    {
        request.data(request.bufferAddress(), lengthBytes);
        request.sendsData(true);
        complete(request, NvmeStatus.SUCCESS);
    }

    /**
     * {@return whether a command that came earlier uses a namespace to which commands are refused now}
     */
    boolean isUsingRefused()
    {
        final AnaPath path = controller.anaPath();
        for (int tag = 0; tag < requests.size(); tag++)
        {
            final Request request = requests.get(tag);
            if (null != request && null != request.namespace() && RequestPhase.RESPONDING != request.phase() &&
                path.isRefusing(request.namespace().anaGroup()))
            {
                return true;
            }
        }
        return false;
    }

    void onRead(final int lengthBytes)
    {
        meter.onRead(lengthBytes);
    }

    void onWritten(final int lengthBytes)
    {
        meter.onWritten(lengthBytes);
    }

    /**
     * Ends a command that waits, as far as that can be done at once.
     *
     * @param commandId of it.
     * @return whether it was ended.
     */
    boolean abort(final int commandId)
    {
        for (int tag = 0; tag < requests.size(); tag++)
        {
            final Request request = requests.get(tag);
            if (null != request && request.holdsCommandId() && commandId == request.entry().commandId())
            {
                final boolean isWaiting = RequestPhase.CAPSULE_AWAITING_BUFFER != request.phase() && withdraw(request);
                if (isWaiting)
                {
                    complete(request, NvmeStatus.ABORT_REQUESTED);
                }
                return isWaiting;
            }
        }
        return false;
    }

    private void dispatch(final Request request)
    {
        final SubmissionQueueEntry entry = request.entry();
        if (AdminOpcode.FABRICS == entry.opcode())
        {
            pollGroup.fabrics().execute(this, request);
        }
        else if (QueuePairState.IO == state)
        {
            pollGroup.io().execute(this, request);
        }
        else if (QueuePairState.ADMIN == state)
        {
            pollGroup.admin().execute(this, request);
        }
        else if (QueuePairState.NEW == state)
        {
            complete(request, NvmeStatus.COMMAND_SEQUENCE_ERROR | NvmeStatus.DO_NOT_RETRY);
        }
        else
        {
            complete(request, NvmeStatus.ABORTED_SQ_DELETION);
        }
    }

    private boolean retryCapsule(final Request request)
    {
        if (!isResumable(request))
        {
            return false;
        }
        final boolean wasPaused = RequestPhase.PAUSED == request.phase();
        request.phase(RequestPhase.EXECUTING);
        return wasPaused ? onCommand(request) : dispatchCapsule(request);
    }

    /**
     * {@return whether the capsule is done with}
     */
    private boolean dispatchCapsule(final Request request)
    {
        final int serial = request.serial();
        dispatch(request);
        return serial != request.serial() || RequestPhase.CAPSULE_AWAITING_BUFFER != request.phase() &&
            RequestPhase.CAPSULE_THROTTLED != request.phase();
    }

    private void onError(final Request request, final int status)
    {
        meter.onError();
        request.sendsData(false);
        if (null != controller)
        {
            final SubmissionQueueEntry entry = request.entry();
            final boolean hasLba = 0 != id && AdminOpcode.FABRICS != entry.opcode();
            controller.errorLog().add(id, entry, status, hasLba ? entry.startingLba() : 0);
        }
    }

    private boolean claimCommandId(final Request request)
    {
        return submissionQueue.claim(request) ||
            forgetAsyncEventRequest(request.entry().commandId()) && submissionQueue.claim(request);
    }

    /**
     * SPDK's host gives up its asynchronous event requests before it shuts a controller down, without a word, and uses
     * their command identifiers again. An event request has nothing to lose: the new command takes its place.
     */
    private boolean forgetAsyncEventRequest(final int commandId)
    {
        final Request forgotten = QueuePairState.ADMIN == state ? controller.asyncEvents().forget(commandId) : null;
        if (null == forgotten)
        {
            return false;
        }
        submissionQueue.end(forgotten);
        free(forgotten);
        return true;
    }

    private void closeWhenDrained()
    {
        if (QueuePairState.DRAINING == state && !requests.isAnyChangingData())
        {
            state = QueuePairState.CLOSED;
            if (null != controller)
            {
                controller.onDisconnected(this, endReason);
            }
        }
    }

    private void drop(final Request request)
    {
        switch (request.phase())
        {
            // The device may still touch its memory: it is freed when it completes.
            case SUBMITTED, STEPPING, STEP_DONE ->
            {
            }
            default ->
            {
                withdraw(request);
                free(request);
            }
        }
    }

    /**
     * Takes a request out of the line that it waits in.
     *
     * @return false when it waits in none.
     */
    private boolean withdraw(final Request request)
    {
        switch (request.phase())
        {
            case AWAITING_BUFFER, CAPSULE_AWAITING_BUFFER -> pollGroup.payloads().cancel(request);
            case AWAITING_CHANNEL -> request.namespace().device().cancel(request);
            case THROTTLED -> request.qosLine().remove(request);
            case HELD -> controller.asyncEvents().forget(request);
            default ->
            {
                return false;
            }
        }
        return true;
    }

    private void free(final Request request)
    {
        final NamespaceChannel namespace = request.namespace();
        if (null != namespace)
        {
            if (request.blockRequest().lent())
            {
                namespace.device().giveBack(request);
            }
            namespace.unbind(request);
        }
        if (0 != request.bufferAddress())
        {
            pollGroup.payloads().release(request);
        }
        requests.remove(request);
        pollGroup.requests().release(request);
    }
}
