package io.millrace.control.device;

import java.io.Serial;

/**
 * A setting of a device is missing, unknown or out of bounds. The message is one line: setting, value, bound, remedy.
 */
public final class DeviceSettingException extends RuntimeException
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
     * @param key    of the setting, such as {@code size} or {@code rules[1].delay}.
     * @param value  that it has; null when it is missing.
     * @param bound  that the value exceeds, or the problem.
     * @param remedy what to do about it; may be empty.
     */
    public DeviceSettingException(final String key, final String value, final String bound, final String remedy)
    {
        super(key + (null == value ? "" : " = " + value) + ": " + bound + (remedy.isEmpty() ? "" : "; " + remedy),
            null, false, false);
        this.key = key;
        this.value = value;
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

    DeviceSettingException within(final String group)
    {
        return new DeviceSettingException(group + '.' + key, value, bound, remedy);
    }
}
