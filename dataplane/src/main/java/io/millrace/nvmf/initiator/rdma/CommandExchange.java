package io.millrace.nvmf.initiator.rdma;

import io.millrace.nvme.CompletionQueueEntry;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.initiator.CapsuleLimits;
import io.millrace.nvmf.initiator.CommandTable;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.HostRequest;
import io.millrace.rdma.RdmaException;
import io.millrace.rdma.endpoint.RdmaConnection;
import io.millrace.rdma.endpoint.RdmaQueuePair;
import java.util.function.Consumer;

/**
 * Commands and their answers on one queue: commands that have to wait for room are sent in their order, and each is
 * completed once, when its answer has come and the device has let go of its capsule. One queue's, on its reactor.
 */
final class CommandExchange
{
    private final HostPollGroup group;
    private final QueueMemory memory;
    private final BounceBuffer bounce;
    private final CapsuleSender sender;
    private final CommandTable commands;
    private final Consumer<String> failureConsumer;
    private final CompletionQueueEntry answer = new CompletionQueueEntry();
    private RdmaQueuePair queuePair;
    private HostRequest waitingHead;
    private HostRequest waitingTail;

    /**
     * Maps what the queue needs.
     *
     * @param group           whose clock completions carry.
     * @param slotMax         most commands outstanding at once.
     * @param failureConsumer ends the connection for a reason; it does not call back.
     */
    CommandExchange(
        final HostPollGroup group, final int slotMax, final Consumer<String> failureConsumer)
    {
        this.group = group;
        this.failureConsumer = failureConsumer;
        commands = new CommandTable(slotMax);
        // One answer more than may be expected, so that one too many is found out.
        memory = new QueueMemory(slotMax, slotMax + 1);
        bounce = new BounceBuffer(RdmaHostTransport.TRANSFER_BYTES_MAX);
        sender = new CapsuleSender(memory, bounce);
    }

    CommandTable commands()
    {
        return commands;
    }

    CapsuleSender sender()
    {
        return sender;
    }

    BounceBuffer bounce()
    {
        return bounce;
    }

    /**
     * Begins with a connection that has a queue pair: receives answers from now on.
     *
     * @param connection  of the queue.
     * @param limits      of its capsules.
     * @param responses   that may come at once.
     * @param bounceBytes of the bounce buffer.
     * @throws io.millrace.rdma.RdmaException when memory cannot be registered, with what to check.
     */
    void open(
        final RdmaConnection connection, final CapsuleLimits limits, final int responses, final int bounceBytes)
    {
        queuePair = connection.queuePair();
        sender.open(connection, limits);
        bounce.lengthBytes(bounceBytes);
        memory.register(connection.domain());
        for (int i = 0; i < responses; i++)
        {
            postReceive(i);
        }
    }

    private void postReceive(final int index)
    {
        queuePair.segment(memory.address(memory.responseOffset(index)), QueueMemory.RESPONSE_BYTES, memory.localKey());
        queuePair.postReceive(index);
    }

    /**
     * Ends with a connection, whose queue pair is gone: the device and the peer use no memory of a command any more.
     *
     * @return the first of the commands that were outstanding, the others linked to it; null when there was none.
     */
    HostRequest close()
    {
        waitingHead = null;
        waitingTail = null;
        memory.deregister();
        bounce.deregister();
        return commands.removeAll();
    }

    /**
     * Takes a command. The connection is ready.
     *
     * @param request filled and idle.
     * @return false when there is no room.
     */
    boolean submit(final HostRequest request)
    {
        if (commands.isFull())
        {
            return false;
        }
        commands.add(request, group.nowNs());
        request.transfer().bounceAddress = BounceBuffer.NONE;
        request.transfer().isSending = false;
        request.transfer().isWaiting = false;
        request.transfer().next = null;
        if (null != waitingHead || !send(request))
        {
            await(request);
        }
        return true;
    }

    /** {@return false when it has to wait} */
    private boolean send(final HostRequest request)
    {
        final CapsuleSender.Outcome outcome;
        try
        {
            outcome = sender.send(request);
        }
        catch (final RdmaException e)
        {
            // The command is lost with the connection.
            failureConsumer.accept(e.getMessage());
            return true;
        }
        if (CapsuleSender.Outcome.TOO_LONG == outcome)
        {
            // Completed later, since its submitter is not prepared for that now.
            request.result(0, 0);
            request.transfer().answerStatus = NvmeStatus.INVALID_FIELD | NvmeStatus.DO_NOT_RETRY;
            commands.answered(request);
        }
        return CapsuleSender.Outcome.WAITS != outcome;
    }

    private void await(final HostRequest request)
    {
        request.transfer().isWaiting = true;
        if (null == waitingHead)
        {
            waitingHead = request;
        }
        else
        {
            waitingTail.transfer().next = request;
        }
        waitingTail = request;
    }

    /**
     * {@return whether commands wait for room}
     */
    boolean hasWaiting()
    {
        return null != waitingHead;
    }

    /**
     * Sends commands that waited, while there is room.
     *
     * @return how many.
     */
    int sendWaiting()
    {
        int count = 0;
        while (null != waitingHead)
        {
            final HostRequest request = waitingHead;
            final HostRequest next = request.transfer().next;
            if (!send(request))
            {
                break;
            }
            waitingHead = next;
            request.transfer().isWaiting = false;
            request.transfer().next = null;
            count++;
        }
        return count;
    }

    /**
     * The device has let go of a capsule.
     *
     * @param commandId of its command.
     */
    void onSent(final int commandId)
    {
        final HostRequest request = commands.lookUp(commandId);
        if (null != request)
        {
            request.transfer().isSending = false;
            completeAnswered();
        }
    }

    /**
     * {@return whether commands are answered and not completed}
     */
    boolean hasAnswered()
    {
        return commands.hasAnswered();
    }

    /** Completes commands that were answered and whose capsules the device has let go of meanwhile. */
    void completeAnswered()
    {
        HostRequest request = commands.takeAnswered();
        while (null != request)
        {
            final HostRequest next = request.takeNextAnswered();
            if (request.transfer().isSending)
            {
                commands.keepAnswered(request);
            }
            else
            {
                finish(request, request.transfer().answerStatus);
            }
            request = next;
        }
    }

    /**
     * Takes an answer.
     *
     * @param index of the receive request.
     * @param bytes of the message.
     * @return null when it was one; else what is wrong with it, as a clause.
     */
    String onResponse(final int index, final int bytes)
    {
        if (QueueMemory.RESPONSE_BYTES != bytes)
        {
            return "an answer of " + bytes + " bytes where " + QueueMemory.RESPONSE_BYTES + " were expected";
        }
        answer.wrap(memory.buffer(), memory.responseOffset(index));
        final int commandId = answer.commandId();
        final HostRequest request = commands.find(commandId);
        if (null == request)
        {
            return "an answer to command 0x" + Integer.toHexString(commandId) +
                (commands.isAnswered(commandId) ? ", which was answered before" : ", which is not outstanding");
        }
        if (request.transfer().isWaiting || !sender.hasLeft(request))
        {
            return "an answer to command 0x" + Integer.toHexString(commandId) + ", which has not been sent";
        }
        final int status = NvmeStatus.ofField(answer.statusField());
        request.result(answer.result0(), answer.result1());
        postReceive(index);
        if (request.transfer().isSending)
        {
            request.transfer().answerStatus = status;
            commands.answered(request);
        }
        else
        {
            finish(request, status);
        }
        return null;
    }

    private void finish(final HostRequest request, final int status)
    {
        sender.release(request, NvmeStatus.SUCCESS == status);
        commands.remove(request);
        request.complete(status, group.nowNs());
        if (null != waitingHead)
        {
            sendWaiting();
        }
    }

    /** Unmaps what the queue used. It is closed. */
    void free()
    {
        memory.close();
        bounce.close();
    }
}
