package io.millrace.control.service;

import io.millrace.control.client.ControlDirectories;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * The parent of the default control directories, which SPDK's socket is in as well. Set-up thread.
 */
public final class ControlBase
{
    private ControlBase()
    {
    }

    /**
     * Creates it where it is missing, accessible to this user alone, or with a group.
     *
     * @param child a path; nothing is created when it lies elsewhere.
     * @param group that may use it besides the user; null: none.
     * @throws IOException if it cannot be made.
     */
    public static void make(final Path child, final String group) throws IOException
    {
        final Path base = ControlDirectories.base();
        if (!base.equals(child.getParent()) || Files.exists(base, LinkOption.NOFOLLOW_LINKS))
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
            // Created by another process at this moment; who uses it checks its owner.
        }
    }
}
