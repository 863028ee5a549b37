package io.millrace.cli.control;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.cli.control.view.Views;
import io.millrace.console.Terminal;
import io.millrace.control.client.ControlListener;
import io.millrace.control.codec.Change;
import io.millrace.control.codec.Kind;
import io.millrace.control.message.ControlEvent;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventStreamTest
{
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final Terminal terminal = new Terminal(new PrintStream(bytes, true, StandardCharsets.UTF_8), false, false);

    private static ControlEvent event(final Kind kind, final String name)
    {
        return new ControlEvent(1, 0, kind, Change.CREATED, name, "");
    }

    private List<String> lines()
    {
        return bytes.toString(StandardCharsets.UTF_8).lines().toList();
    }

    @Test
    void shouldNameTheDataPlaneOfSeveralAndTellOfTheManagerOnce()
    {
        final EventStream stream = new EventStream(terminal, false, (_) -> true, 0);
        final List<ControlListener> listeners = List.of(stream.listener("dp0"), stream.listener("dp1"));
        listeners.get(1).onEvent(event(Kind.DEVICE, "mem0"));
        listeners.forEach((each) -> each.onEvent(event(Kind.MANAGED, "dp1")));
        listeners.get(0).onEventsLost(2);
        final String time = Views.local(0);
        assertEquals(List.of(
            time + "  dp1           created       device      mem0",
            time + "  dp1           created       managed     dp1",
            "-- dp0: 2 events are lost"), lines());
    }

    @Test
    void shouldNotNameTheOnlyDataPlane()
    {
        final EventStream stream = new EventStream(terminal, false, (_) -> true, 0);
        final ControlListener listener = stream.listener("");
        listener.onEvent(event(Kind.DEVICE, "mem0"));
        listener.onEvent(event(Kind.MANAGED, "dp1"));
        assertEquals(List.of(Views.local(0) + "  created       device      mem0",
            Views.local(0) + "  created       managed     dp1"), lines());
    }

    @Test
    void shouldHaveTheDataPlaneInJson()
    {
        final EventStream stream = new EventStream(terminal, true, (_) -> true, 0);
        stream.listener("dp0").onEvent(event(Kind.DEVICE, "mem0"));
        assertEquals(List.of("{\"time\": \"1970-01-01T00:00:00Z\", \"data-plane\": \"dp0\", \"kind\": \"device\", " +
            "\"change\": \"created\", \"name\": \"mem0\", \"message\": \"\"}"), lines());
    }
}
