package io.millrace.block.nvme.queue;

import io.millrace.block.BlockGeometry;
import io.millrace.pci.DmaMap;

/**
 * An I/O queue pair and its memory: both queues, and a list for each slot. Made on the controller's thread, then its
 * reactor's.
 */
public final class QueuePair
{
    /** No interrupts. */
    public static final int NO_VECTOR = -1;
    private static final int NO_DESCRIPTOR = -1;
    private static final int SUBMISSION_ENTRY_BYTES = 64;
    private static final int COMPLETION_ENTRY_BYTES = 16;
    private static final int PARTS = 3;

    private final int id;
    private final int depth;
    private final DriverMemory memory;
    private final SubmissionQueue submissions;
    private final CompletionQueue completions;
    private final int listBytes;
    private final long listsAddress;
    private int vector = NO_VECTOR;
    private int interruptFd = NO_DESCRIPTOR;

    private QueuePair(
        final int id,
        final int depth,
        final int completionEntries,
        final int listBytes,
        final int pageBytes,
        final DriverMemory memory,
        final Doorbell submissionDoorbell,
        final Doorbell completionDoorbell)
    {
        this.id = id;
        this.depth = depth;
        this.memory = memory;
        this.listBytes = listBytes;
        submissions = new SubmissionQueue(
            memory.allocate((depth + 1L) * SUBMISSION_ENTRY_BYTES, pageBytes), depth + 1, submissionDoorbell);
        completions = new CompletionQueue(
            memory.allocate((long)completionEntries * COMPLETION_ENTRY_BYTES, pageBytes), completionEntries, depth,
            completionDoorbell);
        listsAddress = memory.allocate((long)listBytes * depth, pageBytes);
    }

    /**
     * Takes memory.
     *
     * @param id        of both queues.
     * @param depth     most commands outstanding.
     * @param entriesMax of a queue of this controller; above depth.
     * @param pageShift log2 of the controller's memory page.
     * @param dma       of the controller.
     * @param submissionDoorbell of the submission queue.
     * @param completionDoorbell of the completion queue.
     * @return the pair, which the controller does not know yet.
     */
    public static QueuePair make(
        final int id,
        final int depth,
        final int entriesMax,
        final int pageShift,
        final DmaMap dma,
        final Doorbell submissionDoorbell,
        final Doorbell completionDoorbell)
    {
        // Twice as many as there are commands, so that not each consumed entry has to be acknowledged.
        final int completionEntries = Math.min(entriesMax, 2 * (depth + 1));
        final int pageBytes = 1 << pageShift;
        // For the longest command of any namespace, also where the controller takes longer ones after a reset.
        final int listBytes =
            Math.min(DataPointer.listBytes(BlockGeometry.MAX_TRANSFER_BYTES_DEFAULT, pageShift), pageBytes);
        // A page more for each part, so that each can be aligned.
        final DriverMemory memory = DriverMemory.map(dma, (depth + 1L) * SUBMISSION_ENTRY_BYTES +
            (long)completionEntries * COMPLETION_ENTRY_BYTES + (long)listBytes * depth + PARTS * (long)pageBytes);
        try
        {
            return new QueuePair(id, depth, completionEntries, listBytes, pageBytes, memory, submissionDoorbell,
                completionDoorbell);
        }
        catch (final RuntimeException e)
        {
            memory.close();
            throw e;
        }
    }

    /** Empties both queues: the controller has none of them now. */
    public void reset()
    {
        submissions.reset();
        completions.reset();
    }

    /**
     * Enables its interrupts.
     *
     * @param newVector      that its completions raise.
     * @param newInterruptFd that the vector signals.
     */
    public void interrupts(final int newVector, final int newInterruptFd)
    {
        vector = newVector;
        interruptFd = newInterruptFd;
    }

    /**
     * {@return id of both queues}
     */
    public int id()
    {
        return id;
    }

    /**
     * {@return most commands outstanding}
     */
    public int depth()
    {
        return depth;
    }

    /**
     * {@return interrupt vector that its completions raise; {@link #NO_VECTOR} without interrupts}
     */
    public int vector()
    {
        return vector;
    }

    /**
     * {@return what its completions signal, -1 when it has to be polled}
     */
    public int interruptFd()
    {
        return interruptFd;
    }

    /**
     * {@return its submission queue}
     */
    public SubmissionQueue submissions()
    {
        return submissions;
    }

    /**
     * {@return its completion queue}
     */
    public CompletionQueue completions()
    {
        return completions;
    }

    /**
     * {@return the memory that its queues and lists lie in}
     */
    public DriverMemory memory()
    {
        return memory;
    }

    /**
     * {@return address of the list of a slot}
     *
     * @param slot of a command, below the depth.
     */
    public long listAddress(final int slot)
    {
        return listsAddress + (long)slot * listBytes;
    }
}
