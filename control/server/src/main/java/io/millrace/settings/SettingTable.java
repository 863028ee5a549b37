package io.millrace.settings;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The settings that a kind of file may have. Immutable.
 */
public final class SettingTable
{
    private final List<Setting<?>> all;
    private final Map<String, Map<String, Setting<?>>> byGroup = new HashMap<>();

    /**
     * A table of settings.
     *
     * @param settings in the order of their documentation.
     */
    public SettingTable(final List<Setting<?>> settings)
    {
        all = List.copyOf(settings);
        for (final Setting<?> each : all)
        {
            byGroup.computeIfAbsent(each.parent(), (group) -> new LinkedHashMap<>()).put(each.name(), each);
        }
    }

    /**
     * {@return all of them, in the order of their documentation}
     */
    public List<Setting<?>> all()
    {
        return all;
    }

    /**
     * {@return the setting of a name in a group, or null when there is none}
     *
     * @param group key of the group; empty for the top.
     * @param name  within it.
     */
    public Setting<?> find(final String group, final String name)
    {
        return byGroup.getOrDefault(group, Map.of()).get(name);
    }

    /**
     * {@return names of the settings of a group}
     *
     * @param group key of the group; empty for the top.
     */
    public List<String> names(final String group)
    {
        return new ArrayList<>(byGroup.getOrDefault(group, Map.of()).keySet());
    }
}
