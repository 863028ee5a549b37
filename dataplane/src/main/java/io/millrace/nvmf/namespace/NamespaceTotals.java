package io.millrace.nvmf.namespace;

import io.millrace.status.IoCounters;
import io.millrace.status.IoOperation;

/**
 * Sums of the I/O counters of several reactors, of a namespace or a whole subsystem. One thread.
 */
public final class NamespaceTotals
{
    private long readCommands;
    private long writeCommands;
    private long otherCommands;
    private long bytesRead;
    private long bytesWritten;
    private long errors;
    private long mediaErrors;

    /**
     * Creates sums of nothing.
     */
    public NamespaceTotals()
    {
    }

    /**
     * Adds what a reactor counted.
     *
     * @param counters counters of the reactor.
     */
    public void add(final IoCounters counters)
    {
        readCommands += counters.count(IoOperation.READ);
        writeCommands += counters.count(IoOperation.WRITE);
        otherCommands += counters.count(IoOperation.OTHER);
        bytesRead += counters.bytes(IoOperation.READ);
        bytesWritten += counters.bytes(IoOperation.WRITE);
        for (final IoOperation operation : IoOperation.values())
        {
            errors += counters.errors(operation);
        }
        mediaErrors += counters.mediaErrors();
    }

    /**
     * Adds another's numbers.
     *
     * @param other whose numbers to add.
     */
    public void add(final NamespaceTotals other)
    {
        readCommands += other.readCommands;
        writeCommands += other.writeCommands;
        otherCommands += other.otherCommands;
        bytesRead += other.bytesRead;
        bytesWritten += other.bytesWritten;
        errors += other.errors;
        mediaErrors += other.mediaErrors;
    }

    /**
     * {@return reads and compares that succeeded}
     */
    public long readCommands()
    {
        return readCommands;
    }

    /**
     * {@return writes that succeeded}
     */
    public long writeCommands()
    {
        return writeCommands;
    }

    /**
     * {@return other commands that succeeded}
     */
    long otherCommands()
    {
        return otherCommands;
    }

    /**
     * {@return bytes of reads and compares that succeeded}
     */
    public long bytesRead()
    {
        return bytesRead;
    }

    /**
     * {@return bytes of writes that succeeded}
     */
    public long bytesWritten()
    {
        return bytesWritten;
    }

    /**
     * {@return commands that failed after their parameters were found right}
     */
    long errors()
    {
        return errors;
    }

    /**
     * {@return how often the device could not read or write its media}
     */
    public long mediaErrors()
    {
        return mediaErrors;
    }
}
