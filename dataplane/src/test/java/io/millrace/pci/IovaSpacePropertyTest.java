package io.millrace.pci;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class IovaSpacePropertyTest
{
    private static final long PAGE = 4096;
    private static final long HUGE = 2L << 20;
    private static final long HOLE_FIRST = 0xFEE0_0000L;
    private static final long HOLE_LAST = 0xFEEF_FFFFL;
    private static final long LAST = (1L << 39) - 1;

    @Property
    void shouldNeverGiveOutAnAddressTwiceAndMergeWhatComesBack(
        @ForAll @Size(min = 1, max = 60) final List<@IntRange(min = 0, max = 2047) Integer> steps)
    {
        final IovaSpace space = space();
        final long allBytes = space.freeBytes();
        final List<long[]> taken = new ArrayList<>();
        for (final int step : steps)
        {
            if (0 == step % 3 && !taken.isEmpty())
            {
                final long[] range = taken.remove(step % taken.size());
                space.release(range[0], range[1]);
                continue;
            }
            final long lengthBytes = (0 == (step & 1) ? PAGE : HUGE) * (1 + step % 7);
            final long address = (long)step * PAGE;
            final long iova = space.allocate(address, lengthBytes, PAGE);
            assertTrue(iova >= IovaSpace.FIRST_ADDRESS && iova + lengthBytes - 1 <= LAST);
            assertTrue(iova + lengthBytes <= HOLE_FIRST || iova > HOLE_LAST);
            assertEquals(0, (iova - address) % (lengthBytes >= HUGE ? HUGE : PAGE));
            for (final long[] other : taken)
            {
                assertTrue(iova + lengthBytes <= other[0] || other[0] + other[1] <= iova);
            }
            taken.add(new long[]{iova, lengthBytes});
        }
        for (final long[] range : taken)
        {
            space.release(range[0], range[1]);
        }
        assertEquals(allBytes, space.freeBytes());
        // In one piece again.
        final long rest = LAST - HOLE_LAST;
        assertEquals(HOLE_LAST + 1, space.allocate(HOLE_LAST + 1, rest, PAGE));
    }

    @Test
    void shouldSayWhenThereAreNotSoManyInOnePiece()
    {
        final IovaSpace space = space();

        assertEquals(-1, space.allocate(0, LAST, PAGE));
        assertEquals(HOLE_LAST + 1, space.allocate(HOLE_LAST + 1, LAST - HOLE_LAST, PAGE));
        assertEquals(-1, space.allocate(0, HOLE_FIRST, PAGE));
        assertEquals(IovaSpace.FIRST_ADDRESS, space.allocate(0, HOLE_FIRST - IovaSpace.FIRST_ADDRESS, PAGE));
        assertEquals(0, space.freeBytes());
    }

    @Test
    void shouldUseTheLowPartOfARangeWithoutEnd()
    {
        final IovaSpace space = new IovaSpace();
        space.add(0, -1);
        space.add(1L << 60, -1);

        assertEquals((1L << 57) - IovaSpace.FIRST_ADDRESS, space.freeBytes());
    }

    private static IovaSpace space()
    {
        final IovaSpace space = new IovaSpace();
        space.add(0, HOLE_FIRST - 1);
        space.add(HOLE_LAST + 1, LAST);
        return space;
    }
}
