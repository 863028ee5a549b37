package io.millrace.bindings;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.TreeMap;

/**
 * What {@code native/layout-probe} prints: places and sizes of structures and their fields, and values of constants.
 */
final class LayoutTable
{
    static final Path ROOT = Path.of(System.getProperty("millrace.root"));
    private static final Path EXPECTED = ROOT.resolve("native/layout-probe/expected");

    private final Map<String, long[]> entries = new TreeMap<>();

    private LayoutTable(final List<String> lines)
    {
        for (final String line : lines)
        {
            final String[] words = line.split(" ");
            final long[] numbers = new long[words.length - 1];
            for (int i = 0; i < numbers.length; i++)
            {
                numbers[i] = Long.parseLong(words[i + 1]);
            }
            entries.put(words[0], numbers);
        }
    }

    static LayoutTable of(final List<String> lines)
    {
        return new LayoutTable(lines);
    }

    static LayoutTable expected(final Architecture architecture)
    {
        final String name = Architecture.AARCH64 == architecture ? "aarch64.txt" : "x86_64.txt";
        try
        {
            return new LayoutTable(Files.readAllLines(EXPECTED.resolve(name)));
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    Set<String> names()
    {
        return entries.keySet();
    }

    boolean isConstant(final String name)
    {
        return 1 == numbers(name).length;
    }

    long value(final String constant)
    {
        return numbers(constant)[0];
    }

    long offset(final String field)
    {
        return numbers(field)[0];
    }

    long sizeBytes(final String structureOrField)
    {
        return numbers(structureOrField)[1];
    }

    private long[] numbers(final String name)
    {
        final long[] numbers = entries.get(name);
        if (null == numbers)
        {
            throw new NoSuchElementException(name + " is not in the table");
        }
        return numbers;
    }
}
