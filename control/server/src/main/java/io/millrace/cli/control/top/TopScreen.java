package io.millrace.cli.control.top;

import io.millrace.console.Screen;
import io.millrace.console.StopSignal;
import io.millrace.console.Terminal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;

/**
 * The screen of {@code top}: a section for each data plane, a line for each where there is no room, or one of them
 * alone. Main thread.
 */
final class TopScreen
{
    private static final long IDLE_NS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long OUTAGE_INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);
    /** A section of fewer rows would have no room for namespaces. */
    private static final int ROWS_OF_SECTION_MIN = 12;
    private static final int ALL = -1;

    private final NanoClock clock = SystemNanoClock.INSTANCE;
    private final Screen screen;
    private final List<TopPlane> planes;
    private final TopLines layout;
    private final StopSignal stop;
    private TopLines.Order order;
    private int selected = ALL;
    private long drawnNs;

    TopScreen(
        final Terminal terminal,
        final Screen screen,
        final List<TopPlane> planes,
        final TopLines.Order order,
        final StopSignal stop)
    {
        this.screen = screen;
        this.planes = planes;
        this.order = order;
        this.stop = stop;
        layout = new TopLines(terminal);
    }

    /** Shows the data planes until the user stops it. */
    void run(final long intervalMs)
    {
        long nextNs = clock.nanoTime();
        while (!stop.isRequested())
        {
            if (clock.nanoTime() - nextNs >= 0)
            {
                planes.forEach(TopPlane::request);
                nextNs = clock.nanoTime() + TimeUnit.MILLISECONDS.toNanos(intervalMs);
            }
            boolean isOther = screen.isStale();
            for (final TopPlane each : planes)
            {
                isOther |= each.poll();
                isOther |= each.isOut() && clock.nanoTime() - drawnNs >= OUTAGE_INTERVAL_NS;
            }
            if (1 == planes.size() && null == planes.getFirst().report() && null != planes.getFirst().failure())
            {
                throw planes.getFirst().failure();
            }
            for (int key = screen.key(); Screen.NO_KEY != key; key = screen.key())
            {
                onKey(key);
                isOther = true;
            }
            if (isOther)
            {
                draw();
            }
            LockSupport.parkNanos(IDLE_NS);
        }
    }

    private void onKey(final int key)
    {
        switch (Character.toLowerCase(key))
        {
            case 'q' -> stop.request();
            case 'i' -> order = TopLines.Order.iops;
            case 'b' -> order = TopLines.Order.bytes;
            case 'l' -> order = TopLines.Order.latency;
            case 'n' -> order = TopLines.Order.name;
            case 'd' -> selected = next(selected, planes.size());
            default ->
            {
            }
        }
    }

    /** All of several, then each, then all again. */
    static int next(final int selected, final int count)
    {
        return selected + 1 < count && count > 1 ? selected + 1 : ALL;
    }

    private void draw()
    {
        if (screen.isStale())
        {
            screen.measure();
        }
        drawnNs = clock.nanoTime();
        final String hint = "by " + order + " (i b l n, " + (planes.size() > 1 ? "d, q)" : "q)");
        screen.draw(lines(layout, ALL == selected ? planes : List.of(planes.get(selected)), order, screen.rows(),
            screen.columns(), hint));
    }

    /** Sections of equal height; a line for each data plane if they do not fit. */
    static List<String> lines(
        final TopLines layout,
        final List<TopPlane> shown,
        final TopLines.Order order,
        final int rows,
        final int columns,
        final String hint)
    {
        final int rowsEach = rows / shown.size() - (shown.size() > 1 ? 1 : 0);
        final boolean hasSections = 1 == shown.size() || rowsEach >= ROWS_OF_SECTION_MIN;
        final List<String> lines = new ArrayList<>();
        for (final TopPlane each : shown)
        {
            final String end = lines.isEmpty() ? hint : "";
            if (null == each.report() || each.isOut())
            {
                lines.add(TopLines.cut(null == each.report() && !each.isOut() ? each.name() :
                    each.outage().line() + "   " + end, columns));
            }
            else if (hasSections)
            {
                lines.addAll(layout.of(each.name(), each.report(), order, rowsEach, columns, end));
            }
            else
            {
                lines.add(TopLines.cut(TopLines.head(each.name(), each.report()) + "   " + end, columns));
            }
            if (hasSections && shown.size() > 1)
            {
                lines.add("");
            }
        }
        return lines;
    }
}
