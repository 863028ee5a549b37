package io.millrace.cli.control;

import io.millrace.console.Json;
import io.millrace.console.Terminal;
import io.millrace.console.Yaml;
import io.millrace.control.state.StatePlan;
import io.millrace.control.state.StateStep;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Shows a plan before it is carried out. One thread.
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

    void print(final StatePlan plan)
    {
        switch (format)
        {
            case table -> lines(plan);
            case json -> terminal.line(Json.write(map(plan)));
            case yaml -> terminal.text(Yaml.write(map(plan)));
        }
    }

    private void lines(final StatePlan plan)
    {
        final List<StateStep> steps = plan.steps();
        int shown = 0;
        int lines = 0;
        while (shown < steps.size() && (isVerbose || lines < STEPS_SHOWN_MAX || steps.size() <= STEPS_SHOWN_MAX))
        {
            final int next = isVerbose ? shown + 1 : AnaRuns.end(steps, shown);
            terminal.line(mark(steps.get(shown)) + " " + AnaRuns.sentence(steps.subList(shown, next)));
            shown = next;
            lines++;
        }
        // What destroys is always seen.
        steps.subList(shown, steps.size()).stream().filter(StateStep::destructive).limit(STEPS_SHOWN_MAX)
            .forEach((step) -> terminal.line(mark(step) + " " + step.sentence()));
        if (shown < steps.size())
        {
            terminal.line("  ... " + (steps.size() - shown) + " more, --verbose shows them");
        }
        plan.obstacles().forEach((obstacle) -> terminal.line(terminal.bad("impossible: ") + obstacle));
        terminal.line(plan.isEmpty() ? "all is as it should be" : summary(plan));
    }

    private String mark(final StateStep step)
    {
        final String mark = String.valueOf(step.mark());
        return switch (step.mark())
        {
            case '!' -> terminal.bad(mark);
            case '+' -> terminal.good(mark);
            default -> terminal.warn(mark);
        };
    }

    /** What would be done, in one line. */
    static String summary(final StatePlan plan)
    {
        final int destructive = (int)plan.steps().stream().filter(StateStep::destructive).count();
        return plan.count(StateStep.Effect.CREATE) + " to create, " + plan.count(StateStep.Effect.CHANGE) +
            " to change, " + plan.count(StateStep.Effect.REMOVE) + " to remove" +
            (0 == destructive ? "" : "; " + destructive + (1 == destructive ? " destroys" : " destroy"));
    }

    private static Map<String, Object> map(final StatePlan plan)
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("steps", plan.steps().stream().map((step) ->
        {
            final Map<String, Object> each = new LinkedHashMap<>();
            each.put("effect", step.effect().name().toLowerCase(Locale.ROOT));
            each.put("destructive", step.destructive());
            each.put("sentence", step.sentence());
            return each;
        }).toList());
        map.put("obstacles", plan.obstacles());
        return map;
    }
}
