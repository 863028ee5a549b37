package io.millrace.control.session;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A secret that client and data plane share, and nobody else. It never shows itself: not in {@code toString}, not in an
 * error. Immutable; any thread may use it.
 */
public final class SharedSecret
{
    /** Shortest secret, in bytes: 128 bits. */
    public static final int LENGTH_MIN_BYTES = 16;
    /** Longest secret, in bytes. A longer file is more likely something else. */
    public static final int LENGTH_MAX_BYTES = 1024;

    private static final String ALGORITHM = "HmacSHA256";
    private final SecretKeySpec key;

    private SharedSecret(final byte[] bytes)
    {
        this.key = new SecretKeySpec(bytes, ALGORITHM);
    }

    /**
     * Reads a secret: all bytes of the file but a line end after the last.
     *
     * @param file readable by its owner and group alone, with {@link #LENGTH_MIN_BYTES} to
     *             {@link #LENGTH_MAX_BYTES} bytes.
     * @return the secret.
     * @throws SecretException when the file is missing, open to all, too short or too long, or cannot be read.
     */
    public static SharedSecret read(final Path file)
    {
        if (!Files.exists(file))
        {
            throw new SecretException("secret file " + file + " is missing: make one with `umask 077; head -c 32 " +
                "/dev/urandom | base64 > " + file + "`", null);
        }
        if (!Files.isRegularFile(file))
        {
            throw new SecretException("secret file " + file + " is not a regular file: name the file itself", null);
        }
        try
        {
            final PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
            final Set<PosixFilePermission> permissions = view.readAttributes().permissions();
            if (permissions.contains(PosixFilePermission.OTHERS_READ) ||
                permissions.contains(PosixFilePermission.OTHERS_WRITE))
            {
                throw new SecretException(
                    "secret file " + file + " is open to all users: `chmod 600 " + file + "`", null);
            }
            final long lengthBytes = Files.size(file);
            if (lengthBytes > LENGTH_MAX_BYTES + 2)
            {
                throw new SecretException("secret file " + file + " has " + lengthBytes + " bytes, more than " +
                    LENGTH_MAX_BYTES + ": is this the right file?", null);
            }
            return of(Files.readAllBytes(file), "secret file " + file);
        }
        catch (final IOException e)
        {
            throw new SecretException("secret file " + file + " cannot be read (" + e.getClass().getSimpleName() +
                "): let this user read it", e);
        }
    }

    /**
     * Takes a secret that was kept elsewhere.
     *
     * @param bytes {@link #LENGTH_MIN_BYTES} to {@link #LENGTH_MAX_BYTES}; copied.
     * @return the secret.
     * @throws SecretException when it is too short or too long.
     */
    public static SharedSecret of(final byte[] bytes)
    {
        return of(bytes, "the secret");
    }

    private static SharedSecret of(final byte[] bytes, final String what)
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
            throw new SecretException(what + " has " + lengthBytes + " bytes, outside " + LENGTH_MIN_BYTES + " to " +
                LENGTH_MAX_BYTES + ": use 32 random bytes", null);
        }
        return new SharedSecret(Arrays.copyOf(bytes, lengthBytes));
    }

    /**
     * {@return whether this is the same secret as another, found out in a time that does not tell where they differ}
     *
     * @param other to compare with.
     */
    public boolean isSame(final SharedSecret other)
    {
        return MessageDigest.isEqual(key.getEncoded(), other.key.getEncoded());
    }

    SecretKeySpec key()
    {
        return key;
    }

    Mac mac()
    {
        return macOf(key);
    }

    static Mac macOf(final SecretKeySpec key)
    {
        try
        {
            final Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return mac;
        }
        catch (final GeneralSecurityException e)
        {
            throw new IllegalStateException("this JVM has no " + ALGORITHM + ", which every JVM must have", e);
        }
    }

    static SecretKeySpec keyOf(final byte[] bytes)
    {
        return new SecretKeySpec(bytes, ALGORITHM);
    }

    @Override
    public String toString()
    {
        return "SharedSecret";
    }
}
