package io.millrace.control.device;

import io.millrace.control.setting.InvalidSettingException;
import io.millrace.control.setting.Similar;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Settings of each item of a list of groups. Its text is {@code key=value} for each setting that has not its default,
 * with a comma between two. Immutable.
 *
 * @param settings  in order; their texts have no blank and no comma.
 * @param countMax  most items.
 * @param canonical answers the one of all values that mean the same; throws {@link InvalidSettingException} when they
 *                  do not go together.
 */
public record DeviceSettingGroup(
    List<DeviceSetting<?>> settings, int countMax, UnaryOperator<Map<String, Object>> canonical)
{
    /**
     * Copies the list.
     */
    public DeviceSettingGroup
    {
        settings = List.copyOf(settings);
    }

    /**
     * {@return the keys of the settings}
     */
    public List<String> keys()
    {
        final List<String> keys = new ArrayList<>();
        settings.forEach((each) -> keys.add(each.key()));
        return keys;
    }

    /**
     * {@return the values of a text by key, with defaults}
     *
     * @param text of an item, which may be wrong.
     * @throws InvalidSettingException if it is.
     */
    public Map<String, Object> values(final String text)
    {
        final Map<String, String> texts = new LinkedHashMap<>();
        for (final String part : text.split(",", -1))
        {
            final int sign = part.indexOf('=');
            final String key = sign < 0 ? part : part.substring(0, sign);
            if (sign < 0 || !keys().contains(key))
            {
                final String near = Similar.nearest(key, keys());
                throw new InvalidSettingException(key, null, sign < 0 ? "without a value" : "unknown key",
                    (null == near ? "" : "did you mean " + near + "? ") + "write KEY=VALUE with keys of " +
                    String.join(", ", keys()));
            }
            if (null != texts.put(key, part.substring(sign + 1)))
            {
                throw new InvalidSettingException(key, null, "given twice", "keep one");
            }
        }
        return canonical.apply(DeviceSetting.values(settings, texts, true));
    }

    /**
     * {@return the texts of an item by setting, in the order of the settings}
     *
     * @param text of an item, in canonical form.
     */
    public Map<DeviceSetting<?>, String> texts(final String text)
    {
        final Map<DeviceSetting<?>, String> texts = new LinkedHashMap<>();
        for (final String part : text.split(","))
        {
            final int sign = part.indexOf('=');
            settings.stream().filter((each) -> each.key().equals(part.substring(0, sign)))
                .forEach((each) -> texts.put(each, part.substring(sign + 1)));
        }
        return texts;
    }

    String format(final Map<?, ?> values)
    {
        final List<String> parts = new ArrayList<>();
        for (final DeviceSetting<?> each : settings)
        {
            final Object value = values.get(each.key());
            if (null != value && !each.isDefault(value))
            {
                parts.add(each.key() + '=' + each.formatInGroup(value));
            }
        }
        return String.join(",", parts);
    }
}
