package io.millrace.perf.load;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Counts of one worker, written by its reactor alone and read by any thread. Reset at the start of each phase, but for
 * what went wrong.
 */
final class LoadCounters
{
    private static final VarHandle READS = handle("reads");
    private static final VarHandle WRITES = handle("writes");
    private static final VarHandle ERRORS = handle("errors");
    private static final VarHandle VERIFIED = handle("verifiedBlocks");
    private static final VarHandle VERIFY_FAILURES = handle("verifyFailures");

    private long reads;
    private long writes;
    private long errors;
    private long verifiedBlocks;
    private long verifyFailures;

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
