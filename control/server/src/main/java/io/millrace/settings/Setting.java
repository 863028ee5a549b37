package io.millrace.settings;

import io.millrace.control.setting.SettingType;
import java.util.Set;

/**
 * One setting as declared: a reader takes nothing else. Immutable.
 *
 * @param key         path with {@code []} where a list is: {@code devices[].size}.
 * @param type        of its value, or of each item when it is a list of values; null for a group.
 * @param kind        of YAML it is written as.
 * @param def         text of the default; null when there is none.
 * @param required    whether it must be given wherever its group is.
 * @param deviceTypes types of device that have it; empty when all, or when it is no device's.
 * @param meaning     in one sentence.
 * @param <T>         of the value.
 */
public record Setting<T>(
    String key,
    SettingType<T> type,
    Kind kind,
    String def,
    boolean required,
    Set<String> deviceTypes,
    String meaning)
{
    /** What a setting is written as. */
    public enum Kind
    {
        /** One value. */
        VALUE,
        /** A list of values. */
        VALUES,
        /** A group of settings. */
        GROUP,
        /** A list of groups. */
        GROUPS
    }

    /**
     * A value that must be given wherever its group is.
     *
     * @param key     path with {@code []} where a list is.
     * @param type    of its value.
     * @param meaning in one sentence.
     * @param <T>     of the value.
     * @return the setting.
     */
    public static <T> Setting<T> required(final String key, final SettingType<T> type, final String meaning)
    {
        return new Setting<>(key, type, Kind.VALUE, null, true, Set.of(), meaning);
    }

    /**
     * A value that may be left out.
     *
     * @param key     path with {@code []} where a list is.
     * @param type    of its value.
     * @param def     text of the default; null when there is none.
     * @param meaning in one sentence.
     * @param <T>     of the value.
     * @return the setting.
     */
    public static <T> Setting<T> optional(
        final String key, final SettingType<T> type, final String def, final String meaning)
    {
        return new Setting<>(key, type, Kind.VALUE, def, false, Set.of(), meaning);
    }

    /**
     * A list of values, empty when it is left out.
     *
     * @param key     path with {@code []} where a list is, at its end too.
     * @param type    of each value.
     * @param meaning in one sentence.
     * @param <T>     of the value.
     * @return the setting.
     */
    public static <T> Setting<T> values(final String key, final SettingType<T> type, final String meaning)
    {
        return new Setting<>(key, type, Kind.VALUES, null, false, Set.of(), meaning);
    }

    /**
     * A group of settings, empty when it is left out.
     *
     * @param key     path with {@code []} where a list is.
     * @param meaning in one sentence.
     * @return the setting.
     */
    public static Setting<Void> group(final String key, final String meaning)
    {
        return new Setting<>(key, null, Kind.GROUP, null, false, Set.of(), meaning);
    }

    /**
     * A list of groups of settings.
     *
     * @param key      path with {@code []} where a list is, at its end too.
     * @param required whether it must be given, with one group or more.
     * @param meaning  in one sentence.
     * @return the setting.
     */
    public static Setting<Void> groups(final String key, final boolean required, final String meaning)
    {
        return new Setting<>(key, null, Kind.GROUPS, null, required, Set.of(), meaning);
    }

    /**
     * The same setting for some types of device only.
     *
     * @param types that have it.
     * @return the setting.
     */
    public Setting<T> of(final String... types)
    {
        return new Setting<>(key, type, kind, def, required, Set.of(types), meaning);
    }

    /**
     * {@return the key within its group}
     */
    public String name()
    {
        final String bare = key.endsWith("[]") ? key.substring(0, key.length() - 2) : key;
        return bare.substring(bare.lastIndexOf('.') + 1);
    }

    /**
     * {@return the group it is in, as {@link #key()} of that group; empty for the top}
     */
    public String parent()
    {
        final int dot = key.lastIndexOf('.');
        return dot < 0 ? "" : key.substring(0, dot);
    }

    /**
     * {@return whether devices of a type have it}
     *
     * @param deviceType as it is written.
     */
    public boolean isFor(final String deviceType)
    {
        return deviceTypes.isEmpty() || deviceTypes.contains(deviceType);
    }
}
