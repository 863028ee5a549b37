package io.millrace.simulation;

/**
 * A request of a host in a history. Moments are places in the order of all that happens in a simulation.
 */
final class Operation
{
    /** What it asks for. */
    enum Kind
    {
        READ,
        COMPARE,
        VERIFY,
        WRITE,
        /** Write zeroes. */
        ZERO,
        /** A hint: the blocks read as zeroes afterwards, or are what they were. */
        DEALLOCATE,
        FLUSH
    }

    static final long NEVER = Long.MAX_VALUE;

    final Kind kind;
    final int host;
    final int block;
    final int blocks;
    final boolean isDurable;
    /** First value that is written; each further block has the next one. */
    final long value;
    final long begin;
    /** Values that were read, or are compared with. */
    long[] values;
    /** When it ended; of a change that failed for want of an answer when it cannot be executed any more. */
    long end = NEVER;
    boolean isSuccess;
    /** A comparison has found something else. */
    boolean isMismatch;

    Operation(
        final Kind kind,
        final int host,
        final int block,
        final int blocks,
        final boolean isDurable,
        final long value,
        final long begin)
    {
        this.kind = kind;
        this.host = host;
        this.block = block;
        this.blocks = blocks;
        this.isDurable = isDurable;
        this.value = value;
        this.begin = begin;
    }

    boolean changesData()
    {
        return Kind.WRITE == kind || Kind.ZERO == kind || Kind.DEALLOCATE == kind;
    }

    /** {@return whether blocks have the values that it changes them to} */
    boolean hasChanged()
    {
        return isSuccess && (Kind.WRITE == kind || Kind.ZERO == kind);
    }

    /** {@return whether blocks had its values} */
    boolean hasSeen()
    {
        return isSuccess && (Kind.READ == kind || Kind.COMPARE == kind);
    }

    boolean covers(final int other)
    {
        return block <= other && other < block + blocks;
    }

    /** {@return what a block is changed to} */
    long changedTo(final int of)
    {
        return Kind.WRITE == kind ? value + of - block : 0;
    }

    /** {@return what a block was} */
    long seen(final int of)
    {
        return values[of - block];
    }

    @Override
    public String toString()
    {
        return "host " + host + ' ' + kind + (isDurable ? " FUA" : "") + " block " + block + '+' + blocks +
            (Kind.WRITE == kind ? " value " + value : "") + " at " + begin + " to " +
            (NEVER == end ? "never" : Long.toString(end)) + (isMismatch ? " differs" : isSuccess ? "" : " failed");
    }
}
