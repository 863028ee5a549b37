package io.millrace.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class OptionValuesTest
{
    @ParameterizedTest
    @CsvSource({"4096, 4096", "512b, 512", "4k, 4096", "4KiB, 4096", "128KiB, 131072", "1M, 1048576",
        "2 GiB, 2147483648",
        "1TiB, 1099511627776"})
    void shouldReadSizes(final String text, final long bytes)
    {
        assertEquals(bytes, new ByteSize().convert(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "KiB", "-1", "4.5k", "4kb", "4 potatoes", "9999999999TiB", "99999999999999999999"})
    void shouldSayWhatASizeLooksLikeWhenItIsNone(final String text)
    {
        final String message =
            assertThrows(TypeConversionException.class, () -> new ByteSize().convert(text)).getMessage();
        assertTrue(
            message.contains("such as 4KiB") || message.contains("use KiB") ||
            message.contains("write KiB") || message.contains("smaller"), message);
    }

    @ParameterizedTest
    @CsvSource({"10, 10000", "10s, 10000", "500ms, 500", "2m, 120000", "1h, 3600000", "0s, 0"})
    void shouldReadDurations(final String text, final long milliseconds)
    {
        assertEquals(milliseconds, new TimeSpan().convert(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "s", "-1s", "1.5s", "10us", "10 minutes"})
    void shouldSayWhatADurationLooksLikeWhenItIsNone(final String text)
    {
        final String message =
            assertThrows(TypeConversionException.class, () -> new TimeSpan().convert(text)).getMessage();
        assertTrue(message.contains("such as 10s"), message);
    }
}
