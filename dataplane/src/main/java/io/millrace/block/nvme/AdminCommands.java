package io.millrace.block.nvme;

import io.millrace.block.nvme.queue.ControllerFailure;
import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.FeatureId;
import io.millrace.nvme.LogPageId;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.nvme.identify.IdentifyCns;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Admin commands that the driver uses (NVM Express Base 2.0, section 5). Used on the controller's thread alone; what
 * commands answer lies in {@link AdminQueue#data()} until the next one.
 */
final class AdminCommands
{
    private static final int PHYSICALLY_CONTIGUOUS = 1;
    private static final int INTERRUPTS_ENABLED = 1 << 1;
    /** Deleting a queue ends its commands, which may not take long. */
    private static final long DELETE_TIMEOUT_NS = 5_000_000_000L;
    private static final long ABORT_TIMEOUT_NS = 5_000_000_000L;

    private final AdminQueue queue;
    private final long timeoutNs;

    /**
     * Creates commands over a queue.
     *
     * @param queue     to send on.
     * @param timeoutNs that a command may take.
     */
    AdminCommands(final AdminQueue queue, final long timeoutNs)
    {
        this.queue = queue;
        this.timeoutNs = timeoutNs;
    }

    UnsafeBuffer data()
    {
        return queue.data();
    }

    /**
     * Reads an Identify data structure.
     *
     * @param cns              what is asked for, see {@link IdentifyCns}.
     * @param namespaceId      that it is about, or 0.
     * @param commandSet       that it is about, see {@link IdentifyCns#CSI_NVM}.
     * @return status.
     */
    int identify(final int cns, final int namespaceId, final int commandSet)
    {
        final SubmissionQueueEntry entry = queue.begin(AdminOpcode.IDENTIFY);
        entry.namespaceId(namespaceId).cdw10(cns).cdw11(commandSet << 24);
        queue.data().setMemory(0, AdminQueue.DATA_BYTES, (byte)0);
        queue.pages(queue.dataIova(), 0);
        return queue.execute("Identify (CNS " + Integer.toHexString(cns) + "h)");
    }

    /**
     * Asks for I/O queue pairs (Set Features, Number of Queues).
     *
     * @param wanted pairs, from 1 to 65535.
     * @return pairs that may be made.
     */
    int numberOfQueues(final int wanted)
    {
        queue.begin(AdminOpcode.SET_FEATURES).cdw10(FeatureId.NUMBER_OF_QUEUES)
            .cdw11(wanted - 1 | wanted - 1 << 16);
        final int given = queue.require("Set Features (Number of Queues)");
        return Math.min(wanted, Math.min(given & 0xFFFF, given >>> 16) + 1);
    }

    /**
     * Says which asynchronous events are wanted.
     *
     * @param enabled bits, see {@link io.millrace.nvme.AsyncEvent}.
     * @return status.
     */
    int configureEvents(final int enabled)
    {
        queue.begin(AdminOpcode.SET_FEATURES).cdw10(FeatureId.ASYNC_EVENT_CONFIGURATION).cdw11(enabled);
        return queue.execute("Set Features (Asynchronous Event Configuration)");
    }

    /**
     * Gives the controller the memory of shadow doorbells.
     *
     * @param shadowIova     of the doorbells, one page.
     * @param eventIndexIova of the event indexes, one page.
     * @return status.
     */
    int configureDoorbellBuffer(final long shadowIova, final long eventIndexIova)
    {
        queue.begin(AdminOpcode.DOORBELL_BUFFER_CONFIG);
        queue.pages(shadowIova, eventIndexIova);
        return queue.execute("Doorbell Buffer Config");
    }

    /**
     * Makes a completion queue.
     *
     * @param queueId queue id.
     * @param entries number of entries.
     * @param iova    of its memory.
     * @param vector  of its interrupts, or -1 for none.
     */
    void createCompletionQueue(final int queueId, final int entries, final long iova, final int vector)
    {
        queue.begin(AdminOpcode.CREATE_COMPLETION_QUEUE).cdw10(queueId | entries - 1 << 16)
            .cdw11(PHYSICALLY_CONTIGUOUS | (vector < 0 ? 0 : INTERRUPTS_ENABLED | vector << 16));
        queue.pages(iova, 0);
        queue.require("Create I/O Completion Queue " + queueId);
    }

    /**
     * Makes a submission queue that completes to the completion queue of the same number.
     *
     * @param queueId queue id.
     * @param entries number of entries.
     * @param iova    of its memory.
     */
    void createSubmissionQueue(final int queueId, final int entries, final long iova)
    {
        queue.begin(AdminOpcode.CREATE_SUBMISSION_QUEUE).cdw10(queueId | entries - 1 << 16)
            .cdw11(PHYSICALLY_CONTIGUOUS | queueId << 16);
        queue.pages(iova, 0);
        queue.require("Create I/O Submission Queue " + queueId);
    }

    /**
     * Deletes both queues of a pair. When this returns none of their commands is outstanding.
     *
     * @param queueId of both.
     */
    void deleteQueuePair(final int queueId)
    {
        delete(AdminOpcode.DELETE_SUBMISSION_QUEUE, queueId, "Delete I/O Submission Queue ");
        deleteCompletionQueue(queueId);
    }

    /**
     * Takes a completion queue apart that no submission queue completes to.
     *
     * @param queueId queue id.
     */
    void deleteCompletionQueue(final int queueId)
    {
        delete(AdminOpcode.DELETE_COMPLETION_QUEUE, queueId, "Delete I/O Completion Queue ");
    }

    private void delete(final int opcode, final int queueId, final String name)
    {
        queue.begin(opcode).cdw10(queueId);
        final int status = queue.execute(name + queueId, Math.min(DELETE_TIMEOUT_NS, timeoutNs));
        if (NvmeStatus.SUCCESS != status)
        {
            throw new ControllerFailure("refused " + name + queueId + ": " + NvmeStatus.name(status));
        }
    }

    /**
     * Requests the abort of a command. The command's own completion shows whether it was aborted.
     *
     * @param queueId   of its submission queue.
     * @param commandId command identifier.
     */
    void abort(final int queueId, final int commandId)
    {
        queue.begin(AdminOpcode.ABORT).cdw10(queueId | commandId << 16);
        queue.execute("Abort", Math.min(ABORT_TIMEOUT_NS, timeoutNs));
    }

    /**
     * Reads part of a log page.
     *
     * @param logPageId   log page id, see {@link LogPageId}.
     * @param offsetBytes where to begin; a multiple of 4; not 0 only where the controller takes offsets.
     * @param lengthBytes up to {@link AdminQueue#DATA_BYTES}; a multiple of 4.
     * @return status.
     */
    int logPage(final int logPageId, final long offsetBytes, final int lengthBytes)
    {
        queue.begin(AdminOpcode.GET_LOG_PAGE).namespaceId(0xFFFF_FFFF)
            .cdw10(LogPageId.dword10(logPageId, false, lengthBytes)).cdw11(LogPageId.dword11(lengthBytes))
            .cdw12((int)offsetBytes).cdw13((int)(offsetBytes >>> 32));
        queue.pages(queue.dataIova(), 0);
        return queue.execute("Get Log Page " + Integer.toHexString(logPageId) + "h");
    }
}
