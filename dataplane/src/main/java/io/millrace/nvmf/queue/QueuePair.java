package io.millrace.nvmf.queue;

import io.millrace.memory.BufferShare;
import io.millrace.nvme.CompletionQueueEntry;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.PollGroup;
import io.millrace.nvmf.request.HostChannel;
import io.millrace.nvmf.request.QueuePairTransport;
import io.millrace.nvmf.request.Request;
import io.millrace.nvmf.request.RequestOwner;
import io.millrace.nvmf.request.RequestPhase;
import io.millrace.nvmf.transport.LocalDevice;
import io.millrace.nvmf.transport.TransportAddress;

/**
 * A submission and a completion queue over one connection: admin (id 0) or I/O. Lives on one reactor; every call is
 * made there, those of others by {@link #execute}. Made by {@link PollGroup#newQueuePair} when a connection is
 * accepted, before its Connect command. It lives as long as its connection, and answers commands.
 * {@link CommandDispatcher} dispatches them, {@code OutstandingCommands} has their resources.
 */
public final class QueuePair implements RequestOwner
{
    /** Commands that a host may have outstanding before Connect: the Connect command alone. */
    private static final int DEPTH_BEFORE_CONNECT = 1;

    private final ReactorResources resources;
    private final QueuePairTransport transport;
    private final TransportAddress local;
    private volatile String remote;
    /** Written before the address of the host, after which others read it. */
    private LocalDevice device = LocalDevice.NONE;

    private final SubmissionQueue submissionQueue = new SubmissionQueue(DEPTH_BEFORE_CONNECT);
    private final OutstandingCommands outstandingCommands;
    private final QueuePairMeter meter;
    private final CommandDispatcher dispatcher;

    private QueuePairState state = QueuePairState.NEW;
    private int id;
    private Association association;
    private SubsystemChannels channels;
    private HostChannel host;
    private BufferShare share;
    private BufferShare capsuleShare;
    /** Host whose buffers it shares. */
    private String bufferHost;
    private Request disconnectAnswer;
    private String disconnectReason;
    private String endReason = "";
    /** All its resources are released; {@link #state} says whether its host may see that it has ended. */
    private boolean isDrained;

    QueuePair(final ReactorResources resources, final QueuePairTransport transport, final TransportAddress local)
    {
        this.resources = resources;
        this.transport = transport;
        this.local = local;
        meter = new QueuePairMeter(resources);
        share = resources.payloads().preConnectShare();
        capsuleShare = share;
        outstandingCommands = new OutstandingCommands(this, submissionQueue, resources);
        dispatcher = new CommandDispatcher(this, outstandingCommands, meter, resources);
    }

    /**
     * {@return dispatcher of its commands}
     */
    public CommandDispatcher dispatcher()
    {
        return dispatcher;
    }

    /**
     * Runs a task on its reactor. Any thread.
     *
     * @param task to run; must not throw.
     */
    public void execute(final Runnable task)
    {
        resources.reactor().execute(task);
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
        outstandingCommands.free(request);
        if (ends)
        {
            disconnectAnswer = null;
            disconnect(disconnectReason);
        }
    }

    /**
     * A batch of responses has been reported with {@link #onSent}.
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
        outstandingCommands.dropAll();
        if (null != association)
        {
            resources.payloads().leave(bufferHost);
            if (0 != id)
            {
                association.onDraining();
            }
        }
        outstandingCommands.onLeft();
        if (null != host)
        {
            channels.releaseHost(host);
        }
        resources.onLeft();
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
     * {@return commands of the host that have not been answered}
     */
    public int outstanding()
    {
        return submissionQueue.outstanding();
    }

    /**
     * {@return controller, queue id and host, for messages; allocates}
     */
    public String describe()
    {
        return null == association ? "queue pair before Connect at " + local :
            "queue " + id + " of " + association.describe() + " at " + local;
    }

    /**
     * {@return what it shares with others of its reactor}
     */
    public ReactorResources resources()
    {
        return resources;
    }

    @Override
    public QueuePairTransport transport()
    {
        return transport;
    }

    /**
     * {@return the address of the target that the host has connected to, which names its transport}
     */
    public TransportAddress local()
    {
        return local;
    }

    /**
     * {@return its state}
     */
    public QueuePairState state()
    {
        return state;
    }

    /**
     * {@return the association that it is a queue of; null before Connect}
     */
    public Association association()
    {
        return association;
    }

    /**
     * {@return channels of its subsystem on this reactor; null before Connect}
     */
    public SubsystemChannels channels()
    {
        return channels;
    }

    @Override
    public HostChannel host()
    {
        return host;
    }

    /**
     * {@return address of its host when it connected; null before}
     */
    String remote()
    {
        return remote;
    }

    @Override
    public BufferShare share()
    {
        return share;
    }

    @Override
    public BufferShare capsuleShare()
    {
        return capsuleShare;
    }

    /**
     * {@return its outstanding commands}
     */
    public OutstandingCommands outstandingCommands()
    {
        return outstandingCommands;
    }

    /**
     * {@return its counters}
     */
    public QueuePairMeter meter()
    {
        return meter;
    }

    /**
     * Its Connect command is right: becomes a queue of a controller.
     *
     * @param owner       association.
     * @param queueId     0 for the admin queue.
     * @param entries     of the queue.
     * @param flowControl whether the host reads the submission queue head.
     * @param subsystemChannels of its reactor.
     */
    public void connect(
        final Association owner,
        final int queueId,
        final int entries,
        final boolean flowControl,
        final SubsystemChannels subsystemChannels)
    {
        association = owner;
        id = queueId;
        submissionQueue.onConnected(entries, flowControl);
        channels = subsystemChannels;
        // Hosts may use any name, so those at one address share buffers.
        final String address = transport.address();
        bufferHost = address.isEmpty() ? owner.hostNqn() : address;
        share = resources.payloads().join(bufferHost, 0 == queueId);
        capsuleShare = 0 == queueId ? share : resources.payloads().capsuleShare(bufferHost);
        if (0 != queueId)
        {
            host = channels.acquireHost(owner.hostNqn());
            resources.onIoQueue(this);
        }
        state = 0 == queueId ? QueuePairState.ADMIN : QueuePairState.IO;
        meter.onConnected(owner, queueId, entries);
        device = transport.device();
        remote = transport.remote();
    }

    /**
     * The host violated the transport protocol, which ends the connection: the target's listener is notified.
     *
     * @param reason in words.
     */
    public void onProtocolError(final String reason)
    {
        resources.listener().onProtocolError(transport.remote(), reason);
    }

    /**
     * {@return how it is, as it was a moment ago; null before its Connect command was right. Any thread}
     */
    public QueuePairSnapshot snapshot()
    {
        return null == remote ? null : QueuePairSnapshot.of(this, remote, device);
    }

    /**
     * Tells the transport to end the connection.
     *
     * @param reason for the log.
     */
    public void disconnect(final String reason)
    {
        if (!state.isGone() && QueuePairState.DISCONNECTING != state)
        {
            state = QueuePairState.DISCONNECTING;
            transport.disconnect(reason);
        }
    }

    /**
     * Makes the transport end the connection at once, because its host does not send or receive data in time. The
     * reason is reported to the target's listener.
     *
     * @param reason for the log.
     */
    void abortConnection(final String reason)
    {
        if (!state.isGone())
        {
            onProtocolError(reason);
            state = QueuePairState.DISCONNECTING;
            transport.abort(reason);
        }
    }

    /**
     * Ends the connection when an answer has left.
     *
     * @param request whose answer it is.
     * @param reason  for the log.
     */
    public void disconnectAfter(final Request request, final String reason)
    {
        disconnectAnswer = request;
        disconnectReason = reason;
    }

    @Override
    public void resume(final Request request)
    {
        dispatcher.resume(request);
    }

    @Override
    public void complete(final Request request, final int status)
    {
        request.status(status);
        if (NvmeStatus.SUCCESS != status)
        {
            onError(request, status);
        }
        outstandingCommands.end(request);
        if (state.isGone())
        {
            outstandingCommands.free(request);
            closeWhenDrained();
            return;
        }
        submissionQueue.onAnswered(request);
        request.phase(RequestPhase.RESPONDING);
        transport.respond(request);
    }

    /**
     * Sends a part of a command's payload that is not the last.
     *
     * @param request with the part in its buffer. It may be another command's when this returns.
     */
    public void sendPart(final Request request)
    {
        if (state.isGone())
        {
            complete(request, NvmeStatus.ABORTED_SQ_DELETION);
            return;
        }
        request.sendsData(true);
        request.completionOptional(false);
        request.phase(RequestPhase.SENDING_PART);
        transport.respond(request);
    }

    /**
     * Answers a command with data from its buffer.
     *
     * @param request     with a buffer.
     * @param lengthBytes of the data.
     */
    public void completeWithData(final Request request, final int lengthBytes)
    {
        request.data().set(request.bufferAddress(), lengthBytes);
        request.sendsData(true);
        complete(request, NvmeStatus.SUCCESS);
    }

    /**
     * Ends a command that waits, as far as that can be done at once.
     *
     * @param commandId command identifier.
     * @return whether it was ended.
     */
    public boolean abort(final int commandId)
    {
        final Request request = outstandingCommands.find(commandId);
        if (null == request || RequestPhase.CAPSULE_AWAITING_BUFFER == request.phase() ||
            RequestPhase.CAPSULE_THROTTLED == request.phase())
        {
            return false;
        }
        if (!outstandingCommands.withdraw(request))
        {
            outstandingCommands.stopEmulation(request);
            return false;
        }
        complete(request, NvmeStatus.ABORT_REQUESTED);
        return true;
    }

    private void onError(final Request request, final int status)
    {
        meter.onError();
        request.sendsData(false);
        request.endParts();
        if (null != association)
        {
            association.errorLog().add(id, request.entry(), status, 0 == id ? 0 : lba(request));
        }
    }

    /** First block of a command of an I/O queue; 0 when it names none. */
    private static long lba(final Request request)
    {
        return switch (request.entry().opcode())
        {
            case IoOpcode.READ, IoOpcode.WRITE, IoOpcode.COMPARE, IoOpcode.WRITE_ZEROES, IoOpcode.VERIFY,
                IoOpcode.COPY -> request.entry().startingLba();
            // Of the range that the device was at.
            case IoOpcode.DATASET_MANAGEMENT -> 0 == request.stepBlocks() ? 0 : request.blockRequest().lba();
            default -> 0;
        };
    }

    private void closeWhenDrained()
    {
        if (!isDrained && outstandingCommands.isEmpty())
        {
            isDrained = true;
            resources.onIoQueueLeft(this);
            transport.onDrained();
        }
        if (QueuePairState.DRAINING == state && !outstandingCommands.isAnyChangingData())
        {
            state = QueuePairState.CLOSED;
            if (null != association)
            {
                association.onDisconnected(this, endReason);
            }
        }
    }
}
