package io.millrace.control.service;

import io.millrace.control.codec.Role;
import io.millrace.control.session.SecretException;
import io.millrace.control.session.SharedSecret;
import io.millrace.control.setting.InvalidSettingException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The keys of clients, each with its highest role and its data plane. Immutable.
 */
final class KeyRing
{
    /**
     * A secret with its permissions.
     *
     * @param isManager whether a manager may take over with it, in addition to the role.
     * @param dataPlane that it is for; empty: all.
     */
    record Key(SharedSecret secret, Role role, boolean isManager, String dataPlane)
    {
        boolean isSame(final Key other)
        {
            return role == other.role && isManager == other.isManager && dataPlane.equals(other.dataPlane) &&
                secret.isSame(other.secret);
        }
    }

    static final KeyRing EMPTY = new KeyRing(Map.of());

    private static final String SETTING = "control.secrets";
    private static final int FILE_LENGTH_MAX = 1 << 20;
    private static final String MANAGER = "manager";
    private static final int COLUMNS_MIN = 3;
    private static final int COLUMNS_MAX = 4;
    private static final int UNKNOWN_LENGTH_BYTES = 32;

    private final Map<String, Key> keys;
    /** A random secret: a client with an unknown key fails in the same way as with a wrong secret. */
    private final Key unknown;

    private KeyRing(final Map<String, Key> keys)
    {
        this.keys = Map.copyOf(keys);
        final byte[] bytes = new byte[UNKNOWN_LENGTH_BYTES];
        new SecureRandom().nextBytes(bytes);
        // No line end, which would not count.
        bytes[bytes.length - 1] = 1;
        unknown = new Key(SharedSecret.of(bytes), Role.READ, false, "");
    }

    /**
     * Reads lines of name, role, secret, and the name of a data plane if the key is for that alone.
     *
     * @throws InvalidSettingException if the file is accessible to other users, or a line is invalid.
     */
    static KeyRing read(final Path file)
    {
        final List<String> lines;
        try
        {
            final Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
            if (permissions.contains(PosixFilePermission.OTHERS_READ) ||
                permissions.contains(PosixFilePermission.OTHERS_WRITE))
            {
                throw new InvalidSettingException(SETTING, file, "open to all users", "chmod 600 it");
            }
            if (!Files.isRegularFile(file) || Files.size(file) > FILE_LENGTH_MAX)
            {
                throw new InvalidSettingException(SETTING, file, "no regular file of at most " +
                    FILE_LENGTH_MAX + " bytes", "is this the right file?");
            }
            lines = Files.readAllLines(file, StandardCharsets.UTF_8);
        }
        catch (final IOException e)
        {
            throw new InvalidSettingException(SETTING, file, "cannot be read (" + e.getClass().getSimpleName() + ")",
                "name a file that this user may read", e);
        }
        final Map<String, Key> keys = new HashMap<>();
        for (int i = 0; i < lines.size(); i++)
        {
            final String line = lines.get(i).strip();
            if (!line.isEmpty() && '#' != line.charAt(0))
            {
                add(keys, file, i + 1, line.split("\\s+"));
            }
        }
        if (keys.isEmpty())
        {
            throw new InvalidSettingException(SETTING, file, "has no keys", "write lines of name, role and secret");
        }
        return new KeyRing(keys);
    }

    private static void add(final Map<String, Key> keys, final Path file, final int number, final String[] columns)
    {
        final String where = file + ":" + number;
        if (columns.length < COLUMNS_MIN || columns.length > COLUMNS_MAX)
        {
            throw new InvalidSettingException(SETTING, where,
                columns.length + " words instead of name, role, secret and perhaps a data plane",
                "write the three or four, with blanks between them and none inside");
        }
        final Role role = switch (columns[1])
        {
            case "read" -> Role.READ;
            case "operator" -> Role.OPERATOR;
            case "admin", MANAGER -> Role.ADMIN;
            default -> throw new InvalidSettingException(
                SETTING, where, "the second word is not a role", "use read, operator, admin or manager");
        };
        final SharedSecret secret;
        try
        {
            secret = SharedSecret.of(columns[2].getBytes(StandardCharsets.UTF_8));
        }
        catch (final SecretException e)
        {
            throw new InvalidSettingException(SETTING, where, e.getMessage(), "", e);
        }
        final String dataPlane = columns.length > COLUMNS_MIN ? columns[COLUMNS_MIN] : "";
        final Key key = new Key(secret, role, MANAGER.equals(columns[1]), dataPlane);
        if (null != keys.putIfAbsent(columns[0], key))
        {
            throw new InvalidSettingException(SETTING, where, "key " + columns[0] + " already exists", "remove one");
        }
    }

    /** Whether an authenticated key still exists unchanged. */
    boolean holds(final String name, final Key key)
    {
        final Key now = keys.get(name);
        return null != now && now.isSame(key);
    }

    /** The key of a name; for an unknown name a random one. */
    Key get(final String name)
    {
        return keys.getOrDefault(name, unknown);
    }
}
