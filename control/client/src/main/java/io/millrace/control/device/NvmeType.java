package io.millrace.control.device;

import io.millrace.control.setting.SettingType;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Settings of namespaces of NVMe drives that the data plane drives itself.
 */
final class NvmeType
{
    private static final int QUEUE_DEPTH_MAX = 1023;
    private static final long TIMEOUT_NS_MIN = 1_000_000L;
    private static final long TIMEOUT_NS_MAX = 3_600_000_000_000L;
    private static final Pattern ADDRESS_PATTERN =
        Pattern.compile("([0-9a-f]{4,8}:)?[0-9a-f]{2}:[01][0-9a-f]\\.[0-7]", Pattern.CASE_INSENSITIVE);
    private static final String DOMAIN_DEFAULT = "0000:";
    private static final int COLONS = 2;

    /** Of drives; with domain, lower case. */
    static final SettingType<String> ADDRESS_TYPE =
        new SettingType<>("PCI address", "such as 0000:01:00.0", NvmeType::address);

    private static final DeviceSetting<String> ADDRESS = DeviceSetting.required("address", ADDRESS_TYPE,
        OnChange.REPLACED,
        "PCI address of a drive bound to vfio-pci; 'millrace drive list' shows it.").asLocation();

    private static final DeviceSetting<Long> NSID = DeviceSetting.optional("nsid",
        SettingType.integer(1, Integer.MAX_VALUE), "1", OnChange.REPLACED,
        "Namespace of the drive; each is used by one device.").asLocation();

    private static final DeviceSetting<Long> QUEUE_DEPTH = DeviceSetting.optional("queue-depth",
        SettingType.integer(1, QUEUE_DEPTH_MAX), "256", OnChange.REPLACED,
        "Maximum outstanding requests of each reactor.");

    private static final DeviceSetting<Long> COMMAND_TIMEOUT = DeviceSetting.optional("command-timeout",
        SettingType.duration(TIMEOUT_NS_MIN, TIMEOUT_NS_MAX), "30s", OnChange.REPLACED,
        "How long the drive may take for a command before it is aborted.");

    private static final DeviceSetting<Boolean> INTERRUPTS = DeviceSetting.optional("interrupts", SettingType.BOOLEAN,
        "false", OnChange.REPLACED,
        "Whether a reactor may sleep while the drive works, until an interrupt wakes it.");

    private static final DeviceSetting<Boolean> UNSAFE_NOIOMMU = DeviceSetting.optional("unsafe-noiommu",
        SettingType.BOOLEAN, "false", OnChange.REPLACED,
        "Whether the drive may be used without an IOMMU, where a wrong address may overwrite any memory.");

    static final DeviceType TYPE = new DeviceType("nvme", DeviceContent.PERSISTENT,
        "A namespace of an NVMe drive that the data plane drives itself, through VFIO.",
        List.of(ADDRESS, NSID, QUEUE_DEPTH, COMMAND_TIMEOUT, INTERRUPTS, UNSAFE_NOIOMMU,
        CommonSettings.SHARED_SPARE));

    private NvmeType()
    {
    }

    /** As sysfs writes it: lower case, with domain. */
    private static String address(final String text)
    {
        if (!ADDRESS_PATTERN.matcher(text).matches())
        {
            throw new SettingType.BadValue("no PCI address",
                "write one such as 0000:01:00.0, which 'millrace drive list' shows");
        }
        final String lower = text.toLowerCase(Locale.ROOT);
        return lower.chars().filter((c) -> ':' == c).count() < COLONS ? DOMAIN_DEFAULT + lower : lower;
    }
}
