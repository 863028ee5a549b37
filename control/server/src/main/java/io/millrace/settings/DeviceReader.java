package io.millrace.settings;

import io.millrace.control.device.DeviceSetting;
import io.millrace.control.device.DeviceType;
import io.millrace.control.device.DeviceTypes;
import io.millrace.control.setting.InvalidSettingException;
import io.millrace.control.setting.SettingType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Reads devices of a file by the tables of their types. Stateless; set-up thread.
 */
public final class DeviceReader
{
    /** Devices of a file. */
    public static final Setting<Void> DEVICES = Setting.groups("devices[]", false, "Block devices.");
    /** Name of a device. */
    public static final Setting<String> NAME = Setting.required("devices[].name", SettingType.NAME_TYPE,
        "Name that namespaces and other devices refer to.");
    /** Type of a device. */
    public static final Setting<DeviceType> TYPE = Setting.required("devices[].type",
        new SettingType<>("choice", String.join(", ", DeviceTypes.names()), DeviceReader::type, DeviceType::name),
        "What stores the blocks.");

    private static final String PARENT = "devices[].";

    private DeviceReader()
    {
    }

    /**
     * {@return the settings of devices, in the order of their documentation: those of all types, each key once}
     */
    public static List<Setting<?>> settings()
    {
        final Map<String, Setting<?>> settings = new LinkedHashMap<>();
        settings.put(DEVICES.key(), DEVICES);
        settings.put(NAME.key(), NAME);
        settings.put(TYPE.key(), TYPE);
        for (final DeviceType type : DeviceTypes.all())
        {
            for (final DeviceSetting<?> each : type.settings())
            {
                final List<DeviceType> types = DeviceTypes.all().stream()
                    .filter((other) -> null != other.find(each.key())).toList();
                final boolean isRequired = types.stream().allMatch((other) -> other.find(each.key()).required());
                final Setting<?> setting = setting(PARENT, each, isRequired)
                    .of(types.stream().map(DeviceType::name).toArray(String[]::new));
                settings.putIfAbsent(setting.key(), setting);
                if (null != each.group())
                {
                    each.group().settings().forEach((part) ->
                    {
                        final Setting<?> inner = setting(setting.key() + '.', part);
                        settings.put(inner.key(), inner);
                    });
                }
            }
        }
        return new ArrayList<>(settings.values());
    }

    private static <T> Setting<T> setting(final String parent, final DeviceSetting<T> setting)
    {
        return setting(parent, setting, setting.required());
    }

    private static <T> Setting<T> setting(
        final String parent, final DeviceSetting<T> setting, final boolean isRequired)
    {
        return new Setting<>(
            parent + setting.key() + (DeviceSetting.Form.VALUE == setting.form() ? "" : "[]"),
            setting.type(),
            switch (setting.form())
            {
                case VALUE -> Setting.Kind.VALUE;
                case VALUES -> Setting.Kind.VALUES;
                case GROUPS -> Setting.Kind.GROUPS;
            },
            setting.def(), isRequired, Set.of(), setting.description());
    }

    /** Type of a name; a former name is refused with the present one. */
    private static DeviceType type(final String name)
    {
        try
        {
            return DeviceTypes.of(name);
        }
        catch (final InvalidSettingException e)
        {
            throw new SettingType.BadValue(e.bound(), e.remedy());
        }
    }

    /**
     * {@return the settings of a device, in canonical form}
     *
     * @param section of the device.
     * @param type    of the device.
     * @param paths   of settings of type path: what is written there may be relative to where the process was started.
     * @throws ConfigException if one is missing, unknown or out of bounds.
     */
    public static Map<String, String> properties(final Section section, final DeviceType type, final Paths paths)
    {
        section.checkDeviceType(type.name());
        final Map<String, String> texts = new TreeMap<>();
        for (final DeviceSetting<?> each : type.settings())
        {
            final String text = text(section, PARENT, each, paths);
            if (null != text)
            {
                texts.put(each.key(), text);
            }
        }
        try
        {
            return type.canonical(texts);
        }
        catch (final InvalidSettingException e)
        {
            throw section.refuse(e.key(), e.value(), e.bound(), e.remedy());
        }
    }

    /** How paths are written. */
    public enum Paths
    {
        /** From the root. */
        ABSOLUTE,
        /** Also relative to where the process was started. */
        RELATIVE
    }

    /** Null when it is not given. */
    private static <T> String text(
        final Section section, final String parent, final DeviceSetting<T> setting, final Paths paths)
    {
        final Setting<T> read = setting(parent, setting);
        if (!section.has(read) && !setting.required())
        {
            return null;
        }
        return switch (setting.form())
        {
            case VALUE -> Paths.RELATIVE == paths && SettingType.PATH.name().equals(setting.type().name()) ?
                section.get(Setting.required(read.key(), SettingType.PATH, setting.description()))
                    .toAbsolutePath().normalize().toString() : setting.type().format(section.get(read));
            case VALUES -> setting.text(section.list(read));
            case GROUPS -> groups(section, read, setting);
        };
    }

    private static String groups(final Section section, final Setting<?> read, final DeviceSetting<?> setting)
    {
        final List<Map<String, Object>> groups = new ArrayList<>();
        for (final Section each : section.sectionsIfGiven(Setting.groups(read.key(), false, setting.description())))
        {
            final Map<String, Object> values = new LinkedHashMap<>();
            setting.group().settings().forEach((part) -> put(values, each, read.key() + '.', part));
            try
            {
                groups.add(setting.group().canonical().apply(values));
            }
            catch (final InvalidSettingException e)
            {
                throw each.refuse(e.key(), e.value(), e.bound(), e.remedy());
            }
        }
        return setting.text(groups);
    }

    private static <T> void put(
        final Map<String, Object> values, final Section section, final String parent, final DeviceSetting<T> setting)
    {
        final Setting<T> read = setting(parent, setting);
        final Object value = DeviceSetting.Form.VALUE == setting.form() ? section.get(read) : section.list(read);
        if (null != value)
        {
            values.put(setting.key(), value);
        }
    }
}
