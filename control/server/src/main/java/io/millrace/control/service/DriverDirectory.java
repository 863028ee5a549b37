package io.millrace.control.service;

import io.aeron.CncFileDescriptor;
import io.aeron.CommonContext;
import io.millrace.control.client.ControlDirectories;
import io.millrace.lock.LockFile;
import io.millrace.lock.LockedException;
import io.millrace.lock.ProcessState;
import java.io.File;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.agrona.BufferUtil;
import org.agrona.CloseHelper;
import org.agrona.IoUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Takes a directory for the media driver of this process, and only where that hurts nobody: a lock beside the directory
 * says that no other process has it, which the kernel lets go when its process ends, however that may be. What a
 * killed one left is then the driver's to remove. A directory with anything else in it, or with a living driver of
 * another program, is refused.
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
     * @param group that may use it besides the user; null: none.
     * @throws ServiceSettingException when it cannot be had.
     */
    static DriverDirectory take(final Path directory, final String group)
    {
        final Path absolute = directory.toAbsolutePath().normalize();
        makeBase(absolute, group);
        final String distrust = ControlDirectories.distrust(absolute, group);
        if (null != distrust)
        {
            throw new ServiceSettingException(SETTING, absolute, distrust,
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
            throw new ServiceSettingException(
                SETTING, absolute, "in use by another data plane or manager: " + e.getMessage(), REMEDY, e);
        }
        catch (final IOException e)
        {
            CloseHelper.quietClose(lock);
            throw new ServiceSettingException(SETTING, absolute, "cannot be used: " + e.getMessage(),
                "name a directory that this user may make", e);
        }
        catch (final ServiceSettingException e)
        {
            CloseHelper.quietClose(lock);
            throw e;
        }
    }

    /** What default directories are in is made when it is not there, by its mode for this user alone. */
    private static void makeBase(final Path directory, final String group)
    {
        final Path base = ControlDirectories.base();
        if (!base.equals(directory.getParent()) || Files.exists(base, LinkOption.NOFOLLOW_LINKS))
        {
            return;
        }
        try
        {
            Files.createDirectory(base, PosixFilePermissions.asFileAttribute(
                PosixFilePermissions.fromString(null == group ? "rwx------" : "rwxr-x---")));
            if (null != group)
            {
                DriverPermissions.chgrp(base, group);
            }
        }
        catch (final FileAlreadyExistsException _)
        {
            // Made by another process at this moment; whose it is is looked at now.
        }
        catch (final IOException e)
        {
            throw new ServiceSettingException(SETTING, base, "cannot be made (" + e.getClass().getSimpleName() + ")",
                REMEDY, e);
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
            throw new ServiceSettingException(SETTING, directory, "no directory", REMEDY);
        }
        final File cnc = CommonContext.newCncFile(directory.toString());
        if (!cnc.exists())
        {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(directory))
            {
                if (files.iterator().hasNext())
                {
                    throw new ServiceSettingException(SETTING, directory, "holds other files, which would be removed",
                        REMEDY);
                }
            }
        }
        else if (isAlive(cnc))
        {
            throw new ServiceSettingException(SETTING, directory, "in use by another media driver", REMEDY);
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
            // Without a version its driver was killed while it made the file, and Aeron would wait for the rest of it.
            return 0 != metaData.getIntVolatile(CncFileDescriptor.cncVersionOffset(0)) &&
                CommonContext.isDriverActive(HEARTBEAT_MS, DriverDirectory::ignore, mapped) &&
                ProcessState.isAlive(CncFileDescriptor.pid(metaData));
        }
        catch (final RuntimeException e)
        {
            // Complete, and not to be understood: of another version of Aeron, say. Better not to be removed.
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

    /** Lets the directory go; after the driver has ended. */
    @Override
    public void close()
    {
        CloseHelper.quietClose(lock);
    }
}
