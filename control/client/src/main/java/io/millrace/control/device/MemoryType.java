package io.millrace.control.device;

import java.util.List;

/**
 * Settings of devices in memory.
 */
final class MemoryType
{
    static final DeviceType TYPE = new DeviceType("memory", DeviceContent.VOLATILE,
        "A volume in memory; its content ends with the process.",
        List.of(CommonSettings.SIZE, CommonSettings.BLOCK_SIZE, CommonSettings.SHARED_SPARE),
        CommonSettings::checkSize);

    private MemoryType()
    {
    }
}
