package io.millrace.block;

import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * The settings of a device as declared, by key. A value is a {@link String} (text, name, word of a choice), {@link
 * Long} (number, bytes, nanoseconds), {@link Boolean}, {@link Double}, a {@link List} of such values, or a list of maps
 * of them. A setting that is missing has its default. Immutable; any thread.
 *
 * @param values by key.
 */
public record DeviceProperties(Map<String, Object> values)
{
    /**
     * Copies the map; integers become longs, and UUIDs texts.
     *
     * @throws IllegalArgumentException if a value is of another type.
     */
    public DeviceProperties
    {
        final Map<String, Object> copy = new TreeMap<>();
        values.forEach((key, value) -> copy.put(key, checked(key, value)));
        values = Collections.unmodifiableMap(copy);
    }

    private static Object checked(final String key, final Object value)
    {
        return switch (value)
        {
            case final Integer number -> number.longValue();
            case final String text -> text;
            case final UUID id -> id.toString();
            case final Long number -> number;
            case final Boolean flag -> flag;
            case final Double share -> share;
            case final List<?> list -> list.stream().map((each) -> checked(key, each)).toList();
            case final Map<?, ?> group -> checkedGroup(key, group);
            default -> throw new IllegalArgumentException(key + " is a " + value.getClass().getName() +
                ": use text, a number, a boolean, or lists and maps of them");
        };
    }

    private static Map<String, Object> checkedGroup(final String key, final Map<?, ?> group)
    {
        final Map<String, Object> copy = new TreeMap<>();
        group.forEach((name, value) -> copy.put((String)name, checked(key, value)));
        return Collections.unmodifiableMap(copy);
    }

    /**
     * Properties of some values.
     *
     * @param values by key.
     * @return the properties.
     */
    public static DeviceProperties of(final Map<String, ?> values)
    {
        return new DeviceProperties(new TreeMap<>(values));
    }

    /**
     * Changes a value.
     *
     * @param key   of the setting.
     * @param value of a type that the class names.
     * @return a copy.
     */
    public DeviceProperties with(final String key, final Object value)
    {
        final Map<String, Object> copy = new TreeMap<>(values);
        copy.put(key, value);
        return new DeviceProperties(copy);
    }

    /**
     * {@return the text of a setting}
     *
     * @param key of the setting.
     * @throws BlockDeviceException if it is missing.
     */
    public String text(final String key)
    {
        final Object value = values.get(key);
        if (null == value)
        {
            throw new BlockDeviceException(key + " is missing: add it");
        }
        return (String)value;
    }

    /**
     * {@return the text of a setting}
     *
     * @param key       of the setting.
     * @param otherwise if it is missing.
     */
    public String text(final String key, final String otherwise)
    {
        return (String)values.getOrDefault(key, otherwise);
    }

    /**
     * {@return the number of a setting}
     *
     * @param key       of the setting.
     * @param otherwise if it is missing.
     */
    public long number(final String key, final long otherwise)
    {
        return (Long)values.getOrDefault(key, otherwise);
    }

    /**
     * {@return the share of a setting}
     *
     * @param key       of the setting.
     * @param otherwise if it is missing.
     */
    public double share(final String key, final double otherwise)
    {
        return (Double)values.getOrDefault(key, otherwise);
    }

    /**
     * {@return the number of a setting that an {@code int} holds}
     *
     * @param key       of the setting.
     * @param otherwise if it is missing.
     * @throws BlockDeviceException if an {@code int} does not hold it.
     */
    public int integer(final String key, final int otherwise)
    {
        final long value = number(key, otherwise);
        if (value != (int)value)
        {
            throw new BlockDeviceException(key + ' ' + value + " is outside " + Integer.MIN_VALUE + " to " +
                Integer.MAX_VALUE + ": choose one inside");
        }
        return (int)value;
    }

    /**
     * {@return whether a setting is true}
     *
     * @param key       of the setting.
     * @param otherwise if it is missing.
     */
    public boolean flag(final String key, final boolean otherwise)
    {
        return (Boolean)values.getOrDefault(key, otherwise);
    }

    /**
     * {@return the constant of an enum that a setting names in kebab-case, such as {@code media-error}}
     *
     * @param key       of the setting.
     * @param type      of the enum.
     * @param otherwise if it is missing.
     * @param <E>       of the enum.
     * @throws BlockDeviceException if it names none.
     */
    public <E extends Enum<E>> E choice(final String key, final Class<E> type, final E otherwise)
    {
        final String word = text(key, null);
        return null == word ? otherwise : constant(key, type, word);
    }

    /**
     * {@return the constants of an enum that a list names in kebab-case; empty if it is missing}
     *
     * @param key  of the setting.
     * @param type of the enum.
     * @param <E>  of the enum.
     * @throws BlockDeviceException if a word names none.
     */
    public <E extends Enum<E>> List<E> choices(final String key, final Class<E> type)
    {
        return texts(key).stream().map((word) -> constant(key, type, word)).toList();
    }

    private static <E extends Enum<E>> E constant(final String key, final Class<E> type, final String word)
    {
        for (final E each : type.getEnumConstants())
        {
            if (word(each).equals(word))
            {
                return each;
            }
        }
        throw new BlockDeviceException(key + " '" + word + "' is unknown: use another");
    }

    /**
     * {@return a constant as settings name it, in kebab-case}
     *
     * @param constant of an enum.
     */
    public static String word(final Enum<?> constant)
    {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * {@return the texts of a list; empty if it is missing}
     *
     * @param key of the setting.
     */
    public List<String> texts(final String key)
    {
        return ((List<?>)values.getOrDefault(key, List.of())).stream().map(String.class::cast).toList();
    }

    /**
     * {@return the groups of a list; empty if it is missing}
     *
     * @param key of the setting.
     */
    public List<DeviceProperties> groups(final String key)
    {
        return ((List<?>)values.getOrDefault(key, List.of())).stream().map(DeviceProperties::group).toList();
    }

    private static DeviceProperties group(final Object group)
    {
        final Map<String, Object> values = new TreeMap<>();
        ((Map<?, ?>)group).forEach((name, value) -> values.put((String)name, value));
        return new DeviceProperties(values);
    }
}
