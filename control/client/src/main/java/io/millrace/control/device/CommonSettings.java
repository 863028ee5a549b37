package io.millrace.control.device;

import io.millrace.control.setting.InvalidSettingException;
import io.millrace.control.setting.SettingType;
import java.util.Map;

/**
 * Settings that several types have. Stateless.
 */
final class CommonSettings
{
    private static final long SIZE_BYTES_MIN = 512;
    private static final long SIZE_BYTES_MAX = 8192L << 40;
    private static final int BLOCK_SMALL = 512;
    private static final int BLOCK_LARGE = 4096;

    static final DeviceSetting<Long> SIZE = DeviceSetting.required("size",
        SettingType.size(SIZE_BYTES_MIN, SIZE_BYTES_MAX), OnChange.GROWN,
        "Size of the device, a multiple of block-size.");

    static final DeviceSetting<Long> BLOCK_SIZE = DeviceSetting.optional("block-size",
        SettingType.integer(BLOCK_SMALL, BLOCK_LARGE).checked("integer", BLOCK_SMALL + " or " + BLOCK_LARGE,
            CommonSettings::blockSize), Integer.toString(BLOCK_LARGE), OnChange.REPLACED,
        "Bytes of a block.").in("bytes");

    static final DeviceSetting<String> BASE = DeviceSetting.required("base", DeviceSetting.DEVICE, OnChange.REPLACED,
        "Name of the device below this one, declared before it.");

    static final DeviceSetting<Boolean> SHARED_SPARE = DeviceSetting.optional("shared-spare", SettingType.BOOLEAN,
        "false", OnChange.APPLIED, "Whether the device has no other use than to take the slot of a member that " +
        "fails, of any array of the data plane that has no spare of its own.");

    private CommonSettings()
    {
    }

    private static long blockSize(final long value)
    {
        if (BLOCK_SMALL != value && BLOCK_LARGE != value)
        {
            throw new SettingType.BadValue("neither 512 nor 4096", "use one of them");
        }
        return value;
    }

    /** Checks that the size, if there is one, consists of whole blocks. */
    static void checkSize(final Map<String, Object> values)
    {
        final Long sizeBytes = (Long)values.get(SIZE.key());
        final long blockBytes = (Long)values.get(BLOCK_SIZE.key());
        if (null != sizeBytes && 0 != sizeBytes % blockBytes)
        {
            final long lower = sizeBytes / blockBytes * blockBytes;
            throw new InvalidSettingException(SIZE.key(), Long.toString(sizeBytes),
                "not a positive multiple of block-size " + blockBytes,
                "use " + (0 == lower ? "" : lower + " or ") + (lower + blockBytes));
        }
    }
}
