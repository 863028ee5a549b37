package io.millrace.control.device;

import io.millrace.control.setting.SettingType;
import java.util.List;

/**
 * Settings of bdevs of SPDK.
 */
final class SpdkBdevType
{
    private static final int NAME_LENGTH_MAX = 255;

    private static final DeviceSetting<String> BDEV = DeviceSetting.required("bdev",
        SettingType.text(NAME_LENGTH_MAX), OnChange.REPLACED,
        "Name or alias of the bdev, such as Malloc0; 'millrace spdk status' lists them.").asLocation();

    static final DeviceType TYPE = new DeviceType("spdk-bdev", DeviceContent.PERSISTENT,
        "A bdev of SPDK, which runs in the data-plane process.", List.of(BDEV, CommonSettings.SHARED_SPARE));

    private SpdkBdevType()
    {
    }
}
