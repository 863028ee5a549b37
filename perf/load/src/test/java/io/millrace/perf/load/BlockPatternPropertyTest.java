package io.millrace.perf.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

class BlockPatternPropertyTest
{
    private static final int BLOCK_BYTES = 512;

    @Property
    void shouldTellTheRightBlockFromEveryOther(
        @ForAll @LongRange(min = 0) final long lba, @ForAll final long seed,
        @ForAll @IntRange(min = 1, max = 127) final int generation, @ForAll @LongRange(min = 0) final long otherLba,
        @ForAll @IntRange(min = 1, max = 127) final int otherGeneration)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final long address = arena.allocate(BLOCK_BYTES, 8).address();
            BlockPattern.fill(address, BLOCK_BYTES, lba, seed, generation);
            assertEquals(-1, BlockPattern.mismatch(address, BLOCK_BYTES, lba, seed, generation));
            assertEquals(lba == otherLba, BlockPattern.mismatch(address, BLOCK_BYTES, otherLba, seed, generation) < 0);
            assertEquals(generation == otherGeneration,
                BlockPattern.mismatch(address, BLOCK_BYTES, lba, seed, otherGeneration) < 0);
            assertTrue(BlockPattern.mismatch(address, BLOCK_BYTES, lba, seed + 1, generation) >= 0);
        }
    }

    @Property
    void shouldFindEveryDamagedByte(
        @ForAll final long seed, @ForAll @IntRange(min = 0, max = BLOCK_BYTES - 1) final int offset,
        @ForAll @IntRange(min = 1, max = 255) final int change)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final MemorySegment block = arena.allocate(BLOCK_BYTES, 8);
            BlockPattern.fill(block.address(), BLOCK_BYTES, 5, seed, 1);
            block.set(ValueLayout.JAVA_BYTE, offset, (byte)(block.get(ValueLayout.JAVA_BYTE, offset) ^ change));
            final int found = BlockPattern.mismatch(block.address(), BLOCK_BYTES, 5, seed, 1);
            assertEquals(offset & -8, found);
            assertFalse(BlockPattern.describe(block.address(), found, 5, 1).isEmpty());
        }
    }
}
