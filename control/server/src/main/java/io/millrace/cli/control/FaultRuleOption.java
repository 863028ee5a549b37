package io.millrace.cli.control;

import io.millrace.control.codec.FaultAction;
import io.millrace.control.message.BlockOperation;
import io.millrace.control.message.FaultRuleSpec;
import io.millrace.control.state.FaultRuleValues;
import io.millrace.control.setting.SettingType;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Reads a fault rule as {@code effect=error,operations=read+write,probability=0.01}, with the keys of {@code
 * devices[].rules[]} in {@code millrace.yaml}.
 */
final class FaultRuleOption implements ITypeConverter<FaultRuleSpec>
{
    private static final List<FaultAction> EFFECTS = List.of(FaultAction.ERROR, FaultAction.DELAY,
        FaultAction.TORN_WRITE, FaultAction.LOST_WRITE, FaultAction.HANG);
    private static final List<String> KEYS = List.of("effect", "operations", "first-block", "last-block", "status",
        "delay", "every", "probability", "count");
    private static final long MILLI_NS = 1_000_000;
    private static final long HOUR_NS = 3_600_000_000_000L;
    /**
     * Called by picocli.
     */
    FaultRuleOption()
    {
    }

    @Override
    public FaultRuleSpec convert(final String text)
    {
        final Map<String, String> values = new HashMap<>();
        for (final String part : text.split(",", -1))
        {
            final int sign = part.indexOf('=');
            final String key = sign < 0 ? part : part.substring(0, sign);
            if (sign < 0 || !KEYS.contains(key))
            {
                throw new TypeConversionException("'" + part + "' is not part of a fault rule: write KEY=VALUE with " +
                    "keys of " + String.join(", ", KEYS));
            }
            if (null != values.put(key, part.substring(sign + 1)))
            {
                throw new TypeConversionException("'" + key + "' is given twice: keep one");
            }
        }
        if (!values.containsKey("effect"))
        {
            throw new TypeConversionException("'" + text + "' has no effect: add effect=error, delay, torn-write, " +
                "lost-write or hang");
        }
        final FaultAction effect = one(EFFECTS, "effect", values.get("effect"));
        if (FaultAction.DELAY == effect != values.containsKey("delay"))
        {
            throw new TypeConversionException("effect=delay and delay=TIME belong together: give both or none");
        }
        final long first = parse(values, "first-block", SettingType.integer(0, Long.MAX_VALUE - 1), 0L);
        final long last = parse(values, "last-block", SettingType.integer(0, Long.MAX_VALUE - 1), Long.MAX_VALUE);
        if (last < first)
        {
            throw new TypeConversionException("last-block " + last + " is below first-block " + first +
                ": swap them");
        }
        return new FaultRuleSpec(effect, operations(values.get("operations")), first,
            Long.MAX_VALUE == last ? 0 : last - first + 1,
            parse(values, "probability", SettingType.share(), 1.0),
            parse(values, "count", SettingType.integer(0, Long.MAX_VALUE), 0L),
            parse(values, "delay", SettingType.duration(MILLI_NS, HOUR_NS), 0L),
            status(values.get("status")),
            parse(values, "every", SettingType.integer(1, Integer.MAX_VALUE), 1L));
    }

    private static Set<BlockOperation> operations(final String text)
    {
        final Set<BlockOperation> operations = EnumSet.noneOf(BlockOperation.class);
        if (null != text)
        {
            Arrays.stream(text.split("\\+", -1)).forEach((word) ->
                operations.add(one(List.of(BlockOperation.values()), "operations", word)));
        }
        return operations;
    }

    private static int status(final String text)
    {
        if (null == text)
        {
            return 0;
        }
        final Integer status = FaultRuleValues.STATUS.get(text);
        if (null == status)
        {
            throw new TypeConversionException("status '" + text + "' is none: use " +
                String.join(", ", FaultRuleValues.STATUS.keySet()));
        }
        return status;
    }

    private static <E extends Enum<E>> E one(final List<E> values, final String key, final String word)
    {
        for (final E each : values)
        {
            if (SettingType.word(each).equals(word))
            {
                return each;
            }
        }
        throw new TypeConversionException(key + " '" + word + "' is none: use " +
            String.join(", ", values.stream().map(SettingType::word).toList()));
    }

    private static <T> T parse(
        final Map<String, String> values, final String key, final SettingType<T> type, final T absent)
    {
        final String text = values.get(key);
        try
        {
            return null == text ? absent : type.parse(text);
        }
        catch (final SettingType.BadValue e)
        {
            throw new TypeConversionException(key + " '" + text + "' is " + e.bound() + ": " + e.remedy());
        }
    }
}
