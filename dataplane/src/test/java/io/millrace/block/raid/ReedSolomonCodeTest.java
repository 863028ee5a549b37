package io.millrace.block.raid;

import static io.millrace.testing.Requirement.require;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.Capability;
import io.millrace.bindings.NativeMemory;
import io.millrace.memory.DmaMemory;
import io.millrace.parity.GfMatrix;
import io.millrace.parity.ParityEngineType;
import io.millrace.parity.ParityEngines;
import io.millrace.parity.ReedSolomon;
import io.millrace.parity.SlowField;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Parity, recovery, updates and the search for a wrong strip of an erasure code. */
class ReedSolomonCodeTest
{
    /** Two pieces that parity is computed aside in, and a part of one. */
    private static final int LENGTH = 2 * 4096 + 512;
    private static final int STRIPS_MAX = ReedSolomon.SOURCES_MAX + ReedSolomon.PARITIES_MAX + 1;

    private final Random random = TestSeeds.random();
    private final DmaMemory memory = DmaMemory.map(STRIPS_MAX * LENGTH);
    private int dataCount;
    private int parityCount;
    private long[] strips;
    private byte[][] expected;
    private StripeCode code;

    @AfterEach
    void close()
    {
        if (null != code)
        {
            code.close();
        }
        memory.close();
    }

    private void open(final ParityEngineType type, final int data, final int parity)
    {
        final Capability capability = ParityEngines.capability(type);
        require(capability.isAvailable(), capability.reason(), capability.remedy());
        if (null != code)
        {
            code.close();
        }
        code = new ReedSolomonCode(ParityEngines.create(type), parity);
        fill(data, parity);
    }

    /** Random data, with the parity that another implementation computes of it. */
    private void fill(final int data, final int parity)
    {
        dataCount = data;
        parityCount = parity;
        strips = new long[data + parity];
        expected = new byte[data + parity][LENGTH];
        for (int index = 0; index < strips.length; index++)
        {
            strips[index] = memory.address() + (long)index * LENGTH;
        }
        for (int index = 0; index < data; index++)
        {
            random.nextBytes(expected[index]);
        }
        final byte[] column = new byte[data];
        for (int row = 0; row < LENGTH; row++)
        {
            for (int index = 0; index < data; index++)
            {
                column[index] = expected[index][row];
            }
            for (int index = 0; index < parity; index++)
            {
                expected[data + index][row] = SlowField.parity(index, column);
            }
        }
        store();
    }

    private void store()
    {
        for (int index = 0; index < strips.length; index++)
        {
            NativeMemory.asByteBuffer(strips[index], LENGTH).put(expected[index]);
        }
    }

    private void damage(final int index)
    {
        NativeMemory.fill(strips[index], LENGTH, (byte)0x5a);
    }

    private void check(final String what)
    {
        for (int index = 0; index < strips.length; index++)
        {
            final int at = index;
            assertArrayEquals(
                expected[index], NativeMemory.bytes(strips[index], LENGTH), () -> what + ": strip " + at);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldGenerateAnyCountOfParity(final ParityEngineType type)
    {
        for (int parity = 1; parity <= ReedSolomon.PARITIES_MAX; parity++)
        {
            open(type, 1 == parity ? ReedSolomon.SOURCES_MAX : 1 + random.nextInt(8), parity);
            for (int index = 0; index < parity; index++)
            {
                damage(dataCount + index);
            }
            code.generate(strips, dataCount, LENGTH);
            check(dataCount + "+" + parity);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldSeeAnyByteThatIsWrong(final ParityEngineType type)
    {
        open(type, 4, 3);
        assertTrue(code.isRight(strips, dataCount, LENGTH));
        for (int index = 0; index < strips.length; index++)
        {
            for (final int row : new int[]{0, 4095, 4096, 8191, 8192, LENGTH - 1})
            {
                store();
                NativeMemory.putByte(strips[index] + row, (byte)(expected[index][row] ^ 0x80));
                assertFalse(code.isRight(strips, dataCount, LENGTH), "strip " + index + " at " + row);
                // What lies behind the rows does not count.
                assertTrue(code.isRight(strips, dataCount, Math.max(1, row)) || 0 == row);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"SCALAR,2,3", "ISAL,2,3", "VECTOR,2,3", "ISAL,4,3", "ISAL,5,4", "ISAL,1,8", "ISAL,3,1"})
    void shouldRecoverEachSetOfLosses(final ParityEngineType type, final int data, final int parity)
    {
        open(type, data, parity);
        final int all = 1 << data + parity;
        for (int readable = 0; readable < all; readable++)
        {
            if (Integer.bitCount(readable) >= data)
            {
                store();
                recover(readable);
            }
        }
    }

    private void recover(final long readable)
    {
        for (int index = 0; index < strips.length; index++)
        {
            if (0 == (readable & 1L << index))
            {
                damage(index);
            }
        }
        code.recover(strips, dataCount, readable, LENGTH);
        // Parity is computed of all data afterwards.
        code.generate(strips, dataCount, LENGTH);
        check("of strips 0x" + Long.toHexString(readable));
    }

    @Test
    void shouldRecoverTheWidestStripe()
    {
        open(ParityEngineType.SCALAR, ReedSolomon.SOURCES_MAX, ReedSolomon.PARITIES_MAX);
        for (int run = 0; run < 10; run++)
        {
            long readable = (1L << strips.length) - 1;
            while (Long.bitCount(readable) > dataCount)
            {
                readable &= ~(1L << random.nextInt(strips.length));
            }
            store();
            recover(readable);
        }
    }

    /** A hedged read has the address of no parity but the first. */
    @Test
    void shouldRecoverFromTheFirstParityAlone()
    {
        open(ParityEngineType.SCALAR, 4, 3);
        final long[] first = Arrays.copyOf(strips, 5);
        damage(2);
        code.recover(first, dataCount, ~(1L << 2), LENGTH);
        check("2 from the first parity");
    }

    /** While an array is reshaped, stripes differ in their data. */
    @Test
    void shouldComputeStripesOfTwoWidths()
    {
        open(ParityEngineType.SCALAR, 4, 3);
        for (int run = 0; run < 4; run++)
        {
            fill(4 + run % 2, 3);
            recover(~0b10L);
            assertTrue(code.isRight(strips, dataCount, LENGTH));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldUpdateAllParity(final ParityEngineType type)
    {
        open(type, 5, 4);
        for (int run = 0; run < 30; run++)
        {
            final int index = random.nextInt(dataCount);
            final int row = random.nextInt(LENGTH);
            final int length = 1 + random.nextInt(LENGTH - row);
            final long fresh = memory.address() + (long)strips.length * LENGTH;
            final byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            NativeMemory.asByteBuffer(fresh, length).put(bytes);
            code.update(strips[index] + row, fresh, index, strips, dataCount, row, length);
            NativeMemory.asByteBuffer(strips[index] + row, length).put(bytes);
            assertTrue(code.isRight(strips, dataCount, LENGTH), "strip " + index);
        }
    }

    /** Changes some bytes of a strip for sure. */
    private void corrupt(final int index, final int count)
    {
        final int from = random.nextInt(LENGTH - count + 1);
        for (int i = from; i < from + count; i++)
        {
            final long at = strips[index] + i;
            NativeMemory.putByte(at, (byte)(NativeMemory.getByte(at) ^ 1 + random.nextInt(255)));
        }
    }

    @ParameterizedTest
    @CsvSource({"2,2", "5,2", "4,3", "32,8", "2,8"})
    void shouldTellTheStripWhenOneIsWrong(final int data, final int parity)
    {
        open(ParityEngineType.SCALAR, data, parity);
        assertEquals(StripeCode.UNKNOWN, code.wrongStrip(strips, dataCount, LENGTH));
        for (int index = 0; index < strips.length; index++)
        {
            for (final int count : new int[]{1, 2, 512, LENGTH})
            {
                store();
                corrupt(index, count);
                assertEquals(index, code.wrongStrip(strips, dataCount, LENGTH));
                code.recover(strips, dataCount, ~(1L << index), LENGTH);
                code.generate(strips, dataCount, LENGTH);
                check("repaired " + index);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"2,2", "5,2", "4,3", "5,4"})
    void shouldTellOfNoStripWhenTwoAreWrong(final int data, final int parity)
    {
        open(ParityEngineType.SCALAR, data, parity);
        for (int first = 0; first < strips.length; first++)
        {
            for (int second = 0; second < first; second++)
            {
                store();
                // So many bytes that no ratio is common to all of them by chance.
                corrupt(first, LENGTH);
                corrupt(second, LENGTH);
                assertEquals(StripeCode.UNKNOWN, code.wrongStrip(strips, dataCount, LENGTH));
            }
        }
    }

    /** Each alone is wrong in other rows. */
    @Test
    void shouldTellOfNoStripWhenRowsDoNotAgree()
    {
        open(ParityEngineType.SCALAR, 4, 3);
        for (int first = 0; first < strips.length; first++)
        {
            for (int second = 0; second < strips.length; second++)
            {
                store();
                NativeMemory.putByte(strips[first], (byte)~expected[first][0]);
                NativeMemory.putByte(strips[second] + LENGTH - 1, (byte)~expected[second][LENGTH - 1]);
                assertEquals(
                    first == second ? first : StripeCode.UNKNOWN, code.wrongStrip(strips, dataCount, LENGTH));
            }
        }
    }

    @Test
    void shouldNotTellByOneParityWhatIsWrong()
    {
        open(ParityEngineType.SCALAR, 3, 1);
        for (int index = 0; index < strips.length; index++)
        {
            store();
            corrupt(index, 1);
            assertFalse(code.isRight(strips, dataCount, LENGTH));
            assertEquals(StripeCode.UNKNOWN, code.wrongStrip(strips, dataCount, LENGTH));
        }
    }

    /** The strips of four lost members, in each rotation of the widest array, and while one of them is rebuilt. */
    @Test
    void shouldMakeEachMatrixOfAnArrayOnce()
    {
        final int data = ReedSolomon.SOURCES_MAX;
        final int slots = data + ReedSolomon.PARITIES_MAX;
        final ReedSolomon widest = new ReedSolomon(data, ReedSolomon.PARITIES_MAX);
        final RecoveryMatrices matrices = new RecoveryMatrices();
        final List<GfMatrix> made = new ArrayList<>();
        for (int round = 0; round < 3; round++)
        {
            int next = 0;
            for (final long lost : new long[]{0x8800050001L, 0x8800050000L})
            {
                for (int rotation = 0; rotation < slots; rotation++)
                {
                    final long rotated = lost << rotation & (1L << slots) - 1 | lost >>> slots - rotation;
                    long used = (1L << data) - 1 & ~rotated;
                    for (int index = data; Long.bitCount(used) < data; index++)
                    {
                        used |= 1L << index & ~rotated;
                    }
                    if (0 == used >>> data)
                    {
                        continue;
                    }
                    final GfMatrix matrix = matrices.of(widest, used);
                    if (0 == round)
                    {
                        assertEquals(widest.recovery(used), matrix);
                        made.add(matrix);
                    }
                    assertSame(made.get(next++), matrix);
                }
            }
        }
        assertTrue(made.size() > slots, made.size() + " matrices");
    }

    @Test
    void shouldGoOnWhenThereAreMoreMatricesThanPlaces()
    {
        final RecoveryMatrices matrices = new RecoveryMatrices();
        final ReedSolomon code = new ReedSolomon(8, 8);
        final Set<Long> seen = new HashSet<>();
        while (seen.size() < 3 * RecoveryMatrices.CAPACITY)
        {
            long used = 0;
            while (Long.bitCount(used) < 8)
            {
                used |= 1L << random.nextInt(16);
            }
            if (used > 0xff && seen.add(used))
            {
                assertEquals(code.recovery(used), matrices.of(code, used));
            }
        }
    }
}
