package io.millrace.control.state;

import io.millrace.control.codec.DeviceType;
import io.millrace.control.codec.Polling;
import io.millrace.control.message.DeviceSettings;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.FaultRuleSpec;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.QosSpec;
import io.millrace.control.setting.SettingType;
import io.millrace.control.setting.Units;
import java.math.BigDecimal;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Writes a state as text: a line for each device, namespace, ANA state, limit and listener. Omits defaults and
 * generated values. One thread, used once.
 */
final class DocumentWriter
{
    private static final int LENGTH_EXPECTED = 1 << 12;
    private static final int SHARE_LENGTH_MAX = 20;

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
        final Group group = new Group().text("name", device.name())
            .text("type", SettingType.word(StateSettings.Type.of(device.type())));
        if (DeviceType.FAULT == device.type())
        {
            group.text("base", device.target());
            if (0 != device.seed())
            {
                group.plain("seed", device.seed());
            }
            return device.settings().rules().isEmpty() ? group :
                group.plain("rules", device.settings().rules().stream().map(DocumentWriter::rule).toList());
        }
        if (DeviceType.NVME == device.type())
        {
            final int slash = device.target().lastIndexOf('/');
            group.text("address", device.target().substring(0, slash))
                .plain("nsid", device.target().substring(slash + 1));
            if (Canonical.QUEUE_DEPTH_DEFAULT != device.queueDepth())
            {
                group.plain("queue-depth", device.queueDepth());
            }
            return device.settings().isKnown() ? drive(group, device.settings()) : group;
        }
        if (DeviceType.FILE == device.type())
        {
            group.text("path", device.target());
        }
        if (0 != device.sizeBytes())
        {
            group.plain("size", Units.size(device.sizeBytes()));
        }
        group.plain("block-size", device.blockSizeBytes());
        if (device.hasIncarnation() && !DeviceSpec.NO_INCARNATION.equals(device.incarnation()))
        {
            group.plain("incarnation", device.incarnation());
        }
        if (DeviceType.FILE == device.type())
        {
            if (device.readOnly())
            {
                group.plain("read-only", true);
            }
            if (!device.preallocate())
            {
                group.plain("preallocate", false);
            }
            if (Canonical.QUEUE_DEPTH_DEFAULT != device.queueDepth())
            {
                group.plain("queue-depth", device.queueDepth());
            }
            if (device.settings().isKnown() && Polling.AUTO != device.settings().polling())
            {
                group.text("polling", SettingType.word(device.settings().polling()));
            }
        }
        return group;
    }

    private static Group drive(final Group group, final DeviceSettings settings)
    {
        if (Canonical.TIMEOUT_NS_DEFAULT != settings.timeoutNs())
        {
            group.plain("timeout", Units.duration(settings.timeoutNs()));
        }
        if (settings.interrupts())
        {
            group.plain("interrupts", true);
        }
        return settings.unsafeNoIommu() ? group.plain("unsafe-noiommu", true) : group;
    }

    private static Group rule(final FaultRuleSpec rule)
    {
        final Group group = new Group().text("effect", SettingType.word(rule.action()));
        if (!rule.operations().isEmpty())
        {
            group.plain("operations", rule.operations().stream().sorted().map(SettingType::word).toList());
        }
        if (0 != rule.firstBlock())
        {
            group.plain("first-block", rule.firstBlock());
        }
        if (0 != rule.blocks())
        {
            group.plain("last-block", rule.firstBlock() + rule.blocks() - 1);
        }
        if (0 != rule.status())
        {
            group.text("status", FaultRuleValues.wordOf(rule.status()));
        }
        if (0 != rule.delayNs())
        {
            group.plain("delay", Units.duration(rule.delayNs()));
        }
        if (1 != rule.every())
        {
            group.plain("every", rule.every());
        }
        if (1 != rule.probability())
        {
            group.plain("probability", share(rule.probability()));
        }
        return 0 == rule.limit() ? group : group.plain("count", rule.limit());
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

    /** With the fewest digits that give the same number again. */
    private static String share(final double value)
    {
        final String plain = BigDecimal.valueOf(value).toPlainString();
        return plain.length() <= SHARE_LENGTH_MAX ? plain : Double.toString(value);
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
            final Group listener = new Group().text("transport", "tcp").text("address", each.address())
                .plain("port", each.port());
            out.append("  - ").append(each.discoveryOnly() ? listener.plain("discovery-only", true) : listener)
                .append('\n');
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
