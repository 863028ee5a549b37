package io.millrace.parity;

import static io.millrace.testing.Requirement.require;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.millrace.bindings.Capability;
import io.millrace.bindings.isal.IsalCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReedSolomonTest
{
    @Test
    void shouldHaveTheMatrixOfIsal()
    {
        final Capability capability = IsalCalls.capability();
        require(capability.isAvailable(), capability.reason(), capability.remedy());
        try (Arena arena = Arena.ofConfined())
        {
            for (int data = 1; data <= ReedSolomon.SOURCES_MAX; data++)
            {
                for (int parity = 1; parity <= ReedSolomon.PARITIES_MAX; parity++)
                {
                    final MemorySegment matrix = arena.allocate((data + parity) * data);
                    IsalCalls.cauchyMatrix(matrix.address(), data + parity, data);
                    final GfMatrix ours = new ReedSolomon(data, parity).parity();
                    for (int row = 0; row < parity; row++)
                    {
                        for (int column = 0; column < data; column++)
                        {
                            assertEquals(
                                matrix.get(ValueLayout.JAVA_BYTE, (data + row) * data + column) & 0xff,
                                ours.coefficient(row, column), data + "+" + parity);
                        }
                    }
                }
            }
        }
    }

    /** Strips as the code has them, less those of the data that is not used, give that data. */
    @Test
    void shouldRecoverDataFromAnyStripsThatAreEnough()
    {
        final int data = 4;
        final ReedSolomon code = new ReedSolomon(data, 3);
        for (long used = 1; used < 1 << data + 3; used++)
        {
            final long known = used;
            if (data != Long.bitCount(used) || 0 == used >>> data)
            {
                continue;
            }
            final int[] sources = IntStream.range(0, data + 3).filter((i) -> 0 != (known & 1L << i)).toArray();
            final int[] lost = IntStream.range(0, data).filter((i) -> 0 == (known & 1L << i)).toArray();
            final GfMatrix product = code.recovery(used).multiply(rows(code, data, sources));
            assertEquals(rows(code, data, lost), product, () -> Arrays.toString(sources));
        }
    }

    /** What strips are of the data. */
    private static GfMatrix rows(final ReedSolomon code, final int data, final int[] strips)
    {
        final byte[] coefficients = new byte[strips.length * data];
        for (int row = 0; row < strips.length; row++)
        {
            for (int column = 0; column < data; column++)
            {
                coefficients[row * data + column] = (byte)(strips[row] < data ? strips[row] == column ? 1 : 0 :
                    code.parity().coefficient(strips[row] - data, column));
            }
        }
        return new GfMatrix(strips.length, data, coefficients);
    }

    @Test
    void shouldGiveTheIdentityWhenAMatrixMeetsItsInverse()
    {
        // The pivot of the first column is 0, so rows are swapped.
        final GfMatrix matrix = new GfMatrix(3, 3, new byte[] {0, 2, 3, 4, 5, 6, 7, 8, 10});
        final GfMatrix identity = new GfMatrix(3, 3, new byte[] {1, 0, 0, 0, 1, 0, 0, 0, 1});
        assertEquals(identity, matrix.multiply(matrix.inverse()));
        assertEquals(identity, matrix.inverse().multiply(matrix));
    }

    @Test
    void shouldRefuseWhatIsOutOfBounds()
    {
        final ReedSolomon code = new ReedSolomon(4, 2);
        assertRefused("dataCount 0: must be 1 to 32", () -> new ReedSolomon(0, 2));
        assertRefused("dataCount 33: must be 1 to 32", () -> new ReedSolomon(33, 2));
        assertRefused("parityCount 9: must be 1 to 8", () -> new ReedSolomon(4, 9));
        assertRefused("strips used 64: must be 1 to 63", () -> code.recovery(1 << 6));
        assertRefused("count of strips used 3: must be 4", () -> code.recovery(0b10011));
        assertRefused("count of strips used 5: must be 4", () -> code.recovery(0b11111));
        assertRefused("lost strips 0: must be 1 to 2", () -> code.recovery(0b1111));
        assertRefused("matrix of 2 rows has no inverse", () -> new GfMatrix(2, 2, new byte[] {1, 1, 1, 1}).inverse());
        assertRefused("coefficients 3: must be 4", () -> new GfMatrix(2, 2, new byte[3]));
        assertRefused("columns of a matrix to invert 4: must be 2", () -> code.parity().inverse());
        assertRefused("rows of the other matrix 2: must be 4", () -> code.parity().multiply(code.parity()));
        assertThrows(IndexOutOfBoundsException.class, () -> code.parity().coefficient(2, 0));
        assertThrows(IndexOutOfBoundsException.class, () -> code.parity().coefficient(0, 4));
    }

    private static void assertRefused(final String message, final Runnable call)
    {
        assertEquals(message, assertThrows(IllegalArgumentException.class, call::run).getMessage());
    }
}
