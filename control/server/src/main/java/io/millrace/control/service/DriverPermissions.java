package io.millrace.control.service;

import io.millrace.control.setting.InvalidSettingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.Set;

/**
 * Permissions of a media driver's directory: for its user alone, or also for the members of a group. Stateless.
 */
final class DriverPermissions
{
    private static final String SETTING = "control.group";
    /** New files in such a directory belong to the group. */
    private static final int SHARED_DIRECTORY_MODE = 02770;

    private DriverPermissions()
    {
    }

    /** Sets the permissions of a directory in which a driver has started. */
    static void set(final Path directory, final String group) throws IOException
    {
        if (null == group)
        {
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
            return;
        }
        for (final String each : new String[]{"cnc.dat", "publications", "images", ""})
        {
            final Path path = each.isEmpty() ? directory : directory.resolve(each);
            if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS))
            {
                continue;
            }
            chgrp(path, group);
            if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS))
            {
                Files.setAttribute(path, "unix:mode", SHARED_DIRECTORY_MODE, LinkOption.NOFOLLOW_LINKS);
            }
            else if (!Files.getPosixFilePermissions(path).containsAll(
                Set.of(PosixFilePermission.GROUP_READ, PosixFilePermission.GROUP_WRITE)))
            {
                throw new InvalidSettingException(SETTING, group,
                    "has no effect: the group cannot write new files",
                    "start the process with umask 007 (UMask=0007 in a unit of systemd)");
            }
        }
    }

    /** Gives a file or directory to a group. */
    static void chgrp(final Path path, final String group) throws IOException
    {
        try
        {
            Files.getFileAttributeView(path, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS).setGroup(
                path.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByGroupName(group));
        }
        catch (final UserPrincipalNotFoundException e)
        {
            throw new InvalidSettingException(SETTING, group, "unknown group", "name a group of this machine", e);
        }
    }
}
