package io.millrace.control.device;

import io.millrace.control.setting.SettingType;
import java.nio.file.Path;
import java.util.List;

/**
 * Settings of devices in files and on block devices of the kernel.
 */
final class FileType
{
    private static final int QUEUE_DEPTH_MAX = 4096;

    private static final DeviceSetting<String> PATH = DeviceSetting.required("path", SettingType.PATH.then("path",
        "an absolute path of the file system", FileType::absolute), OnChange.REPLACED,
        "Regular file or block device.").asLocation();

    private static final DeviceSetting<Long> SIZE = DeviceSetting.optional("size", CommonSettings.SIZE.type(), null,
        OnChange.GROWN, "Size of the device, a multiple of block-size. A file is grown to it, never cut, and made " +
        "when no device ever had it; without it a file or block device is taken as it is.");

    private static final DeviceSetting<Boolean> READ_ONLY = DeviceSetting.optional("read-only", SettingType.BOOLEAN,
        "false", OnChange.REPLACED, "Whether writes are refused.");

    private static final DeviceSetting<Boolean> PREALLOCATE = DeviceSetting.optional("preallocate",
        SettingType.BOOLEAN, "true", OnChange.REPLACED,
        "Whether a file takes all its space when it is made, so that a full disk is found then.");

    private static final DeviceSetting<Long> QUEUE_DEPTH = DeviceSetting.optional("queue-depth",
        SettingType.integer(1, QUEUE_DEPTH_MAX), "256", OnChange.REPLACED,
        "Maximum outstanding requests of each reactor.");

    private static final DeviceSetting<String> POLLING = DeviceSetting.optional("polling",
        SettingType.word("auto", "on", "off"), "auto", OnChange.REPLACED,
        "Whether completions are polled from the drive instead of waiting for its interrupts: auto where it can.");

    static final DeviceType TYPE = new DeviceType("file", DeviceContent.PERSISTENT,
        "A volume in a regular file or on a block device of the kernel.",
        List.of(PATH, SIZE, CommonSettings.BLOCK_SIZE, READ_ONLY, PREALLOCATE, QUEUE_DEPTH, POLLING,
        CommonSettings.SHARED_SPARE),
        CommonSettings::checkSize);

    private FileType()
    {
    }

    private static String absolute(final Path path)
    {
        if (!path.isAbsolute())
        {
            throw new SettingType.BadValue("not absolute", "begin it with /");
        }
        return path.normalize().toString();
    }
}
