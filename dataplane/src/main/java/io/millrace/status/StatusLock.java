package io.millrace.status;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.util.concurrent.locks.LockSupport;

/**
 * The lock that says that the writer of a status file lives. Stateless.
 */
final class StatusLock
{
    /** A reader that asks whether the writer lives holds the lock for a moment. */
    private static final int ATTEMPTS = 50;
    private static final long RETRY_NS = 10_000_000L;

    private StatusLock()
    {
    }

    /**
     * {@return whether the lock is the writer's now, until the channel is closed or the process ends}
     *
     * @param channel of the lock file.
     * @throws IOException when the system refuses.
     */
    static boolean take(final FileChannel channel) throws IOException
    {
        for (int i = 0; i < ATTEMPTS; i++)
        {
            if (null != tryLock(channel, false))
            {
                return true;
            }
            LockSupport.parkNanos(RETRY_NS);
        }
        return false;
    }

    /**
     * {@return whether somebody holds the lock as a writer}
     *
     * @param channel of the lock file, readable.
     * @throws IOException when the system refuses.
     */
    static boolean isHeld(final FileChannel channel) throws IOException
    {
        final FileLock lock = tryLock(channel, true);
        if (null != lock)
        {
            lock.release();
        }
        return null == lock;
    }

    private static FileLock tryLock(final FileChannel channel, final boolean isShared) throws IOException
    {
        try
        {
            return channel.tryLock(0, Long.MAX_VALUE, isShared);
        }
        catch (final OverlappingFileLockException e)
        {
            // Of this same process.
            return null;
        }
    }
}
