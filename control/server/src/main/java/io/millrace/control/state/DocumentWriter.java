package io.millrace.control.state;

import io.millrace.control.codec.DeviceType;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.settings.SettingType;
import io.millrace.settings.Units;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Present;
import org.snakeyaml.engine.v2.api.lowlevel.Serialize;
import org.snakeyaml.engine.v2.common.FlowStyle;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.schema.CoreSchema;

/**
 * Writes a state as text: a line for each device, namespace and listener. Leaves out what is the default or generated.
 * Stateless.
 */
final class DocumentWriter
{
    /** Longer than any line: none is folded. */
    private static final int WIDTH = 1 << 16;
    private static final int INDENT = 4;
    private static final int INDICATOR_INDENT = 2;

    private DocumentWriter()
    {
    }

    static String write(final DesiredState state)
    {
        final Group top = new Group(FlowStyle.BLOCK);
        final List<Node> devices = new ArrayList<>();
        state.devicesInOrder().forEach((each) -> devices.add(device(each)));
        final List<Node> subsystems = new ArrayList<>();
        state.subsystems().values().forEach((each) -> subsystems.add(subsystem(each)));
        top.list("devices", devices).list("subsystems", subsystems);
        listeners(top, state);
        final DumpSettings settings = DumpSettings.builder().setIndent(INDENT).setIndicatorIndent(INDICATOR_INDENT)
            .setWidth(WIDTH).setUseUnicodeEncoding(true).setSchema(new CoreSchema()).build();
        return new Present(settings).emitToString(new Serialize(settings).serializeOne(top.node()).iterator());
    }

    private static Node device(final DeviceSpec device)
    {
        final Group group = new Group(FlowStyle.FLOW).text("name", device.name())
            .text("type", SettingType.word(StateSettings.Type.of(device.type())));
        if (DeviceType.FAULT == device.type())
        {
            group.text("device", device.target());
            return (0 == device.seed() ? group : group.number("seed", device.seed())).node();
        }
        if (DeviceType.FILE == device.type())
        {
            group.text("path", device.target());
        }
        if (0 != device.sizeBytes())
        {
            group.text("size", Units.size(device.sizeBytes()));
        }
        group.number("block-size", device.blockSizeBytes());
        if (DeviceType.FILE == device.type())
        {
            if (device.readOnly())
            {
                group.flag("read-only", true);
            }
            if (!device.preallocate())
            {
                group.flag("preallocate", false);
            }
            if (Canonical.QUEUE_DEPTH_DEFAULT != device.queueDepth())
            {
                group.number("queue-depth", device.queueDepth());
            }
        }
        return group.node();
    }

    private static Node subsystem(final SubsystemState subsystem)
    {
        final Group group = new Group(FlowStyle.BLOCK).text("nqn", subsystem.nqn());
        if (!Canonical.serialOf(subsystem.nqn()).equals(subsystem.spec().serial()))
        {
            group.text("serial", subsystem.spec().serial());
        }
        if (!Canonical.MODEL_DEFAULT.equals(subsystem.spec().model()))
        {
            group.text("model", subsystem.spec().model());
        }
        group.flag("allow-any-host", subsystem.spec().allowAnyHost());
        if (!subsystem.hosts().isEmpty())
        {
            group.list("hosts", subsystem.hosts().stream().map(DocumentWriter::text).toList());
        }
        final List<Node> namespaces = new ArrayList<>();
        for (final NamespaceSpec each : subsystem.namespaces().values())
        {
            final Group namespace = new Group(FlowStyle.FLOW).number("nsid", each.nsid())
                .text("device", each.device());
            if (!Canonical.uuidOf(each.nqn(), each.nsid(), each.device()).equals(each.uuid()))
            {
                namespace.text("uuid", each.uuid().toString());
            }
            if (NamespaceSpec.ANA_GROUP_DEFAULT != each.anaGroup())
            {
                namespace.number("ana-group", each.anaGroup());
            }
            namespaces.add(namespace.node());
        }
        return group.list("namespaces", namespaces).node();
    }

    private static void listeners(final Group top, final DesiredState state)
    {
        final List<ListenerSpec> listeners = StateDocument.listeners(state, false);
        final Set<ListenerSpec> forDiscovery = new LinkedHashSet<>(StateDocument.listeners(state, true));
        final boolean isAsDeclared = forDiscovery.equals(StateDocument.discoveryListeners(listeners));
        if (!isAsDeclared)
        {
            listeners.addAll(forDiscovery);
        }
        final List<Node> nodes = new ArrayList<>();
        for (final ListenerSpec each : listeners)
        {
            final Group listener = new Group(FlowStyle.FLOW).text("transport", "tcp").text("address", each.address())
                .number("port", each.port());
            nodes.add((each.discoveryOnly() ? listener.flag("discovery-only", true) : listener).node());
        }
        top.list("listeners", nodes).flag("discovery", isAsDeclared);
    }

    private static Node text(final String text)
    {
        return new ScalarNode(Tag.STR, text, ScalarStyle.PLAIN);
    }

    /** A group of settings that is being filled. */
    private static final class Group
    {
        private final List<NodeTuple> entries = new ArrayList<>();
        private final FlowStyle style;

        private Group(final FlowStyle style)
        {
            this.style = style;
        }

        private Group add(final String key, final Node value)
        {
            entries.add(new NodeTuple(DocumentWriter.text(key), value));
            return this;
        }

        private Group text(final String key, final String value)
        {
            return add(key, DocumentWriter.text(value));
        }

        private Group number(final String key, final long value)
        {
            return add(key, new ScalarNode(Tag.INT, Long.toString(value), ScalarStyle.PLAIN));
        }

        private Group flag(final String key, final boolean value)
        {
            return add(key, new ScalarNode(Tag.BOOL, Boolean.toString(value), ScalarStyle.PLAIN));
        }

        private Group list(final String key, final List<Node> values)
        {
            return add(key, new SequenceNode(Tag.SEQ, values, values.isEmpty() ? FlowStyle.FLOW : FlowStyle.BLOCK));
        }

        private Node node()
        {
            return new MappingNode(Tag.MAP, entries, style);
        }
    }
}
