package io.millrace.control.state;

import io.millrace.control.codec.DeviceType;
import io.millrace.control.message.DeviceSettings;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.SubsystemSpec;
import io.millrace.control.setting.SettingType;
import io.millrace.control.setting.Units;
import java.util.Objects;
import java.util.StringJoiner;

/**
 * Compares a resource to create with the existing one of the same name: either nothing changes, or the refusal lists
 * the differences. Stateless.
 */
public final class NoChange
{
    /** Ending of every message about a command that changes nothing. */
    public static final String ENDING = ", no change";
    /** Ending if the resource exists as requested. */
    public static final String IS_THERE = "already exists with the same settings" + ENDING;
    /** Ending if the resource to remove does not exist. */
    public static final String IS_NOT_THERE = "does not exist" + ENDING;

    private NoChange()
    {
    }

    /**
     * {@return in what two devices of a name differ, such as {@code size is 1MiB instead of 2MiB}; empty: in nothing}
     *
     * @param was    as it is.
     * @param wanted instead.
     */
    public static String differences(final DeviceSpec was, final DeviceSpec wanted)
    {
        final DeviceSpec first = Canonical.device(was);
        final DeviceSpec second = Canonical.device(wanted);
        final Differences found = new Differences();
        if (first.type() != second.type())
        {
            return found.add("type", StatePlanner.word(first.type()), StatePlanner.word(second.type())).toString();
        }
        // A file device that is declared without a size has that of its file.
        if (0 != second.sizeBytes() || DeviceType.FILE != second.type())
        {
            found.add("size", Units.size(first.sizeBytes()), Units.size(second.sizeBytes()));
        }
        found.add("block-size", first.blockSizeBytes(), second.blockSizeBytes());
        found.add(targetOf(first.type()), first.target(), second.target());
        found.add("queue-depth", first.queueDepth(), second.queueDepth());
        found.add("read-only", first.readOnly(), second.readOnly());
        found.add("preallocate", first.preallocate(), second.preallocate());
        found.add("seed", first.seed(), second.seed());
        if (first.isOtherIncarnation(second))
        {
            found.add("incarnation", first.incarnation(), second.incarnation());
        }
        if (first.settings().isKnown() && second.settings().isKnown())
        {
            settings(found, first.settings(), second.settings());
        }
        return found.toString();
    }

    private static String targetOf(final DeviceType type)
    {
        return switch (type)
        {
            case FAULT -> "base";
            case NVME -> "address and nsid";
            default -> "path";
        };
    }

    private static void settings(final Differences found, final DeviceSettings was, final DeviceSettings wanted)
    {
        found.add("polling", SettingType.word(was.polling()), SettingType.word(wanted.polling()));
        found.add("timeout", Units.duration(was.timeoutNs()), Units.duration(wanted.timeoutNs()));
        found.add("interrupts", was.interrupts(), wanted.interrupts());
        found.add("unsafe-noiommu", was.unsafeNoIommu(), wanted.unsafeNoIommu());
        if (!was.rules().equals(wanted.rules()))
        {
            found.list.add("its rules differ");
        }
    }

    /**
     * {@return in what two subsystems of a name differ; empty: in nothing}
     *
     * @param was    as it is.
     * @param wanted instead.
     */
    public static String differences(final SubsystemSpec was, final SubsystemSpec wanted)
    {
        final SubsystemSpec first = Canonical.subsystem(was);
        final SubsystemSpec second = Canonical.subsystem(wanted);
        return new Differences()
            .add("allow-any-host", first.allowAnyHost(), second.allowAnyHost())
            .add("serial", first.serial(), second.serial())
            .add("model", first.model(), second.model()).toString();
    }

    /**
     * {@return in what two namespaces of an NSID differ; empty: in nothing}
     *
     * @param was    as it is.
     * @param wanted instead.
     */
    public static String differences(final NamespaceSpec was, final NamespaceSpec wanted)
    {
        final NamespaceSpec first = Canonical.namespace(was);
        final NamespaceSpec second = Canonical.namespace(wanted);
        return new Differences()
            .add("device", first.device(), second.device())
            .add("UUID", first.uuid(), second.uuid())
            .add("ana-group", first.anaGroup(), second.anaGroup()).toString();
    }

    /**
     * {@return in what two listeners of an address differ; empty: in nothing}
     *
     * @param was    as it is.
     * @param wanted instead.
     */
    public static String differences(final ListenerSpec was, final ListenerSpec wanted)
    {
        return new Differences().add("discovery-only", was.discoveryOnly(), wanted.discoveryOnly()).toString();
    }

    /** What differs, as one clause. */
    private static final class Differences
    {
        private final StringJoiner list = new StringJoiner(", ");

        private Differences add(final String what, final Object was, final Object wanted)
        {
            if (!Objects.equals(was, wanted))
            {
                list.add(what + " is " + was + " instead of " + wanted);
            }
            return this;
        }

        @Override
        public String toString()
        {
            return list.toString();
        }
    }
}
