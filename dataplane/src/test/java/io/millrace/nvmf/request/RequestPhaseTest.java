package io.millrace.nvmf.request;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.nvme.SubmissionQueueEntry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Every pair of phase and next phase, by the table in the documentation of {@link RequestPhase}.
 */
class RequestPhaseTest
{
    private static final Path SOURCE = Path.of("src/main/java/io/millrace/nvmf/request/RequestPhase.java");
    private static final Pattern ROW =
        Pattern.compile(" \\*   ([A-Z_, ]+?) +--- ([^>]+?)[ -]*> ([A-Z_, ]+)");

    private final Map<RequestPhase, Set<RequestPhase>> table = new EnumMap<>(RequestPhase.class);
    private final Map<RequestPhase, Set<String>> events = new EnumMap<>(RequestPhase.class);

    @BeforeEach
    void readTable() throws IOException
    {
        final String source = Files.readString(SOURCE);
        final String rows = source.substring(source.indexOf("<pre>") + 5, source.indexOf("</pre>"));
        rows.lines().filter((row) -> row.contains(">")).forEach((row) ->
        {
            final Matcher matcher = ROW.matcher(row);
            assertTrue(matcher.matches(), row);
            for (final RequestPhase from : phases(matcher.group(1)))
            {
                assertTrue(events.computeIfAbsent(from, (each) -> new HashSet<>()).add(matcher.group(2)),
                    "two rows for " + from + " and " + matcher.group(2));
                table.computeIfAbsent(from, (each) -> EnumSet.noneOf(RequestPhase.class))
                    .addAll(phases(matcher.group(3)));
            }
        });
        // The paragraph below the table.
        for (final RequestPhase from : RequestPhase.values())
        {
            table.computeIfAbsent(from, (each) -> EnumSet.noneOf(RequestPhase.class));
            if (RequestPhase.IDLE != from)
            {
                table.get(from).add(RequestPhase.IDLE);
            }
        }
    }

    private static List<RequestPhase> phases(final String names)
    {
        return Arrays.stream(names.split(", ")).map((name) -> RequestPhase.valueOf(name.strip())).toList();
    }

    @Test
    void shouldAllowTheTransitionsOfTheTableAndNoOthers()
    {
        for (final RequestPhase from : RequestPhase.values())
        {
            for (final RequestPhase to : RequestPhase.values())
            {
                assertEquals(table.get(from).contains(to), from.canBecome(to), from + " to " + to);
            }
        }
    }

    @Test
    void shouldLeadFromIdleToEveryPhaseAndBack()
    {
        final Set<RequestPhase> reached = EnumSet.of(RequestPhase.IDLE);
        while (table.keySet().stream().filter(reached::contains).anyMatch((from) -> reached.addAll(table.get(from))))
        {
            assertFalse(reached.isEmpty());
        }
        assertEquals(EnumSet.allOf(RequestPhase.class), reached);
    }

    @Test
    void shouldFailLoudlyWhereAssertionsAreEnabled()
    {
        for (final RequestPhase from : RequestPhase.values())
        {
            for (final RequestPhase to : RequestPhase.values())
            {
                final Request request = inPhase(from);
                if (Request.class.desiredAssertionStatus() && !from.canBecome(to))
                {
                    assertEquals("request cannot go from " + from + " to " + to,
                        assertThrows(AssertionError.class, () -> request.phase(to)).getMessage());
                    assertEquals(from, request.phase());
                }
                else
                {
                    assertDoesNotThrow(() -> request.phase(to));
                    assertEquals(to, request.phase());
                }
            }
        }
    }

    /** By the shortest way there is. */
    private Request inPhase(final RequestPhase wanted)
    {
        final Map<RequestPhase, List<RequestPhase>> ways = new EnumMap<>(RequestPhase.class);
        ways.put(RequestPhase.IDLE, List.of());
        while (!ways.containsKey(wanted))
        {
            for (final RequestPhase from : EnumSet.copyOf(ways.keySet()))
            {
                for (final RequestPhase to : table.get(from))
                {
                    final List<RequestPhase> way = new ArrayList<>(ways.get(from));
                    way.add(to);
                    ways.putIfAbsent(to, way);
                }
            }
        }
        final Request request = new Request(
            new UnsafeBuffer(new byte[SubmissionQueueEntry.SIZE_BYTES]), (completed) ->
            {
            });
        ways.get(wanted).forEach(request::phase);
        assertEquals(wanted, request.phase());
        return request;
    }
}
