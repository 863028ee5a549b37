package io.millrace.control.device;

import io.millrace.control.setting.InvalidSettingException;
import io.millrace.control.setting.SettingType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * One setting of a type of device. Its text is the same for equal values; the items of a list have a blank between two.
 * Immutable.
 *
 * @param key         in files, on the wire and as option, in kebab-case.
 * @param type        of the value, or of each item of a list; null for a list of groups.
 * @param form        of the value.
 * @param unit        of the value in JSON, behind the key: {@code bytes}, {@code ns}; empty: none.
 * @param def         text of the default; null: none.
 * @param required    whether it has to be given.
 * @param onChange    what a change does.
 * @param isLocation  whether it says, alone or with others, what the device has for itself: no other device may have
 *                    the same.
 * @param group       settings of each item of a list of groups; else null.
 * @param description one sentence, for help and documentation.
 * @param <T>         of the value, or of each item.
 */
public record DeviceSetting<T>(
    String key,
    SettingType<T> type,
    Form form,
    String unit,
    String def,
    boolean required,
    OnChange onChange,
    boolean isLocation,
    DeviceSettingGroup group,
    String description)
{
    /** The name of another device, which is below this one. */
    public static final SettingType<String> DEVICE =
        SettingType.NAME_TYPE.checked("device", SettingType.NAME_TYPE.bound(), (name) -> name);

    private static final String SEPARATOR = " ";

    /** How many values there are. */
    public enum Form
    {
        /** One value. */
        VALUE,
        /** A list of values. */
        VALUES,
        /** A list of groups of settings. */
        GROUPS
    }

    /**
     * Rejects null.
     */
    public DeviceSetting
    {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(form, "form");
        Objects.requireNonNull(unit, "unit");
        Objects.requireNonNull(onChange, "onChange");
        Objects.requireNonNull(description, "description");
    }

    /**
     * A setting that has to be given.
     *
     * @param key         of the setting.
     * @param type        of the value.
     * @param onChange    what a change does.
     * @param description one sentence.
     * @param <T>         of the value.
     * @return the setting.
     */
    public static <T> DeviceSetting<T> required(
        final String key, final SettingType<T> type, final OnChange onChange, final String description)
    {
        return new DeviceSetting<>(
            key, type, Form.VALUE, unit(type), null, true, onChange, false, null, description);
    }

    /**
     * A setting that may be left out.
     *
     * @param key         of the setting.
     * @param type        of the value.
     * @param def         text of the default; null: none.
     * @param onChange    what a change does.
     * @param description one sentence.
     * @param <T>         of the value.
     * @return the setting.
     */
    public static <T> DeviceSetting<T> optional(
        final String key,
        final SettingType<T> type,
        final String def,
        final OnChange onChange,
        final String description)
    {
        return new DeviceSetting<>(
            key, type, Form.VALUE, unit(type), def, false, onChange, false, null, description);
    }

    /**
     * A list of values, empty when it is left out.
     *
     * @param key         of the setting.
     * @param type        of each value, whose text has no blank, comma or plus sign.
     * @param onChange    what a change does.
     * @param description one sentence.
     * @param <T>         of each value.
     * @return the setting.
     */
    public static <T> DeviceSetting<T> values(
        final String key, final SettingType<T> type, final OnChange onChange, final String description)
    {
        return new DeviceSetting<>(
            key, type, Form.VALUES, unit(type), null, false, onChange, false, null, description);
    }

    /**
     * A list of groups of settings, empty when it is left out.
     *
     * @param key         of the setting.
     * @param group       settings of each item.
     * @param onChange    what a change does.
     * @param description one sentence.
     * @return the setting.
     */
    public static DeviceSetting<Map<String, Object>> groups(
        final String key, final DeviceSettingGroup group, final OnChange onChange, final String description)
    {
        return new DeviceSetting<>(key, null, Form.GROUPS, "", null, false, onChange, false, group, description);
    }

    private static String unit(final SettingType<?> type)
    {
        return switch (type.name())
        {
            case "size" -> "bytes";
            case "duration" -> "ns";
            default -> "";
        };
    }

    /**
     * {@return the setting with another unit in JSON}
     *
     * @param value unit.
     */
    public DeviceSetting<T> in(final String value)
    {
        return new DeviceSetting<>(
            key, type, form, value, def, required, onChange, isLocation, group, description);
    }

    /**
     * {@return the setting as a part of what the device has for itself}
     */
    public DeviceSetting<T> asLocation()
    {
        return new DeviceSetting<>(key, type, form, unit, def, required, onChange, true, group, description);
    }

    /**
     * {@return the setting as one that has to be given}
     */
    public DeviceSetting<T> asRequired()
    {
        return new DeviceSetting<>(key, type, form, unit, null, true, onChange, isLocation, group, description);
    }

    /**
     * {@return key in JSON, with the unit}
     */
    public String jsonKey()
    {
        return unit.isEmpty() ? key : key + '-' + unit;
    }

    /**
     * {@return whether it names devices below this one}
     */
    public boolean namesDevices()
    {
        return DEVICE == type;
    }

    /**
     * {@return text of the value, the default if it is not given; null: none}
     *
     * @param properties of a device, in canonical form.
     */
    public String text(final Map<String, String> properties)
    {
        return properties.getOrDefault(key, def);
    }

    /**
     * {@return the value of a setting that has one, the default if it is not given; null: none}
     *
     * @param properties of a device, in canonical form.
     */
    public T get(final Map<String, String> properties)
    {
        final String text = text(properties);
        return null == text ? null : type.parse(text);
    }

    /**
     * {@return the values of a list as texts; of a setting with one value that value; empty: none}
     *
     * @param properties of a device, in canonical form.
     */
    public List<String> texts(final Map<String, String> properties)
    {
        final String text = text(properties);
        return null == text ? List.of() : Form.VALUE == form ? List.of(text) : items(text);
    }

    private static List<String> items(final String text)
    {
        return Arrays.stream(text.split(SEPARATOR, -1)).filter((each) -> !each.isEmpty()).toList();
    }

    /**
     * {@return the value of a text: that of the type, a list of them, or a list of maps}
     *
     * @param text that may be wrong.
     * @throws InvalidSettingException if it is.
     */
    public Object value(final String text)
    {
        return switch (form)
        {
            case VALUE -> parse(key, text);
            case VALUES -> values(items(text));
            case GROUPS -> groups(items(text));
        };
    }

    /** The value of a list of a group, whose items have a plus sign between two. */
    Object valueInGroup(final String text)
    {
        return Form.VALUES == form ? values(Arrays.asList(text.split("\\+", -1))) : value(text);
    }

    private List<Object> values(final List<String> items)
    {
        final List<Object> values = new ArrayList<>();
        for (final String item : items)
        {
            final Object value = parse(key + '[' + values.size() + ']', item);
            if (values.contains(value))
            {
                throw new InvalidSettingException(key, item, "listed twice", "keep one");
            }
            values.add(value);
        }
        return values;
    }

    private List<Object> groups(final List<String> items)
    {
        if (items.size() > group.countMax())
        {
            throw new InvalidSettingException(key, Integer.toString(items.size()),
                "more than " + group.countMax() + " of them", "join some");
        }
        final List<Object> values = new ArrayList<>();
        for (final String item : items)
        {
            try
            {
                values.add(group.values(item));
            }
            catch (final InvalidSettingException e)
            {
                throw e.within(key + '[' + values.size() + ']');
            }
        }
        return values;
    }

    private T parse(final String name, final String text)
    {
        try
        {
            return type.parse(text);
        }
        catch (final SettingType.BadValue e)
        {
            throw new InvalidSettingException(name, text, e.bound(), e.remedy());
        }
    }

    /**
     * {@return the text of a list}
     *
     * @param values of the items; of a list of groups in canonical form.
     */
    public String text(final List<?> values)
    {
        return format(values);
    }

    /** The text of a value, the same for equal values. */
    String format(final Object value)
    {
        return switch (form)
        {
            case VALUE -> formatOne(value);
            case VALUES -> String.join(SEPARATOR, formatAll((List<?>)value));
            case GROUPS -> String.join(SEPARATOR, ((List<?>)value).stream().map((each) -> group.format((Map<?, ?>)each))
                .toList());
        };
    }

    String formatInGroup(final Object value)
    {
        return Form.VALUES == form ? String.join("+", formatAll((List<?>)value)) : format(value);
    }

    private List<String> formatAll(final List<?> values)
    {
        return values.stream().map(this::formatOne).toList();
    }

    @SuppressWarnings("unchecked")
    private String formatOne(final Object value)
    {
        return type.format((T)value);
    }

    /** Whether a value is what a device has that does not give it. */
    boolean isDefault(final Object value)
    {
        return Form.VALUE == form ? null != def && type.parse(def).equals(value) : ((List<?>)value).isEmpty();
    }

    /** The value of a setting that is not given; null: none. */
    Object absent()
    {
        return Form.VALUE != form ? List.of() : null == def ? null : type.parse(def);
    }

    /** Values by key, with defaults, of texts by key. */
    static Map<String, Object> values(
        final List<DeviceSetting<?>> settings, final Map<String, String> texts, final boolean isGroup)
    {
        final Map<String, Object> values = new LinkedHashMap<>();
        for (final DeviceSetting<?> each : settings)
        {
            final String text = texts.get(each.key());
            if (null == text && each.required())
            {
                throw new InvalidSettingException(each.key(), null, "missing", "add it: " + each.clause());
            }
            final Object value = null == text ? each.absent() : isGroup ? each.valueInGroup(text) : each.value(text);
            if (null != value)
            {
                values.put(each.key(), value);
            }
        }
        return values;
    }

    /**
     * {@return the description as a part of a sentence}
     */
    public String clause()
    {
        final int end = description.indexOf(". ");
        final String first = end < 0 ? description.substring(0, description.length() - 1) :
            description.substring(0, end);
        return Character.isUpperCase(first.charAt(1)) ? first :
            first.substring(0, 1).toLowerCase(Locale.ROOT) + first.substring(1);
    }
}
