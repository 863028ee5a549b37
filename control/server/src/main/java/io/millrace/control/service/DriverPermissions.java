package io.millrace.control.service;

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
 * Who may use the directory of a media driver: its user alone, or the members of one group too. Stateless.
 */
final class DriverPermissions
{
    private static final String SETTING = "control.group";
    /** Files that are made in such a directory are the group's. */
    private static final int SHARED_DIRECTORY_MODE = 02770;

    private DriverPermissions()
    {
    }

    /** Gives a directory, in which a driver has begun, to the user or to the group. */
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
                throw new ServiceSettingException(SETTING, group,
                    "of no use: files are made that the group cannot write",
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
            throw new ServiceSettingException(SETTING, group, "no group of this machine", "name one that is", e);
        }
    }
}
