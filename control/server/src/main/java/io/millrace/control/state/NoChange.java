package io.millrace.control.state;

import io.millrace.control.device.DeviceSetting;
import io.millrace.control.device.DeviceType;
import io.millrace.control.device.DeviceTypes;
import io.millrace.control.device.OnChange;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.SubsystemSpec;
import io.millrace.control.setting.SettingType;
import java.util.List;
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
        if (!first.type().equals(second.type()))
        {
            return found.add("type", first.type(), second.type()).toString();
        }
        for (final DeviceSetting<?> each : differences(DeviceTypes.find(first.type()), first, second))
        {
            found.add(each.key(), word(each.text(first.properties())), word(each.text(second.properties())));
        }
        // Nobody chooses an incarnation: it tells two devices apart that are otherwise equal.
        if (found.isNone() && first.isOtherIncarnation(second))
        {
            found.add("incarnation", first.incarnation(), second.incarnation());
        }
        return found.toString();
    }

    private static String word(final String text)
    {
        return null == text ? "none" : text;
    }

    /** A device that is declared without a size has that of what it opens. */
    static List<DeviceSetting<?>> differences(final DeviceType type, final DeviceSpec was, final DeviceSpec wanted)
    {
        return null == type ? List.of() : type.differences(was.properties(), wanted.properties()).stream()
            .filter((each) -> OnChange.GROWN != each.onChange() || each.required() ||
                null != each.text(wanted.properties())).toList();
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
        final Differences found = new Differences().add("device", first.device(), second.device());
        // A UUID that was not given is made from the others and differs with them.
        return (Canonical.NO_UUID.equals(wanted.uuid()) && !found.isNone() ? found :
            found.add("UUID", first.uuid(), second.uuid()))
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
        return new Differences().add("discovery-only", was.discoveryOnly(), wanted.discoveryOnly())
            .add("provider", SettingType.word(was.provider()), SettingType.word(wanted.provider())).toString();
    }

    /** What differs, as one clause. */
    private static final class Differences
    {
        private final StringJoiner list = new StringJoiner(", ");

        private boolean isNone()
        {
            return 0 == list.length();
        }

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
