package io.millrace.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.console.LineLimit;
import io.millrace.console.LineLog;
import io.millrace.console.Terminal;
import io.millrace.nvmf.transport.TransportAddress;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class EventLogTest
{
    private static final String HOST = "nqn.2026-11.io.example:host";
    private static final String VOLUME = "nqn.2026-11.io.example:vol0";
    private static final String REMOTE = "tcp://192.0.2.1:49152";

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final AtomicLong nowMs = new AtomicLong(1_800_000_000_000L);
    private final LineLog lineLog = new LineLog(
        new Terminal(new PrintStream(out, true, StandardCharsets.UTF_8), false, false), nowMs::get);
    private final EventLog log = new EventLog(lineLog);

    private List<String> lines()
    {
        return out.toString(StandardCharsets.UTF_8).lines().toList();
    }

    @Test
    void shouldPrintALineForEachEvent()
    {
        log.onConnected(HOST, REMOTE, VOLUME, 7);
        log.onDisconnected(HOST, REMOTE, VOLUME, 7, "shut down by the host");
        log.onRefused("", "", VOLUME, "host may not access the subsystem");
        log.onProtocolError(REMOTE, "no Connect command within 5000 ms");
        log.onConnectionRefused(REMOTE, "its address is not in rdma.allowed-addresses");
        log.onAnaTransitionExpired(VOLUME, TransportAddress.tcp("192.0.2.7", 4420), 3);
        log.onAnaTransitionExpired(VOLUME, null, 4);
        log.onError("no way in");
        log.onNote("control: the keys were reloaded");
        lineLog.print();
        final String time = "2027-01-15T08:00:00Z ";
        assertEquals(List.of(
            time + "connected: " + HOST + " from " + REMOTE + ", controller 7 of " + VOLUME,
            time + "disconnected: " + HOST + " from " + REMOTE + ", controller 7 of " + VOLUME +
                ": shut down by the host",
            time + "refused: a host without a name from an address that is gone to " + VOLUME +
                ": host may not access the subsystem",
            time + "protocol error: connection from " + REMOTE + ": no Connect command within 5000 ms",
            time + "refused: connection from " + REMOTE + ": its address is not in rdma.allowed-addresses",
            time + "transition took too long: ANA group 3 of " + VOLUME + " is inaccessible at 192.0.2.7:4420",
            time + "transition took too long: ANA group 4 of " + VOLUME + " is inaccessible at other listeners",
            time + "error: no way in",
            time + "note: control: the keys were reloaded"), lines());
    }

    @Test
    void shouldLeaveOutWhatComesTooFastAndSayHowMuch()
    {
        final int flood = 5_000;
        for (int i = 0; i < flood; i++)
        {
            log.onRefused(HOST, REMOTE, VOLUME, "again");
            if (0 == i % 100)
            {
                lineLog.print();
            }
        }
        lineLog.print();
        assertEquals(LineLimit.BURST, lines().size());
        log.onConnected(HOST, REMOTE, VOLUME, 1);
        lineLog.print();
        assertTrue(lines().getLast().contains(" connected: "), "refusals hide hosts that are allowed");
        assertEquals(LineLimit.REFILL_MS, lineLog.reportSuppressed());
        nowMs.addAndGet(LineLimit.REFILL_MS);
        assertEquals(0, lineLog.reportSuppressed());
        assertTrue(lines().getLast().contains(" left out " + (flood - LineLimit.BURST) + " lines of refusals"),
            lines().getLast());
    }

    @Test
    void shouldCountWhatTheQueueCannotHold()
    {
        for (int i = 0; i < 10_000; i++)
        {
            log.onRefused(HOST, REMOTE, VOLUME, "again");
        }
        lineLog.print();
        nowMs.addAndGet(LineLimit.REFILL_MS);
        lineLog.reportSuppressed();
        assertTrue(lines().getLast().contains(" left out " + (10_000 - LineLimit.BURST) + " lines of refusals"),
            lines().getLast());
    }

    @Test
    void shouldPrintOnAThreadOfItsOwnUntilClosed()
    {
        log.onConnected(HOST, REMOTE, VOLUME, 1);
        lineLog.clear();
        log.onConnected(HOST, REMOTE, VOLUME, 2);
        lineLog.start();
        log.onConnected(HOST, REMOTE, VOLUME, 3);
        lineLog.close();
        log.onConnected(HOST, REMOTE, VOLUME, 4);
        assertEquals(2, lines().size(), lines().toString());
        assertTrue(lines().get(0).contains("controller 2"), lines().toString());
        assertTrue(lines().get(1).contains("controller 3"), lines().toString());
        assertFalse(out.toString(StandardCharsets.UTF_8).contains("controller 4"));
    }
}
