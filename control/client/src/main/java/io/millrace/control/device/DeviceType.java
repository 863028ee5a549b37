package io.millrace.control.device;

import io.millrace.control.setting.InvalidSettingException;
import io.millrace.control.setting.Similar;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * A type of device: its table of settings. Properties of a device are texts by key of setting; in canonical form those
 * that have not their defaults, each as its setting writes it. Immutable.
 */
public final class DeviceType
{
    /** Most bytes of the properties of a device in canonical form, so that a message holds them. */
    public static final int PROPERTIES_LENGTH_BYTES_MAX = 8 * 1024;
    /** Most devices below a device. */
    public static final int BASES_MAX = 64;

    private final String name;
    private final DeviceContent content;
    private final String description;
    private final List<DeviceSetting<?>> settings;
    private final Consumer<Map<String, Object>> check;

    /**
     * A type of device.
     *
     * @param name        as it is declared.
     * @param content     what becomes of the data when a device is deleted.
     * @param description one sentence.
     * @param settings    in the order of their documentation.
     */
    public DeviceType(
        final String name,
        final DeviceContent content,
        final String description,
        final List<DeviceSetting<?>> settings)
    {
        this(name, content, description, settings, (values) ->
        {
        });
    }

    /**
     * A type of device whose settings have to go together.
     *
     * @param name        as it is declared.
     * @param content     what becomes of the data when a device is deleted.
     * @param description one sentence.
     * @param settings    in the order of their documentation.
     * @param check       of values by key, with defaults; throws {@link InvalidSettingException}.
     */
    public DeviceType(
        final String name,
        final DeviceContent content,
        final String description,
        final List<DeviceSetting<?>> settings,
        final Consumer<Map<String, Object>> check)
    {
        this.name = name;
        this.content = content;
        this.description = description;
        this.settings = List.copyOf(settings);
        this.check = check;
    }

    /**
     * {@return as it is declared}
     */
    public String name()
    {
        return name;
    }

    /**
     * {@return what becomes of the data when a device is deleted}
     */
    public DeviceContent content()
    {
        return content;
    }

    /**
     * {@return one sentence, for help and documentation}
     */
    public String description()
    {
        return description;
    }

    /**
     * {@return the settings in the order of their documentation}
     */
    public List<DeviceSetting<?>> settings()
    {
        return settings;
    }

    /**
     * {@return a setting; null: the type does not have it}
     *
     * @param key of the setting.
     */
    public DeviceSetting<?> find(final String key)
    {
        return settings.stream().filter((each) -> each.key().equals(key)).findFirst().orElse(null);
    }

    /**
     * {@return the setting with the size, of a type whose devices can grow; null: they cannot}
     */
    public DeviceSetting<?> growable()
    {
        return settings.stream().filter((each) -> OnChange.GROWN == each.onChange()).findFirst().orElse(null);
    }

    /**
     * {@return whether devices of one name may hold different data, so that each that is created has an identity}
     */
    public boolean hasIncarnation()
    {
        return DeviceContent.VOLATILE == content || DeviceContent.NONE == content;
    }

    /**
     * {@return whether a device of it is made of a list of others, as an array is: one that is being replaced is named
     * no more, and it is needed, so that such a device is created behind all others}
     */
    public boolean hasMembers()
    {
        return settings.stream().anyMatch((each) -> each.namesDevices() && DeviceSetting.Form.VALUES == each.form());
    }

    /**
     * {@return names of the devices below a device}
     *
     * @param properties of the device.
     */
    public List<String> bases(final Map<String, String> properties)
    {
        final List<String> bases = new ArrayList<>();
        settings.stream().filter(DeviceSetting::namesDevices).forEach((each) -> bases.addAll(each.texts(properties)));
        return bases;
    }

    /**
     * {@return what a device has for itself, as settings with values: {@code path /srv/vol0.img}; empty: nothing}
     *
     * @param properties of the device, in canonical form.
     */
    public String location(final Map<String, String> properties)
    {
        final List<String> parts = new ArrayList<>();
        settings.stream().filter((each) -> each.isLocation() && null != each.text(properties))
            .forEach((each) -> parts.add(each.key() + ' ' + each.text(properties)));
        return String.join(" ", parts);
    }

    /**
     * {@return values by key, with defaults: of each setting what its type makes of the text, lists of them, and lists
     * of maps}
     *
     * @param properties of a device, which may be wrong.
     * @throws InvalidSettingException if they are.
     */
    public Map<String, Object> values(final Map<String, String> properties)
    {
        for (final String key : properties.keySet())
        {
            if (null == find(key))
            {
                throw unknown(key);
            }
        }
        final Map<String, Object> values = DeviceSetting.values(settings, properties, false);
        if (bases(properties).size() > BASES_MAX)
        {
            throw new InvalidSettingException("settings", null, "more than " + BASES_MAX + " devices below this one",
                "use fewer");
        }
        check.accept(values);
        long lengthBytes = 0;
        for (final Map.Entry<String, String> each : texts(values).entrySet())
        {
            lengthBytes += each.getKey().length() + each.getValue().getBytes(StandardCharsets.UTF_8).length;
        }
        if (lengthBytes > PROPERTIES_LENGTH_BYTES_MAX)
        {
            throw new InvalidSettingException("settings", null, lengthBytes + " bytes together, more than " +
                PROPERTIES_LENGTH_BYTES_MAX, "shorten or join some");
        }
        return values;
    }

    private InvalidSettingException unknown(final String key)
    {
        final List<String> keys = settings.stream().<String>map(DeviceSetting::key).toList();
        final String near = Similar.nearest(key, keys);
        return new InvalidSettingException(key, null, "no setting of type " + name,
            (null == near ? "" : "did you mean " + near + "? ") + "its settings are " + String.join(", ", keys));
    }

    /**
     * {@return the properties in canonical form}
     *
     * @param properties of a device, which may be wrong.
     * @throws InvalidSettingException if they are.
     */
    public Map<String, String> canonical(final Map<String, String> properties)
    {
        return texts(values(properties));
    }

    /**
     * {@return the properties in canonical form}
     *
     * @param values by key, as {@link #values} answers them; none for a setting that has its default.
     */
    public Map<String, String> texts(final Map<String, ?> values)
    {
        final Map<String, String> texts = new TreeMap<>();
        for (final DeviceSetting<?> each : settings)
        {
            final Object value = values.get(each.key());
            if (null != value && !each.isDefault(value))
            {
                texts.put(each.key(), each.format(value));
            }
        }
        return Collections.unmodifiableMap(texts);
    }

    /**
     * {@return the properties of a device after a change while it serves, in canonical form}
     *
     * @param properties of the device, in canonical form.
     * @param changes    texts by key, which may be wrong; an empty text restores the default.
     * @throws InvalidSettingException if they are, or if the device has to be made anew for them.
     */
    public Map<String, String> applied(final Map<String, String> properties, final Map<String, String> changes)
    {
        final Map<String, String> changed = new TreeMap<>(properties);
        changes.forEach((key, text) ->
        {
            if (null == find(key))
            {
                throw unknown(key);
            }
            changed.put(key, text);
        });
        changed.values().removeIf(String::isEmpty);
        final Map<String, String> canonical = canonical(changed);
        for (final DeviceSetting<?> each : differences(properties, canonical))
        {
            if (OnChange.APPLIED != each.onChange())
            {
                throw new InvalidSettingException(each.key(), changes.get(each.key()),
                    OnChange.FIXED == each.onChange() ?
                    "is fixed at creation, as the devices that it is made of hold it" :
                    "does not change while the device serves",
                    switch (each.onChange())
                    {
                        case GROWN -> "resize it";
                        case FIXED -> "create another one of other devices, and copy the data";
                        default -> "delete it and create it again";
                    });
            }
        }
        return canonical;
    }

    /**
     * {@return the settings in which two devices of this type differ, in the order of their documentation}
     *
     * @param was    properties of one, in canonical form.
     * @param wanted properties of the other, in canonical form.
     */
    public List<DeviceSetting<?>> differences(final Map<String, String> was, final Map<String, String> wanted)
    {
        return settings.stream()
            .filter((each) -> !Objects.equals(was.get(each.key()), wanted.get(each.key()))).toList();
    }

    /**
     * {@return properties by the key of their settings, in the order of their documentation}
     *
     * @param properties in canonical form.
     */
    public Map<DeviceSetting<?>, String> inOrder(final Map<String, String> properties)
    {
        final Map<DeviceSetting<?>, String> ordered = new LinkedHashMap<>();
        settings.stream().filter((each) -> properties.containsKey(each.key()))
            .forEach((each) -> ordered.put(each, properties.get(each.key())));
        return ordered;
    }

    @Override
    public String toString()
    {
        return name;
    }
}
