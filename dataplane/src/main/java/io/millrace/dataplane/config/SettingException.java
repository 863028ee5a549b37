package io.millrace.dataplane.config;

import java.io.Serial;

/**
 * A setting is invalid or unavailable. The message is one line: key, value, bound, remedy. Thrown at set-up only, after
 * everything that had been started was undone.
 */
public final class SettingException extends RuntimeException
{
    @Serial
    private static final long serialVersionUID = 1L;
    private static final int VALUE_LENGTH_MAX = 120;

    private final String key;
    private final String value;
    private final String bound;
    private final String remedy;

    /**
     * Made where a setting was found wrong.
     *
     * @param key    path of the setting, such as {@code devices[1].size}.
     * @param value  it has; null when the setting is missing.
     * @param bound  that it exceeds, or the problem.
     * @param remedy what to do about it.
     */
    public SettingException(final String key, final Object value, final String bound, final String remedy)
    {
        this(key, value, bound, remedy, null);
    }

    /**
     * Made where a part refused a setting.
     *
     * @param key    path of the setting, such as {@code devices[1].size}.
     * @param value  it has; null when the setting is missing.
     * @param bound  that it exceeds, or the problem.
     * @param remedy what to do about it.
     * @param cause  that the part threw, or null.
     */
    public SettingException(
        final String key, final Object value, final String bound, final String remedy, final Throwable cause)
    {
        super(line(key, value, bound, remedy), cause);
        this.key = key;
        this.value = null == value ? null : printable(value.toString());
        this.bound = bound;
        this.remedy = remedy;
    }

    private static String line(final String key, final Object value, final String bound, final String remedy)
    {
        final StringBuilder line = new StringBuilder(160).append(printable(key));
        if (null != value)
        {
            line.append(" = ").append(printable(value.toString()));
        }
        line.append(": ").append(bound);
        if (!remedy.isEmpty())
        {
            line.append("; ").append(remedy);
        }
        return line.toString();
    }

    /**
     * Makes any text fit for one line of a terminal: control characters become {@code \\uXXXX}, and what is long is
     * cut.
     *
     * @param text from a file or a user.
     * @return the text to print.
     */
    public static String printable(final String text)
    {
        return printable(text, VALUE_LENGTH_MAX);
    }

    /**
     * As {@link #printable(String)}, with another bound.
     *
     * @param text      from a file or a user.
     * @param lengthMax in characters.
     * @return the text to print.
     */
    public static String printable(final String text, final int lengthMax)
    {
        final StringBuilder result = new StringBuilder(text.length());
        for (int i = 0; i < text.length() && result.length() < lengthMax; i++)
        {
            final char c = text.charAt(i);
            final int type = Character.getType(c);
            if (Character.CONTROL == type || Character.FORMAT == type || Character.SURROGATE == type ||
                Character.LINE_SEPARATOR == type || Character.PARAGRAPH_SEPARATOR == type ||
                Character.UNASSIGNED == type)
            {
                result.append("\\u").append(Integer.toHexString(0x10000 | c), 1, 5);
            }
            else
            {
                result.append(c);
            }
        }
        return text.length() > lengthMax ? result.append("...").toString() : result.toString();
    }

    /**
     * {@return path of the setting}
     */
    public String key()
    {
        return key;
    }

    /**
     * {@return its value as printed, or null when it is missing}
     */
    public String value()
    {
        return value;
    }

    /**
     * {@return its problem}
     */
    public String bound()
    {
        return bound;
    }

    /**
     * {@return what to do about it}
     */
    public String remedy()
    {
        return remedy;
    }
}
