package io.millrace.control.device;

import java.util.List;

/**
 * Settings of devices that discard data.
 */
final class DiscardType
{
    static final DeviceType TYPE = new DeviceType("discard", DeviceContent.NONE,
        "Discards writes and reads as zeroes: to measure the cost of the path to a device.",
        List.of(CommonSettings.SIZE, CommonSettings.BLOCK_SIZE), CommonSettings::checkSize);

    private DiscardType()
    {
    }
}
