package io.millrace.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class QuickstartRoundsTest
{
    @Test
    void shouldKeepColumnsApartAtLargeLatencies()
    {
        final String[] cells = {"random write and verify 4KiB, depth 32", "12,345,678", "1,234,567.8",
            "12,345,678.9", "12,345,678.9", "112,345,678.9", "112,345,678.9", "1,112,345,678.9"};
        assertEquals(String.join(" ", cells), QuickstartRounds.row((Object[])cells).strip());
    }

    @Test
    void shouldAlignUsualNumbers()
    {
        assertEquals(QuickstartRounds.row("round", "IOPS", "MiB/s", "avg us", "p50 us", "p99 us", "p99.9 us", "max us")
            .length(), QuickstartRounds.row("random read 4KiB, depth 32", "1,000,000", "3,906.3", "1,234.5", "1,234.5",
            "123,456.7", "123,456.7", "1,234,567.8").length());
    }
}
