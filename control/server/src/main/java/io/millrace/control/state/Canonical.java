package io.millrace.control.state;

import io.millrace.control.codec.DeviceType;
import io.millrace.control.message.DeviceSettings;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.SubsystemSpec;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * Canonical form of the parts of a state, so that a declared state equals the reported one: defaults and generated
 * values are filled in, unused settings are dropped. A test compares the generated values with those of the data plane.
 * Stateless.
 */
final class Canonical
{
    static final int BLOCK_SIZE_BYTES_DEFAULT = 4096;
    static final int QUEUE_DEPTH_DEFAULT = 256;
    static final long TIMEOUT_NS_DEFAULT = 30_000_000_000L;
    static final String MODEL_DEFAULT = "Millrace";

    private static final Pattern SHORT_DRIVE = Pattern.compile("[0-9a-f]{2}:[01][0-9a-f]\\.[0-7]/.*");
    private static final int SERIAL_LENGTH = 20;
    private static final UUID NO_UUID = new UUID(0, 0);

    private Canonical()
    {
    }

    static DeviceSpec device(final DeviceSpec spec)
    {
        final int queueDepth = 0 == spec.queueDepth() ? QUEUE_DEPTH_DEFAULT : spec.queueDepth();
        return switch (spec.type())
        {
            case FAULT -> DeviceSpec.fault(spec.name(), spec.target(), spec.seed()).with(known(spec.settings(),
                DeviceSettings.fault(FaultRuleValues.canonical(spec.settings().rules()))));
            case FILE -> new DeviceSpec(spec.name(), DeviceType.FILE, spec.sizeBytes(), blockSizeBytes(spec),
                queueDepth, spec.readOnly(), spec.preallocate(), 0, path(spec.target()),
                known(spec.settings(), DeviceSettings.file(spec.settings().polling())));
            // Size and block size are the drive's.
            case NVME -> new DeviceSpec(spec.name(), DeviceType.NVME, 0, 0, queueDepth, false, false, 0,
                drive(spec.target()), known(spec.settings(), drive(spec.settings())));
            default -> new DeviceSpec(
                spec.name(), spec.type(), spec.sizeBytes(), blockSizeBytes(spec), 0, false, false, 0, "")
                .with(spec.incarnation());
        };
    }

    /** Settings that an older data plane does not report stay unknown. */
    private static DeviceSettings known(final DeviceSettings settings, final DeviceSettings canonical)
    {
        return settings.isKnown() ? canonical : DeviceSettings.UNKNOWN;
    }

    private static DeviceSettings drive(final DeviceSettings settings)
    {
        return DeviceSettings.drive(0 == settings.timeoutNs() ? TIMEOUT_NS_DEFAULT : settings.timeoutNs(),
            settings.interrupts(), settings.unsafeNoIommu());
    }

    /** Address and namespace identifier as data planes write them: lower case, with domain. */
    private static String drive(final String target)
    {
        final String lower = target.toLowerCase(Locale.ROOT);
        return SHORT_DRIVE.matcher(lower).matches() ? "0000:" + lower : lower;
    }

    private static int blockSizeBytes(final DeviceSpec spec)
    {
        return 0 == spec.blockSizeBytes() ? BLOCK_SIZE_BYTES_DEFAULT : spec.blockSizeBytes();
    }

    private static String path(final String text)
    {
        try
        {
            return Path.of(text).normalize().toString();
        }
        catch (final InvalidPathException _)
        {
            return text;
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
            spec.transport(), NetworkAddress.canonical(spec.address()), spec.port(), spec.discoveryOnly());
    }

    /**
     * {@return name of a listener: its address}
     *
     * @param spec in its one form.
     */
    static String nameOf(final ListenerSpec spec)
    {
        return NetworkAddress.text(spec.address(), spec.port());
    }
}
