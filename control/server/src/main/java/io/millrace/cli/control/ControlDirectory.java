package io.millrace.cli.control;

import io.aeron.CncFileDescriptor;
import io.aeron.CommonContext;
import io.millrace.control.client.ControlDirectories;
import io.millrace.control.client.DriverProcess;
import java.io.File;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.agrona.BufferUtil;
import org.agrona.IoUtil;

/**
 * The control directory of a data plane or manager, as this user sees it now. Immutable.
 *
 * @param path  of it.
 * @param state that it is in.
 * @param text  reason for the state, for messages.
 */
record ControlDirectory(Path path, State state, String text)
{
    /** A driver without a heartbeat for this long counts as dead. */
    private static final long LIVENESS_MS = 3_001;
    private static final Set<PosixFilePermission> GROUP =
        Set.of(PosixFilePermission.GROUP_READ, PosixFilePermission.GROUP_WRITE, PosixFilePermission.GROUP_EXECUTE);

    /** State of a control directory. */
    enum State
    {
        /** No such directory, or nothing in it. */
        ABSENT,
        /** This user may not use it. */
        FORBIDDEN,
        /** Left behind by a process that has ended or does not respond. */
        DEAD,
        /** A process accepts commands. */
        ALIVE
    }

    static ControlDirectory of(final Path path)
    {
        final File cnc = CommonContext.newCncFile(path.toString());
        final PosixFileAttributes attributes;
        try
        {
            attributes = Files.readAttributes(path, PosixFileAttributes.class);
        }
        catch (final IOException e)
        {
            return absentOrHidden(path);
        }
        if (!attributes.isDirectory())
        {
            return new ControlDirectory(path, State.ABSENT, path + " is no directory");
        }
        if (!Files.isExecutable(path) || !Files.isReadable(path) ||
            cnc.exists() && !(Files.isReadable(cnc.toPath()) && Files.isWritable(cnc.toPath())))
        {
            return new ControlDirectory(path, State.FORBIDDEN, forbidden(path, attributes));
        }
        if (cnc.length() < CncFileDescriptor.META_DATA_LENGTH)
        {
            return new ControlDirectory(path, State.ABSENT, path + " holds no files of a data plane or a manager");
        }
        final String trustProblem = ControlDirectories.trustProblem(path, ControlTarget.group());
        return null == trustProblem ? ofDriver(path, cnc) : new ControlDirectory(path, State.FORBIDDEN, "directory " +
            path + ' ' + trustProblem + ", and is not used; name another directory, or trust a group with " +
            "$MILLRACE_CONTROL_GROUP");
    }

    /** Without search permission for the parent the directory may exist unseen. */
    private static ControlDirectory absentOrHidden(final Path path)
    {
        for (Path parent = path.toAbsolutePath().getParent(); null != parent; parent = parent.getParent())
        {
            try
            {
                final PosixFileAttributes attributes = Files.readAttributes(parent, PosixFileAttributes.class);
                return Files.isExecutable(parent) ?
                    new ControlDirectory(path, State.ABSENT, "there is no directory " + path) :
                    new ControlDirectory(path, State.FORBIDDEN, forbidden(parent, attributes));
            }
            catch (final IOException e)
            {
                // The parent is missing, too, or hidden by its own parent.
            }
        }
        return new ControlDirectory(path, State.ABSENT, "there is no directory " + path);
    }

    private static String forbidden(final Path path, final PosixFileAttributes attributes)
    {
        final String owner = attributes.owner().getName();
        final String group = attributes.group().getName();
        return System.getProperty("user.name") + " may not use " + path + ", which belongs to " + owner +
            " and group " + group + " with mode " + PosixFilePermissions.toString(attributes.permissions()) +
            ": run the command as " + owner +
            (attributes.permissions().containsAll(GROUP) ? ", or as a member of group " + group : "");
    }

    private static ControlDirectory ofDriver(final Path path, final File cnc)
    {
        MappedByteBuffer mapped = null;
        try
        {
            if (CommonContext.isDriverActive(path.toFile(), LIVENESS_MS, (message) ->
            {
            }) && !DriverProcess.of(path).hasEnded())
            {
                return new ControlDirectory(path, State.ALIVE, "");
            }
            mapped = IoUtil.mapExistingFile(cnc, "cnc");
            final long pid = CncFileDescriptor.pid(CncFileDescriptor.createMetaDataBuffer(mapped));
            return new ControlDirectory(path, State.DEAD, "process " + pid + ", which took commands in " + path +
                (Files.exists(Path.of("/proc", Long.toString(pid)), LinkOption.NOFOLLOW_LINKS) ?
                    ", does not respond or ended" : ", ended without a clean stop"));
        }
        catch (final RuntimeException _)
        {
            // The file is being created or removed, or is not that of a driver.
            return new ControlDirectory(path, State.DEAD, path + " holds files that are being made, or are damaged");
        }
        finally
        {
            BufferUtil.free(mapped);
        }
    }

    boolean isAlive()
    {
        return State.ALIVE == state;
    }
}
