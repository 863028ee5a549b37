package io.millrace.control.setting;

import java.io.Serial;

/**
 * A setting, of a device or of the control service, is missing, unknown or out of bounds. The message is one line: key,
 * value, bound, remedy.
 */
public final class InvalidSettingException extends RuntimeException
{
    @Serial
    private static final long serialVersionUID = 1L;

    private final String key;
    private final String value;
    private final String bound;
    private final String remedy;

    /**
     * Made where a setting was found wrong.
     *
     * @param key    of the setting, such as {@code size}, {@code rules[1].delay} or {@code control.directory}.
     * @param value  that it has; null when it is missing.
     * @param bound  that the value exceeds, or the problem.
     * @param remedy what to do about it; may be empty.
     */
    public InvalidSettingException(final String key, final Object value, final String bound, final String remedy)
    {
        this(key, value, bound, remedy, null);
    }

    /**
     * Made where something else failed because of a setting.
     *
     * @param key    of the setting.
     * @param value  that it has; null when it is missing.
     * @param bound  that the value exceeds, or the problem.
     * @param remedy what to do about it; may be empty.
     * @param cause  that failed; may be null.
     */
    public InvalidSettingException(
        final String key, final Object value, final String bound, final String remedy, final Throwable cause)
    {
        super(key + (null == value ? "" : " = " + value) + ": " + bound + (remedy.isEmpty() ? "" : "; " + remedy),
            cause);
        this.key = key;
        this.value = null == value ? null : value.toString();
        this.bound = bound;
        this.remedy = remedy;
    }

    /**
     * {@return key of the setting}
     */
    public String key()
    {
        return key;
    }

    /**
     * {@return value that it has; null when it is missing}
     */
    public String value()
    {
        return value;
    }

    /**
     * {@return bound that the value exceeds, or the problem}
     */
    public String bound()
    {
        return bound;
    }

    /**
     * {@return what to do about it; may be empty}
     */
    public String remedy()
    {
        return remedy;
    }

    /**
     * {@return this, of a setting in a group}
     *
     * @param group key of the group, such as {@code rules[1]}.
     */
    public InvalidSettingException within(final String group)
    {
        return new InvalidSettingException(group + '.' + key, value, bound, remedy, getCause());
    }
}
