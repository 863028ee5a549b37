package io.millrace.settings;

import java.nio.file.Path;
import java.util.Map;

/**
 * Directories of a user by the XDG base directory specification. Stateless.
 */
public final class BaseDirectories
{
    private BaseDirectories()
    {
    }

    /**
     * {@return the directory that state is kept in: $XDG_STATE_HOME, else ~/.local/state}
     *
     * @param environment of the process.
     */
    public static Path state(final Map<String, String> environment)
    {
        return of(environment, "XDG_STATE_HOME", ".local/state");
    }

    /**
     * {@return the directory that data is kept in: $XDG_DATA_HOME, else ~/.local/share}
     *
     * @param environment of the process.
     */
    public static Path data(final Map<String, String> environment)
    {
        return of(environment, "XDG_DATA_HOME", ".local/share");
    }

    /**
     * {@return the directory that configuration is kept in: $XDG_CONFIG_HOME, else ~/.config}
     *
     * @param environment of the process.
     */
    public static Path config(final Map<String, String> environment)
    {
        return of(environment, "XDG_CONFIG_HOME", ".config");
    }

    private static Path of(final Map<String, String> environment, final String variable, final String otherwise)
    {
        final String named = environment.getOrDefault(variable, "");
        // The specification: paths that are not absolute are ignored.
        if (named.startsWith("/"))
        {
            return Path.of(named);
        }
        // HOME before what the user database says: a user such as nobody has a home that does not exist.
        final String home = environment.getOrDefault("HOME", "");
        return Path.of(home.startsWith("/") ? home : System.getProperty("user.home"), otherwise);
    }
}
