package io.millrace.memory;

/**
 * Free memory of a {@link BufferPool} that is gathered for one waiting share, since what is free is too fragmented for
 * it: one of the largest buffers, while all others use the rest. Single-threaded; nothing is allocated.
 */
final class BufferClaim
{
    /** One in so many bytes of the pool is the most that a group may hold and have memory gathered for it. */
    private static final int POOL_PART = 32;
    /** Polls after which another part of the region is tried: some buffer in this one does not come back. */
    private static final int POLLS_MAX = 10_000;

    private final BuddyAllocator buddies;
    private final long groupBytesMax;
    private final boolean leavesLastPart;
    private BufferShare share;
    private int polls;
    private int failures;

    /**
     * Gathers nothing yet.
     *
     * @param buddies        to gather in.
     * @param bufferBytesMax largest buffer of the pool.
     * @param sharedBytes    that the buddies have.
     * @param leavesLastPart whether memory that others leave is not gathered, as the pool has floors.
     */
    BufferClaim(
        final BuddyAllocator buddies, final int bufferBytesMax, final long sharedBytes, final boolean leavesLastPart)
    {
        this.buddies = buddies;
        groupBytesMax = Math.max(bufferBytesMax, sharedBytes / POOL_PART);
        this.leavesLastPart = leavesLastPart;
    }

    /**
     * {@return share that memory is gathered for; null for none}
     */
    BufferShare share()
    {
        return share;
    }

    /**
     * {@return whether memory may be gathered for a share that was passed over}
     *
     * @param waiting   that was.
     * @param bytes     of the buffer that it waits for.
     * @param freeBytes of the pool.
     */
    boolean admits(final BufferShare waiting, final long bytes, final long freeBytes)
    {
        return 0 == waiting.heldBytes && waiting.group.heldBytes + bytes <= groupBytesMax &&
            (!leavesLastPart || 2 * bytes <= freeBytes);
    }

    /**
     * Begins to gather for the first share that is admitted, if one is.
     *
     * @param queues    shares that wait, one at least.
     * @param freeBytes of the pool.
     */
    void begin(final ShareRing queues, final long freeBytes)
    {
        final BufferShare start = queues.first();
        BufferShare each = start;
        do
        {
            if (admits(each, BufferPool.bufferBytes(each.first.awaitedBytes), freeBytes))
            {
                share = each;
                polls = 0;
                failures = 0;
                buddies.claim(failures);
                return;
            }
            each = each.next;
        }
        while (each != start);
    }

    /**
     * {@return whether enough is gathered for the first waiter of the share}
     */
    boolean isReady()
    {
        return null != share && buddies.isClaimReady(BufferPool.order(share.first.awaitedBytes));
    }

    /**
     * Takes the buffer, which ends the claim.
     *
     * @param order of the buffer.
     * @return its first unit.
     */
    int take(final int order)
    {
        share = null;
        return buddies.takeClaimed(order);
    }

    /** Ends the claim without a buffer. */
    void end()
    {
        share = null;
        buddies.endClaim();
    }

    /**
     * Counts a poll, and begins anew elsewhere after many.
     *
     * @return whether it began anew: what was gathered is free again.
     */
    boolean retries()
    {
        polls++;
        if (polls <= POLLS_MAX)
        {
            return false;
        }
        polls = 0;
        failures++;
        buddies.endClaim();
        buddies.claim(failures);
        return true;
    }
}
