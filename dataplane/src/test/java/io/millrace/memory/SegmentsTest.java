package io.millrace.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SegmentsTest
{
    private static final int LENGTH = 10;

    private final Segments segments = new Segments();

    private Segments filled(final int count)
    {
        segments.clear();
        for (int i = 0; i < count; i++)
        {
            segments.add(1000L * i, LENGTH + i);
        }
        return segments;
    }

    @Test
    void shouldBeEmptyAtFirstAndWhenCleared()
    {
        for (int round = 0; round < 2; round++)
        {
            assertEquals(0, segments.count());
            assertEquals(0, segments.totalBytes());
            assertThrows(IndexOutOfBoundsException.class, () -> segments.address(0));
            assertThrows(IndexOutOfBoundsException.class, () -> segments.lengthBytes(0));
            filled(3);
            segments.clear();
        }
    }

    @Test
    void shouldHaveWhatWasAddedInOrder()
    {
        filled(Segments.COUNT_MAX);
        int total = 0;
        for (int i = 0; i < Segments.COUNT_MAX; i++)
        {
            assertEquals(1000L * i, segments.address(i));
            assertEquals(LENGTH + i, segments.lengthBytes(i));
            total += LENGTH + i;
        }
        assertEquals(Segments.COUNT_MAX, segments.count());
        assertEquals(total, segments.totalBytes());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 16})
    void shouldFindWhereAByteLies(final int count)
    {
        filled(count);
        int offset = 0;
        for (int i = 0; i < count; i++)
        {
            for (int at = 0; at < LENGTH + i; at++)
            {
                assertEquals(1000L * i + at, segments.addressAt(offset));
                assertEquals(LENGTH + i - at, segments.runAt(offset));
                offset++;
            }
        }
        final int end = offset;
        assertThrows(IndexOutOfBoundsException.class, () -> segments.addressAt(end));
        assertThrows(IndexOutOfBoundsException.class, () -> segments.runAt(-1));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 15})
    void shouldRefuseIndexesOfOtherPieces(final int count)
    {
        filled(16);
        filled(count);
        assertThrows(IndexOutOfBoundsException.class, () -> segments.address(-1));
        assertThrows(IndexOutOfBoundsException.class, () -> segments.lengthBytes(-1));
        assertThrows(IndexOutOfBoundsException.class, () -> segments.address(count), "of a former payload");
        assertThrows(IndexOutOfBoundsException.class, () -> segments.lengthBytes(count), "of a former payload");
    }

    @Test
    void shouldRefuseTheSeventeenth()
    {
        filled(Segments.COUNT_MAX);
        final int total = segments.totalBytes();
        final IllegalStateException refused =
            assertThrows(IllegalStateException.class, () -> segments.add(1, 1));
        assertTrue(refused.getMessage().contains("at most 16 segments"), refused.getMessage());
        assertEquals(Segments.COUNT_MAX, segments.count());
        assertEquals(total, segments.totalBytes());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
    void shouldRefuseLengthsThatAreNotPositive(final int lengthBytes)
    {
        assertThrows(IllegalStateException.class, () -> segments.set(1, lengthBytes));
        assertThrows(IllegalStateException.class, () -> segments.add(1, lengthBytes));
        filled(2);
        assertThrows(IllegalStateException.class, () -> segments.add(1, lengthBytes));
        assertEquals(2, segments.count());
    }

    @Test
    void shouldRefuseATotalThatIsNoInt()
    {
        segments.set(0, Integer.MAX_VALUE);
        assertThrows(IllegalStateException.class, () -> segments.add(1, 1));
        assertEquals(Integer.MAX_VALUE, segments.totalBytes());
    }

    @Test
    void shouldBeOnePieceWhenSet()
    {
        filled(5).set(77, 7);
        assertEquals(1, segments.count());
        assertEquals(77, segments.address(0));
        assertEquals(7, segments.lengthBytes(0));
        assertEquals(7, segments.totalBytes());
    }

    @ParameterizedTest
    @CsvSource({"1, -1, 1", "1, 0, 11", "1, 10, 1", "1, 10, 0", "1, 0, 0", "3, -1, 1", "3, 0, 34", "3, 33, 1",
        "3, 0, 0", "3, 33, 0", "3, 1, 2147483647", "3, 2147483647, 1", "0, 0, 1"})
    void shouldRefuseASliceThatIsNotWithin(final int count, final int offset, final int lengthBytes)
    {
        filled(count);
        assertThrows(RuntimeException.class, () -> segments.slice(offset, lengthBytes, new Segments()));
    }

    @ParameterizedTest
    @CsvSource({"1, -1, 1", "1, 0, 11", "1, 10, 1", "3, 0, 34", "3, 33, 1", "0, 0, 1", "3, 0, -1"})
    void shouldRefuseToCopyWhatIsNotWithin(final int count, final int offset, final int lengthBytes)
    {
        filled(count);
        assertThrows(IndexOutOfBoundsException.class, () -> segments.copyIn(offset, 0, lengthBytes));
        assertThrows(IndexOutOfBoundsException.class, () -> segments.copyOut(offset, 0, lengthBytes));
    }

    @Test
    void shouldBeOfTheHostUnlessSomebodySaysOtherwise()
    {
        final MemoryDomain gpu = MemoryDomain.ofDevice("gpu of a test");
        final Segments segments = new Segments();
        assertSame(MemoryDomain.HOST, segments.domain());
        segments.domain(gpu);
        segments.add(4096, 8192);
        segments.add(65536, 4096);
        assertSame(gpu, segments.domain());
        final Segments part = new Segments();
        segments.slice(4096, 8192, part);
        assertSame(gpu, part.domain());
        final Segments copy = new Segments();
        copy.copyFrom(segments);
        assertSame(gpu, copy.domain());
        segments.set(4096, 8192);
        assertSame(MemoryDomain.HOST, segments.domain());
        segments.domain(gpu);
        segments.slice(4096, 4096, part);
        assertSame(gpu, part.domain());
        part.clear();
        assertSame(MemoryDomain.HOST, part.domain());
    }

    @Test
    void shouldTouchMemoryOfTheHostOnly()
    {
        final Segments segments = new Segments();
        // Nobody has these addresses: an access ends the process.
        segments.set(4096, 4096);
        segments.domain(MemoryDomain.ofDevice("gpu of a test"));
        assertThrows(IllegalStateException.class, () -> segments.copyIn(0, 4096, 8));
        assertThrows(IllegalStateException.class, () -> segments.copyOut(0, 4096, 8));
        assertThrows(IllegalStateException.class, () -> segments.isEqual(0, 4096, 8));
    }
}
