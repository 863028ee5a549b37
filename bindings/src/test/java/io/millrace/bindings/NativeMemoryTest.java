package io.millrace.bindings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NativeMemoryTest
{
    private final Arena arena = Arena.ofConfined();
    private final long address = arena.allocate(256, 64).address();

    @AfterEach
    void close()
    {
        arena.close();
    }

    @Test
    void shouldBeLittleEndianWhenUnaligned()
    {
        NativeMemory.putLong(address + 1, 0x8877665544332211L);

        assertEquals((byte)0x11, NativeMemory.getByte(address + 1));
        assertEquals((short)0x3322, NativeMemory.getShort(address + 2));
        assertEquals(0x77665544, NativeMemory.getInt(address + 4));
        assertEquals(0x8877665544332211L, NativeMemory.getLong(address + 1));
    }

    @Test
    void shouldEndStringAtZeroOrAtTheEndOfItsArray()
    {
        NativeMemory.fill(address, 16, (byte)'s');
        assertEquals("ssss", NativeMemory.getString(address, 4));
        NativeMemory.putByte(address + 3, (byte)0);
        assertEquals("sss", NativeMemory.getString(address, 4));
        NativeMemory.putByte(address, (byte)0);
        assertEquals("", NativeMemory.getString(address, 4));
    }

    @Test
    void shouldStoreEachWidthAndNoMore()
    {
        NativeMemory.fill(address, 64, (byte)0xFF);
        NativeMemory.putByte(address, (byte)0);
        NativeMemory.putShort(address + 8, (short)0);
        NativeMemory.putInt(address + 16, 0);
        NativeMemory.putShortRelease(address + 24, (short)0);
        NativeMemory.putIntRelease(address + 32, 0);

        assertEquals(0xFFFFFFFFFFFFFF00L, NativeMemory.getLong(address));
        assertEquals(0xFFFFFFFFFFFF0000L, NativeMemory.getLong(address + 8));
        assertEquals(0xFFFFFFFF00000000L, NativeMemory.getLong(address + 16));
        assertEquals(0xFFFFFFFFFFFF0000L, NativeMemory.getLong(address + 24));
        assertEquals(0xFFFFFFFF00000000L, NativeMemory.getLong(address + 32));
    }

    @Test
    void shouldReplaceOnlyWhenAsExpected()
    {
        NativeMemory.putIntRelease(address, 3);

        assertFalse(NativeMemory.compareAndSetInt(address, 4, 5));
        assertTrue(NativeMemory.compareAndSetInt(address, 3, 5));
        assertEquals(5, NativeMemory.getIntAcquire(address));
    }

    @Test
    void shouldCopyWhenRangesOverlap()
    {
        for (int i = 0; i < 32; i++)
        {
            NativeMemory.putByte(address + i, (byte)i);
        }
        NativeMemory.copy(address, address + 4, 28);

        for (int i = 0; i < 28; i++)
        {
            assertEquals((byte)i, NativeMemory.getByte(address + 4 + i));
        }
    }

    @Test
    void shouldFillNoMoreAndNoLessThanAsked()
    {
        try (Arena arena = Arena.ofConfined())
        {
            for (final int length : new int[]{0, 1, 7, 8, 9, 255, 256, 257, 511, 4096, 16383, 16384, 16385, 70_001})
            {
                final long start = arena.allocate(length + 2L).address();
                NativeMemory.fill(start + 1, length, (byte)0x9C);

                assertEquals(0, NativeMemory.getByte(start), () -> "before " + length);
                assertEquals(0, NativeMemory.getByte(start + 1 + length), () -> "after " + length);
                for (int i = 1; i <= length; i++)
                {
                    assertEquals((byte)0x9C, NativeMemory.getByte(start + i));
                }
            }
        }
    }

    @Test
    void shouldFindFirstDifferenceWhenThereIsOne()
    {
        NativeMemory.fill(address, 256, (byte)7);
        assertEquals(-1, NativeMemory.mismatch(address, address + 128, 128));

        NativeMemory.putByte(address + 128 + 100, (byte)8);
        assertEquals(100, NativeMemory.mismatch(address, address + 128, 128));
    }

    @Test
    void shouldShareMemoryWhenSeenAsByteBuffer()
    {
        final ByteBuffer buffer = NativeMemory.asByteBuffer(address, 16);
        buffer.putInt(4, 0x01020304);

        assertEquals(16, buffer.capacity());
        assertEquals(0x01020304, NativeMemory.getInt(address + 4));
    }
}
