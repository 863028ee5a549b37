package io.millrace.cli.control;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LiveNamesTest
{
    @ParameterizedTest
    @CsvSource({",800", "1,800", "60,48000", "0.5,400", "0.0001,1", "1e300,2880000", "0,800", "-1,800",
        "NaN,800", "2s,800"})
    void shouldWaitLessThanTheScript(final String seconds, final long timeoutMs)
    {
        assertEquals(timeoutMs, LiveNames.timeoutMs(seconds));
    }
}
