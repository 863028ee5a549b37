package io.millrace.perf.load;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Counts of one worker, written by its reactor alone and read by any thread. Reset at the start of each phase, except
 * errors.
 */
final class LoadCounters
{
    private static final VarHandle READS = handle("reads");
    private static final VarHandle WRITES = handle("writes");
    private static final VarHandle ERRORS = handle("errors");
    private static final VarHandle VERIFIED = handle("verifiedBlocks");
    private static final VarHandle VERIFY_FAILURES = handle("verifyFailures");
    private static final VarHandle UNMARKED = handle("unmarkedBlocks");
    private static final VarHandle OUTSTANDING = handle("outstanding");
    private static final VarHandle QUIET_SINCE = handle("quietSinceNs");
    private static final VarHandle LONGEST_STALL = handle("longestStallNs");

    private long reads;
    private long writes;
    private long errors;
    private long verifiedBlocks;
    private long verifyFailures;
    private long unmarkedBlocks;
    private long outstanding;
    private long quietSinceNs;
    private long longestStallNs;

    private static VarHandle handle(final String field)
    {
        try
        {
            return MethodHandles.lookup().findVarHandle(LoadCounters.class, field, long.class);
        }
        catch (final ReflectiveOperationException e)
        {
            throw new ExceptionInInitializerError(e);
        }
    }

    void onRead()
    {
        READS.setRelease(this, reads + 1);
    }

    void onWrite()
    {
        WRITES.setRelease(this, writes + 1);
    }

    void onError()
    {
        ERRORS.setRelease(this, errors + 1);
    }

    void onVerified(final int blocks)
    {
        VERIFIED.setRelease(this, verifiedBlocks + blocks);
    }

    void onVerifyFailure()
    {
        VERIFY_FAILURES.setRelease(this, verifyFailures + 1);
    }

    void onUnmarked()
    {
        UNMARKED.setRelease(this, unmarkedBlocks + 1);
    }

    /**
     * Sets the number of outstanding commands, once a poll.
     *
     * @param commands submitted and not complete.
     */
    void outstanding(final long commands)
    {
        if (commands != outstanding)
        {
            OUTSTANDING.setRelease(this, commands);
        }
    }

    /**
     * A command was submitted to an idle queue.
     *
     * @param nowNs when.
     */
    void onBusy(final long nowNs)
    {
        QUIET_SINCE.setRelease(this, nowNs);
    }

    /**
     * A command completed: the time without a completion ends.
     *
     * @param nowNs when.
     */
    void onCompletion(final long nowNs)
    {
        if (nowNs - quietSinceNs > longestStallNs)
        {
            LONGEST_STALL.setRelease(this, nowNs - quietSinceNs);
        }
        QUIET_SINCE.setRelease(this, nowNs);
    }

    /**
     * Forgets earlier stalls; one that lasts counts from now.
     *
     * @param nowNs when the measurement begins.
     */
    void beginStalls(final long nowNs)
    {
        QUIET_SINCE.setRelease(this, nowNs);
        LONGEST_STALL.setRelease(this, 0L);
    }

    /**
     * {@return how long commands have been outstanding without a completion, in nanoseconds; 0 when none is}
     *
     * @param nowNs clock.
     */
    long quietNs(final long nowNs)
    {
        return 0 == outstanding() ? 0 : Math.max(0, nowNs - (long)QUIET_SINCE.getAcquire(this));
    }

    long outstanding()
    {
        return (long)OUTSTANDING.getAcquire(this);
    }

    long longestStallNs()
    {
        return (long)LONGEST_STALL.getAcquire(this);
    }

    long unmarkedBlocks()
    {
        return (long)UNMARKED.getAcquire(this);
    }

    void beginPhase()
    {
        READS.setRelease(this, 0L);
        WRITES.setRelease(this, 0L);
    }

    long reads()
    {
        return (long)READS.getAcquire(this);
    }

    long writes()
    {
        return (long)WRITES.getAcquire(this);
    }

    long errors()
    {
        return (long)ERRORS.getAcquire(this);
    }

    long verifiedBlocks()
    {
        return (long)VERIFIED.getAcquire(this);
    }

    long verifyFailures()
    {
        return (long)VERIFY_FAILURES.getAcquire(this);
    }
}
