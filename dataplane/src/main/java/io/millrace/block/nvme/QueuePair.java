package io.millrace.block.nvme;

import io.millrace.block.CompareBuffers;
import io.millrace.pci.DmaMap;

/**
 * An I/O queue pair and its memory: both queues, a list for each slot, and what commands read from or write to that is
 * nobody's payload. Made on the controller's thread, then its channel's.
 */
final class QueuePair
{
    /** Zeroes that a command writes at most where the drive does not offer Write Zeroes. */
    static final int ZEROES_BYTES = 128 << 10;
    /** Of what a command reads at most in place of Verify. */
    static final int SINK_BYTES = 128 << 10;
    /** No interrupts. */
    static final int NO_VECTOR = -1;
    private static final int NO_DESCRIPTOR = -1;
    private static final int SUBMISSION_ENTRY_BYTES = 64;
    private static final int COMPLETION_ENTRY_BYTES = 16;

    private final int id;
    private final int depth;
    private final DriverMemory memory;
    private final SubmissionQueue submissions;
    private final CompletionQueue completions;
    private final int listBytes;
    private final long listsAddress;
    private final long zeroesAddress;
    private final long sinkAddress;
    private final CompareBuffers compareBuffers;
    private int vector = NO_VECTOR;
    private int interruptFd = NO_DESCRIPTOR;

    private QueuePair(
        final int id,
        final int depth,
        final int completionEntries,
        final DriverMemory memory,
        final Layout layout,
        final Doorbell submissionDoorbell,
        final Doorbell completionDoorbell)
    {
        this.id = id;
        this.depth = depth;
        this.memory = memory;
        submissions = new SubmissionQueue(
            memory.allocate(layout.submissionBytes, layout.pageBytes), depth + 1, submissionDoorbell);
        completions = new CompletionQueue(
            memory.allocate(layout.completionBytes, layout.pageBytes), completionEntries, depth, completionDoorbell);
        listBytes = layout.listBytes;
        listsAddress = memory.allocate((long)listBytes * depth, layout.pageBytes);
        zeroesAddress = 0 == layout.zeroesBytes ? 0 : memory.allocate(layout.zeroesBytes, layout.pageBytes);
        sinkAddress = 0 == layout.sinkBytes ? 0 : memory.allocate(layout.sinkBytes, layout.pageBytes);
        compareBuffers = 0 == layout.compareBytes ? null :
            new CompareBuffers(memory.allocate(layout.compareBytes, layout.pageBytes));
    }

    /**
     * How its memory is shared out.
     */
    private record Layout(
        int pageBytes,
        long submissionBytes,
        long completionBytes,
        int listBytes,
        long zeroesBytes,
        long sinkBytes,
        long compareBytes)
    {
        private static final int PARTS = 6;

        static Layout of(
            final int depth, final int completionEntries, final TransferLimits limits, final NamespaceInfo namespace)
        {
            final int pageBytes = 1 << limits.pageShift();
            final long metadataBytes = MetadataMode.SEPARATE == namespace.metadata() ?
                (long)limits.blocksMax() * namespace.metadataBytes() : 0;
            final int listBytes =
                DataPointer.listBytes(limits.blocksMax() << namespace.blockShift(), limits.pageShift());
            return new Layout(
                pageBytes,
                (depth + 1L) * SUBMISSION_ENTRY_BYTES,
                (long)completionEntries * COMPLETION_ENTRY_BYTES,
                Math.min(listBytes, pageBytes),
                Math.max(metadataBytes, 0 == limits.zeroesBlocksMax() ? ZEROES_BYTES : 0),
                Math.max(metadataBytes, 0 == limits.verifyBlocksMax() ? SINK_BYTES : 0),
                limits.isCompareOffered() ? 0 : (long)CompareBuffers.BUFFER_COUNT * CompareBuffers.BUFFER_BYTES);
        }

        long totalBytes(final int depth)
        {
            // A page more for each part, so that each can be aligned.
            return submissionBytes + completionBytes + (long)listBytes * depth + zeroesBytes + sinkBytes +
                compareBytes + PARTS * (long)pageBytes;
        }
    }

    /**
     * Takes memory.
     *
     * @param id        of both queues.
     * @param depth     most commands outstanding.
     * @param entriesMax of a queue of this controller; above depth.
     * @param limits    of its commands.
     * @param namespace of its commands.
     * @param dma       of the controller.
     * @param submissionDoorbell of the submission queue.
     * @param completionDoorbell of the completion queue.
     * @return the pair, which the controller does not know yet.
     */
    static QueuePair make(
        final int id,
        final int depth,
        final int entriesMax,
        final TransferLimits limits,
        final NamespaceInfo namespace,
        final DmaMap dma,
        final Doorbell submissionDoorbell,
        final Doorbell completionDoorbell)
    {
        // Twice as many as there are commands, so that the controller need not be told of each that was consumed.
        final int completionEntries = Math.min(entriesMax, 2 * (depth + 1));
        final Layout layout = Layout.of(depth, completionEntries, limits, namespace);
        final DriverMemory memory = DriverMemory.map(dma, layout.totalBytes(depth));
        try
        {
            return new QueuePair(
                id, depth, completionEntries, memory, layout, submissionDoorbell, completionDoorbell);
        }
        catch (final RuntimeException e)
        {
            memory.close();
            throw e;
        }
    }

    /** Empties both queues: the controller has none of them now. */
    void reset()
    {
        submissions.reset();
        completions.reset();
    }

    /**
     * Has it completed by interrupts too.
     *
     * @param newVector      that its completions raise.
     * @param newInterruptFd that the vector signals.
     */
    void interrupts(final int newVector, final int newInterruptFd)
    {
        vector = newVector;
        interruptFd = newInterruptFd;
    }

    int id()
    {
        return id;
    }

    int depth()
    {
        return depth;
    }

    int vector()
    {
        return vector;
    }

    /**
     * {@return what its completions signal, -1 when it has to be polled}
     */
    int interruptFd()
    {
        return interruptFd;
    }

    SubmissionQueue submissions()
    {
        return submissions;
    }

    CompletionQueue completions()
    {
        return completions;
    }

    DriverMemory memory()
    {
        return memory;
    }

    long listAddress(final int slot)
    {
        return listsAddress + (long)slot * listBytes;
    }

    /**
     * {@return zeroes to write; as many bytes as {@link #ZEROES_BYTES} or as the metadata of a command, whichever are
     * needed}
     */
    long zeroesIova()
    {
        return memory.iova(zeroesAddress);
    }

    /**
     * {@return where data and metadata are read to that nobody looks at; as many bytes as {@link #SINK_BYTES} or as the
     * metadata of a command, whichever are needed}
     */
    long sinkIova()
    {
        return memory.iova(sinkAddress);
    }

    /**
     * {@return buffers to read into where the drive does not compare, else null}
     */
    CompareBuffers compareBuffers()
    {
        return compareBuffers;
    }
}
