package io.millrace.cli.control;

import io.millrace.cli.control.view.AnaGroupRanges;
import io.millrace.cli.control.view.Format;
import io.millrace.console.Json;
import io.millrace.console.Terminal;
import io.millrace.console.Yaml;
import io.millrace.control.codec.Effect;
import io.millrace.control.message.PlanStepInfo;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Prints a plan before it is applied. One thread.
 */
final class PlanPrinter
{
    private static final int STEPS_SHOWN_MAX = 60;

    private final Terminal terminal;
    private final Format format;
    private final boolean isVerbose;

    PlanPrinter(final Terminal terminal, final Format format, final boolean isVerbose)
    {
        this.terminal = terminal;
        this.format = format;
        this.isVerbose = isVerbose;
    }

    void print(final List<PlanStepInfo> plan)
    {
        switch (format)
        {
            case table -> lines(plan);
            case json -> terminal.line(Json.write(map(plan)));
            case yaml -> terminal.text(Yaml.write(map(plan)));
        }
    }

    private void lines(final List<PlanStepInfo> plan)
    {
        final List<PlanStepInfo> steps = steps(plan);
        int shown = 0;
        int lines = 0;
        while (shown < steps.size() && (isVerbose || lines < STEPS_SHOWN_MAX || steps.size() <= STEPS_SHOWN_MAX))
        {
            final int next = isVerbose ? shown + 1 : AnaGroupRanges.end(steps, shown);
            terminal.line(mark(steps.get(shown)) + " " + AnaGroupRanges.sentence(steps.subList(shown, next)));
            shown = next;
            lines++;
        }
        // Destructive steps are always shown.
        steps.subList(shown, steps.size()).stream().filter(PlanStepInfo::destructive).limit(STEPS_SHOWN_MAX)
            .forEach((step) -> terminal.line(mark(step) + " " + step.sentence()));
        if (shown < steps.size())
        {
            terminal.line("  ... " + (steps.size() - shown) + " more, --verbose shows them");
        }
        obstacles(plan).forEach((obstacle) -> terminal.line(terminal.bad("blocked: ") + obstacle));
        terminal.line(plan.isEmpty() ? "no changes" : summary(plan));
    }

    private String mark(final PlanStepInfo step)
    {
        return step.destructive() ? terminal.bad("!") : switch (step.effect())
        {
            case CREATE -> terminal.good("+");
            case REMOVE -> terminal.warn("-");
            default -> terminal.warn("~");
        };
    }

    /** Summary of a plan in one line. */
    static String summary(final List<PlanStepInfo> plan)
    {
        final int destructive = (int)plan.stream().filter(PlanStepInfo::destructive).count();
        return count(plan, Effect.CREATE) + " to create, " + count(plan, Effect.CHANGE) + " to change, " +
            count(plan, Effect.REMOVE) + " to remove" +
            (0 == destructive ? "" : "; " + destructive + " destructive");
    }

    private static long count(final List<PlanStepInfo> plan, final Effect effect)
    {
        return plan.stream().filter((each) -> effect == each.effect()).count();
    }

    private static List<PlanStepInfo> steps(final List<PlanStepInfo> plan)
    {
        return plan.stream().filter((each) -> Effect.OBSTACLE != each.effect()).toList();
    }

    /** Reasons why the plan cannot be applied. */
    static List<String> obstacles(final List<PlanStepInfo> plan)
    {
        return plan.stream().filter((each) -> Effect.OBSTACLE == each.effect()).map(PlanStepInfo::sentence).toList();
    }

    private static Map<String, Object> map(final List<PlanStepInfo> plan)
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("steps", steps(plan).stream().map((step) ->
        {
            final Map<String, Object> each = new LinkedHashMap<>();
            each.put("effect", step.effect().name().toLowerCase(Locale.ROOT));
            each.put("destructive", step.destructive());
            each.put("sentence", step.sentence());
            return each;
        }).toList());
        map.put("obstacles", obstacles(plan));
        return map;
    }
}
