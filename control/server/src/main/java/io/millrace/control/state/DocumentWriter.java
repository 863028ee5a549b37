package io.millrace.control.state;

import io.millrace.control.codec.ListenerProvider;
import io.millrace.control.codec.Transport;
import io.millrace.control.device.DeviceSetting;
import io.millrace.control.device.DeviceSettingGroup;
import io.millrace.control.device.DeviceTypes;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.QosSpec;
import io.millrace.control.setting.SettingType;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Writes a state as text: a line for each device, namespace, ANA state, limit and listener. Omits defaults and
 * generated values. One thread, used once.
 */
final class DocumentWriter
{
    /** Types of settings whose texts never need quotes. */
    private static final Set<String> UNQUOTED = Set.of("size", "integer", "duration", "boolean", "number");
    private static final int LENGTH_EXPECTED = 1 << 12;

    private final StringBuilder out = new StringBuilder(LENGTH_EXPECTED);

    private DocumentWriter()
    {
    }

    static String write(final DesiredState state)
    {
        final DocumentWriter writer = new DocumentWriter();
        writer.state(state);
        return writer.out.toString();
    }

    private void state(final DesiredState state)
    {
        begin("", "devices", state.devices().isEmpty());
        for (final DeviceSpec each : state.devicesInOrder())
        {
            out.append("  - ").append(device(each)).append('\n');
        }
        begin("", "subsystems", state.subsystems().isEmpty());
        state.subsystems().values().forEach(this::subsystem);
        listeners(state);
    }

    /** Begins a list that is not empty, or writes an empty one. */
    private void begin(final String indent, final String key, final boolean isEmpty)
    {
        out.append(indent).append(key).append(isEmpty ? ": []\n" : ":\n");
    }

    private static Group device(final DeviceSpec device)
    {
        final Group group = new Group().text("name", device.name()).text("type", device.type());
        DeviceTypes.of(device.type()).inOrder(device.properties())
            .forEach((setting, text) -> setting(group, setting, text));
        return device.hasIncarnation() && !DeviceSpec.NO_INCARNATION.equals(device.incarnation()) ?
            group.plain("incarnation", device.incarnation()) : group;
    }

    private static void setting(final Group group, final DeviceSetting<?> setting, final String text)
    {
        switch (setting.form())
        {
            case VALUE -> value(group, setting, text);
            case VALUES -> group.plain(setting.key(), setting.texts(Map.of(setting.key(), text)).stream()
                .map(YamlScalar::inFlow).toList());
            default -> group.plain(setting.key(), setting.texts(Map.of(setting.key(), text)).stream()
                .map((item) -> item(setting.group(), item)).toList());
        }
    }

    private static void value(final Group group, final DeviceSetting<?> setting, final String text)
    {
        if (UNQUOTED.contains(setting.type().name()))
        {
            group.plain(setting.key(), text);
        }
        else
        {
            group.text(setting.key(), text);
        }
    }

    private static Group item(final DeviceSettingGroup settings, final String text)
    {
        final Group group = new Group();
        settings.texts(text).forEach((setting, value) ->
        {
            if (DeviceSetting.Form.VALUES == setting.form())
            {
                group.plain(setting.key(), List.of(value.split("\\+")));
            }
            else
            {
                value(group, setting, value);
            }
        });
        return group;
    }

    private void subsystem(final SubsystemState subsystem)
    {
        out.append("  - nqn: ").append(YamlScalar.inBlock(subsystem.nqn())).append('\n');
        if (!Canonical.serialOf(subsystem.nqn()).equals(subsystem.spec().serial()))
        {
            out.append("    serial: ").append(YamlScalar.inBlock(subsystem.spec().serial())).append('\n');
        }
        if (!Canonical.MODEL_DEFAULT.equals(subsystem.spec().model()))
        {
            out.append("    model: ").append(YamlScalar.inBlock(subsystem.spec().model())).append('\n');
        }
        out.append("    allow-any-host: ").append(subsystem.spec().allowAnyHost()).append('\n');
        if (!subsystem.hosts().isEmpty())
        {
            begin("    ", "hosts", false);
            subsystem.hosts().forEach((host) ->
                out.append("      - ").append(YamlScalar.inBlock(host)).append('\n'));
        }
        begin("    ", "namespaces", subsystem.namespaces().isEmpty());
        for (final NamespaceSpec each : subsystem.namespaces().values())
        {
            final Group namespace = new Group().plain("nsid", each.nsid()).text("device", each.device());
            if (!Canonical.uuidOf(each.nqn(), each.nsid(), each.device()).equals(each.uuid()))
            {
                namespace.plain("uuid", each.uuid());
            }
            if (NamespaceSpec.ANA_GROUP_DEFAULT != each.anaGroup())
            {
                namespace.plain("ana-group", each.anaGroup());
            }
            out.append("      - ").append(namespace).append('\n');
        }
        access(subsystem);
    }

    private void access(final SubsystemState subsystem)
    {
        final List<AnaStates.Entry> states = subsystem.ana().entries();
        if (!states.isEmpty())
        {
            begin("    ", "ana", false);
        }
        for (final AnaStates.Entry each : states)
        {
            final Group state = new Group();
            if (!AnaStates.Place.ALL.equals(each.place()))
            {
                state.text("listener", each.place().toString());
            }
            if (AnaStates.GROUPS_ALL != each.group())
            {
                state.plain("group", each.group());
            }
            out.append("      - ").append(state.plain("state", SettingType.word(each.state()))).append('\n');
        }
        if (!subsystem.limits().isEmpty())
        {
            begin("    ", "qos", false);
        }
        for (final QosSpec each : subsystem.qos())
        {
            final Group limits = 0 == each.nsid() ? new Group().text("host", each.hostNqn()) :
                new Group().plain("nsid", each.nsid());
            QosLimits.settings(each, limits::plain);
            out.append("      - ").append(limits).append('\n');
        }
    }

    private void listeners(final DesiredState state)
    {
        final List<ListenerSpec> listeners = StateDocument.listeners(state, false);
        final Set<ListenerSpec> forDiscovery = new LinkedHashSet<>(StateDocument.listeners(state, true));
        // Without listeners discovery is unavailable, and listeners added by commands do not add it.
        final boolean isAsDeclared =
            !listeners.isEmpty() && forDiscovery.equals(StateDocument.discoveryListeners(listeners));
        if (!isAsDeclared)
        {
            listeners.addAll(forDiscovery);
        }
        begin("", "listeners", listeners.isEmpty());
        for (final ListenerSpec each : listeners)
        {
            final Group listener = new Group().text("transport", SettingType.word(each.transport()))
                .text("address", each.address());
            if (Transport.VFIO_USER != each.transport())
            {
                listener.plain("port", each.port());
            }
            if (each.discoveryOnly())
            {
                listener.plain("discovery-only", true);
            }
            if (ListenerProvider.MILLRACE != each.provider())
            {
                listener.text("provider", SettingType.word(each.provider()));
            }
            out.append("  - ").append(listener).append('\n');
        }
        out.append("discovery: ").append(isAsDeclared).append('\n');
    }

    /** Settings in braces, in one line. */
    private static final class Group
    {
        private final StringBuilder text = new StringBuilder("{");

        /** A text, which may need quotes. */
        private Group text(final String key, final String value)
        {
            return plain(key, YamlScalar.inFlow(value));
        }

        /** A value that never needs quotes. */
        private Group plain(final String key, final Object value)
        {
            text.append(1 == text.length() ? "" : ", ").append(key).append(": ").append(value);
            return this;
        }

        @Override
        public String toString()
        {
            return text + "}";
        }
    }
}
