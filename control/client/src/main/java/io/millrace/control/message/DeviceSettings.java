package io.millrace.control.message;

import io.millrace.control.codec.Polling;
import java.util.List;
import java.util.Objects;

/**
 * Settings of a device that only some types have. What a type does not use is ignored.
 *
 * @param polling       whether completions of a file are polled from the drive.
 * @param timeoutNs     that a command of a drive may take before it is aborted, 1 ms to 1 h; 0: the default.
 * @param interrupts    whether a drive's interrupts wake a reactor, which may sleep while commands are outstanding.
 * @param unsafeNoIommu whether a drive may be taken without an IOMMU, where a wrong address overwrites any memory.
 * @param rules         of a fault device, at most {@value #RULES_MAX}; the first that fits decides.
 */
public record DeviceSettings(
    Polling polling, long timeoutNs, boolean interrupts, boolean unsafeNoIommu, List<FaultRuleSpec> rules)
{
    /** Most rules. */
    public static final int RULES_MAX = 128;
    /** All defaults. */
    public static final DeviceSettings DEFAULT = new DeviceSettings(Polling.AUTO, 0, false, false, List.of());
    /** Of a device of an older data plane, which does not send its settings. */
    public static final DeviceSettings UNKNOWN = new DeviceSettings(Polling.NULL_VAL, 0, false, false, List.of());

    /**
     * Rejects null.
     */
    public DeviceSettings
    {
        Objects.requireNonNull(polling, "polling");
        rules = List.copyOf(rules);
    }

    /**
     * Settings of a file.
     *
     * @param polling whether completions are polled.
     * @return settings.
     */
    public static DeviceSettings file(final Polling polling)
    {
        return new DeviceSettings(polling, 0, false, false, List.of());
    }

    /**
     * Settings of a drive.
     *
     * @param timeoutNs     that a command may take; 0: the default.
     * @param interrupts    whether interrupts wake a reactor.
     * @param unsafeNoIommu whether it may be taken without an IOMMU.
     * @return settings.
     */
    public static DeviceSettings drive(final long timeoutNs, final boolean interrupts, final boolean unsafeNoIommu)
    {
        return new DeviceSettings(Polling.AUTO, timeoutNs, interrupts, unsafeNoIommu, List.of());
    }

    /**
     * Settings of a fault device.
     *
     * @param rules in order.
     * @return settings.
     */
    public static DeviceSettings fault(final List<FaultRuleSpec> rules)
    {
        return new DeviceSettings(Polling.AUTO, 0, false, false, rules);
    }

    /**
     * {@return whether the data plane sent them}
     */
    public boolean isKnown()
    {
        return Polling.NULL_VAL != polling;
    }
}
