package io.millrace.status;

import static org.junit.jupiter.api.Assertions.assertFalse;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Whatever a status file holds, behind a header of the right format, is read or refused in words. Runs on the kept
 * corpus with every build; {@code JAZZER_FUZZ=1} fuzzes, as {@code perf/fuzz} does.
 */
class StatusParserFuzzTest
{
    /**
     * The first byte says which section the rest is.
     */
    @FuzzTest(maxDuration = "2m")
    void shouldReadOrRefuseAnySection(final byte[] input)
    {
        if (0 == input.length)
        {
            return;
        }
        final byte[] section = Arrays.copyOfRange(input, 1, input.length);
        final StatusParser parser = new StatusParser("fuzz");
        try
        {
            switch (input[0] & 3)
            {
                case 0 -> parser.header(new UnsafeBuffer(Arrays.copyOf(section, StatusLayout.HEADER_BYTES)));
                case 1 -> parser.errors(new UnsafeBuffer(section));
                default -> parser.part(new UnsafeBuffer(
                    Arrays.copyOf(section, Math.max(section.length, StatusLayout.PART_HEADER_BYTES))));
            }
            parser.result().toString();
        }
        catch (final StatusException e)
        {
            assertFalse(e.getMessage().isBlank());
        }
    }
}
