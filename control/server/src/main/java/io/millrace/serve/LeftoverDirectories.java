package io.millrace.serve;

import io.millrace.lock.LockFile;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.agrona.IoUtil;

/**
 * Control directories of killed quickstarts that took places of their own: the process is in their names, so that
 * no later process takes them over. Stateless.
 */
final class LeftoverDirectories
{
    private static final Pattern NAME = Pattern.compile("(data-plane|manager)-([0-9]+)");

    private LeftoverDirectories()
    {
    }

    /** Removes those below a directory whose process has ended, as far as that works. */
    static void remove(final Path base)
    {
        try (DirectoryStream<Path> found = Files.newDirectoryStream(base, "*-[0-9]*"))
        {
            for (final Path each : found)
            {
                if (NAME.matcher(each.getFileName().toString()).matches() &&
                    Files.isDirectory(each, LinkOption.NOFOLLOW_LINKS))
                {
                    remove(each, each.resolveSibling(each.getFileName() + ".lock"));
                }
            }
        }
        catch (final IOException | DirectoryIteratorException _)
        {
            // There are none, or they are not this user's.
        }
    }

    private static void remove(final Path directory, final Path lockFile) throws IOException
    {
        // Without a lock file it is nobody's control directory; with a locked one its process runs.
        if (Files.exists(lockFile, LinkOption.NOFOLLOW_LINKS) && !LockFile.isHeld(lockFile))
        {
            IoUtil.delete(directory.toFile(), true);
            Files.deleteIfExists(lockFile);
        }
    }
}
