package io.millrace.settings;

import io.millrace.dataplane.config.SettingException;
import java.io.Serial;
import java.util.Map;

/**
 * A configuration file cannot be used. The message is one line: file, line, key, value, bound, remedy.
 */
public final class ConfigException extends RuntimeException
{
    @Serial
    private static final long serialVersionUID = 1L;

    private final SettingException problem;
    private final int line;

    /**
     * Made where something in a file was found wrong.
     *
     * @param file    as the user named it.
     * @param line    in it, from 1; 0 when no line can be named.
     * @param problem with key, value, bound and remedy.
     */
    public ConfigException(final String file, final int line, final SettingException problem)
    {
        super(SettingException.printable(file) + (line > 0 ? ":" + line : "") + ": " + problem.getMessage(), problem);
        this.problem = problem;
        this.line = line;
    }

    /**
     * Made where a file cannot be read at all.
     *
     * @param file    as the user named it.
     * @param line    in it, from 1; 0 when no line can be named.
     * @param problem what is wrong and what to do.
     */
    public ConfigException(final String file, final int line, final String problem)
    {
        super(SettingException.printable(file) + (line > 0 ? ":" + line : "") + ": " + problem);
        this.problem = null;
        this.line = line;
    }

    /**
     * Made where something was found wrong after a file had been read.
     *
     * @param file   as the user named it.
     * @param lines  of the keys that it gives, from 1.
     * @param key    of the setting, such as {@code devices[1].size}.
     * @param value  it has; null when it is missing.
     * @param bound  it breaks, or what happened.
     * @param remedy what to do about it.
     * @return with the line of the key, or of the nearest group around it.
     */
    public static ConfigException of(
        final String file,
        final Map<String, Integer> lines,
        final String key,
        final Object value,
        final String bound,
        final String remedy)
    {
        return of(file, lines, new SettingException(key, value, bound, remedy));
    }

    /**
     * Made where something was found wrong after a file had been read.
     *
     * @param file    as the user named it.
     * @param lines   of the keys that it gives, from 1.
     * @param problem with a key of it.
     * @return with the line of the key, or of the nearest group around it.
     */
    public static ConfigException of(
        final String file, final Map<String, Integer> lines, final SettingException problem)
    {
        String key = problem.key();
        while (!key.isEmpty())
        {
            final Integer line = lines.get(key);
            if (null != line)
            {
                return new ConfigException(file, line, problem);
            }
            final int cut = Math.max(key.lastIndexOf('.'), key.lastIndexOf('['));
            key = key.substring(0, Math.max(0, cut));
        }
        return new ConfigException(file, 0, problem);
    }

    /**
     * {@return what is wrong, or null when the file as a whole is}
     */
    public SettingException problem()
    {
        return problem;
    }

    /**
     * {@return line in the file, from 1; 0 when no line can be named}
     */
    public int line()
    {
        return line;
    }
}
