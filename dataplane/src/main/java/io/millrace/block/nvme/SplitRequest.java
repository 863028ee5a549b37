package io.millrace.block.nvme;

import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;

/**
 * A request that takes several commands: longer than one may be, not to be described by one, or done by others because
 * the drive does not offer its own. A pooled slot of a channel. Single-threaded.
 */
final class SplitRequest
{
    /** What its commands are. */
    enum Way
    {
        /** The same operation on parts of its range. */
        PARTS,
        /** Writes of zeroes, in place of Write Zeroes. */
        ZERO_WRITES,
        /** Reads whose data nobody looks at, in place of Verify. */
        VERIFY_READS,
        /** A read at a time, compared here, in place of Compare. */
        COMPARED_READS
    }

    private BlockRequest request;
    private Way way;
    private int sentBlocks;
    private int outstanding;
    private boolean flushes;
    private boolean listed;
    private BlockStatus status;
    private long buffer;

    /**
     * Begins.
     *
     * @param newRequest to work off.
     * @param newWay     how.
     * @param newFlushes whether a Flush follows, in place of force unit access that the command has not.
     * @param newBuffer  to read into where reads are compared, else 0.
     */
    void begin(final BlockRequest newRequest, final Way newWay, final boolean newFlushes, final long newBuffer)
    {
        request = newRequest;
        way = newWay;
        flushes = newFlushes;
        buffer = newBuffer;
        sentBlocks = 0;
        outstanding = 0;
        status = BlockStatus.SUCCESS;
    }

    /** It is worked off. */
    void end()
    {
        request = null;
    }

    BlockRequest request()
    {
        return request;
    }

    Way way()
    {
        return way;
    }

    long buffer()
    {
        return buffer;
    }

    int sentBlocks()
    {
        return sentBlocks;
    }

    int outstanding()
    {
        return outstanding;
    }

    BlockStatus status()
    {
        return status;
    }

    /**
     * {@return whether commands for blocks are still to be sent}
     */
    boolean hasMore()
    {
        return BlockStatus.SUCCESS == status && sentBlocks < request.blocks();
    }

    /**
     * {@return whether all that comes before its Flush is done, and the Flush not sent}
     */
    boolean isFlushDue()
    {
        return flushes && BlockStatus.SUCCESS == status && sentBlocks == request.blocks() && 0 == outstanding;
    }

    /**
     * {@return whether its Flush is to be sent; when true it counts as sent}
     */
    boolean takeFlush()
    {
        final boolean isDue = isFlushDue();
        flushes &= !isDue;
        return isDue;
    }

    /**
     * It is given up, if nothing went wrong before.
     *
     * @param result that it ends with.
     */
    void fail(final BlockStatus result)
    {
        if (BlockStatus.SUCCESS == status)
        {
            status = result;
        }
    }

    /**
     * A command was sent.
     *
     * @param blocks of it; 0 for the Flush.
     */
    void onSent(final int blocks)
    {
        sentBlocks += blocks;
        outstanding++;
    }

    /**
     * A command is done. The first failure is the request's.
     *
     * @param result of it.
     */
    void onDone(final BlockStatus result)
    {
        outstanding--;
        if (BlockStatus.SUCCESS == status)
        {
            status = result;
        }
    }

    /**
     * {@return whether it is in the list of those that have more to send}
     */
    boolean isListed()
    {
        return listed;
    }

    void listed(final boolean isListed)
    {
        listed = isListed;
    }
}
