package io.millrace.nvmf.queue;

import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.FabricsType;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.nvmf.request.Request;

/**
 * The target's view of the host's submission queue: outstanding commands, their identifiers, and the head that is
 * reported to the host (NVM Express Base 2.0, sections 3.3.2 and 6.4). Single-threaded.
 */
final class SubmissionQueue
{
    private static final int HEAD_NO_FLOW_CONTROL = 0xFFFF;
    private static final int HEAD_REPORTS_PER_ROUND = 4;
    private static final int COMMAND_IDS = 1 << 16;

    private int depth;
    private boolean flowControl = true;
    /** A bit for each command identifier in use, since a host may choose any; null before Connect. */
    private long[] usedIds;
    private int outstanding;
    private int head;
    private int reportedHead;

    /**
     * Makes a queue before its Connect command: with flow control, and with any identifiers.
     *
     * @param depth how many commands a host may have outstanding.
     */
    SubmissionQueue(final int depth)
    {
        this.depth = depth;
    }

    /**
     * The Connect command is right.
     *
     * @param entries         of the queue.
     * @param usesFlowControl whether the host reads the head.
     */
    void onConnected(final int entries, final boolean usesFlowControl)
    {
        depth = entries;
        flowControl = usesFlowControl;
        usedIds = new long[COMMAND_IDS / Long.SIZE];
    }

    int depth()
    {
        return depth;
    }

    int outstanding()
    {
        return outstanding;
    }

    boolean isFull()
    {
        return outstanding >= depth;
    }

    void onBegun()
    {
        outstanding++;
    }

    /**
     * Marks the identifier of a command as in use.
     *
     * @param request of the command.
     * @return false when another command has it.
     */
    boolean claim(final Request request)
    {
        if (null != usedIds)
        {
            final int commandId = request.entry().commandId();
            final int index = commandId >>> 6;
            final long bit = 1L << commandId;
            if (0 != (usedIds[index] & bit))
            {
                return false;
            }
            usedIds[index] |= bit;
            request.holdsCommandId(true);
        }
        return true;
    }

    /**
     * A command is not outstanding any more.
     *
     * @param request of the command.
     */
    void end(final Request request)
    {
        if (request.holdsCommandId())
        {
            request.holdsCommandId(false);
            final int commandId = request.entry().commandId();
            usedIds[commandId >>> 6] &= ~(1L << commandId);
        }
        outstanding--;
    }

    /**
     * A command is answered: decides whether the head must be reported with the answer.
     *
     * @param request of the command.
     */
    void onAnswered(final Request request)
    {
        head++;
        if (head >= depth)
        {
            head = 0;
        }
        final boolean isOptional = isCompletionOptional(request);
        request.completionOptional(isOptional);
        if (!isOptional)
        {
            reportedHead = head;
        }
    }

    /**
     * {@return the head for the completion of a command}
     *
     * @param entry of the command.
     */
    int completionHead(final SubmissionQueueEntry entry)
    {
        if (flowControl)
        {
            return head;
        }
        // The head is reserved when flow control is off, but for the answer to Connect, which says so.
        return AdminOpcode.FABRICS == entry.opcode() && FabricsType.CONNECT == FabricsType.of(entry) ?
            HEAD_NO_FLOW_CONTROL : 0;
    }

    /**
     * A host with flow control sends only as many commands as fit behind the last reported head, so the head is
     * reported often enough that it never waits for it.
     */
    private boolean isCompletionOptional(final Request request)
    {
        if (!request.sendsData() || NvmeStatus.SUCCESS != request.status() ||
            0 != (request.result0() | request.result1()))
        {
            return false;
        }
        final int unreported = head - reportedHead + (head < reportedHead ? depth : 0);
        return !flowControl || unreported < depth / HEAD_REPORTS_PER_ROUND;
    }
}
