package io.millrace.cli.control;

import io.millrace.cli.control.view.Views;
import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.console.Json;
import io.millrace.console.StopSignal;
import io.millrace.console.Terminal;
import io.millrace.control.client.ControlListener;
import io.millrace.control.codec.Kind;
import io.millrace.control.message.ControlEvent;
import io.millrace.control.message.SessionInfo;
import io.millrace.control.setting.SettingType;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/**
 * Prints events until it is stopped or has printed the requested number, and reports gaps. One thread.
 */
final class EventStream
{
    private static final long IDLE_NS = 1_000_000;
    private static final long WITHOUT_END = 0;
    private static final String FORMAT = "%s  %-12s  %-10s  %s";
    private static final String FORMAT_OF_SEVERAL = "%s  %-12s  %-12s  %-10s  %s";

    private final Terminal terminal;
    private final boolean isJson;
    private final Predicate<ControlEvent> filter;
    private final long countMax;
    private long count;
    private boolean hasManagerEvents;

    /**
     * @param terminal to print to.
     * @param isJson   a JSON object a line.
     * @param filter   of what is printed.
     * @param countMax events to print; 0: without end.
     */
    EventStream(
        final Terminal terminal, final boolean isJson, final Predicate<ControlEvent> filter, final long countMax)
    {
        this.terminal = terminal;
        this.isJson = isJson;
        this.filter = filter;
        this.countMax = countMax;
    }

    /**
     * {@return events to print}
     *
     * @param count as an option gives it; null: without end.
     * @throws CommandException if it is below 1.
     */
    static long limit(final Long count)
    {
        if (null != count && count < 1)
        {
            throw new CommandException(ExitCode.USAGE,
                "--count = " + count + ": below 1; give a number of lines, or leave it out to print until Ctrl-C");
        }
        return null == count ? WITHOUT_END : count;
    }

    /**
     * Prints events until the end is requested.
     *
     * @param links that have listeners of this.
     * @param stop  asks for the end.
     * @return exit code.
     */
    int run(final Collection<ControlLink> links, final StopSignal stop)
    {
        while (!stop.isRequested() && !isEnough() && !terminal.isBroken())
        {
            int work = 0;
            for (final ControlLink each : links)
            {
                work += each.client().poll();
            }
            if (0 == work)
            {
                LockSupport.parkNanos(IDLE_NS);
            }
        }
        return ExitCode.OK;
    }

    /**
     * Makes the listener of a session.
     *
     * @param dataPlane that the session is about, of several of a manager; empty: the only one.
     * @return a listener of its own.
     */
    ControlListener listener(final String dataPlane)
    {
        // Each session has the events of the manager itself.
        final boolean takesManagerEvents = !hasManagerEvents;
        hasManagerEvents = true;
        return new Source(dataPlane, takesManagerEvents);
    }

    private boolean isEnough()
    {
        return WITHOUT_END != countMax && count >= countMax;
    }

    private void print(final String dataPlane, final ControlEvent event)
    {
        if (!filter.test(event) || isEnough())
        {
            return;
        }
        count++;
        if (isJson)
        {
            final Map<String, Object> map = new LinkedHashMap<>();
            map.put("time", Views.instant(event.epochNs()).toString());
            if (!dataPlane.isEmpty())
            {
                map.put("data-plane", dataPlane);
            }
            map.put("kind", word(event.kind()));
            map.put("change", SettingType.word(event.change()));
            map.put("name", event.name());
            map.put("message", event.text());
            terminal.line(Json.line(map));
        }
        else
        {
            final String about = event.name() + (event.text().isEmpty() || event.name().isEmpty() ? "" : ": ") +
                event.text();
            final String time = Views.local(event.epochNs());
            final String change = SettingType.word(event.change());
            final String kind = word(event.kind());
            terminal.line((dataPlane.isEmpty() ? String.format(FORMAT, time, change, kind, about) :
                String.format(FORMAT_OF_SEVERAL, time, dataPlane, change, kind, about)).stripTrailing());
        }
    }

    static String word(final Kind kind)
    {
        return SettingType.word(kind);
    }

    private void notice(final String dataPlane, final String text)
    {
        if (isJson)
        {
            final Map<String, Object> map = new LinkedHashMap<>();
            if (!dataPlane.isEmpty())
            {
                map.put("data-plane", dataPlane);
            }
            map.put("notice", text);
            terminal.line(Json.line(map));
        }
        else
        {
            terminal.line(terminal.warn("-- " + (dataPlane.isEmpty() ? "" : dataPlane + ": ") + text));
        }
    }

    /** Events of one session. */
    private final class Source implements ControlListener
    {
        private final String dataPlane;
        private final boolean takesManagerEvents;
        private UUID dataPlaneId;

        Source(final String dataPlane, final boolean takesManagerEvents)
        {
            this.dataPlane = dataPlane;
            this.takesManagerEvents = takesManagerEvents;
        }

        @Override
        public void onEvent(final ControlEvent event)
        {
            if (Kind.MANAGED != event.kind())
            {
                print(dataPlane, event);
            }
            else if (takesManagerEvents)
            {
                print(dataPlane.isEmpty() ? "" : event.name(), event);
            }
        }

        @Override
        public void onConnected(final SessionInfo session)
        {
            if (null != dataPlaneId)
            {
                notice(dataPlane, "reconnected to " + session.dataPlaneName() +
                    (dataPlaneId.equals(session.dataPlaneId()) ?
                    "; events in between are lost" : ", which was restarted; events in between are lost"));
            }
            dataPlaneId = session.dataPlaneId();
        }

        @Override
        public void onDisconnected(final String reason)
        {
            notice(dataPlane, "connection lost: " + reason);
        }

        @Override
        public void onEventsLost(final long lost)
        {
            if (COUNT_UNKNOWN != lost)
            {
                notice(dataPlane, lost + (1 == lost ? " event is lost" : " events are lost"));
            }
        }
    }
}
