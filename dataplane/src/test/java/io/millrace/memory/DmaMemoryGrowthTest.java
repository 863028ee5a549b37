package io.millrace.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import org.junit.jupiter.api.Test;

class DmaMemoryGrowthTest
{
    private static final long PAGE = 2L << 20;

    @Test
    void shouldGrowInPlaceUpToWhatWasReserved()
    {
        try (DmaMemory memory = DmaMemory.mapGrowable(1, 8 * PAGE))
        {
            final long address = memory.address();
            assertEquals(0, address % PAGE);
            assertEquals(PAGE, memory.lengthBytes());
            NativeMemory.putLong(address, 7);
            assertTrue(memory.grow(PAGE + 1));
            assertEquals(2 * PAGE, memory.lengthBytes());
            assertTrue(memory.grow(8 * PAGE));
            assertEquals(address, memory.address());
            assertEquals(7, NativeMemory.getLong(address));
            assertEquals(0, NativeMemory.getLong(address + 8 * PAGE - Long.BYTES));
            NativeMemory.putLong(address + 8 * PAGE - Long.BYTES, 9);
            assertFalse(memory.grow(8 * PAGE + 1));
            assertTrue(memory.grow(PAGE), "never smaller");
            assertEquals(8 * PAGE, memory.lengthBytes());
        }
    }

    @Test
    void shouldCountWhatTheProcessHasMapped()
    {
        final long before = DmaMemory.mappedBytes();
        final long hugeBefore = DmaMemory.hugepageBytes();
        final DmaMemory memory = DmaMemory.mapGrowable(1, 8 * PAGE);
        final int hugeShare = DmaMemory.Backing.HUGEPAGES == memory.backing() ? 1 : 0;
        assertEquals(before + PAGE, DmaMemory.mappedBytes(), "what is reserved is no memory");
        assertTrue(memory.grow(3 * PAGE));
        assertEquals(before + 3 * PAGE, DmaMemory.mappedBytes());
        assertEquals(hugeBefore + hugeShare * 3 * PAGE, DmaMemory.hugepageBytes());
        memory.close();
        memory.close();
        assertEquals(before, DmaMemory.mappedBytes());
        assertEquals(hugeBefore, DmaMemory.hugepageBytes());
    }

    @Test
    void shouldNotGrowWithoutAReservation()
    {
        try (DmaMemory memory = DmaMemory.map(PAGE))
        {
            assertTrue(memory.grow(PAGE));
            assertFalse(memory.grow(PAGE + 1));
        }
    }
}
