package io.millrace.control.device;

import io.millrace.control.setting.InvalidSettingException;
import io.millrace.control.setting.SettingType;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Settings of logical volumes of SPDK.
 */
final class SpdkLvolType
{
    /** SPDK's names have 63 bytes; these are those that nobody has to quote. */
    private static final String NAME = "[A-Za-z0-9][A-Za-z0-9._-]{0,62}";
    private static final String NAME_BOUND = "1 to 63 letters, digits, '.', '_' or '-', a letter or digit first";
    private static final Pattern LVOL_PATTERN = Pattern.compile(NAME + '/' + NAME);
    private static final Pattern NAME_PATTERN = Pattern.compile(NAME);
    private static final int LVOL_LENGTH_MAX = 127;
    private static final long MIB = 1 << 20;

    private static final DeviceSetting<String> LVOL = DeviceSetting.required("lvol",
        SettingType.text(LVOL_LENGTH_MAX).checked("text", "STORE/NAME, each " + NAME_BOUND, SpdkLvolType::lvol),
        OnChange.REPLACED, "Logical volume as STORE/NAME; it is made when it is missing and no device ever had it.")
        .asLocation();

    private static final DeviceSetting<Long> SIZE = DeviceSetting.optional("size", CommonSettings.SIZE.type(), null,
        OnChange.GROWN, "Size of a new logical volume, whole clusters of its store; a smaller one is grown to it, " +
        "never cut.");

    private static final DeviceSetting<Boolean> THIN = DeviceSetting.optional("thin", SettingType.BOOLEAN, "false",
        OnChange.REPLACED, "Whether a new one takes space when blocks are first written, so that writes fail in a " +
        "full store, instead of at once.");

    private static final DeviceSetting<String> SNAPSHOT_OF = DeviceSetting.optional("snapshot-of", nameType(), null,
        OnChange.REPLACED, "Logical volume of the same store whose snapshot a new one is.");

    private static final DeviceSetting<String> CLONE_OF = DeviceSetting.optional("clone-of", nameType(), null,
        OnChange.REPLACED, "Snapshot of the same store whose clone a new one is.");

    private static final DeviceSetting<Boolean> DELETE_DATA = DeviceSetting.optional("delete-data",
        SettingType.BOOLEAN, "false", OnChange.APPLIED,
        "Whether the logical volume is deleted, with all its data, when the device is.");

    static final DeviceType TYPE = new DeviceType("spdk-lvol", DeviceContent.PERSISTENT,
        "A logical volume of SPDK, a snapshot or a clone of one.",
        List.of(LVOL, SIZE, THIN, SNAPSHOT_OF, CLONE_OF, DELETE_DATA, CommonSettings.SHARED_SPARE),
        SpdkLvolType::check);

    private SpdkLvolType()
    {
    }

    private static SettingType<String> nameType()
    {
        return SettingType.text(LVOL_LENGTH_MAX).checked("text", NAME_BOUND, SpdkLvolType::name);
    }

    private static String lvol(final String text)
    {
        if (!LVOL_PATTERN.matcher(text).matches())
        {
            throw new SettingType.BadValue("not STORE/NAME", "write one such as lvs0/vol0, each part " + NAME_BOUND);
        }
        return text;
    }

    private static String name(final String text)
    {
        if (!NAME_PATTERN.matcher(text).matches())
        {
            throw new SettingType.BadValue("not a name in a store", "use " + NAME_BOUND);
        }
        return text;
    }

    private static void check(final Map<String, Object> values)
    {
        final boolean isSnapshot = null != values.get(SNAPSHOT_OF.key());
        final boolean isClone = null != values.get(CLONE_OF.key());
        final Long sizeBytes = (Long)values.get(SIZE.key());
        if (isSnapshot && isClone)
        {
            throw new InvalidSettingException(CLONE_OF.key(), null, "does not go with " + SNAPSHOT_OF.key(),
                "keep one of them");
        }
        if ((isSnapshot || isClone) && Boolean.TRUE.equals(values.get(THIN.key())))
        {
            throw new InvalidSettingException(THIN.key(), null, "does not go with " +
                (isSnapshot ? SNAPSHOT_OF : CLONE_OF).key() + ": such a volume takes space when it is written anyway",
                "remove it");
        }
        if (null != sizeBytes && 0 != sizeBytes % MIB)
        {
            throw new InvalidSettingException(SIZE.key(), Long.toString(sizeBytes), "not a multiple of 1MiB",
                "use " + (sizeBytes / MIB + 1) + "MiB");
        }
    }
}
