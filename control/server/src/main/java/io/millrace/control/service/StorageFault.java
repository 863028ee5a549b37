package io.millrace.control.service;

import io.aeron.exceptions.StorageSpaceException;
import java.io.IOException;
import org.agrona.CloseHelper;

/**
 * Failures that come of a file system without space: other users can fill the one that the control directory is in, and
 * for as long as they like. Nobody is helped when the process ends for that, which has hosts to serve. Stateless.
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
            // What the JVM makes of a page of a mapped file that cannot be had.
            if (each instanceof InternalError || each instanceof StorageSpaceException ||
                each instanceof IOException && String.valueOf(each.getMessage()).contains(NO_SPACE))
            {
                return true;
            }
        }
        return false;
    }

    /** Closes what may stand on pages that are gone. */
    static void close(final AutoCloseable closeable)
    {
        try
        {
            CloseHelper.quietClose(closeable);
        }
        catch (final InternalError _)
        {
            // It wanted to write down that it closes.
        }
    }
}
