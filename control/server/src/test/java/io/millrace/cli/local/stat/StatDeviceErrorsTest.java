package io.millrace.cli.local.stat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.console.Terminal;
import io.millrace.status.DeviceErrorRecord;
import io.millrace.status.DeviceErrorStatus;
import io.millrace.status.StatusFile;
import io.millrace.status.StatusReader;
import io.millrace.status.StatusSettings;
import io.millrace.status.StatusSnapshot;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code millrace stat} shows of errors of devices. */
class StatDeviceErrorsTest
{
    @TempDir
    private Path directory;

    private static String printed(final StatView view)
    {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        StatPrinter.print(new Terminal(new PrintStream(bytes, true, StandardCharsets.UTF_8), false, false), view);
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private StatView view(final StatusSnapshot snapshot)
    {
        return StatView.sinceStart(
            directory.resolve("s"), StatView.State.RUNNING, System.currentTimeMillis(), snapshot);
    }

    @Test
    void shouldShowDistinctErrorsWithCauseTimesAndBlocks()
    {
        try (StatusFile file =
            StatusFile.create(new StatusSettings(directory.resolve("s"), true, 1 << 20, "test"), 1))
        {
            final DeviceErrorRecord full = file.part(0).deviceError("vol0", "write", "CAPACITY_EXCEEDED", "ENOSPC", 28);
            for (int lba = 4096; lba < 4096 + 33_871; lba++)
            {
                full.add(lba);
            }
            file.part(0).deviceError("bad", "read", "MEDIA_ERROR", "", 0).add(7);
            file.publish();
            final StatView view = view(StatusReader.open(file.path()).read());
            final List<String> lines = printed(view).lines().toList();
            final int head = lines.indexOf(lines.stream().filter((line) -> line.startsWith("errors of device"))
                .findFirst().orElseThrow(() -> new AssertionError(lines)));
            final String first = StatPrinter.time(full.firstEpochMs());
            final String last = StatPrinter.time(full.lastEpochMs());
            assertTrue(lines.get(head).matches(
                "errors of device +operation +status +cause +count +first seen +last seen +first LBA +last LBA"),
                lines.get(head));
            assertTrue(lines.get(head + 1).matches("bad +read +MEDIA_ERROR +- +1 +\\S+ +\\S+ +7 +7"),
                lines.get(head + 1));
            assertTrue(lines.get(head + 2).matches("vol0 +write +CAPACITY_EXCEEDED +ENOSPC +33,871 +" + first +
                " +" + last + " +4096 +37966"), lines.get(head + 2));
            final List<?> json = (List<?>)StatJson.of(view).get("device-errors");
            final Map<?, ?> error = (Map<?, ?>)json.getFirst();
            assertEquals(33_871L, error.get("count"));
            assertEquals("ENOSPC", error.get("cause"));
            assertEquals(28, error.get("errno"));
            assertEquals(4096L, error.get("first-lba"));
            assertEquals(37_966L, error.get("last-lba"));
            assertNull(((Map<?, ?>)json.get(1)).get("errno"));
        }
    }

    @Test
    void shouldShowNothingWithoutErrors()
    {
        try (StatusFile file = StatusFile.inMemory(1))
        {
            assertEquals(List.<DeviceErrorStatus>of(), file.snapshot().deviceErrors());
            assertTrue(printed(view(file.snapshot())).lines().noneMatch((line) -> line.contains("errors of device")));
        }
    }
}
