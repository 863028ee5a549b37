package io.millrace.nvmf.queue;

import io.millrace.nvme.ErrorLogEntry;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.SubmissionQueueEntry;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The last errors of a controller, whose queues may be on several reactors. Any thread adds, without a lock and without
 * allocating; a reader skips entries that are being written.
 */
public final class ErrorLog
{
    /** How many are kept. */
    public static final int ENTRIES = 64;

    private static final int COUNT = 0;
    private static final int IDS = 1;
    private static final int LBA = 2;
    private static final int NAMESPACE = 3;
    private static final int WORDS = 4;

    private final AtomicLong count = new AtomicLong();
    private final AtomicLongArray words = new AtomicLongArray(ENTRIES * WORDS);

    /**
     * Creates an empty log.
     */
    public ErrorLog()
    {
    }

    /**
     * Adds an error.
     *
     * @param queueId of the command.
     * @param entry   of the command.
     * @param status  it failed with.
     * @param lba     first block of an I/O command, else 0.
     */
    void add(final int queueId, final SubmissionQueueEntry entry, final int status, final long lba)
    {
        final long number = count.incrementAndGet();
        final int base = (int)((number - 1) % ENTRIES) * WORDS;
        words.set(base + COUNT, 0);
        words.set(base + IDS,
            queueId | (long)entry.commandId() << 16 | (long)NvmeStatus.toField(status) << 32);
        words.set(base + LBA, lba);
        words.set(base + NAMESPACE, entry.namespaceId() & 0xFFFFFFFFL);
        words.set(base + COUNT, number);
    }

    /**
     * {@return how many errors there were}
     */
    public long count()
    {
        return count.get();
    }

    /**
     * Writes the log page, newest first. The rest stays as it is.
     *
     * @param target        zeroed, of {@link #ENTRIES} entries.
     * @param transportType of the controller.
     */
    public void write(final UnsafeBuffer target, final int transportType)
    {
        final ErrorLogEntry entry = new ErrorLogEntry();
        final long newest = count.get();
        int written = 0;
        for (long number = newest; number > 0 && number > newest - ENTRIES; number--)
        {
            final int base = (int)((number - 1) % ENTRIES) * WORDS;
            final long ids = words.get(base + IDS);
            final long lba = words.get(base + LBA);
            final long namespace = words.get(base + NAMESPACE);
            // Still the same number after its parts were read: nobody wrote meanwhile.
            if (number == words.get(base + COUNT))
            {
                entry.wrap(target, written * ErrorLogEntry.SIZE_BYTES);
                entry.errorCount(number).sqId((int)ids).commandId((int)(ids >>> 16)).statusField((int)(ids >>> 32))
                    .parameterLocation(0xFFFF).lba(lba).namespaceId((int)namespace).transportType(transportType);
                written++;
            }
        }
    }
}
