package io.millrace.cli.control;

import io.millrace.console.ExitCode;
import io.millrace.console.Json;
import io.millrace.console.StopSignal;
import io.millrace.console.Terminal;
import io.millrace.control.client.ControlListener;
import io.millrace.control.codec.Kind;
import io.millrace.control.message.ControlEvent;
import io.millrace.control.message.SessionInfo;
import io.millrace.control.setting.SettingType;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/**
 * Prints events until it is stopped or has printed the requested number, and reports gaps. One thread.
 */
final class EventStream implements ControlListener
{
    private static final long IDLE_NS = 1_000_000;
    private static final String FORMAT = "%s  %-12s  %-10s  %s";

    private final Terminal terminal;
    private final boolean isJson;
    private final Predicate<ControlEvent> filter;
    private final long countMax;
    private long count;
    private UUID dataPlaneId;

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
     * Prints events until the end is requested.
     *
     * @param link that has this as its listener.
     * @param stop asks for the end.
     * @return exit code.
     */
    int run(final ControlLink link, final StopSignal stop)
    {
        while (!stop.isRequested() && !isEnough() && !terminal.isBroken())
        {
            if (0 == link.client().poll())
            {
                LockSupport.parkNanos(IDLE_NS);
            }
        }
        return ExitCode.OK;
    }

    private boolean isEnough()
    {
        return 0 != countMax && count >= countMax;
    }

    @Override
    public void onEvent(final ControlEvent event)
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
            terminal.line(String.format(FORMAT, Views.local(event.epochNs()), SettingType.word(event.change()),
                word(event.kind()), about).stripTrailing());
        }
    }

    static String word(final Kind kind)
    {
        return SettingType.word(kind);
    }

    @Override
    public void onConnected(final SessionInfo session)
    {
        if (null != dataPlaneId)
        {
            notice("reconnected to " + session.dataPlaneName() + (dataPlaneId.equals(session.dataPlaneId()) ?
                "; events in between are lost" : ", which was restarted; events in between are lost"));
        }
        dataPlaneId = session.dataPlaneId();
    }

    @Override
    public void onDisconnected(final String reason)
    {
        notice("connection lost: " + reason);
    }

    @Override
    public void onEventsLost(final long lost)
    {
        if (COUNT_UNKNOWN != lost)
        {
            notice(lost + (1 == lost ? " event is lost" : " events are lost"));
        }
    }

    private void notice(final String text)
    {
        if (isJson)
        {
            final Map<String, Object> map = new LinkedHashMap<>();
            map.put("notice", text);
            terminal.line(Json.line(map));
        }
        else
        {
            terminal.line(terminal.warn("-- " + text));
        }
    }
}
