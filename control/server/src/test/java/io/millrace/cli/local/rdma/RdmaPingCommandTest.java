package io.millrace.cli.local.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.console.ExitCode;
import io.millrace.console.StopSignal;
import io.millrace.console.Terminal;
import io.millrace.perf.rdma.RdmaPingConfig;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What is printed of pings, and the exit code. */
class RdmaPingCommandTest
{
    private static final long SECOND = 1_000_000_000L;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final StopSignal stop = StopSignal.install();

    private RdmaPingCommand.Printer printer(final boolean isJson) throws Exception
    {
        final InetSocketAddress server =
            new InetSocketAddress(InetAddress.getByAddress(new byte[]{(byte)192, 0, 2, 7}), 18_515);
        return new RdmaPingCommand.Printer(new RdmaPingConfig(server, 64, 3, SECOND, SECOND), isJson,
            new Terminal(new PrintStream(out, true, StandardCharsets.UTF_8), false, false), stop);
    }

    @Test
    void shouldPrintRepliesAndStatistics() throws Exception
    {
        final RdmaPingCommand.Printer printer = printer(false);
        assertEquals("", out.toString(StandardCharsets.UTF_8), "printed before there is a connection manager");
        printer.begin();
        printer.onReply(1, 10_000);
        printer.onReply(2, 14_000);
        printer.onReply(3, 12_040);
        assertFalse(stop.isRequested());
        printer.onEnd();
        assertTrue(stop.isRequested());
        assertEquals(ExitCode.OK, printer.end());
        assertEquals("""
            RDMA PING 192.0.2.7 port 18515, 64 bytes
            64 bytes from 192.0.2.7: seq=1 time=10.0 us
            64 bytes from 192.0.2.7: seq=2 time=14.0 us
            64 bytes from 192.0.2.7: seq=3 time=12.0 us
            --- 192.0.2.7 RDMA ping statistics ---
            3 sent, 3 received, 0% loss
            rtt min/avg/max/mdev = 10.0/12.0/14.0/1.6 us
            """, out.toString(StandardCharsets.UTF_8));
    }

    @Test
    void shouldFailWhenOneWasLost() throws Exception
    {
        final RdmaPingCommand.Printer printer = printer(false);
        printer.onReply(1, 10_000);
        printer.onLost(2, "no reply within 1000 ms");
        printer.onReply(3, 10_000);
        assertEquals(ExitCode.FAILURE, printer.end());
        final String text = out.toString(StandardCharsets.UTF_8);
        assertTrue(text.contains("lost seq=2: no reply within 1000 ms\n"), text);
        assertTrue(text.contains("3 sent, 2 received, 33.33% loss\n"), text);
    }

    @Test
    void shouldFailWithoutAnyReply() throws Exception
    {
        final RdmaPingCommand.Printer printer = printer(false);
        assertEquals(ExitCode.FAILURE, printer.end());
        assertTrue(out.toString(StandardCharsets.UTF_8).endsWith("0 sent, 0 received, 0% loss\n"));
        printer.onLost(1, "away");
        printer.end();
        assertTrue(out.toString(StandardCharsets.UTF_8).endsWith("1 sent, 0 received, 100% loss\n"),
            out.toString(StandardCharsets.UTF_8));
    }

    @Test
    void shouldPrintNothingButJsonWhenAsked() throws Exception
    {
        final RdmaPingCommand.Printer printer = printer(true);
        printer.onReply(1, 10_000);
        printer.onLost(2, "away");
        printer.end();
        final String json = out.toString(StandardCharsets.UTF_8).replaceAll("\\s+", "");
        assertEquals("{\"server\":\"192.0.2.7\",\"size-bytes\":64,\"sent\":2,\"received\":1,\"loss-percent\":50.0," +
            "\"min-ns\":10000,\"mean-ns\":10000,\"max-ns\":10000,\"mdev-ns\":0}", json);
    }
}
