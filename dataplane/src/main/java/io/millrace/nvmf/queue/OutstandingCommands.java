package io.millrace.nvmf.queue;

import io.millrace.memory.BufferPool;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.nvmf.request.DeviceChannel;
import io.millrace.nvmf.request.NamespaceChannel;
import io.millrace.nvmf.request.PayloadBuffers;
import io.millrace.nvmf.request.Request;
import io.millrace.nvmf.request.RequestPhase;
import io.millrace.nvmf.request.RequestShare;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The outstanding commands of a queue pair and their resources: slot, tag, command identifier, position in a queue,
 * buffer, loan, namespace. Every command that {@link #begin began} is {@link #free freed} once. As many as the queue
 * has entries, those included whose answers have not left. Its queue pair's reactor only; nothing is allocated but when
 * the table grows.
 */
public final class OutstandingCommands
{
    private final QueuePair queuePair;
    private final SubmissionQueue submissionQueue;
    private final RequestTable requests = new RequestTable();
    private final ReactorResources resources;
    private RequestShare share;

    /**
     * Creates an empty instance.
     *
     * @param queuePair       of the commands.
     * @param submissionQueue that they came in.
     * @param resources       of its reactor.
     */
    OutstandingCommands(
        final QueuePair queuePair, final SubmissionQueue submissionQueue, final ReactorResources resources)
    {
        this.queuePair = queuePair;
        this.submissionQueue = submissionQueue;
        this.resources = resources;
        share = resources.requests().join(queuePair.transport().address());
    }

    /**
     * The connection is gone. Commands that are at a device still end here.
     */
    void onLeft()
    {
        resources.requests().leave(share);
    }

    /**
     * {@return whether there is a slot for the next command; false when its capsule has to wait, as answers of
     * earlier ones have not left or others have the slots}
     */
    boolean hasRoom()
    {
        return requests.hasRoom(submissionQueue.depth()) && resources.requests().mayAcquire(requests.used(), share);
    }

    /**
     * A slot for the next command, with its tag set and the entry copied in.
     *
     * @param source that holds the submission queue entry.
     * @param offset of the entry in it.
     * @return null when the host has more commands outstanding than its queue holds, or when there is no slot.
     */
    Request begin(final UnsafeBuffer source, final int offset)
    {
        if (submissionQueue.isFull())
        {
            return null;
        }
        if (!hasRoom())
        {
            resources.requests().onWait();
            return null;
        }
        final Request request = resources.requests().acquire(requests.used(), share);
        request.begin(source, offset);
        request.owner(queuePair);
        request.startNs(resources.reactor().nowNs());
        requests.add(request, submissionQueue.depth());
        submissionQueue.onBegun();
        return request;
    }

    /**
     * Marks the identifier of a command as in use.
     *
     * @param request of the command.
     * @return false when another command has it.
     */
    boolean claimId(final Request request)
    {
        return submissionQueue.claim(request) ||
            forgetAsyncEventRequest(request.entry().commandId()) && submissionQueue.claim(request);
    }

    /**
     * SPDK's host drops its asynchronous event requests before it shuts a controller down, without aborting them, and
     * reuses their command identifiers. An event request can be discarded: the new command takes its place.
     */
    private boolean forgetAsyncEventRequest(final int commandId)
    {
        final Request forgotten = QueuePairState.ADMIN == queuePair.state() ?
            queuePair.association().asyncEvents().forget(commandId) : null;
        if (null == forgotten)
        {
            return false;
        }
        discard(forgotten);
        return true;
    }

    /**
     * {@return whether there is none, those included whose answers are leaving}
     */
    boolean isEmpty()
    {
        return requests.isEmpty();
    }

    /**
     * {@return whether one of them changes what its device holds; all are at their devices}
     */
    boolean isAnyChangingData()
    {
        return requests.isAnyChangingData();
    }

    /**
     * {@return whether a command that came earlier uses something that commands may not use any more}
     *
     * @param refusal that says which.
     */
    boolean isAnyRefused(final CommandRefusal refusal)
    {
        for (int tag = 0; tag < requests.size(); tag++)
        {
            if (NvmeStatus.SUCCESS != statusOf(requests.get(tag), refusal))
            {
                return true;
            }
        }
        return false;
    }

    private static int statusOf(final Request request, final CommandRefusal refusal)
    {
        return null == request || null == request.namespace() ? NvmeStatus.SUCCESS : refusal.status(request);
    }

    /**
     * {@return the commands that are refused and have not ended, by namespace; allocates}
     *
     * @param refusal that says which.
     */
    List<UnfinishedCommands> unfinished(final CommandRefusal refusal)
    {
        final List<UnfinishedCommands> found = new ArrayList<>();
        for (int tag = 0; tag < requests.size(); tag++)
        {
            final Request request = requests.get(tag);
            if (NvmeStatus.SUCCESS != statusOf(request, refusal))
            {
                final Namespace namespace = request.namespace().namespace();
                found.add(new UnfinishedCommands(namespace.device().name(), namespace.nsid(), 1));
            }
        }
        return UnfinishedCommands.sum(found);
    }

    /**
     * {@return the command that has an identifier and was not answered; null when there is none}
     *
     * @param commandId command identifier, below 65,536.
     */
    Request find(final int commandId)
    {
        for (int tag = 0; tag < requests.size(); tag++)
        {
            final Request request = requests.get(tag);
            if (null != request && request.holdsCommandId() && commandId == request.entry().commandId())
            {
                return request;
            }
        }
        return null;
    }

    /**
     * Removes a command from the queue that it waits in, that of the device's emulation included.
     *
     * @param request of the command.
     * @return false when it waits in none.
     */
    boolean withdraw(final Request request)
    {
        switch (request.phase())
        {
            case AWAITING_BUFFER, CAPSULE_AWAITING_BUFFER -> PayloadBuffers.cancel(request);
            case AWAITING_DEVICE, AWAITING_CHANNEL -> request.namespace().device().cancel(request);
            case AWAITING_OPEN -> request.namespace().device().openQueue().cancel(request);
            case THROTTLED, CAPSULE_THROTTLED -> request.throttleQueue().remove(request);
            case AWAITING_NEXT_TURN -> resources.adminTimeBudget().cancel(request);
            case AWAITING_EVENT -> queuePair.association().asyncEvents().forget(request);
            case SUBMITTED ->
            {
                return withdrawEmulated(request);
            }
            default ->
            {
                return false;
            }
        }
        return true;
    }

    private static boolean withdrawEmulated(final Request request)
    {
        final DeviceChannel device = request.namespace().device();
        if (!device.withdraw(request))
        {
            return false;
        }
        if (0 != request.bufferAddress())
        {
            device.onReturned(request);
        }
        return true;
    }

    /**
     * Sends no more of a command to its device where the command is emulated; it ends when the device is done with the
     * parts that it has.
     *
     * @param request of the command, which was not {@link #withdraw withdrawn}.
     */
    void stopEmulation(final Request request)
    {
        if (RequestPhase.SUBMITTED == request.phase())
        {
            request.namespace().device().stopEmulation(request);
        }
    }

    /**
     * Ends commands that are refused, if nobody has something of them: not those whose data was asked for, and not
     * those at a device. Answers that wait to be sent let go of their namespace.
     *
     * @param refusal that says which, and what they end with.
     */
    public void endWaiting(final CommandRefusal refusal)
    {
        for (int tag = 0; tag < requests.size(); tag++)
        {
            final Request request = requests.get(tag);
            final int status = statusOf(request, refusal);
            if (NvmeStatus.SUCCESS != status)
            {
                endWaiting(request, status);
            }
        }
    }

    private void endWaiting(final Request request, final int status)
    {
        switch (request.phase())
        {
            case AWAITING_BUFFER, AWAITING_DEVICE, AWAITING_CHANNEL, AWAITING_OPEN, THROTTLED ->
            {
                withdraw(request);
                fail(request, status);
            }
            case SUBMITTED ->
            {
                if (withdraw(request))
                {
                    fail(request, status);
                }
            }
            case RECEIVING ->
            {
                if (queuePair.transport().cancelReceive(request))
                {
                    fail(request, status);
                }
            }
            case CAPSULE_AWAITING_BUFFER, CAPSULE_THROTTLED ->
            {
                // Its transport retries the capsule, which is refused then. The command stays bound until then: the
                // namespace's id may be another one's by then.
                withdraw(request);
                request.phase(RequestPhase.CAPSULE_BUFFERED);
            }
            case RESPONDING ->
            {
                if (!queuePair.transport().isSending(request) && request.copyLoan())
                {
                    request.namespace().unbind(request);
                }
            }
            default ->
            {
                // At the device, or on its way there.
            }
        }
    }

    private void fail(final Request request, final int status)
    {
        request.namespace().unbind(request);
        request.phase(RequestPhase.EXECUTING);
        queuePair.complete(request, status);
    }

    /**
     * {@return whether a command that is refused has not ended for want of its host's part}
     *
     * @param refusal that says which.
     */
    public boolean isAnyWithHost(final CommandRefusal refusal)
    {
        for (int tag = 0; tag < requests.size(); tag++)
        {
            final Request request = requests.get(tag);
            if (NvmeStatus.SUCCESS != statusOf(request, refusal) && isWithHost(request.phase()))
            {
                return true;
            }
        }
        return false;
    }

    private static boolean isWithHost(final RequestPhase phase)
    {
        return RequestPhase.RECEIVING == phase || RequestPhase.SENDING_PART == phase ||
            RequestPhase.RESPONDING == phase;
    }

    /**
     * Adds all commands to a report.
     *
     * @param usage to add them to.
     */
    void addTo(final BufferUsage usage)
    {
        for (int tag = 0; tag < requests.size(); tag++)
        {
            final Request request = requests.get(tag);
            if (null != request)
            {
                usage.add(queuePair, request,
                    0 == request.bufferAddress() ? 0 : BufferPool.bufferBytes(request.pooledLength()));
            }
        }
    }

    /**
     * A command is not outstanding any more: its identifier is free, and so is its buffer unless that is sent.
     *
     * @param request of the command.
     */
    void end(final Request request)
    {
        submissionQueue.end(request);
        if (0 != request.bufferAddress() && !request.sendsData())
        {
            PayloadBuffers.release(request);
        }
    }

    /**
     * Ends a command without an answer, as if it had not come.
     *
     * @param request of the command, which waits in no line.
     */
    void discard(final Request request)
    {
        submissionQueue.end(request);
        free(request);
    }

    /**
     * Ends all commands, as their connection is gone, but those at a device: that may still touch their memory, and
     * they are freed when it completes them. Of those that are emulated, the device gets no further part.
     */
    void dropAll()
    {
        for (int tag = 0; tag < requests.size(); tag++)
        {
            final Request request = requests.get(tag);
            if (null != request)
            {
                drop(request);
            }
        }
    }

    private void drop(final Request request)
    {
        switch (request.phase())
        {
            case STEPPING, STEP_DONE ->
            {
                // The next step is not begun.
            }
            case SUBMITTED ->
            {
                if (withdraw(request))
                {
                    free(request);
                }
                else
                {
                    stopEmulation(request);
                }
            }
            default ->
            {
                withdraw(request);
                free(request);
            }
        }
    }

    /**
     * Releases all resources of a command, its slot last.
     *
     * @param request of the command; another one's from now on.
     */
    void free(final Request request)
    {
        final NamespaceChannel namespace = request.namespace();
        if (null != namespace)
        {
            if (request.blockRequest().lent())
            {
                namespace.device().releaseLoan(request);
            }
            namespace.unbind(request);
        }
        if (0 != request.bufferAddress())
        {
            PayloadBuffers.release(request);
        }
        requests.remove(request);
        resources.requests().release(request, requests.used(), share);
    }
}
