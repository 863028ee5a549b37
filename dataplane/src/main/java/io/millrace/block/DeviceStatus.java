package io.millrace.block;

/**
 * Health of a device, and what it is doing on its own. Immutable.
 *
 * @param health   now.
 * @param reason   why it is not {@link DeviceHealth#ONLINE}, a sentence; empty when it is.
 * @param progress of what it is doing on its own; null when that is nothing.
 */
public record DeviceStatus(DeviceHealth health, String reason, DeviceProgress progress)
{
    /** A device that works. */
    public static final DeviceStatus ONLINE = new DeviceStatus(DeviceHealth.ONLINE, "", null);

    /**
     * A status without progress.
     *
     * @param health of the device.
     * @param reason a sentence, or empty.
     */
    public DeviceStatus(final DeviceHealth health, final String reason)
    {
        this(health, reason, null);
    }
}
