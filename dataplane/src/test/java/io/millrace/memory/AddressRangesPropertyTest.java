package io.millrace.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.millrace.seed.TestSeeds;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Ranges against a map of every address.
 */
class AddressRangesPropertyTest
{
    private static final int ADDRESSES = 64;

    @Property(tries = 200)
    void shouldFindWhatWasAddedAndNotRemoved(@ForAll final long seed)
    {
        final Random random = TestSeeds.fixed(seed);
        final TreeMap<Integer, Integer> model = new TreeMap<>();
        AddressRanges ranges = AddressRanges.NONE;
        for (int step = 0; step < 40; step++)
        {
            final int start = 1 + random.nextInt(ADDRESSES);
            final int length = 1 + random.nextInt(8);
            final AddressRanges before = ranges;
            if (0 == random.nextInt(3))
            {
                ranges = ranges.without(start, length);
                model.subMap(start, start + length).clear();
            }
            else if (overlaps(model, start, length))
            {
                assertThrows(IllegalArgumentException.class, () -> before.with(start, length, 1));
            }
            else
            {
                ranges = ranges.with(start, length, 1000 + start);
                model.put(start, length);
            }
            check(ranges, model);
        }
    }

    private static boolean overlaps(final TreeMap<Integer, Integer> model, final int start, final int length)
    {
        return model.entrySet().stream().anyMatch(
            (range) -> range.getKey() < start + length && start < range.getKey() + range.getValue());
    }

    private static void check(final AddressRanges ranges, final TreeMap<Integer, Integer> model)
    {
        assertEquals(model.size(), ranges.count());
        for (int address = 0; address < ADDRESSES + 16; address++)
        {
            final Map.Entry<Integer, Integer> range = model.floorEntry(address);
            final boolean isIn = null != range && address < range.getKey() + range.getValue();
            final int index = ranges.find(address);
            assertEquals(isIn ? model.headMap(address, true).size() - 1 : AddressRanges.NOT_FOUND, index);
            for (int length = 1; length < 10; length++)
            {
                final boolean isWhole = isIn && address + length <= range.getKey() + range.getValue();
                assertEquals(isWhole ? index : AddressRanges.NOT_FOUND, ranges.find(address, length));
            }
            if (isIn)
            {
                assertEquals(range.getKey().longValue(), ranges.start(index));
                assertEquals(range.getKey() + range.getValue(), ranges.end(index));
                assertEquals(1000 + range.getKey(), ranges.value(index));
            }
        }
    }
}
