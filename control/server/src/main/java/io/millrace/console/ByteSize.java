package io.millrace.console;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Parses sizes: {@code 4096}, {@code 4k}, {@code 4KiB}, {@code 1GiB}; powers of 1024.
 */
public final class ByteSize implements ITypeConverter<Long>
{
    private static final Pattern SIZE = Pattern.compile("(\\d{1,18})\\s*([A-Za-z]*)");
    private static final int SHIFT_PER_UNIT = 10;

    /**
     * Called by picocli.
     */
    public ByteSize()
    {
    }

    @Override
    public Long convert(final String text)
    {
        final Matcher matcher = SIZE.matcher(text.strip());
        if (!matcher.matches())
        {
            throw new TypeConversionException("'" + text + "' is no size: write a number and a unit, such as 4KiB");
        }
        final int shift = SHIFT_PER_UNIT * switch (matcher.group(2).toLowerCase(Locale.ROOT))
        {
            case "", "b" -> 0;
            case "k", "kib" -> 1;
            case "m", "mib" -> 2;
            case "g", "gib" -> 3;
            case "t", "tib" -> 4;
            case "kb", "mb", "gb", "tb" -> throw new TypeConversionException("unit " + matcher.group(2) +
                " means different things to different people; write " +
                Character.toUpperCase(matcher.group(2).charAt(0)) + "iB for powers of 1024, or plain bytes");
            default -> throw new TypeConversionException("unit " + matcher.group(2) +
                " is not known; use KiB, MiB, GiB or TiB");
        };
        final long value = Long.parseLong(matcher.group(1));
        if (value > Long.MAX_VALUE >> shift)
        {
            throw new TypeConversionException("'" + text + "' is out of range: use a smaller size");
        }
        return value << shift;
    }
}
