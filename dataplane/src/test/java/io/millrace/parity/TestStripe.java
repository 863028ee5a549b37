package io.millrace.parity;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;

/**
 * Strips in native memory, each with a guard before and behind it, and what they should be by a multiplication that is
 * done bit by bit.
 */
final class TestStripe implements AutoCloseable
{
    private static final int GUARD = 128;
    private static final byte GUARD_VALUE = (byte)0xA5;

    private final Arena arena = Arena.ofConfined();
    private final int lengthBytes;
    private final long[] strips;
    private final MemorySegment[] memory;
    private final int[] misalignments;
    private final byte[][] expected;

    TestStripe(final Random random, final int count, final int lengthBytes, final boolean isAligned)
    {
        this.lengthBytes = lengthBytes;
        strips = new long[count];
        memory = new MemorySegment[count];
        misalignments = new int[count];
        expected = new byte[count][lengthBytes];
        for (int i = 0; i < count; i++)
        {
            misalignments[i] = isAligned ? 0 : random.nextInt(64);
            memory[i] = arena.allocate(lengthBytes + 2 * GUARD + 64, 64).fill(GUARD_VALUE);
            strips[i] = memory[i].address() + GUARD + misalignments[i];
            random.nextBytes(expected[i]);
            restore(i);
        }
    }

    long[] strips()
    {
        return strips;
    }

    int lengthBytes()
    {
        return lengthBytes;
    }

    byte[] expected(final int strip)
    {
        return expected[strip];
    }

    /** What strips of data give: P in the strip behind them, and Q behind that if there is one. */
    void expectParity(final int dataCount)
    {
        for (int offset = 0; offset < lengthBytes; offset++)
        {
            int p = 0;
            int q = 0;
            int weight = 1;
            for (int i = 0; i < dataCount; i++)
            {
                p ^= expected[i][offset];
                q ^= SlowField.product(weight, expected[i][offset] & 0xff);
                weight = SlowField.product(weight, 2);
            }
            expected[dataCount][offset] = (byte)p;
            if (dataCount + 1 < expected.length)
            {
                expected[dataCount + 1][offset] = (byte)q;
            }
        }
    }

    /** Writes what a strip should be. */
    void restore(final int strip)
    {
        MemorySegment.copy(expected[strip], 0, memory[strip], ValueLayout.JAVA_BYTE,
            GUARD + misalignments[strip], lengthBytes);
    }

    void restoreAll()
    {
        for (int i = 0; i < strips.length; i++)
        {
            restore(i);
        }
    }

    void damage(final int strip)
    {
        memory[strip].asSlice(GUARD + misalignments[strip], lengthBytes).fill((byte)0x5A);
    }

    void change(final int strip, final int offset, final int difference)
    {
        final long at = GUARD + misalignments[strip] + offset;
        memory[strip].set(ValueLayout.JAVA_BYTE, at,
            (byte)(memory[strip].get(ValueLayout.JAVA_BYTE, at) ^ difference));
    }

    /** All strips are as they should be, and nothing around them was written. */
    void check(final String what)
    {
        for (int i = 0; i < strips.length; i++)
        {
            final int start = GUARD + misalignments[i];
            final long different = MemorySegment.mismatch(
                memory[i], start, start + lengthBytes, MemorySegment.ofArray(expected[i]), 0, lengthBytes);
            assertEquals(-1, different, what + ": strip " + i + " of " + lengthBytes + " bytes");
            for (int j = 0; j < memory[i].byteSize(); j++)
            {
                if (j < start || j >= start + lengthBytes)
                {
                    assertEquals(GUARD_VALUE, memory[i].get(ValueLayout.JAVA_BYTE, j),
                        what + ": guard of strip " + i + " at " + (j - start));
                }
            }
        }
    }

    @Override
    public void close()
    {
        arena.close();
    }
}
