package io.millrace.block.nvme;

import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;

/**
 * A request that takes several commands: longer than the limit of one, with a payload that one cannot describe, or
 * followed by a Flush. A pooled slot of a channel. Single-threaded.
 */
final class SplitRequest
{
    private BlockRequest request;
    private int sentBlocks;
    private int outstanding;
    private boolean flushes;
    private boolean listed;
    private BlockStatus status;

    /**
     * Begins.
     *
     * @param newRequest to process.
     * @param newFlushes whether a Flush follows, in place of force unit access that the command has not.
     */
    void begin(final BlockRequest newRequest, final boolean newFlushes)
    {
        request = newRequest;
        flushes = newFlushes;
        sentBlocks = 0;
        outstanding = 0;
        status = BlockStatus.SUCCESS;
    }

    /** It is complete. */
    void end()
    {
        request = null;
    }

    BlockRequest request()
    {
        return request;
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
     * Fails the request, unless it has failed before.
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
     * @param blocks number of blocks; 0 for the Flush.
     */
    void onSent(final int blocks)
    {
        sentBlocks += blocks;
        outstanding++;
    }

    /**
     * A command is done. The first failure is the request's.
     *
     * @param result outcome.
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
