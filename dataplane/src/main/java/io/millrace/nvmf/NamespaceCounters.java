package io.millrace.nvmf;

/**
 * What one reactor did with a namespace. Written by that reactor alone with plain stores; other threads read numbers
 * that may be a moment old.
 */
final class NamespaceCounters
{
    private final Namespace namespace;
    private long readCommands;
    private long writeCommands;
    private long otherCommands;
    private long bytesRead;
    private long bytesWritten;
    private long errors;
    private long mediaErrors;

    /** For totals. */
    NamespaceCounters()
    {
        this(null);
    }

    NamespaceCounters(final Namespace namespace)
    {
        this.namespace = namespace;
    }

    /**
     * {@return what was done to; null in a total of several}
     */
    Namespace namespace()
    {
        return namespace;
    }

    void onRead(final int lengthBytes)
    {
        readCommands++;
        bytesRead += lengthBytes;
    }

    void onWrite(final int lengthBytes)
    {
        writeCommands++;
        bytesWritten += lengthBytes;
    }

    void onOther()
    {
        otherCommands++;
    }

    void onError(final boolean isMediaError)
    {
        errors++;
        if (isMediaError)
        {
            mediaErrors++;
        }
    }

    /**
     * Adds another's numbers.
     *
     * @param other whose numbers to add.
     */
    void add(final NamespaceCounters other)
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
    long readCommands()
    {
        return readCommands;
    }

    /**
     * {@return writes that succeeded}
     */
    long writeCommands()
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
     * {@return bytes of reads that succeeded}
     */
    long bytesRead()
    {
        return bytesRead;
    }

    /**
     * {@return bytes of writes that succeeded}
     */
    long bytesWritten()
    {
        return bytesWritten;
    }

    /**
     * {@return block requests that failed}
     */
    long errors()
    {
        return errors;
    }

    /**
     * {@return block requests that failed as the device could not read or write its media}
     */
    long mediaErrors()
    {
        return mediaErrors;
    }
}
