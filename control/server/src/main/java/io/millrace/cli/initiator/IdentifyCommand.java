package io.millrace.cli.initiator;

import io.millrace.console.Json;
import io.millrace.console.Table;
import io.millrace.console.Terminal;
import io.millrace.control.setting.Units;
import io.millrace.nvme.AnaGroupDescriptor;
import io.millrace.nvme.AnaLogHeader;
import io.millrace.nvme.AnaState;
import io.millrace.nvme.LogPageId;
import io.millrace.nvme.identify.ControllerInfo;
import io.millrace.nvme.identify.IdentifyControllerAdmin;
import io.millrace.nvme.identify.IdentifyControllerIo;
import io.millrace.nvme.identify.NamespaceIdentity;
import io.millrace.nvme.identify.NamespaceInfo;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.ControllerListener;
import io.millrace.nvmf.initiator.RemoteController;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code millrace identify}: Identify data of a controller and its namespaces.
 */
@Command(
    name = "identify",
    description = "Connect to a subsystem and show its controller and namespaces.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace identify --nqn nqn.2026-11.io.millrace:vol0",
        "  millrace identify tcp://192.0.2.7:4420/nqn.2026-11.io.millrace:vol0 --json",
        "  millrace identify rdma://192.0.2.7/nqn.2026-11.io.millrace:vol0"})
public final class IdentifyCommand implements Runnable
{
    private static final int ALL_NAMESPACES = 0xFFFFFFFF;
    private static final int STATE_MASK = 0xF;

    @Mixin
    private FabricsOptions options;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    /**
     * Called by picocli.
     */
    public IdentifyCommand()
    {
    }

    @Override
    public void run()
    {
        final ConnectionConfig config = options.connection();
        final Terminal terminal = Terminal.standard();
        try (HostSession session = new HostSession();
            RemoteController controller = HostSession.await(RemoteController.connect(session.group(), options.host(),
                config, ControllerListener.NONE)))
        {
            final ControllerInfo info = controller.info();
            final List<NamespaceInfo> namespaces = info.discovery() ? List.of() :
                HostSession.await(controller.namespaces());
            final Map<Integer, AnaState> ana = info.reportsAna() ? anaStates(controller) : Map.of();
            if (json)
            {
                final Map<String, Object> map = new LinkedHashMap<>();
                map.put("controller", json(controller));
                map.put("namespaces", namespaces.stream().map((each) -> json(each, ana)).toList());
                terminal.line(Json.write(map));
            }
            else
            {
                print(terminal, controller, namespaces, ana);
            }
        }
    }

    /** The state of each group as this controller has it. */
    private static Map<Integer, AnaState> anaStates(final RemoteController controller)
    {
        // Groups without their namespaces, which is said in the same double word as the page.
        final int page = LogPageId.ANA | AnaLogHeader.GROUPS_ONLY;
        final AnaLogHeader header = new AnaLogHeader();
        header.wrap(new UnsafeBuffer(
            HostSession.await(controller.logPage(page, ALL_NAMESPACES, 0, AnaLogHeader.SIZE_BYTES))), 0);
        final UnsafeBuffer log = new UnsafeBuffer(HostSession.await(controller.logPage(page, ALL_NAMESPACES, 0,
            AnaLogHeader.SIZE_BYTES + header.groups() * AnaGroupDescriptor.SIZE_BYTES)));
        final AnaGroupDescriptor descriptor = new AnaGroupDescriptor();
        final Map<Integer, AnaState> states = new HashMap<>();
        for (int i = 0; i < header.groups(); i++)
        {
            descriptor.wrap(log, AnaLogHeader.SIZE_BYTES + i * AnaGroupDescriptor.SIZE_BYTES);
            states.put(descriptor.groupId(), AnaState.of(descriptor.state() & STATE_MASK));
        }
        return states;
    }

    static void print(
        final Terminal terminal,
        final RemoteController controller,
        final List<NamespaceInfo> namespaces,
        final Map<Integer, AnaState> ana)
    {
        final ControllerInfo info = controller.info();
        terminal.line(terminal.bold("Controller " + info.controllerId()) + " of " + info.subsystemNqn() + " at " +
            controller.config().target());
        json(controller).forEach((name, value) -> line(terminal, name, value));
        terminal.line();
        if (namespaces.isEmpty())
        {
            terminal.line(info.discovery() ? "A discovery controller has no namespaces." : "No active namespace.");
            return;
        }
        final Table table = new Table(">NSID", ">SIZE", ">BLOCKS", ">BLOCK SIZE", "UUID OR NGUID", ">ANA GROUP",
            "ANA STATE", "NOTES");
        for (final NamespaceInfo namespace : namespaces)
        {
            final NamespaceIdentity identity = namespace.identity();
            table.row(String.valueOf(namespace.nsid()), Units.size(namespace.sizeBytes()),
                String.valueOf(namespace.blockCount()), String.valueOf(namespace.blockSizeBytes()),
                identity.uuid().isEmpty() ? identity.nguid() : identity.uuid(),
                0 == namespace.anaGroup() ? "" : String.valueOf(namespace.anaGroup()), state(namespace, ana),
                notes(namespace));
        }
        table.print(terminal, "");
    }

    private static void line(final Terminal terminal, final String name, final Object value)
    {
        final int width = 24;
        final String text = value instanceof final List<?> list ?
            String.join(", ", list.stream().map(String::valueOf).toList()) : String.valueOf(value);
        terminal.line("  " + words(name) + " ".repeat(Math.max(1, width - words(name).length())) + text);
    }

    /** From {@code max-transfer-bytes} to {@code max transfer bytes}. */
    private static String words(final String name)
    {
        return name.replace('-', ' ');
    }

    private static String state(final NamespaceInfo namespace, final Map<Integer, AnaState> ana)
    {
        final AnaState state = ana.get(namespace.anaGroup());
        return null == state ? "" : word(state);
    }

    private static String word(final AnaState state)
    {
        return state.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static String notes(final NamespaceInfo namespace)
    {
        final List<String> notes = new ArrayList<>();
        if (namespace.writeProtected())
        {
            notes.add("write-protected");
        }
        if (namespace.shared())
        {
            notes.add("shared");
        }
        if (namespace.metadataBytes() > 0)
        {
            notes.add(namespace.metadataBytes() + " bytes of metadata a block");
        }
        return String.join(", ", notes);
    }

    static Map<String, Object> json(final RemoteController controller)
    {
        final ControllerInfo info = controller.info();
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("controller-id", info.controllerId());
        map.put("subsystem-nqn", info.subsystemNqn());
        map.put("model-number", info.modelNumber());
        map.put("serial-number", info.serialNumber());
        map.put("firmware-revision", info.firmwareRevision());
        map.put("vendor-id", "0x" + Integer.toHexString(info.vendorId()));
        map.put("nvme-version", info.versionText());
        map.put("type", info.discovery() ? "discovery" : "I/O");
        map.put("namespace-id-max", Integer.toUnsignedLong(info.namespaceIdMax()));
        map.put("io-queues", controller.ioQueueCount());
        map.put("queue-entries-max", controller.queueEntriesMax());
        map.put("max-transfer-bytes", info.maxTransferBytes());
        map.put("in-capsule-data-bytes", info.inCapsuleDataBytes());
        map.put("volatile-write-cache", info.volatileWriteCache());
        map.put("optional-commands", optionalCommands(info.optionalCommands()));
        map.put("async-event-limit", info.asyncEventLimit());
        map.put("keep-alive-unit-ms", info.keepAliveGranularity() * 100);
        map.put("ana-states", Arrays.stream(AnaState.values())
            .filter((state) -> 0 != (info.anaCapabilities() &
                1 << state.ordinal())).map(IdentifyCommand::word).toList());
        map.put("ana-group-fixed", 0 != (info.anaCapabilities() & IdentifyControllerAdmin.ANA_GROUP_FIXED));
        map.put("ana-transition-seconds", info.anaTransitionSeconds());
        map.put("ana-group-id-max", Integer.toUnsignedLong(info.anaGroupIdMax()));
        map.put("ana-groups", Integer.toUnsignedLong(info.anaGroups()));
        return map;
    }

    private static List<String> optionalCommands(final int commands)
    {
        final List<String> names = new ArrayList<>();
        add(names, commands, IdentifyControllerIo.NVM_COMPARE, "compare");
        add(names, commands, 1 << 1, "write uncorrectable");
        add(names, commands, IdentifyControllerIo.NVM_DATASET_MANAGEMENT, "dataset management");
        add(names, commands, IdentifyControllerIo.NVM_WRITE_ZEROES, "write zeroes");
        add(names, commands, 1 << 5, "reservations");
        add(names, commands, IdentifyControllerIo.NVM_TIMESTAMP, "timestamp");
        add(names, commands, IdentifyControllerIo.NVM_VERIFY, "verify");
        add(names, commands, 1 << 8, "copy");
        return names;
    }

    private static void add(final List<String> names, final int commands, final int bit, final String name)
    {
        if (0 != (commands & bit))
        {
            names.add(name);
        }
    }

    static Map<String, Object> json(final NamespaceInfo namespace, final Map<Integer, AnaState> ana)
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("nsid", namespace.nsid());
        map.put("size-bytes", namespace.sizeBytes());
        map.put("block-count", namespace.blockCount());
        map.put("block-size-bytes", namespace.blockSizeBytes());
        map.put("metadata-bytes", namespace.metadataBytes());
        map.put("capacity-blocks", namespace.capacityBlocks());
        map.put("used-blocks", namespace.usedBlocks());
        map.put("uuid", namespace.identity().uuid());
        map.put("nguid", namespace.identity().nguid());
        map.put("eui64", namespace.identity().eui64());
        map.put("shared", namespace.shared());
        map.put("write-protected", namespace.writeProtected());
        map.put("deallocated-reads-zero", namespace.deallocatedReadsZero());
        map.put("ana-group", Integer.toUnsignedLong(namespace.anaGroup()));
        map.put("ana-state", state(namespace, ana));
        return map;
    }
}
