package io.millrace.control.device;

import io.millrace.control.setting.InvalidSettingException;
import io.millrace.control.setting.SettingType;
import java.util.List;
import java.util.Map;

/**
 * Settings of namespaces that SPDK's NVMe driver has: of drives, and of other NVMe-oF targets.
 */
final class SpdkNvmeType
{
    private static final long SECOND_NS = 1_000_000_000L;
    private static final long LOSS_NS_MAX = 24 * 3600 * SECOND_NS;

    private static final DeviceSetting<String> CONTROLLER = DeviceSetting.required("controller",
        new SettingType<>("PCI address or NQN", "such as 0000:01:00.0 or nqn.2026-11.io.millrace:vol0",
            SpdkNvmeType::controller), OnChange.REPLACED,
        "PCI address of a drive bound to vfio-pci and listed in spdk.pci, or NQN of the subsystem of another target.")
        .asLocation();

    private static final DeviceSetting<String> ADDRESSES = DeviceSetting.values("addresses", RemoteType.ADDRESS_TYPE,
        OnChange.REPLACED, "Listeners of the subsystem, each a path to the namespace.");

    private static final DeviceSetting<Long> NSID = DeviceSetting.optional("nsid",
        SettingType.integer(1, Integer.MAX_VALUE), "1", OnChange.REPLACED,
        "Number of the namespace; each is used by one device.").asLocation();

    private static final DeviceSetting<String> HOST_NQN = DeviceSetting.optional("host-nqn", RemoteType.NQN_TYPE, null,
        OnChange.REPLACED, "NQN to connect to a target as; without it SPDK makes one at each start.");

    private static final DeviceSetting<Long> CONTROLLER_LOSS_TIMEOUT = DeviceSetting.optional(
        "controller-loss-timeout", SettingType.duration(0, LOSS_NS_MAX), "600s", OnChange.REPLACED,
        "How long requests wait while no path to a target is connected, in whole seconds, before the device fails " +
        "for good; 0: not at all. Each path is connected again after a second.");

    static final DeviceType TYPE = new DeviceType("spdk-nvme", DeviceContent.PERSISTENT,
        "A namespace of an NVMe drive or of another NVMe-oF target that SPDK's driver has.",
        List.of(CONTROLLER, ADDRESSES, NSID, HOST_NQN, CONTROLLER_LOSS_TIMEOUT, CommonSettings.SHARED_SPARE),
        SpdkNvmeType::check);

    private SpdkNvmeType()
    {
    }

    private static String controller(final String text)
    {
        if (text.startsWith("nqn."))
        {
            return RemoteType.NQN_TYPE.parse(text);
        }
        try
        {
            return NvmeType.ADDRESS_TYPE.parse(text);
        }
        catch (final SettingType.BadValue e)
        {
            throw new SettingType.BadValue("neither a PCI address nor an NVMe qualified name",
                "write one such as 0000:01:00.0, which 'millrace drive list' shows, or the NQN of a target's " +
                "subsystem");
        }
    }

    private static void check(final Map<String, Object> values)
    {
        final List<?> addresses = (List<?>)values.get(ADDRESSES.key());
        final boolean isTarget = ((String)values.get(CONTROLLER.key())).startsWith("nqn.");
        final boolean hasAddresses = null != addresses && !addresses.isEmpty();
        if (isTarget != hasAddresses)
        {
            throw new InvalidSettingException(ADDRESSES.key(), null,
                isTarget ? "missing" : "does not go with the PCI address of a drive",
                isTarget ? "give the listeners of the subsystem" : "remove it, or give the NQN of a subsystem");
        }
        if (isTarget)
        {
            RemoteType.checkCount(ADDRESSES.key(), addresses);
        }
        else if (null != values.get(HOST_NQN.key()))
        {
            throw new InvalidSettingException(HOST_NQN.key(), null, "does not go with the PCI address of a drive",
                "remove it");
        }
        final long lossNs = (Long)values.get(CONTROLLER_LOSS_TIMEOUT.key());
        if (0 != lossNs % SECOND_NS)
        {
            throw new InvalidSettingException(CONTROLLER_LOSS_TIMEOUT.key(), null, "not whole seconds",
                "use " + (lossNs / SECOND_NS + 1) + "s");
        }
    }
}
