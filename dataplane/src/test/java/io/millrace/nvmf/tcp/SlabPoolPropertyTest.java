package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class SlabPoolPropertyTest
{
    private static final int BLOCK = 128;
    private int grown;

    @Property(tries = 300)
    void shouldHandOutWhatNobodyHas(@ForAll final long seed, @ForAll @IntRange(min = 1, max = 5) final int perSlab)
    {
        final Random random = TestSeeds.fixed(seed);
        try (SlabPool pool = new SlabPool(BLOCK, perSlab, () -> grown++))
        {
            final List<Long> taken = new ArrayList<>();
            for (int step = 0; step < 200; step++)
            {
                switch (random.nextInt(5))
                {
                    case 0, 1 ->
                    {
                        final long address = pool.acquire();
                        assertFalse(taken.contains(address));
                        NativeMemory.putLong(address, address);
                        NativeMemory.putLong(address + BLOCK - Long.BYTES, address);
                        taken.add(address);
                    }
                    case 2, 3 ->
                    {
                        if (!taken.isEmpty())
                        {
                            pool.release(taken.remove(random.nextInt(taken.size())));
                        }
                    }
                    default -> assertEquals(pool.trim(), pool.blockCount() > perSlab);
                }
                assertEquals(taken.size(), pool.usedCount());
                for (final long address : taken)
                {
                    assertEquals(address, NativeMemory.getLong(address), "somebody else has it");
                    assertEquals(address, NativeMemory.getLong(address + BLOCK - Long.BYTES), "somebody else has it");
                }
            }
            taken.forEach(pool::release);
            pool.trim();
            pool.trim();
            assertTrue(pool.blockCount() <= perSlab, pool.blockCount() + " blocks are kept");
        }
    }

    @Example
    void shouldKeepWhatWasNeededSinceTheLastTrim()
    {
        try (SlabPool pool = new SlabPool(BLOCK, 4, () -> grown++))
        {
            final List<Long> taken = new ArrayList<>();
            for (int i = 0; i < 40; i++)
            {
                taken.add(pool.acquire());
            }
            assertEquals(10, grown);
            taken.forEach(pool::release);
            assertTrue(pool.trim(), "all of it was needed");
            assertEquals(40, pool.blockCount());
            for (int i = 0; i < 13; i++)
            {
                taken.set(i, pool.acquire());
            }
            for (int i = 0; i < 13; i++)
            {
                pool.release(taken.get(i));
            }
            assertTrue(pool.trim());
            assertEquals(16, pool.blockCount());
            assertFalse(pool.trim());
            assertEquals(4, pool.blockCount());
        }
    }
}
