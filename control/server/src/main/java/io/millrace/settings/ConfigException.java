package io.millrace.settings;

import io.millrace.dataplane.SettingException;
import java.io.Serial;

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
