package io.millrace.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.seed.TestSeeds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32C;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/**
 * Payloads in random pieces against the same bytes in one array.
 */
class SegmentsPropertyTest
{
    private static byte[] bytes(final Random random, final int length)
    {
        final byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    @Property(tries = 500)
    void shouldBeTheBytesOfAFlatPayload(
        @ForAll final long seed,
        @ForAll @IntRange(min = 1, max = Segments.COUNT_MAX) final int countMax,
        @ForAll @IntRange(min = 1, max = 3000) final int length)
    {
        final Random random = TestSeeds.fixed(seed);
        try (Arena arena = Arena.ofConfined())
        {
            final MemorySegment memory = arena.allocate(length + RandomSegments.SPREAD_BYTES);
            final Segments segments = RandomSegments.spread(random, countMax, memory.address(), length);
            final byte[] flat = bytes(random, length);
            RandomSegments.put(segments, flat);
            final int offset = random.nextInt(length);
            final int part = 1 + random.nextInt(length - offset);

            final Segments slice = new Segments();
            slice.add(1, 1);
            slice.add(2, 2);
            segments.slice(offset, part, slice);
            assertEquals(part, slice.totalBytes());
            assertArrayEquals(Arrays.copyOfRange(flat, offset, offset + part), RandomSegments.bytes(slice));

            final Segments copy = new Segments();
            copy.copyFrom(segments);
            segments.clear();
            assertArrayEquals(flat, RandomSegments.bytes(copy));

            final CRC32C crc = new CRC32C();
            crc.update(flat);
            assertEquals((int)crc.getValue(), Crc32c.digest(copy));
            crc.reset();
            crc.update(flat, offset, part);
            assertEquals((int)crc.getValue(), Crc32c.digest(copy, offset, part));

            final MemorySegment other = arena.allocate(length + 2);
            other.fill((byte)0x5A);
            copy.copyOut(offset, other.address() + 1, part);
            assertArrayEquals(Arrays.copyOfRange(flat, offset, offset + part),
                other.asSlice(1, part).toArray(ValueLayout.JAVA_BYTE));
            assertEquals(0x5A, other.get(ValueLayout.JAVA_BYTE, 0));
            assertEquals(0x5A, other.get(ValueLayout.JAVA_BYTE, part + 1L));

            assertTrue(copy.isEqual(offset, other.address() + 1, part));
            final long wrong = 1 + random.nextInt(part);
            other.set(ValueLayout.JAVA_BYTE, wrong, (byte)~other.get(ValueLayout.JAVA_BYTE, wrong));
            assertFalse(copy.isEqual(offset, other.address() + 1, part));

            final byte[] inserted = bytes(random, part);
            other.asSlice(1, part).copyFrom(MemorySegment.ofArray(inserted));
            final byte[] before = memory.toArray(ValueLayout.JAVA_BYTE);
            copy.copyIn(offset, other.address() + 1, part);
            System.arraycopy(inserted, 0, flat, offset, part);
            assertArrayEquals(flat, RandomSegments.bytes(copy));
            RandomSegments.put(copy, new byte[length]);
            final byte[] outside = memory.toArray(ValueLayout.JAVA_BYTE);
            memory.copyFrom(MemorySegment.ofArray(before));
            RandomSegments.put(copy, new byte[length]);
            assertArrayEquals(memory.toArray(ValueLayout.JAVA_BYTE), outside, "what is between the pieces");
        }
    }
}
