package io.millrace.control.service;

import io.aeron.exceptions.StorageSpaceException;
import java.io.IOException;
import org.agrona.CloseHelper;

/**
 * Failures caused by a full file system: other users may fill that of the control directory at any time. The process
 * must not end for that, as it serves hosts. Stateless.
 */
final class StorageFault
{
    /** What to do about it. */
    static final String REMEDY = "free some space there, or name a directory below /run or $XDG_RUNTIME_DIR, which " +
        "other users cannot fill";

    private static final String NO_SPACE = "No space left on device";

    private StorageFault()
    {
    }

    /** Whether one is among a failure and its causes. */
    static boolean isIn(final Throwable failure)
    {
        for (Throwable each = failure; null != each; each = each.getCause())
        {
            // Thrown by the JVM for a page of a mapped file that cannot be allocated.
            if (each instanceof InternalError || each instanceof StorageSpaceException ||
                each instanceof IOException && String.valueOf(each.getMessage()).contains(NO_SPACE))
            {
                return true;
            }
        }
        return false;
    }

    /** Closes a resource whose mapped pages may be unavailable. */
    static void close(final AutoCloseable closeable)
    {
        try
        {
            CloseHelper.quietClose(closeable);
        }
        catch (final InternalError _)
        {
            // Closing writes to the mapped file.
        }
    }
}
