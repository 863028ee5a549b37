package io.millrace.messaging;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Arrays;
import java.util.Set;

/**
 * A file with a shared secret, by the rules of the control channel's secrets, so that one file serves both. Stateless.
 */
final class SecretFile
{
    private static final int LENGTH_MIN_BYTES = 16;
    private static final int LENGTH_MAX_BYTES = 1024;
    private static final int LINE_END_BYTES_MAX = 2;

    private SecretFile()
    {
    }

    /** {@return all bytes of a file but a line end after the last} */
    static byte[] read(final Path file)
    {
        try
        {
            final Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
            if (permissions.contains(PosixFilePermission.OTHERS_READ) ||
                permissions.contains(PosixFilePermission.OTHERS_WRITE))
            {
                throw new IllegalArgumentException(
                    "secret file " + file + " is open to all users: `chmod 600 " + file + "`");
            }
            final long fileBytes = Files.size(file);
            if (fileBytes > LENGTH_MAX_BYTES + LINE_END_BYTES_MAX)
            {
                throw new IllegalArgumentException("secret file " + file + " has " + fileBytes +
                    " bytes, more than " + LENGTH_MAX_BYTES + ": is this the right file?");
            }
            return withoutLineEnd(file, Files.readAllBytes(file));
        }
        catch (final IOException e)
        {
            throw new IllegalArgumentException("secret file " + file + " cannot be read (" +
                e.getClass().getSimpleName() + "): make one with `umask 077; head -c 32 /dev/urandom | base64 > " +
                file + "`, and let this user read it", e);
        }
    }

    private static byte[] withoutLineEnd(final Path file, final byte[] bytes)
    {
        int lengthBytes = bytes.length;
        if (lengthBytes > 0 && '\n' == bytes[lengthBytes - 1])
        {
            lengthBytes--;
            if (lengthBytes > 0 && '\r' == bytes[lengthBytes - 1])
            {
                lengthBytes--;
            }
        }
        if (lengthBytes < LENGTH_MIN_BYTES || lengthBytes > LENGTH_MAX_BYTES)
        {
            throw new IllegalArgumentException("secret file " + file + " has " + lengthBytes + " bytes, outside " +
                LENGTH_MIN_BYTES + " to " + LENGTH_MAX_BYTES + ": use 32 random bytes");
        }
        return Arrays.copyOf(bytes, lengthBytes);
    }
}
