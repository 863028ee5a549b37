package io.millrace.console;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Parses durations to milliseconds: {@code 10s}, {@code 500ms}, {@code 2m}, {@code 1h}; a plain number is seconds.
 */
public final class TimeSpan implements ITypeConverter<Long>
{
    private static final Pattern SPAN = Pattern.compile("(\\d{1,9})\\s*(ms|s|m|h|)");

    /**
     * Called by picocli.
     */
    public TimeSpan()
    {
    }

    @Override
    public Long convert(final String text)
    {
        final Matcher matcher = SPAN.matcher(text.strip());
        if (!matcher.matches())
        {
            throw new TypeConversionException(
                "'" + text + "' is no duration: write a number and ms, s, m or h, such as 10s");
        }
        return Long.parseLong(matcher.group(1)) * switch (matcher.group(2))
        {
            case "ms" -> 1L;
            case "m" -> 60_000L;
            case "h" -> 3_600_000L;
            default -> 1_000L;
        };
    }
}
