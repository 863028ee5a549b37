package io.millrace.block.nvme;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.nvme.queue.CompletionQueue;
import io.millrace.block.nvme.queue.ControllerFailure;
import io.millrace.block.nvme.queue.Doorbell;
import io.millrace.block.nvme.queue.DriverMemory;
import io.millrace.block.nvme.queue.SubmissionQueue;
import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.ControllerStatus;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.SubmissionQueueEntry;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The admin queue pair: one synchronous command at a time, and Asynchronous Event Requests, which the controller holds
 * until an event occurs. Used on the controller's thread alone.
 */
final class AdminQueue
{
    /** Entries of both queues. */
    static final int ENTRIES = 32;
    /** Size of the buffer that commands read into and write from. */
    static final int DATA_BYTES = 4096;
    /** Most Asynchronous Event Requests. */
    static final int EVENT_REQUESTS_MAX = 4;

    /** Identifiers of Asynchronous Event Requests begin here, those of other commands lie below. */
    private static final int EVENT_ID_FIRST = 0x8000;
    private static final int PRP2_OFFSET = 32;
    private static final int CHECKS_EACH = 32;
    private static final int PHASE_AND_STATUS_SHIFT = 17;

    private final ControllerRegisters registers;
    private final DriverMemory memory;
    private final long timeoutNs;
    private final SubmissionQueue submissions;
    private final CompletionQueue completions;
    private final long dataAddress;
    private final UnsafeBuffer data;
    private final UnsafeBuffer entries = new UnsafeBuffer(0, 0);
    private final SubmissionQueueEntry entry = new SubmissionQueueEntry();
    private final int[] events = new int[EVENT_REQUESTS_MAX];
    private final int[] eventStatuses = new int[EVENT_REQUESTS_MAX];
    private final boolean[] eventsArmed = new boolean[EVENT_REQUESTS_MAX];
    private final boolean[] eventsCame = new boolean[EVENT_REQUESTS_MAX];
    private int lastId;
    private boolean isOutstanding;
    private int status;
    private int result;

    /**
     * Takes memory for the queues.
     *
     * @param registers   of the controller.
     * @param memory      to take it from.
     * @param pageBytes   of the controller.
     * @param strideBytes of its doorbells.
     * @param timeoutNs   that a command may take.
     */
    AdminQueue(
        final ControllerRegisters registers,
        final DriverMemory memory,
        final int pageBytes,
        final int strideBytes,
        final long timeoutNs)
    {
        this.registers = registers;
        this.memory = memory;
        this.timeoutNs = timeoutNs;
        submissions = new SubmissionQueue(memory.allocate(pageBytes, pageBytes), ENTRIES,
            Doorbell.ofRegister(registers.submissionDoorbell(0, strideBytes)));
        completions = new CompletionQueue(memory.allocate(pageBytes, pageBytes), ENTRIES, ENTRIES - 1,
            Doorbell.ofRegister(registers.completionDoorbell(0, strideBytes)));
        dataAddress = memory.allocate(Math.max(DATA_BYTES, pageBytes), pageBytes);
        data = new UnsafeBuffer(dataAddress, DATA_BYTES);
    }

    /** Bytes that are taken of the memory. */
    static long memoryBytes(final int pageBytes)
    {
        return 2L * pageBytes + Math.max(DATA_BYTES, pageBytes);
    }

    /** Empties the queues of a controller that is stopped, and tells it where they are. */
    void reset()
    {
        submissions.reset();
        completions.reset();
        isOutstanding = false;
        for (int i = 0; i < EVENT_REQUESTS_MAX; i++)
        {
            eventsArmed[i] = false;
            eventsCame[i] = false;
        }
        registers.adminQueues(ENTRIES, memory.iova(submissions.address()), memory.iova(completions.address()));
    }

    /**
     * {@return the buffer that commands read into and write from, {@link #DATA_BYTES} long}
     */
    UnsafeBuffer data()
    {
        return data;
    }

    /**
     * {@return I/O virtual address of {@link #data()}}
     */
    long dataIova()
    {
        return memory.iova(dataAddress);
    }

    /**
     * Begins a command; what is not set is 0.
     *
     * @param opcode opcode.
     * @return its entry, to be filled and then sent with {@link #execute(String)}.
     */
    SubmissionQueueEntry begin(final int opcode)
    {
        final long address = submissions.nextEntry();
        NativeMemory.fill(address, SubmissionQueueEntry.SIZE_BYTES, (byte)0);
        entries.wrap(address, SubmissionQueueEntry.SIZE_BYTES);
        entry.wrap(entries, 0);
        lastId = lastId + 1 & EVENT_ID_FIRST - 1;
        return entry.opcode(opcode).commandId(lastId);
    }

    /**
     * Sets the data pointer of the command that was begun.
     *
     * @param prp1 first page.
     * @param prp2 second page, or 0.
     */
    void pages(final long prp1, final long prp2)
    {
        entry.sglAddress(prp1);
        entries.putLong(PRP2_OFFSET, prp2);
    }

    /**
     * Sends the command that was begun and waits for its answer.
     *
     * @param name of the command, for messages.
     * @return status; see {@link NvmeStatus}.
     * @throws ControllerFailure when the controller does not answer, fails or is gone: it has to be stopped before the
     *     command's memory may be used again.
     */
    int execute(final String name)
    {
        return execute(name, timeoutNs);
    }

    /**
     * As {@link #execute(String)} with a time-out of its own.
     *
     * @param name             of the command, for messages.
     * @param commandTimeoutNs that it may take.
     * @return status; see {@link NvmeStatus}.
     */
    int execute(final String name, final long commandTimeoutNs)
    {
        isOutstanding = true;
        submissions.advance();
        submissions.ring();
        final Deadline deadline = Deadline.in(commandTimeoutNs);
        for (int i = 0; true; i++)
        {
            poll();
            if (!isOutstanding)
            {
                return status;
            }
            if (0 == i % CHECKS_EACH)
            {
                checkAlive();
                if (deadline.isPast())
                {
                    throw new ControllerFailure(
                        "did not answer " + name + " within " + commandTimeoutNs / 1_000_000 + " ms");
                }
            }
            Deadline.pause();
        }
    }

    /**
     * As {@link #execute(String)} where every other status than success is a failure.
     *
     * @param name of the command, for messages.
     * @return dword 0 of its completion.
     */
    int require(final String name)
    {
        final int answer = execute(name);
        if (NvmeStatus.SUCCESS != answer)
        {
            throw ControllerFailure.refusal("refused " + name + ": " + NvmeStatus.name(answer));
        }
        return result;
    }

    /**
     * Sends Asynchronous Event Requests that the controller has not.
     *
     * @param count of those that it takes.
     */
    void armEvents(final int count)
    {
        for (int i = 0; i < Math.min(count, EVENT_REQUESTS_MAX); i++)
        {
            if (!eventsArmed[i] && !eventsCame[i])
            {
                eventsArmed[i] = true;
                begin(AdminOpcode.ASYNC_EVENT_REQUEST).commandId(EVENT_ID_FIRST + i);
                submissions.advance();
            }
        }
        submissions.ring();
    }

    /**
     * Takes an event that came.
     *
     * @return index for {@link #event} and {@link #eventStatus}, or -1.
     */
    int takeEvent()
    {
        for (int i = 0; i < EVENT_REQUESTS_MAX; i++)
        {
            if (eventsCame[i])
            {
                eventsCame[i] = false;
                return i;
            }
        }
        return -1;
    }

    /**
     * {@return dword 0 of an event}
     *
     * @param index from {@link #takeEvent()}.
     */
    int event(final int index)
    {
        return events[index];
    }

    /**
     * {@return status that an event request ended with}
     *
     * @param index from {@link #takeEvent()}.
     */
    int eventStatus(final int index)
    {
        return eventStatuses[index];
    }

    /** Takes in what the controller completed. */
    void poll()
    {
        for (long at = completions.poll(); CompletionQueue.NONE != at; at = completions.poll())
        {
            final int word = CompletionQueue.statusAndCommand(at);
            final int completedResult = CompletionQueue.result(at);
            final int queueId = CompletionQueue.queueAndHead(at) >>> 16;
            completions.consume();
            onCompletion(word & 0xFFFF, word >>> PHASE_AND_STATUS_SHIFT, completedResult, queueId);
        }
        completions.acknowledge();
    }

    /**
     * Throws when the controller failed or is gone.
     */
    void checkAlive()
    {
        final int controllerStatus = registers.status();
        if (ControllerRegisters.ALL_ONES == controllerStatus)
        {
            throw new ControllerFailure("is gone: its registers read all ones");
        }
        if (ControllerStatus.isFatal(controllerStatus))
        {
            throw new ControllerFailure("has failed: fatal status (CSTS.CFS)");
        }
    }

    private void onCompletion(final int id, final int answer, final int completedResult, final int queueId)
    {
        final int event = id - EVENT_ID_FIRST;
        if (0 != queueId)
        {
            throw unexpected(id, ", of submission queue " + queueId);
        }
        if (event >= 0 && event < EVENT_REQUESTS_MAX && eventsArmed[event])
        {
            eventsArmed[event] = false;
            eventsCame[event] = true;
            events[event] = completedResult;
            eventStatuses[event] = answer;
        }
        else if (isOutstanding && id == lastId)
        {
            isOutstanding = false;
            status = answer;
            result = completedResult;
        }
        else
        {
            throw unexpected(id, "");
        }
    }

    private static ControllerFailure unexpected(final int id, final String of)
    {
        return new ControllerFailure("completed command " + id + of + " on the admin queue, which is not outstanding");
    }
}
