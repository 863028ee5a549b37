package io.millrace.control.state;

import io.millrace.control.device.DeviceType;
import io.millrace.control.device.DeviceTypes;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.SubsystemSpec;
import io.millrace.control.setting.InvalidSettingException;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * Canonical form of the parts of a state, so that a declared state equals the reported one: defaults and generated
 * values are filled in, unused settings are dropped. A test compares the generated values with those of the data plane.
 * Stateless.
 */
final class Canonical
{
    static final String MODEL_DEFAULT = "Millrace";

    private static final int SERIAL_LENGTH = 20;
    static final UUID NO_UUID = new UUID(0, 0);

    private Canonical()
    {
    }

    /** A device whose settings are invalid stays as it is. */
    static DeviceSpec device(final DeviceSpec spec)
    {
        final DeviceType type = DeviceTypes.find(spec.type());
        try
        {
            return null == type ? spec : new DeviceSpec(spec.name(), spec.type(), type.canonical(spec.properties()),
                type.hasIncarnation() ? spec.incarnation() : DeviceSpec.NO_INCARNATION);
        }
        catch (final InvalidSettingException _)
        {
            return spec;
        }
    }

    static SubsystemSpec subsystem(final SubsystemSpec spec)
    {
        return new SubsystemSpec(spec.nqn(), spec.allowAnyHost(),
            spec.serial().isEmpty() ? serialOf(spec.nqn()) : spec.serial(),
            spec.model().isEmpty() ? MODEL_DEFAULT : spec.model());
    }

    static String serialOf(final String nqn)
    {
        return UUID.nameUUIDFromBytes(("serial-number of " + nqn).getBytes(StandardCharsets.UTF_8))
            .toString().replace("-", "").substring(0, SERIAL_LENGTH);
    }

    static NamespaceSpec namespace(final NamespaceSpec spec)
    {
        return NO_UUID.equals(spec.uuid()) ? new NamespaceSpec(spec.nqn(), spec.nsid(),
            uuidOf(spec.nqn(), spec.nsid(), spec.device()), spec.device(), spec.anaGroup()) : spec;
    }

    static UUID uuidOf(final String nqn, final int nsid, final String device)
    {
        return UUID.nameUUIDFromBytes((nqn + '\n' + nsid + '\n' + device).getBytes(StandardCharsets.UTF_8));
    }

    static ListenerSpec listener(final ListenerSpec spec)
    {
        return new ListenerSpec(
            spec.transport(), NetworkAddress.canonical(spec.address()), spec.port(), spec.discoveryOnly(),
            spec.provider());
    }

    /**
     * {@return name of a listener: its address}
     *
     * @param spec in its one form.
     */
    static String nameOf(final ListenerSpec spec)
    {
        return NetworkAddress.text(spec.transport(), spec.address(), spec.port());
    }
}
