package io.millrace.settings;

import io.millrace.control.setting.SettingType;
import io.millrace.control.setting.Similar;
import io.millrace.dataplane.config.SettingException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A group of settings in a file: typed values by {@link Setting}, with their lines. Set-up only; one thread.
 */
public final class Section
{
    private final String file;
    private final String path;
    private final String pattern;
    private final YamlNode.Mapping node;
    private final SettingTable table;
    private final Map<String, Integer> lines;

    private Section(
        final String file,
        final String path,
        final String pattern,
        final YamlNode.Mapping node,
        final SettingTable table,
        final Map<String, Integer> lines)
    {
        this.file = file;
        this.path = path;
        this.pattern = pattern;
        this.node = node;
        this.table = table;
        this.lines = lines;
        checkKeys();
    }

    /**
     * Parses a text and answers its top.
     *
     * @param file      name for messages.
     * @param text      in YAML.
     * @param lengthMax of the text, in characters.
     * @param table     of the settings that may be in it.
     * @param lines     filled with the line of every key that is read.
     * @return its outermost group.
     * @throws ConfigException when it is not YAML, or uses what is refused.
     */
    public static Section parse(
        final String file,
        final String text,
        final int lengthMax,
        final SettingTable table,
        final Map<String, Integer> lines)
    {
        final YamlNode root = YamlParser.parse(file, text, lengthMax);
        if (!(root instanceof final YamlNode.Mapping mapping))
        {
            throw new ConfigException(file, root.line(), "starts with " + root.kind() +
                " instead of 'key: value' lines; see docs/configuration.md");
        }
        return new Section(file, "", "", mapping, table, lines);
    }

    private void checkKeys()
    {
        for (final YamlNode.Entry entry : node.entries().values())
        {
            final String key = join(path, entry.key());
            lines.put(key, entry.line());
            if (null == table.find(pattern, entry.key()))
            {
                final List<String> allowed = table.names(pattern);
                final String near = Similar.nearest(entry.key(), allowed);
                throw new ConfigException(file, entry.line(), new SettingException(key, null, "unknown key",
                    (null == near ? "" : "did you mean " + near + "? ") +
                        "allowed here: " + String.join(", ", allowed)));
            }
        }
    }

    /**
     * Rejects settings of other device types.
     *
     * @param deviceType of this device.
     */
    public void checkDeviceType(final String deviceType)
    {
        for (final YamlNode.Entry entry : node.entries().values())
        {
            final Setting<?> setting = table.find(pattern, entry.key());
            if (!setting.isFor(deviceType))
            {
                throw fail(entry.key(), null, "no setting of type " + deviceType,
                    "remove it, or use type " + setting.deviceTypes().stream().sorted()
                        .collect(Collectors.joining(" or ")));
            }
        }
    }

    /**
     * {@return whether the file gives a setting}
     *
     * @param setting of this group.
     */
    public boolean has(final Setting<?> setting)
    {
        return node.entries().containsKey(name(setting));
    }

    /**
     * {@return whether the file gives a setting, and something in it}
     *
     * @param setting of this group; may be a group itself.
     */
    public boolean hasContent(final Setting<?> setting)
    {
        final YamlNode.Entry entry = node.entries().get(name(setting));
        return null != entry && !(entry.value() instanceof final YamlNode.Mapping group && group.entries().isEmpty());
    }

    /**
     * {@return the value of a setting, its default when it is not given, or null when there is no default}
     *
     * @param setting of this group.
     * @param <T>     of the value.
     */
    public <T> T get(final Setting<T> setting)
    {
        final String name = name(setting);
        final YamlNode.Entry entry = node.entries().get(name);
        if (null == entry)
        {
            if (setting.required())
            {
                throw missing(setting);
            }
            return null == setting.def() ? null : setting.type().parse(setting.def());
        }
        if (!(entry.value() instanceof final YamlNode.Scalar scalar))
        {
            throw fail(name, null, entry.value().kind() + " where " + article(setting.type().name()) + " belongs",
                "write one value: " + setting.type().bound());
        }
        return value(setting, join(path, name), scalar);
    }

    /**
     * As {@link #get} for a setting that is optional elsewhere and needed here.
     *
     * @param setting of this group.
     * @param <T>     of the value.
     * @return its value, never null.
     */
    public <T> T require(final Setting<T> setting)
    {
        final T value = get(setting);
        if (null == value)
        {
            throw missing(setting);
        }
        return value;
    }

    private <T> T value(final Setting<T> setting, final String key, final YamlNode.Scalar scalar)
    {
        // YAML reads null without quotes as no value: the former type null is refused by its name either way.
        if (scalar.isNull() && (DeviceReader.TYPE != setting || scalar.text().isEmpty()))
        {
            throw new ConfigException(file, scalar.line(), new SettingException(key, null, "no value given",
                "write " + article(setting.type().name()) + ": " + setting.type().bound()));
        }
        try
        {
            return setting.type().parse(scalar.text());
        }
        catch (final SettingType.BadValue e)
        {
            throw new ConfigException(file, scalar.line(),
                new SettingException(key, scalar.text(), e.bound(), e.remedy()));
        }
    }

    /**
     * {@return the values of a list; empty when it is not given}
     *
     * @param setting of this group.
     * @param <T>     of each value.
     */
    public <T> List<T> list(final Setting<T> setting)
    {
        final List<T> values = new ArrayList<>();
        int index = 0;
        for (final YamlNode item : items(setting))
        {
            final String key = join(path, name(setting)) + "[" + index++ + "]";
            lines.put(key, item.line());
            if (!(item instanceof final YamlNode.Scalar scalar))
            {
                throw new ConfigException(file, item.line(), new SettingException(key, null,
                    item.kind() + " where " + article(setting.type().name()) + " belongs",
                    "write one value: " + setting.type().bound()));
            }
            values.add(value(setting, key, scalar));
        }
        return List.copyOf(values);
    }

    /**
     * {@return the groups of a list; empty when it is not given}
     *
     * @param setting of this group.
     */
    public List<Section> sections(final Setting<Void> setting)
    {
        return sections(setting, items(setting));
    }

    /**
     * {@return the groups of a list that need not be given here, though its setting says so; may be empty}
     *
     * @param setting of this group.
     */
    public List<Section> sectionsIfGiven(final Setting<Void> setting)
    {
        final YamlNode.Entry entry = node.entries().get(name(setting));
        final boolean isEmpty = null == entry ||
            entry.value() instanceof final YamlNode.Sequence sequence && sequence.items().isEmpty();
        return isEmpty ? List.of() : sections(setting);
    }

    private List<Section> sections(final Setting<Void> setting, final List<YamlNode> items)
    {
        final List<Section> sections = new ArrayList<>();
        int index = 0;
        for (final YamlNode item : items)
        {
            final String key = join(path, name(setting)) + "[" + index++ + "]";
            lines.put(key, item.line());
            if (!(item instanceof final YamlNode.Mapping mapping))
            {
                throw new ConfigException(file, item.line(), new SettingException(key, null,
                    item.kind() + " where a group of settings belongs",
                    "write {key: value, ...} with keys of: " + String.join(", ", table.names(setting.key()))));
            }
            sections.add(new Section(file, key, setting.key(), mapping, table, lines));
        }
        return sections;
    }

    /**
     * {@return a group of this group; an empty one when it is not given}
     *
     * @param setting of this group.
     */
    public Section section(final Setting<Void> setting)
    {
        final String name = name(setting);
        final YamlNode.Entry entry = node.entries().get(name);
        final YamlNode value = null == entry ? new YamlNode.Mapping(node.line(), Map.of()) : entry.value();
        if (!(value instanceof final YamlNode.Mapping mapping))
        {
            throw fail(name, null, value.kind() + " where a group of settings belongs",
                "allowed in it: " + String.join(", ", table.names(setting.key())));
        }
        return new Section(file, join(path, name), setting.key(), mapping, table, lines);
    }

    private List<YamlNode> items(final Setting<?> setting)
    {
        final String name = name(setting);
        final YamlNode.Entry entry = node.entries().get(name);
        if (null == entry)
        {
            if (setting.required())
            {
                throw missing(setting);
            }
            return List.of();
        }
        if (!(entry.value() instanceof final YamlNode.Sequence sequence))
        {
            throw fail(name, null, entry.value().kind() + " where a list belongs",
                "write [...] or lines that start with '- '");
        }
        if (sequence.items().isEmpty() && setting.required())
        {
            throw fail(name, "[]", "an empty list", "give at least one");
        }
        return sequence.items();
    }

    private ConfigException missing(final Setting<?> setting)
    {
        return new ConfigException(file, node.line(), new SettingException(join(path, name(setting)), null, "missing",
            "add it: " + setting.meaning().substring(0, 1).toLowerCase(Locale.ROOT) + setting.meaning().substring(1)));
    }

    private ConfigException fail(final String name, final Object value, final String bound, final String remedy)
    {
        final YamlNode.Entry entry = node.entries().get(name);
        return new ConfigException(file, null == entry ? node.line() : entry.line(),
            new SettingException(join(path, name), value, bound, remedy));
    }

    /**
     * Makes the exception for an invalid group.
     *
     * @param value   that is wrong; null when it is not one value.
     * @param problem the bound that it breaks, and what to do about it.
     * @return to throw.
     */
    public ConfigException refuse(final Object value, final String problem)
    {
        return new ConfigException(file, node.line(), new SettingException(path, value, problem, ""));
    }

    /**
     * Makes the exception for an invalid setting of this group.
     *
     * @param setting of this group.
     * @param value   that is wrong; null when it is not one value.
     * @param bound   that it breaks.
     * @param remedy  what to do about it.
     * @return to throw.
     */
    public ConfigException refuse(
        final Setting<?> setting, final Object value, final String bound, final String remedy)
    {
        return fail(name(setting), value, bound, remedy);
    }

    /**
     * Makes the exception for an invalid setting of this group.
     *
     * @param key    of the setting within this group.
     * @param value  that is wrong; null when it is not one value.
     * @param bound  that it breaks.
     * @param remedy what to do about it.
     * @return to throw.
     */
    public ConfigException refuse(final String key, final Object value, final String bound, final String remedy)
    {
        return fail(key, value, bound, remedy);
    }

    /**
     * {@return path of this group in the file, such as {@code devices[1]}; empty for the top}
     */
    public String path()
    {
        return path;
    }

    private String name(final Setting<?> setting)
    {
        if (!setting.parent().equals(pattern))
        {
            throw new IllegalArgumentException(setting.key() + " is no setting of group '" + pattern + "'");
        }
        return setting.name();
    }

    private static String join(final String path, final String name)
    {
        return path.isEmpty() ? name : path + "." + name;
    }

    private static String article(final String noun)
    {
        return ("aeio".indexOf(noun.charAt(0)) >= 0 ? "an " : "a ") + noun;
    }
}
