package io.millrace.block.nvme;

import io.millrace.block.BlockDeviceException;
import io.millrace.block.DeviceProperties;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Settings of a namespace of a drive that this process drives itself. Immutable.
 *
 * @param name       of the device.
 * @param address    of the drive's PCI function, such as {@code 0000:01:00.0}.
 * @param nsid       namespace identifier, from 1.
 * @param queueDepth most commands that each reactor's channel has outstanding, 1 to {@link #QUEUE_DEPTH_MAX}; the drive
 *                   may take fewer.
 * @param timeoutNs  that a command may take before it is aborted.
 * @param interrupts whether the drive's interrupts wake a reactor, so that it may sleep while commands are outstanding.
 */
public record NvmeDeviceConfig(
    String name, String address, int nsid, int queueDepth, long timeoutNs, boolean interrupts)
{
    /** Setting with the PCI address. */
    public static final String ADDRESS = "address";
    /** Setting with the namespace identifier. */
    public static final String NSID = "nsid";
    /** Setting that tells whether the drive may be used without an IOMMU that restricts its access to memory. */
    public static final String UNSAFE_NOIOMMU = "unsafe-noiommu";
    /** Default of {@link #nsid()}. */
    public static final int NSID_DEFAULT = 1;
    /** Default of {@link #queueDepth()}. */
    public static final int QUEUE_DEPTH_DEFAULT = 256;
    /** Bound of {@link #queueDepth()}. */
    public static final int QUEUE_DEPTH_MAX = CommandSlots.COUNT_MAX - 1;
    /** Default of {@link #timeoutNs()}: 30 s. */
    public static final long TIMEOUT_NS_DEFAULT = 30_000_000_000L;
    /** Bound of {@link #timeoutNs()}: 1 ms. */
    public static final long TIMEOUT_NS_MIN = 1_000_000L;
    /** Bound of {@link #timeoutNs()}: an hour. */
    public static final long TIMEOUT_NS_MAX = 3_600_000_000_000L;

    private static final Pattern ADDRESS_PATTERN =
        Pattern.compile("([0-9a-f]{4,8}:)?[0-9a-f]{2}:[01][0-9a-f]\\.[0-7]", Pattern.CASE_INSENSITIVE);
    private static final String DOMAIN_DEFAULT = "0000:";
    private static final int COLONS = 2;

    /**
     * Checks the settings and completes the address.
     *
     * @throws BlockDeviceException naming the setting, its value and its bound.
     */
    public NvmeDeviceConfig
    {
        if (!isAddress(address))
        {
            throw new BlockDeviceException("device " + name + ": address '" + address +
                "' is not a PCI address: write one such as 0000:01:00.0, which 'millrace drive list' shows");
        }
        address = canonical(address);
        if (nsid < 1)
        {
            throw new BlockDeviceException(
                "device " + name + ": nsid " + nsid + " is below 1: use that of a namespace");
        }
        if (queueDepth < 1 || queueDepth > QUEUE_DEPTH_MAX)
        {
            throw new BlockDeviceException("device " + name + ": queue-depth " + queueDepth + " is outside 1 to " +
                QUEUE_DEPTH_MAX + ": choose one inside");
        }
        if (timeoutNs < TIMEOUT_NS_MIN || timeoutNs > TIMEOUT_NS_MAX)
        {
            throw new BlockDeviceException("device " + name + ": command-timeout of " + timeoutNs + " ns is outside " +
                TIMEOUT_NS_MIN + " to " + TIMEOUT_NS_MAX + ": choose one inside");
        }
    }

    /**
     * Settings of a device as declared.
     *
     * @param name       of the device.
     * @param properties of the device.
     * @return settings.
     * @throws BlockDeviceException naming the setting, its value and its bound.
     */
    public static NvmeDeviceConfig of(final String name, final DeviceProperties properties)
    {
        return new NvmeDeviceConfig(
            name,
            properties.text(ADDRESS),
            properties.integer(NSID, NSID_DEFAULT),
            properties.integer("queue-depth", QUEUE_DEPTH_DEFAULT),
            properties.number("command-timeout", TIMEOUT_NS_DEFAULT),
            properties.flag("interrupts", false));
    }

    /**
     * Settings with their defaults: depth 256, time-out 30 s, polled.
     *
     * @param name    of the device.
     * @param address of the drive's PCI function.
     * @param nsid    namespace identifier.
     * @return settings.
     */
    public static NvmeDeviceConfig of(final String name, final String address, final int nsid)
    {
        return new NvmeDeviceConfig(name, address, nsid, QUEUE_DEPTH_DEFAULT, TIMEOUT_NS_DEFAULT, false);
    }

    /**
     * {@return whether a text is the address of a PCI function, with or without domain}
     *
     * @param text to look at; may be null.
     */
    public static boolean isAddress(final String text)
    {
        return null != text && ADDRESS_PATTERN.matcher(text).matches();
    }

    /**
     * {@return an address as sysfs writes it: lower case, with domain}
     *
     * @param address of a PCI function.
     */
    public static String canonical(final String address)
    {
        final String lower = address.toLowerCase(Locale.ROOT);
        return lower.chars().filter((c) -> ':' == c).count() < COLONS ? DOMAIN_DEFAULT + lower : lower;
    }

    /**
     * Changes {@link #queueDepth()}.
     *
     * @param value new value.
     * @return a copy.
     */
    public NvmeDeviceConfig withQueueDepth(final int value)
    {
        return new NvmeDeviceConfig(name, address, nsid, value, timeoutNs, interrupts);
    }

    /**
     * Changes {@link #timeoutNs()}.
     *
     * @param value new value.
     * @return a copy.
     */
    public NvmeDeviceConfig withTimeoutNs(final long value)
    {
        return new NvmeDeviceConfig(name, address, nsid, queueDepth, value, interrupts);
    }

    /**
     * Changes {@link #interrupts()}.
     *
     * @param value new value.
     * @return a copy.
     */
    public NvmeDeviceConfig withInterrupts(final boolean value)
    {
        return new NvmeDeviceConfig(name, address, nsid, queueDepth, timeoutNs, value);
    }
}
