package io.millrace.control.service;

import java.io.Serial;

/**
 * A setting of the control service is invalid. The message is one line: key, value, bound, remedy. Thrown at set-up
 * only, after everything started was stopped again.
 */
public final class ServiceSettingException extends RuntimeException
{
    @Serial
    private static final long serialVersionUID = 1L;

    private final String key;
    private final String value;
    private final String bound;
    private final String remedy;

    ServiceSettingException(final String key, final Object value, final String bound, final String remedy)
    {
        this(key, value, bound, remedy, null);
    }

    ServiceSettingException(
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
     * {@return path of the setting, such as {@code control.directory}}
     */
    public String key()
    {
        return key;
    }

    /**
     * {@return its value, or null when it is missing}
     */
    public String value()
    {
        return value;
    }

    /**
     * {@return the violated bound}
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
