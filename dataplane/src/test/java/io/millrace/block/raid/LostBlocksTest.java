package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.raid.format.LostBlocksPage;
import io.millrace.seed.TestSeeds;
import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LostBlocksTest
{
    private static final int BLOCKS = 200;

    private final Random random = TestSeeds.random();
    private final LostBlocks list = new LostBlocks();

    @ParameterizedTest
    @ValueSource(ints = {9, 12})
    void shouldBeASetOfBlocks(final int blockShift)
    {
        final BitSet model = new BitSet();
        for (int i = 0; i < 2_000; i++)
        {
            final int first = random.nextInt(BLOCKS);
            final int blocks = 1 + random.nextInt(24);
            if (random.nextBoolean())
            {
                model.set(first);
                assertTrue(list.add((long)first << blockShift, blockShift));
            }
            else if (0 == random.nextInt(4))
            {
                model.clear(first, first + blocks);
                list.entries(LostBlocks.without(
                    list.entries(), (long)first << blockShift, (long)blocks << blockShift, blockShift));
            }
            assertEquals(model.cardinality(), list.count());
            assertEquals(model.isEmpty(), list.isEmpty());
            final int from = random.nextInt(BLOCKS);
            final int next = model.nextSetBit(from);
            assertEquals(next < 0 ? LostBlocks.NONE : (long)next << blockShift,
                list.first((long)from << blockShift, blockShift));
            assertEquals(next >= 0 && next < from + blocks,
                list.covers((long)from << blockShift, (long)blocks << blockShift, blockShift));
        }
    }

    @Test
    void shouldCoverNothingBeforeTheData()
    {
        list.add(0, 12);
        assertFalse(list.covers(-1_048_576, 1_048_576, 12));
        assertTrue(list.covers(-4096, 8192, 12));
    }

    @Test
    void shouldHaveABound()
    {
        for (int unit = 0; unit < LostBlocksPage.ENTRIES_MAX; unit++)
        {
            assertTrue(list.add(unit * 4096L, 9));
        }
        assertFalse(list.add(LostBlocksPage.ENTRIES_MAX * 4096L, 9));
        // In a unit that it has.
        assertTrue(list.add(512, 9));
        assertEquals(LostBlocksPage.ENTRIES_MAX + 1, list.count());
        list.entries(LostBlocks.without(list.entries(), 0, 4096, 9));
        assertTrue(list.add(LostBlocksPage.ENTRIES_MAX * 4096L, 9));
    }

    @Test
    void shouldKnowWhatIsStored()
    {
        assertTrue(list.isStored());
        assertFalse(list.isRecorded());
        list.add(4096, 12);
        assertFalse(list.isStored());
        assertFalse(list.isRecorded());
        list.onStored(list.entries());
        assertTrue(list.isStored());
        assertTrue(list.isRecorded());
        assertEquals(1, list.nextSequence());
        list.assembled(new long[]{0x0201}, 7, true);
        assertTrue(list.isStored());
        assertTrue(list.covers(8192, 4096, 12));
        assertEquals(8, list.nextSequence());
        assertArrayEquals(new long[]{0x0201}, list.entries());
    }
}
