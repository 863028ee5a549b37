package io.millrace.parity;

import static io.millrace.testing.Requirement.require;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.millrace.bindings.Capability;
import io.millrace.bindings.isal.IsalCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
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

    @Test
    void shouldReadTheFirstStripsThatAreThere()
    {
        final ReedSolomon code = new ReedSolomon(4, 3);
        assertArrayEquals(new int[] {1, 3, 4, 6}, code.survivors(0, 2, 5));
        assertArrayEquals(new int[] {0, 1, 2, 3}, code.survivors(6));
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
        assertRefused("lost strips 3: must be 1 to 2", () -> code.recovery(0, 1, 2));
        assertRefused("lost strips 0: must be 1 to 2", code::recovery);
        assertRefused("lost strip 6: must be 0 to 5", () -> code.recovery(6));
        assertRefused("lost strip 1: must be named once", () -> code.recovery(1, 1));
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
