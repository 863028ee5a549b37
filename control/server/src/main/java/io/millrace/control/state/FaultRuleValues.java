package io.millrace.control.state;

import io.millrace.control.codec.FaultAction;
import io.millrace.control.message.BlockOperation;
import io.millrace.control.message.DeviceSettings;
import io.millrace.control.message.FaultRuleSpec;
import io.millrace.control.setting.Units;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Bounds, names and canonical form of fault rules, so that declared rules equal reported ones. Stateless.
 */
public final class FaultRuleValues
{
    /** NVMe status of each way a request can end (NVM Express Base 2.0, section 3.3.3.2), type in bits 10:8. */
    public static final Map<String, Integer> STATUS = status();

    static final List<FaultAction> ACTIONS = List.of(FaultAction.ERROR, FaultAction.DELAY, FaultAction.TORN_WRITE,
        FaultAction.LOST_WRITE, FaultAction.HANG);
    static final long DELAY_NS_MIN = 1_000_000L;
    static final long DELAY_NS_MAX = 3_600_000_000_000L;
    static final long EVERY_MAX = Integer.MAX_VALUE;

    private static final int UNRECOVERED_READ_ERROR = 0x281;
    private static final int WRITE_FAULT = 0x280;

    private FaultRuleValues()
    {
    }

    private static Map<String, Integer> status()
    {
        final Map<String, Integer> status = new LinkedHashMap<>();
        status.put("media-error", UNRECOVERED_READ_ERROR);
        status.put("device-error", 0x006);
        status.put("capacity-exceeded", 0x081);
        status.put("compare-failure", 0x285);
        status.put("not-supported", 0x001);
        status.put("write-protected", 0x020);
        status.put("out-of-range", 0x080);
        status.put("aborted", 0x007);
        return Collections.unmodifiableMap(status);
    }

    /** Word of a status in its one form; null: none. */
    static String wordOf(final int status)
    {
        return STATUS.entrySet().stream().filter((each) -> each.getValue() == status).map(Map.Entry::getKey)
            .findFirst().orElse(null);
    }

    /**
     * {@return the rules in canonical form: unused settings are dropped, defaults are filled in}
     *
     * @param rules as declared.
     */
    public static List<FaultRuleSpec> canonical(final List<FaultRuleSpec> rules)
    {
        return rules.stream().map(FaultRuleValues::canonical).toList();
    }

    private static FaultRuleSpec canonical(final FaultRuleSpec rule)
    {
        final Set<BlockOperation> operations =
            rule.operations().size() == BlockOperation.values().length ? EnumSet.noneOf(BlockOperation.class) :
            rule.operations();
        // A negative number is kept and refused later.
        final boolean isToTheEnd = 0 == rule.blocks() || rule.blocks() > 0 &&
            (rule.firstBlock() + rule.blocks() - 1 < rule.firstBlock() ||
            Long.MAX_VALUE == rule.firstBlock() + rule.blocks() - 1);
        return new FaultRuleSpec(rule.action(), operations, rule.firstBlock(), isToTheEnd ? 0 : rule.blocks(),
            rule.probability(), rule.limit(), rule.delayNs(), status(rule), 0 == rule.every() ? 1 : rule.every());
    }

    private static int status(final FaultRuleSpec rule)
    {
        return switch (rule.action())
        {
            // Unused; an invalid status is kept and refused later.
            case DELAY, HANG -> WRITE_FAULT == rule.status() || null != wordOf(rule.status()) ? 0 : rule.status();
            case ERROR -> 0 == rule.status() || WRITE_FAULT == rule.status() ? UNRECOVERED_READ_ERROR : rule.status();
            default -> WRITE_FAULT == rule.status() ? UNRECOVERED_READ_ERROR : rule.status();
        };
    }

    /**
     * {@return what is wrong with rules, and what to do; null when they are valid}
     *
     * @param rules in their one form.
     */
    public static String problem(final List<FaultRuleSpec> rules)
    {
        if (rules.size() > DeviceSettings.RULES_MAX)
        {
            return rules.size() + " fault rules are more than " + DeviceSettings.RULES_MAX + "; join some";
        }
        for (int i = 0; i < rules.size(); i++)
        {
            final String problem = problem(rules.get(i));
            if (null != problem)
            {
                return "fault rule " + (i + 1) + ": " + problem;
            }
        }
        return null;
    }

    private static String problem(final FaultRuleSpec rule)
    {
        if (!ACTIONS.contains(rule.action()))
        {
            return "action is unknown; use a client of this version";
        }
        if (rule.firstBlock() < 0 || rule.blocks() < 0)
        {
            return "range of " + Units.count(rule.blocks(), "block") + " from " + rule.firstBlock() +
                " is not one; give a first block and a number of blocks from 0";
        }
        if (!(rule.probability() > 0 && rule.probability() <= 1))
        {
            return "probability " + rule.probability() + " is outside (0, 1]; choose one inside";
        }
        if (rule.every() < 1 || rule.every() > EVERY_MAX)
        {
            return "every " + rule.every() + " is outside 1 to " + EVERY_MAX + "; choose one inside";
        }
        if (rule.limit() < 0)
        {
            return "count " + rule.limit() + " is below 0; use 0 for no end";
        }
        if (FaultAction.DELAY == rule.action() ?
            rule.delayNs() < DELAY_NS_MIN || rule.delayNs() > DELAY_NS_MAX : 0 != rule.delayNs())
        {
            return "delay of " + rule.delayNs() + " ns does not go with its effect; " +
                "effect delay takes 1ms to 1h, others none";
        }
        return 0 != rule.status() && null == wordOf(rule.status()) ?
            "status 0x" + Integer.toHexString(rule.status()) + " is not a status of devices; use one of 0x" +
            String.join(", 0x", STATUS.values().stream().map(Integer::toHexString).toList()) : null;
    }
}
