package io.millrace.control.device;

import io.millrace.control.setting.InvalidSettingException;
import io.millrace.control.setting.SettingType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Settings of devices with injected faults.
 */
final class FaultType
{
    private static final int RULES_MAX = 128;
    private static final long DELAY_NS_MIN = 1_000_000L;
    private static final long DELAY_NS_MAX = 3_600_000_000_000L;
    private static final long WRITE_CACHE_BYTES_MAX = 64L << 20;
    private static final String SUCCESS = "success";
    private static final String MEDIA_ERROR = "media-error";
    private static final String DEVICE_ERROR = "device-error";
    private static final String ABORTED = "aborted";
    private static final String ERROR = "error";
    private static final String POWER_LOSS = "power-loss";

    private static final DeviceSetting<Long> WRITE_CACHE_SIZE = DeviceSetting.optional("write-cache-size",
        SettingType.size(0, WRITE_CACHE_BYTES_MAX), "0", OnChange.REPLACED,
        "Capacity of a volatile write cache, which effect power-loss empties; 0 for none.");

    private static final DeviceSetting<Long> SEED = DeviceSetting.optional("seed",
        SettingType.integer(Long.MIN_VALUE, Long.MAX_VALUE), "0", OnChange.REPLACED,
        "Seed of random choices: the same seed makes the same choices.");

    private static final DeviceSetting<String> EFFECT = DeviceSetting.required("effect",
        SettingType.word(ERROR, "delay", "torn-write", "lost-write", "hang", POWER_LOSS), OnChange.APPLIED,
        "What happens.");

    private static final DeviceSetting<String> OPERATIONS = DeviceSetting.values("operations",
        SettingType.word("read", "write", "flush", "write-zeroes", "deallocate", "compare", "verify", "copy"),
        OnChange.APPLIED, "Operations it is for; all when not given.");

    private static final DeviceSetting<Long> FIRST_BLOCK = DeviceSetting.optional("first-block",
        SettingType.integer(0, Long.MAX_VALUE), "0", OnChange.APPLIED, "First block of the range it is for.");

    private static final DeviceSetting<Long> LAST_BLOCK = DeviceSetting.optional("last-block",
        SettingType.integer(0, Long.MAX_VALUE), null, OnChange.APPLIED,
        "Last block of the range; the device's last when not given.");

    private static final DeviceSetting<String> STATUS = DeviceSetting.optional("status",
        SettingType.word(SUCCESS, MEDIA_ERROR, DEVICE_ERROR, "capacity-exceeded", "compare-failure", "not-supported",
            "write-protected", "out-of-range", ABORTED), null, OnChange.APPLIED, "How the request ends.");

    private static final DeviceSetting<Long> DELAY = DeviceSetting.optional("delay",
        SettingType.duration(DELAY_NS_MIN, DELAY_NS_MAX), null, OnChange.APPLIED,
        "How long effect delay holds a request; it needs this.");

    private static final DeviceSetting<Long> EVERY = DeviceSetting.optional("every",
        SettingType.integer(1, Integer.MAX_VALUE), "1", OnChange.APPLIED,
        "Takes each n-th matching request of a reactor only.");

    private static final DeviceSetting<Double> PROBABILITY = DeviceSetting.optional("probability",
        SettingType.share().checked("number", "above 0, up to 1", FaultType::probability), "1", OnChange.APPLIED,
        "Chance of each of those, above 0.");

    private static final DeviceSetting<Long> COUNT = DeviceSetting.optional("count",
        SettingType.integer(0, Long.MAX_VALUE), "0", OnChange.APPLIED, "Ends the rule after so many faults; 0 never.");

    private static final DeviceSetting<Map<String, Object>> RULES = DeviceSetting.groups("rules",
        new DeviceSettingGroup(List.of(EFFECT, OPERATIONS, FIRST_BLOCK, LAST_BLOCK, STATUS, DELAY, EVERY, PROBABILITY,
            COUNT), RULES_MAX, FaultType::canonical), OnChange.APPLIED,
        "Fault rules, evaluated in order: delays add up, and the first other effect that applies is used.");

    static final DeviceType TYPE = new DeviceType("fault", DeviceContent.OF_BASE,
        "Another device, with injected faults: to rehearse failures.", List.of(CommonSettings.BASE, SEED,
        WRITE_CACHE_SIZE, RULES, CommonSettings.SHARED_SPARE));

    private FaultType()
    {
    }

    private static double probability(final double value)
    {
        if (0 == value)
        {
            throw new SettingType.BadValue("not above 0", "use a larger one, or leave the rule out");
        }
        return value;
    }

    /** Without what means the same as its absence. */
    private static Map<String, Object> canonical(final Map<String, Object> values)
    {
        final Map<String, Object> result = new LinkedHashMap<>(values);
        final String effect = (String)values.get(EFFECT.key());
        final boolean isDelay = "delay".equals(effect);
        if (isDelay != values.containsKey(DELAY.key()))
        {
            throw new InvalidSettingException(DELAY.key(), isDelay ? null : DELAY.format(values.get(DELAY.key())),
                isDelay ? "missing" : "does not go with effect " + effect,
                isDelay ? "add how long effect delay holds a request" : "remove it, or use effect delay");
        }
        final long first = (Long)values.get(FIRST_BLOCK.key());
        final Long last = (Long)values.get(LAST_BLOCK.key());
        if (null != last && last < first)
        {
            throw new InvalidSettingException(LAST_BLOCK.key(), Long.toString(last), "below first-block " + first,
                "swap them");
        }
        if (null != last && Long.MAX_VALUE == last)
        {
            result.remove(LAST_BLOCK.key());
        }
        final List<?> operations = (List<?>)values.get(OPERATIONS.key());
        final List<String> all = List.of(OPERATIONS.type().bound().split(", "));
        result.put(OPERATIONS.key(), operations.size() == all.size() ? List.of() :
            all.stream().filter(operations::contains).toList());
        if ((ERROR.equals(effect) || POWER_LOSS.equals(effect)) && SUCCESS.equals(values.get(STATUS.key())))
        {
            throw new InvalidSettingException(STATUS.key(), SUCCESS, "no error", "choose another status");
        }
        if (isDelay || "hang".equals(effect) || statusDefault(effect).equals(values.get(STATUS.key())))
        {
            result.remove(STATUS.key());
        }
        return result;
    }

    private static String statusDefault(final String effect)
    {
        return switch (effect)
        {
            case ERROR -> MEDIA_ERROR;
            case POWER_LOSS -> DEVICE_ERROR;
            case "hang" -> ABORTED;
            default -> SUCCESS;
        };
    }
}
