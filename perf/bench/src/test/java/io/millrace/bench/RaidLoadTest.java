package io.millrace.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Loads of arrays still run. The numbers mean nothing.
 */
class RaidLoadTest
{
    private static final int CASES_WITHOUT_PARITY = 4;
    private static final int CASES_WITH_PARITY = 9;
    private static final int CASES_WITH_CHECKSUMS = 3;

    @Test
    void shouldMeasureRequestsOfEveryLevel() throws Exception
    {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        RaidLoad.run(
            RaidLoadOptions.of("--rounds", "1", "--turn-ms", "1", "--warm-up", "1", "--mib", "8", "--seed", "1"),
            new PrintStream(bytes, true, StandardCharsets.UTF_8));
        final List<String> rows =
            bytes.toString(StandardCharsets.UTF_8).lines().filter((line) -> line.startsWith("| RAID")).toList();
        // Each over memory and over members that discard, and reads of four degraded arrays at two depths.
        assertEquals(2 * (3 * CASES_WITHOUT_PARITY + 2 * CASES_WITH_PARITY + 2 * CASES_WITH_CHECKSUMS) + 4 * 2,
            rows.size());
    }

    @Test
    void shouldMeasureStartAndRebuilds() throws Exception
    {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        RaidRebuildLoad.run(4 << 20, 64 << 20, 1, new PrintStream(bytes, true, StandardCharsets.UTF_8));
        final String text = bytes.toString(StandardCharsets.UTF_8);
        for (final String array : List.of("RAID 6 of 64 members assembled", "| RAID 1 of 2", "| RAID 5 of 5",
            "| RAID 6 of 10"))
        {
            assertTrue(text.contains(array), text);
        }
    }
}
