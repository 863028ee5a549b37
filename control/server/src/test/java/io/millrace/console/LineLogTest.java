package io.millrace.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** Nobody can fill a disk with what a process logs. */
class LineLogTest
{
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final AtomicLong nowMs = new AtomicLong(1_800_000_000_000L);
    private final LineLog log = new LineLog(
        new Terminal(new PrintStream(out, true, StandardCharsets.UTF_8), false, false), nowMs::get);
    private final LineLog.Source source = log.source("lines");

    private List<String> lines()
    {
        return out.toString(StandardCharsets.UTF_8).lines().toList();
    }

    private static void until(final BooleanSupplier condition)
    {
        final long deadlineNs = System.nanoTime() + 20_000_000_000L;
        while (!condition.getAsBoolean())
        {
            assertTrue(System.nanoTime() - deadlineNs < 0, "waited for 20 s");
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldPrintSoManyLinesAtOnceAndSayHowManyWereLeftOut()
    {
        final int flood = 3 * LineLimit.BURST;
        for (int i = 0; i < flood; i++)
        {
            source.accept("line " + i);
        }
        log.start();
        until(() -> lines().size() >= LineLimit.BURST);
        assertTrue(lines().getFirst().endsWith(" line 0"), lines().getFirst());
        // A line that was not read yet may come first.
        int more = 0;
        while (!lines().getLast().contains("left out "))
        {
            final int before = lines().size();
            nowMs.addAndGet(LineLimit.REFILL_MS);
            more++;
            until(() -> before < lines().size());
        }
        nowMs.addAndGet(LineLimit.REFILL_MS);
        source.accept("later");
        log.close();
        final List<String> lines = lines();
        assertTrue(lines.getLast().endsWith(" later"), lines.getLast());
        final long printed = lines.stream().filter((each) -> each.contains(" line ")).count();
        assertEquals(LineLimit.BURST + more - 1, printed);
        assertTrue(lines.get(lines.size() - 2).contains(" left out " + (flood - printed) + " lines: at most " +
            LineLimit.BURST + " at once"), lines.get(lines.size() - 2));
    }

    @Test
    void shouldCountLinesThatDidNotFitIntoTheQueue()
    {
        final int flood = 2_000;
        for (int i = 0; i < flood; i++)
        {
            source.accept("line " + i);
        }
        log.print();
        final long printed = lines().size();
        assertEquals(LineLimit.BURST, printed);
        nowMs.addAndGet(LineLimit.REFILL_MS);
        assertEquals(0, log.reportSuppressed());
        assertTrue(lines().getLast().contains(" left out " + (flood - printed) + " lines: at most "),
            lines().getLast());
    }
}
