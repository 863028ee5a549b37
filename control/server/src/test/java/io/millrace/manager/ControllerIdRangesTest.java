package io.millrace.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.message.Command;
import io.millrace.manager.store.CrashDisk;
import io.millrace.manager.store.FileDisk;
import io.millrace.manager.store.StoreException;
import io.millrace.seed.TestSeeds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ControllerIdRangesTest
{
    @TempDir
    private Path directory;

    private ControllerIdRanges open(final List<String> names) throws IOException
    {
        return ControllerIdRanges.open(FileDisk.of(directory), names);
    }

    @Test
    void shouldAssignNothingToAnOnlyDataPlane() throws IOException
    {
        assertNull(open(List.of("dp0")).of("dp0"));
        assertFalse(Files.exists(directory.resolve("controller-ids")));
    }

    @Test
    void shouldKeepTheRangesOfAllWhenDataPlanesComeAndGoAndChangePlaces() throws IOException
    {
        final ControllerIdRanges first = open(List.of("b", "a"));
        assertEquals(new Command.AssignControllerIds(1, 1023), first.of("b"));
        assertEquals(new Command.AssignControllerIds(1024, 2046), first.of("a"));
        final ControllerIdRanges second = open(List.of("0", "a", "c", "b"));
        assertEquals(first.of("a"), second.of("a"));
        assertEquals(first.of("b"), second.of("b"));
        assertEquals(new Command.AssignControllerIds(2047, 3069), second.of("0"));
        final ControllerIdRanges alone = open(List.of("c"));
        assertEquals(second.of("c"), alone.of("c"));
        assertEquals(first.of("b"), open(List.of("c", "b")).of("b"));
    }

    /** Ids that a host was given must not go to another data plane after a loss of power. */
    @Test
    void shouldAssignTheSameRangesAfterALossOfPower() throws IOException
    {
        for (int i = 0; i < 20; i++)
        {
            final CrashDisk disk = new CrashDisk();
            final ControllerIdRanges before = ControllerIdRanges.open(disk, List.of("b", "a"));
            final ControllerIdRanges grown = ControllerIdRanges.open(disk, List.of("0", "a", "b"));
            final ControllerIdRanges after =
                ControllerIdRanges.open(disk.afterCrash(TestSeeds.random(i)), List.of("a", "0", "b"));
            assertEquals(before.of("a"), after.of("a"));
            assertEquals(before.of("b"), after.of("b"));
            assertEquals(grown.of("0"), after.of("0"));
        }
    }

    @Test
    void shouldTakeRangesBackOnlyWhenNoneIsLeft() throws IOException
    {
        final List<String> all = IntStream.range(0, ControllerIdRanges.RANGES).mapToObj((i) -> "dp" + i).toList();
        final ControllerIdRanges full = open(all);
        final Set<Integer> ids = new HashSet<>();
        for (final String name : all)
        {
            final Command.AssignControllerIds range = full.of(name);
            IntStream.rangeClosed(range.firstId(), range.lastId()).forEach((id) -> assertTrue(ids.add(id)));
            assertTrue(range.lastId() <= 65519);
        }
        final List<String> more = IntStream.range(1, ControllerIdRanges.RANGES + 1).mapToObj((i) -> "dp" + i).toList();
        assertEquals(full.of("dp0"), open(more).of("dp" + ControllerIdRanges.RANGES));
        final List<String> tooMany =
            IntStream.range(0, ControllerIdRanges.RANGES + 2).mapToObj((i) -> "dp" + i).toList();
        final ControllerIdRanges crowded = open(tooMany);
        assertNotNull(crowded.of("dp1"));
        assertNull(crowded.of(tooMany.getLast()));
        assertEquals(List.of("dp0", "dp65"), crowded.unassigned(tooMany));
        assertEquals(List.of(), full.unassigned(all));
        assertEquals(List.of(), full.unassigned(List.of("only")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"dp0", "dp0 x", "dp0 64", "dp0 -1", " 3", "dp0 1\ndp1 1"})
    void shouldSayWhatIsWrongWithADamagedFile(final String content) throws IOException
    {
        Files.writeString(directory.resolve("controller-ids"), content + "\n");
        final String actual = assertThrows(StoreException.class, () -> open(List.of("dp0", "dp1"))).getMessage();
        assertTrue(actual.contains("controller-ids: line '") && actual.contains("restore the file"), actual);
    }
}
