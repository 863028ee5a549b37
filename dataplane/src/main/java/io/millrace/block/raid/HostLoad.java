package io.millrace.block.raid;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Counts what hosts do through one channel. Written by its reactor, read by any thread.
 */
final class HostLoad
{
    private static final VarHandle BYTES;

    private long bytes;

    static
    {
        try
        {
            BYTES = MethodHandles.lookup().findVarHandle(HostLoad.class, "bytes", long.class);
        }
        catch (final ReflectiveOperationException e)
        {
            throw new ExceptionInInitializerError(e);
        }
    }

    /**
     * Counts a request.
     *
     * @param lengthBytes of its payload; a short one counts as {@link CopyRate#REQUEST_BYTES_MIN}.
     */
    void count(final long lengthBytes)
    {
        BYTES.setOpaque(this, bytes + Math.max(CopyRate.REQUEST_BYTES_MIN, lengthBytes));
    }

    long bytes()
    {
        return (long)BYTES.getOpaque(this);
    }
}
