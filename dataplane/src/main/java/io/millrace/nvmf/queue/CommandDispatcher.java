package io.millrace.nvmf.queue;

import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.nvmf.qos.QosStage;
import io.millrace.nvmf.request.AdminTimeBudget;
import io.millrace.nvmf.request.NamespaceChannel;
import io.millrace.nvmf.request.QueuePairTransport;
import io.millrace.nvmf.request.Request;
import io.millrace.nvmf.request.RequestPayload;
import io.millrace.nvmf.request.RequestPhase;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Dispatches the commands of a queue pair: a transport begins them here, has them executed, and delivers their data;
 * commands that had to wait are resumed here. They end with {@code QueuePair.complete}. Its queue pair's reactor only;
 * nothing is allocated.
 */
public final class CommandDispatcher
{
    private final QueuePair queuePair;
    private final OutstandingCommands outstandingCommands;
    private final QueuePairMeter meter;
    private final ReactorResources resources;
    /** Commands that came and whose turn it is not yet. */
    private int awaitingTurn;

    /**
     * Creates the dispatcher of a queue pair.
     *
     * @param queuePair    that the commands are for.
     * @param outstandingCommands commands that are outstanding.
     * @param meter        that counts them.
     * @param resources    of its reactor.
     */
    CommandDispatcher(
        final QueuePair queuePair,
        final OutstandingCommands outstandingCommands,
        final QueuePairMeter meter,
        final ReactorResources resources)
    {
        this.queuePair = queuePair;
        this.outstandingCommands = outstandingCommands;
        this.meter = meter;
        this.resources = resources;
    }

    /**
     * A slot for the next command, with its tag set and the entry copied in.
     *
     * @param source that holds the submission queue entry.
     * @param offset of the entry in it.
     * @return null when the host has more commands outstanding than its queue holds: the transport ends the
     *     connection; or
     *     when the command {@link #awaitsSlot has to wait}: the transport keeps the capsule, parses nothing behind
     *     it, and
     *     calls again once {@link #hasSlot()}.
     */
    public Request begin(final UnsafeBuffer source, final int offset)
    {
        return queuePair.state().isGone() ? null : outstandingCommands.begin(source, offset);
    }

    /**
     * {@return whether a command that {@link #begin} did not take is one that has to wait}
     *
     * @param before how many others wait already.
     */
    public boolean awaitsSlot(final int before)
    {
        return !queuePair.state().isGone() && queuePair.outstanding() + before < queuePair.depth();
    }

    /**
     * {@return whether there is a slot for a command that waits for one}
     */
    public boolean hasSlot()
    {
        return !awaitsSlot(0) || outstandingCommands.hasRoom();
    }

    /**
     * Executes a command. Data that came in the capsule has been named with {@link Request#inCapsuleData}; it is read
     * within this call only.
     *
     * @param request from {@link #begin}.
     * @return false when it cannot be executed now, for example because there is no buffer for the data that came in
     *     the capsule: the transport keeps the capsule, parses nothing behind it, and calls again with the same
     *     request, its data named again, in a later poll, until this is true.
     */
    public boolean onCommand(final Request request)
    {
        if (RequestPhase.EXECUTING != request.phase())
        {
            return retryCapsule(request);
        }
        if (resources.qos().isPaused() && QueuePairState.IO == queuePair.state() &&
            AdminOpcode.FABRICS != request.entry().opcode())
        {
            request.phase(RequestPhase.PAUSED);
            return false;
        }
        if (!hasTurn())
        {
            request.phase(RequestPhase.AWAITING_TIME_BUDGET);
            awaitingTurn++;
            return false;
        }
        meter.onCommand(resources.reactor().nowNs());
        if (!outstandingCommands.claimId(request))
        {
            queuePair.complete(request, NvmeStatus.COMMAND_ID_CONFLICT | NvmeStatus.DO_NOT_RETRY);
            return true;
        }
        return dispatchCapsule(request);
    }

    /**
     * {@return whether {@link #onCommand} can succeed now for a capsule that is kept}
     *
     * @param request of the capsule.
     */
    public boolean isResumable(final Request request)
    {
        return switch (request.phase())
        {
            case PAUSED -> !resources.qos().isPaused();
            case AWAITING_TIME_BUDGET, CAPSULE_BUFFERED -> hasTurn();
            case CAPSULE_THROTTLED -> !resources.qos().isPaused() && resources.qos().hasRoom(request);
            case CAPSULE_AWAITING_BUFFER -> false;
            case CAPSULE_AWAITING_OPEN -> !isAwaitingOpen(request);
            default -> true;
        };
    }

    /**
     * {@return whether a command has come whose turn it is not yet, however long ago: what is behind it has not been
     * looked at}
     */
    public boolean isAwaitingTurn()
    {
        return 0 != awaitingTurn;
    }

    /**
     * All data that {@link QueuePairTransport#receiveData} asked for is there.
     *
     * @param request whose data it is.
     */
    public void onDataReceived(final Request request)
    {
        request.payload(RequestPayload.RECEIVED);
        goOn(request);
    }

    /**
     * A part of a payload has left that is not {@link Request#isLastPart() the last}: the next one follows.
     *
     * @param request whose payload it is.
     */
    public void onPartSent(final Request request)
    {
        request.sendsData(false);
        request.endPart();
        goOn(request);
    }

    /**
     * The data that {@link QueuePairTransport#receiveData} asked for arrived corrupted, such as with a wrong data
     * digest; for corrupted data of a capsule this is called instead of {@link #onCommand}. The command fails, the
     * connection continues.
     *
     * @param request whose data it was.
     * @param status  to fail it with, of {@code NvmeStatus}; usually {@code TRANSIENT_TRANSPORT_ERROR}.
     */
    public void onDataError(final Request request, final int status)
    {
        queuePair.complete(request, status);
    }

    /**
     * What a command waited for is there.
     *
     * @param request of the command, removed from the queue that it waited in.
     */
    void resume(final Request request)
    {
        switch (request.phase())
        {
            case AWAITING_BUFFER -> goOn(request);
            case AWAITING_NEXT_TURN, AWAITING_DEVICE -> execute(request);
            case AWAITING_OPEN ->
            {
                request.namespace().unbind(request);
                execute(request);
            }
            case THROTTLED, CAPSULE_THROTTLED -> onPassed(request);
            default -> throw new IllegalStateException("a command that is " + request.phase() + " waits for nothing");
        }
    }

    private void execute(final Request request)
    {
        request.phase(RequestPhase.EXECUTING);
        dispatch(request);
    }

    /** Goes on with a command that had to wait, in this cycle if it may. */
    private void goOn(final Request request)
    {
        if (hasTurn())
        {
            execute(request);
        }
        else
        {
            resources.adminTimeBudget().await(request);
        }
    }

    private boolean hasTurn()
    {
        return QueuePairState.ADMIN != queuePair.state() || resources.adminTimeBudget().hasTime();
    }

    private boolean isAwaitingOpen(final Request request)
    {
        final NamespaceChannel namespace = queuePair.channels().get(request.entry().namespaceId());
        return null != namespace && namespace.device().openQueue().mayWait(request);
    }

    private void onPassed(final Request request)
    {
        request.qosStage(QosStage.AT_HOST == request.qosStage() ? QosStage.AT_NAMESPACE : QosStage.PASSED);
        if (RequestPhase.CAPSULE_THROTTLED == request.phase())
        {
            // It stays bound: what has become of its namespace is looked at when its transport comes again.
            request.phase(RequestPhase.CAPSULE_BUFFERED);
            return;
        }
        // It has begun nothing, so its namespace is checked again.
        final NamespaceChannel namespace = request.namespace();
        namespace.unbind(request);
        if (namespace.isRetired())
        {
            request.phase(RequestPhase.EXECUTING);
            // Another one may have its id by now, for which the command was not meant, nor its range checked.
            queuePair.complete(request, NvmeStatus.INVALID_NAMESPACE | NvmeStatus.DO_NOT_RETRY);
        }
        else
        {
            execute(request);
        }
    }

    private boolean retryCapsule(final Request request)
    {
        if (!isResumable(request))
        {
            return false;
        }
        awaitingTurn -= RequestPhase.AWAITING_TIME_BUDGET == request.phase() ? 1 : 0;
        if (RequestPhase.CAPSULE_THROTTLED == request.phase())
        {
            // There is room for its data, with which it waits on.
            outstandingCommands.withdraw(request);
        }
        final boolean isNew = RequestPhase.PAUSED == request.phase() ||
            RequestPhase.AWAITING_TIME_BUDGET == request.phase();
        request.phase(RequestPhase.EXECUTING);
        return isNew ? onCommand(request) : dispatchCapsule(request);
    }

    /**
     * {@return whether the transport may release the capsule}
     */
    private boolean dispatchCapsule(final Request request)
    {
        final int serial = request.serial();
        dispatch(request);
        return serial != request.serial() || switch (request.phase())
        {
            case CAPSULE_AWAITING_BUFFER, CAPSULE_BUFFERED, CAPSULE_THROTTLED, CAPSULE_AWAITING_OPEN -> false;
            default -> true;
        };
    }

    private void dispatch(final Request request)
    {
        final SubmissionQueueEntry entry = request.entry();
        final QueuePairState state = queuePair.state();
        if (AdminOpcode.FABRICS == entry.opcode())
        {
            resources.fabrics().execute(queuePair, request);
        }
        else if (QueuePairState.IO == state)
        {
            resources.io().execute(queuePair, request);
        }
        else if (QueuePairState.ADMIN == state)
        {
            final AdminTimeBudget turn = resources.adminTimeBudget();
            final long startNs = turn.begin();
            resources.admin().execute(queuePair, request);
            turn.end(startNs);
        }
        else if (QueuePairState.NEW == state)
        {
            queuePair.complete(request, NvmeStatus.COMMAND_SEQUENCE_ERROR | NvmeStatus.DO_NOT_RETRY);
        }
        else
        {
            queuePair.complete(request, NvmeStatus.ABORTED_SQ_DELETION);
        }
    }
}
