package io.millrace.control.service;

import io.aeron.CncFileDescriptor;
import io.aeron.CommonContext;
import io.millrace.control.client.ControlDirectories;
import io.millrace.control.setting.InvalidSettingException;
import io.millrace.lock.LockFile;
import io.millrace.lock.LockHolder;
import io.millrace.lock.LockedException;
import io.millrace.lock.ProcessState;
import java.io.File;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.agrona.BufferUtil;
import org.agrona.CloseHelper;
import org.agrona.IoUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Acquires the directory of this process's media driver with a lock file beside it, which the kernel releases at the
 * end of the process. Leftovers of a killed process are removed by the driver. A directory with other files, or with an
 * active driver of another program, is refused.
 */
final class DriverDirectory implements AutoCloseable
{
    private static final String SETTING = "control.directory";
    private static final String REMEDY = "name another directory";
    private static final long HEARTBEAT_MS = 10_000;

    private final LockFile lock;

    private DriverDirectory(final LockFile lock)
    {
        this.lock = lock;
    }

    /**
     * Takes the directory.
     *
     * @param settings with the directory, and the group that may use it besides the user.
     * @throws InvalidSettingException if it cannot be used.
     */
    static DriverDirectory take(final ControlSettings settings)
    {
        final String group = settings.group();
        final Path absolute = settings.directory().toAbsolutePath().normalize();
        makeBase(absolute, group);
        final String trustProblem = ControlDirectories.trustProblem(absolute, group);
        if (null != trustProblem)
        {
            throw new InvalidSettingException(SETTING, absolute, trustProblem,
                "remove it, or name another directory");
        }
        final Path lockFile = absolute.resolveSibling(absolute.getFileName() + ".lock");
        LockFile lock = null;
        try
        {
            lock = LockFile.take(lockFile);
            checkRemovable(absolute);
            return new DriverDirectory(lock);
        }
        catch (final LockedException e)
        {
            throw absolute.equals(ControlDirectories.dataPlane(settings.name())) ?
                new InvalidSettingException("control.name", settings.name(),
                    "a data plane of this user with this name runs already, " + LockHolder.describe(lockFile),
                    "stop that one, or give this one a name of its own", e) :
                new InvalidSettingException(SETTING, absolute,
                    "in use by another data plane or manager, " + LockHolder.describe(lockFile), REMEDY, e);
        }
        catch (final IOException e)
        {
            CloseHelper.quietClose(lock);
            throw new InvalidSettingException(SETTING, absolute, "cannot be used: " + e.getMessage(),
                "name a directory that this user may create", e);
        }
        catch (final InvalidSettingException e)
        {
            CloseHelper.quietClose(lock);
            throw e;
        }
    }

    private static void makeBase(final Path directory, final String group)
    {
        try
        {
            ControlBase.make(directory, group);
        }
        catch (final IOException e)
        {
            throw new InvalidSettingException(SETTING, directory.getParent(),
                "cannot be made (" + e.getClass().getSimpleName() + ")", REMEDY, e);
        }
    }

    private static void checkRemovable(final Path directory) throws IOException
    {
        if (!Files.exists(directory, LinkOption.NOFOLLOW_LINKS))
        {
            return;
        }
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS))
        {
            throw new InvalidSettingException(SETTING, directory, "no directory", REMEDY);
        }
        final File cnc = CommonContext.newCncFile(directory.toString());
        if (!cnc.exists())
        {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(directory))
            {
                if (files.iterator().hasNext())
                {
                    throw new InvalidSettingException(SETTING, directory, "holds other files, which would be removed",
                        REMEDY);
                }
            }
        }
        else if (isAlive(cnc))
        {
            throw new InvalidSettingException(SETTING, directory, "in use by another media driver", REMEDY);
        }
    }

    private static boolean isAlive(final File cnc)
    {
        if (cnc.length() < CncFileDescriptor.META_DATA_LENGTH)
        {
            return false;
        }
        final MappedByteBuffer mapped = IoUtil.mapExistingFile(cnc, "cnc");
        try
        {
            final UnsafeBuffer metaData = CncFileDescriptor.createMetaDataBuffer(mapped);
            // Without a version: the driver was killed while creating the file, and Aeron would wait for the rest.
            return 0 != metaData.getIntVolatile(CncFileDescriptor.cncVersionOffset(0)) &&
                CommonContext.isDriverActive(HEARTBEAT_MS, DriverDirectory::ignore, mapped) &&
                ProcessState.isAlive(CncFileDescriptor.pid(metaData));
        }
        catch (final RuntimeException e)
        {
            // Complete, but unreadable, for example of another version of Aeron: do not remove it.
            return true;
        }
        finally
        {
            BufferUtil.free(mapped);
        }
    }

    private static void ignore(final String message)
    {
    }

    /** Releases the directory, after the driver has ended. */
    @Override
    public void close()
    {
        CloseHelper.quietClose(lock);
    }
}
