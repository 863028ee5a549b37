package io.millrace.control.device;

import io.millrace.control.setting.SettingType;
import java.util.List;

/**
 * Settings of devices that delay requests.
 */
final class DelayType
{
    private static final long DELAY_NS_MAX = 3_600_000_000_000L;

    private static final DeviceSetting<Long> READ_DELAY = DeviceSetting.optional("read-delay",
        SettingType.duration(0, DELAY_NS_MAX), "0ns", OnChange.APPLIED,
        "How long each read, compare and verify is held, to the millisecond.");

    private static final DeviceSetting<Long> WRITE_DELAY = DeviceSetting.optional("write-delay",
        SettingType.duration(0, DELAY_NS_MAX), "0ns", OnChange.APPLIED,
        "How long each request that changes data, and each flush, is held, to the millisecond.");

    static final DeviceType TYPE = new DeviceType("delay", DeviceContent.OF_BASE,
        "Another device, with delays: to see how hosts do with slow storage.",
        List.of(CommonSettings.BASE, READ_DELAY, WRITE_DELAY, CommonSettings.SHARED_SPARE));

    private DelayType()
    {
    }
}
