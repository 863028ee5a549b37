package io.millrace.spdk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * The file of the Unix domain socket of SPDK's JSON-RPC. Who may connect to it commands SPDK, so that it is its user's
 * alone. Off the reactors, or on the one of SPDK's application thread.
 */
final class SpdkSocket
{
    private static final int TYPE_MASK = 0170000;
    private static final int SOCKET_TYPE = 0140000;

    private SpdkSocket()
    {
    }

    /**
     * Makes the directory, for this user alone, where it is missing; refuses a file that is no socket, which SPDK would
     * delete.
     *
     * @param path of the socket.
     * @throws IOException when SPDK is not to listen there.
     */
    static void prepare(final Path path) throws IOException
    {
        final Path parent = path.toAbsolutePath().getParent();
        if (null != parent && !Files.exists(parent))
        {
            Files.createDirectories(parent,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS) && !isSocket(path))
        {
            throw new IOException("a file that is no socket is there");
        }
    }

    /**
     * Closes the socket to other users, to whom it is closed already unless the process has an unusual umask.
     *
     * @param path of the socket.
     * @throws IOException when that is impossible.
     */
    static void restrict(final Path path) throws IOException
    {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
    }

    /**
     * Removes the socket of this process, whose start failed.
     *
     * @param path of the socket.
     */
    static void remove(final Path path)
    {
        try
        {
            if (Files.exists(path, LinkOption.NOFOLLOW_LINKS) && isSocket(path))
            {
                Files.delete(path);
            }
        }
        catch (final IOException _)
        {
            // The next start removes it; what is reported is why this one failed.
        }
    }

    private static boolean isSocket(final Path path) throws IOException
    {
        return SOCKET_TYPE == ((Integer)Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS) & TYPE_MASK);
    }
}
