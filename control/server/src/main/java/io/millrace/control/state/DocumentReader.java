package io.millrace.control.state;

import io.millrace.control.codec.Transport;
import io.millrace.control.device.DeviceType;
import io.millrace.control.message.Command;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.QosSpec;
import io.millrace.control.message.SubsystemSpec;
import io.millrace.control.setting.SettingType;
import io.millrace.settings.DeviceReader;
import io.millrace.settings.Section;
import io.millrace.settings.Setting;
import io.millrace.settings.SettingTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reads one {@link StateDocument}. Declarations are applied with the same editor as commands, so that the same rules
 * hold for both. One thread, used once.
 */
final class DocumentReader
{
    private static final UUID NO_UUID = new UUID(0, 0);

    private final Section top;
    private final boolean isPersisted;
    private final UnaryOperator<String> address;
    private final StateEditor editor = DesiredState.EMPTY.edit();
    private final List<String> skipped = new ArrayList<>();

    /**
     * @param address of a listener as it is declared, to the one that is kept; throws {@link SettingType.BadValue}.
     */
    DocumentReader(
        final String file, final String text, final SettingTable settings, final UnaryOperator<String> address)
    {
        this.address = address;
        isPersisted = StateSettings.PERSISTED == settings;
        top = Section.parse(file, text, StateDocument.LENGTH_MAX, settings, new HashMap<>());
    }

    StateDocument read()
    {
        for (final Setting<?> each : StateSettings.SKIPPED)
        {
            if (top.hasContent(each))
            {
                skipped.add(each.name());
            }
        }
        top.sectionsIfGiven(DeviceReader.DEVICES).forEach(this::device);
        top.sectionsIfGiven(StateSettings.SUBSYSTEMS).forEach(this::subsystem);
        listeners();
        return new StateDocument(editor.state(), skipped, missing());
    }

    private List<String> missing()
    {
        return Stream.of(DeviceReader.DEVICES, StateSettings.SUBSYSTEMS, StateSettings.LISTENERS)
            .filter((each) -> !top.hasContent(each)).map(Setting::name).toList();
    }

    private void device(final Section section)
    {
        final String name = section.get(DeviceReader.NAME);
        final DeviceType type = section.get(DeviceReader.TYPE);
        final Map<String, String> properties =
            DeviceReader.properties(section, type, DeviceReader.Paths.ABSOLUTE);
        final UUID incarnation = isPersisted ? section.get(StateSettings.DEVICE_INCARNATION) : null;
        apply(section, new Command.CreateDevice(new DeviceSpec(
            name, type.name(), properties, null == incarnation ? DeviceSpec.NO_INCARNATION : incarnation)));
    }

    private void subsystem(final Section section)
    {
        final String nqn = section.get(StateSettings.SUBSYSTEM_NQN);
        final String serial = section.get(StateSettings.SUBSYSTEM_SERIAL);
        apply(section, new Command.CreateSubsystem(new SubsystemSpec(nqn,
            section.get(StateSettings.SUBSYSTEM_ANY_HOST), null == serial ? "" : serial,
            section.get(StateSettings.SUBSYSTEM_MODEL))));
        for (final Section namespace : section.sectionsIfGiven(StateSettings.NAMESPACES))
        {
            final UUID uuid = namespace.get(StateSettings.NAMESPACE_UUID);
            apply(namespace, new Command.AddNamespace(new NamespaceSpec(nqn,
                namespace.get(StateSettings.NAMESPACE_NSID), null == uuid ? NO_UUID : uuid,
                namespace.get(StateSettings.NAMESPACE_DEVICE), namespace.get(StateSettings.NAMESPACE_ANA_GROUP))));
        }
        for (final String host : section.list(StateSettings.SUBSYSTEM_HOSTS))
        {
            try
            {
                final Command.AllowHost allow = new Command.AllowHost(nqn, host);
                if (!editor.noChange(allow).isEmpty())
                {
                    throw section.refuse(StateSettings.SUBSYSTEM_HOSTS, host, "listed twice", "keep one");
                }
                editor.apply(allow);
            }
            catch (final ControlException e)
            {
                throw section.refuse(StateSettings.SUBSYSTEM_HOSTS, null, e.getMessage(), "");
            }
        }
        section.sectionsIfGiven(StateSettings.ANA).forEach((each) -> ana(nqn, each));
        final Set<QosLimits.Key> limited = new HashSet<>();
        for (final Section each : section.sectionsIfGiven(StateSettings.QOS))
        {
            final QosSpec limits = limits(nqn, each);
            if (QosLimits.isNone(limits))
            {
                throw each.refuse(null, "has no limits; add " +
                    QosLimits.ALL.stream().map(QosLimits.Limit::key).collect(Collectors.joining(", ")) +
                    ", or leave it out");
            }
            apply(each, new Command.SetQos(limits));
            if (!limited.add(QosLimits.Key.of(limits)))
            {
                throw each.refuse(null, QosLimits.subject(limits) + " is limited twice; keep one");
            }
        }
    }

    private void ana(final String nqn, final Section section)
    {
        final AnaStates.Place listener = section.get(StateSettings.ANA_LISTENER);
        final Integer group = section.get(StateSettings.ANA_GROUP);
        apply(section, new AnaStates.Entry(null == listener ? AnaStates.Place.ALL : listener,
            null == group ? AnaStates.GROUPS_ALL : group, section.get(StateSettings.ANA_STATE)).command(nqn));
    }

    private static QosSpec limits(final String nqn, final Section section)
    {
        final Integer nsid = section.get(StateSettings.QOS_NSID);
        final String host = section.get(StateSettings.QOS_HOST);
        return new QosSpec(nqn, null == nsid ? 0 : nsid, null == host ? "" : host,
            limit(section, StateSettings.QOS_READ_IOPS), limit(section, StateSettings.QOS_WRITE_IOPS),
            limit(section, StateSettings.QOS_IOPS), limit(section, StateSettings.QOS_READ_BANDWIDTH),
            limit(section, StateSettings.QOS_WRITE_BANDWIDTH), limit(section, StateSettings.QOS_BANDWIDTH),
            (int)TimeUnit.NANOSECONDS.toMillis(section.get(StateSettings.QOS_BURST)));
    }

    private static long limit(final Section section, final Setting<Long> setting)
    {
        final Long limit = section.get(setting);
        return null == limit ? 0 : limit;
    }

    private void listeners()
    {
        for (final Section section : top.sectionsIfGiven(StateSettings.LISTENERS))
        {
            apply(section, new Command.AddListener(new ListenerSpec(section.get(StateSettings.LISTENER_TRANSPORT),
                address(section), port(section),
                section.get(StateSettings.LISTENER_DISCOVERY_ONLY), section.get(StateSettings.LISTENER_PROVIDER))));
        }
        if (top.get(StateSettings.DISCOVERY))
        {
            final DesiredState declared = editor.state();
            final List<ListenerSpec> ordinary = StateDocument.listeners(declared, false);
            ordinary.addAll(StateDocument.listeners(declared, true).stream()
                .filter((each) -> StateDocument.DISCOVERY_PORT == each.port()).toList());
            for (final ListenerSpec each : StateDocument.discoveryListeners(ordinary))
            {
                try
                {
                    editor.apply(new Command.AddListener(each));
                }
                catch (final ControlException e)
                {
                    throw top.refuse(StateSettings.DISCOVERY, true, e.getMessage(), "or set discovery: false");
                }
            }
        }
    }

    private String address(final Section section)
    {
        final String declared = section.get(StateSettings.LISTENER_ADDRESS);
        if (Transport.VFIO_USER == section.get(StateSettings.LISTENER_TRANSPORT))
        {
            return declared;
        }
        try
        {
            return address.apply(declared);
        }
        catch (final SettingType.BadValue e)
        {
            throw section.refuse(StateSettings.LISTENER_ADDRESS, declared, e.bound(), e.remedy());
        }
    }

    private static int port(final Section section)
    {
        if (Transport.VFIO_USER != section.get(StateSettings.LISTENER_TRANSPORT))
        {
            return section.get(StateSettings.LISTENER_PORT);
        }
        if (section.has(StateSettings.LISTENER_PORT))
        {
            throw section.refuse(StateSettings.LISTENER_PORT, section.get(StateSettings.LISTENER_PORT),
                "not for transport vfio-user", "leave it out");
        }
        return 0;
    }

    private void apply(final Section section, final Command command)
    {
        refuseTwice(section, command);
        try
        {
            editor.apply(command);
        }
        catch (final ControlException e)
        {
            throw section.refuse(null, e.getMessage());
        }
    }

    /** A command may be repeated; a duplicate declaration in a file is an error. */
    private void refuseTwice(final Section section, final Command command)
    {
        final String noChange = editor.noChange(command);
        if (!noChange.isEmpty())
        {
            throw section.refuse(null, noChange.substring(0, noChange.lastIndexOf(": ")) +
                ": is declared twice; keep one");
        }
    }
}
