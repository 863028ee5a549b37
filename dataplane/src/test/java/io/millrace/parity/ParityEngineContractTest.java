package io.millrace.parity;

import static io.millrace.testing.Requirement.require;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.millrace.bindings.Capability;
import io.millrace.seed.TestSeeds;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What every engine does, on random shapes: as a multiplication bit by bit says, to the strips that it should write and
 * nothing else.
 */
class ParityEngineContractTest
{
    private static final int SHAPES = 40;
    private static final int LENGTH_MAX = 100 << 10;
    /** Several vectors, some bytes more, and more than one group of strips. */
    private static final int[] DATA_COUNTS = {1, 2, 3, 7, 8, 9, 16, 17, 25};

    private final Random random = TestSeeds.random();
    private ParityEngine engine;

    private void open(final ParityEngineType type)
    {
        final Capability capability = ParityEngines.capability(type);
        require(capability.isAvailable(), capability.reason(), capability.remedy());
        engine = ParityEngines.create(type);
    }

    @AfterEach
    void close()
    {
        if (null != engine)
        {
            engine.close();
        }
    }

    /** Mostly short ones: what happens at the end of a strip is the same in a long one. */
    private int randomLength()
    {
        return 1 + random.nextInt(switch (random.nextInt(12))
        {
            case 0 -> LENGTH_MAX;
            case 1, 2, 3 -> 70;
            default -> 3000;
        });
    }

    private TestStripe randomStripe(final int count)
    {
        return new TestStripe(random, count, randomLength(), random.nextBoolean());
    }

    @ParameterizedTest
    @EnumSource
    void shouldGenerateAndVerifyXor(final ParityEngineType type)
    {
        open(type);
        for (int shape = 0; shape < SHAPES; shape++)
        {
            final int data = 1 + random.nextInt(shape < SHAPES / 2 ? 12 : 40);
            try (TestStripe stripe = randomStripe(data + 1))
            {
                stripe.expectParity(data);
                engine.generateXor(stripe.strips(), data, stripe.lengthBytes());
                stripe.check(data + "+P");
                assertEquals(-1, engine.verifyXor(stripe.strips(), data, stripe.lengthBytes()));
                for (int lost = 0; lost <= data; lost++)
                {
                    stripe.damage(lost);
                    engine.recoverXor(stripe.strips(), data, stripe.lengthBytes(), lost);
                    stripe.check(data + "+P without " + lost);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldGenerateAndVerifyPq(final ParityEngineType type)
    {
        open(type);
        for (int shape = 0; shape < SHAPES; shape++)
        {
            final int data = 1 + random.nextInt(shape < SHAPES / 2 ? 12 : 40);
            try (TestStripe stripe = randomStripe(data + 2))
            {
                stripe.expectParity(data);
                engine.generatePq(stripe.strips(), data, stripe.lengthBytes());
                stripe.check(data + "+2");
                assertEquals(-1, engine.verifyPq(stripe.strips(), data, stripe.lengthBytes()));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldGenerateAndRecoverTheWidestStripe(final ParityEngineType type)
    {
        open(type);
        final int data = ParityEngine.DATA_MAX;
        try (TestStripe stripe = new TestStripe(random, data + 2, 777, false))
        {
            stripe.expectParity(data);
            engine.generatePq(stripe.strips(), data, 777);
            stripe.check("254+2");
            stripe.damage(1);
            stripe.damage(253);
            engine.recoverPq(stripe.strips(), data, 777, 253, 1);
            stripe.check("254+2 without 1 and 253");
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldRecoverAnyOneOrTwoStrips(final ParityEngineType type)
    {
        open(type);
        for (final int data : DATA_COUNTS)
        {
            try (TestStripe stripe = new TestStripe(random, data + 2, 1 + random.nextInt(700), random.nextBoolean()))
            {
                stripe.expectParity(data);
                stripe.restoreAll();
                for (int lost = 0; lost < data + 2; lost++)
                {
                    stripe.damage(lost);
                    engine.recoverPq(stripe.strips(), data, stripe.lengthBytes(), lost);
                    stripe.check(data + "+2 without " + lost);
                    for (int lostToo = 0; lostToo < data + 2; lostToo++)
                    {
                        if (lost != lostToo)
                        {
                            stripe.damage(lost);
                            stripe.damage(lostToo);
                            engine.recoverPq(stripe.strips(), data, stripe.lengthBytes(), lost, lostToo);
                            stripe.check(data + "+2 without " + lost + " and " + lostToo);
                        }
                    }
                }
            }
        }
    }

    /** Longer than a call may be, so that it is done in pieces. */
    @ParameterizedTest
    @EnumSource
    void shouldTakeStripsOfAnyLength(final ParityEngineType type)
    {
        open(type);
        final int length = ParityEngine.CALL_BYTES / 2 + 4321;
        try (TestStripe stripe = new TestStripe(random, 5, length, type == ParityEngineType.ISAL))
        {
            stripe.expectParity(3);
            engine.generatePq(stripe.strips(), 3, length);
            stripe.check("long");
            stripe.damage(0);
            stripe.damage(2);
            engine.recoverPq(stripe.strips(), 3, length, 0, 2);
            stripe.check("long, recovered");
            stripe.change(1, length - 1, 1);
            assertEquals(length - 1, engine.verifyPq(stripe.strips(), 3, length));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldFindEachChangedByte(final ParityEngineType type)
    {
        open(type);
        for (final int data : new int[] {1, 5, 11})
        {
            for (final boolean isAligned : new boolean[] {true, false})
            {
                try (TestStripe stripe = new TestStripe(random, data + 2, 333, isAligned))
                {
                    stripe.expectParity(data);
                    stripe.restoreAll();
                    for (int offset = 0; offset < 333; offset++)
                    {
                        final int strip = random.nextInt(data + 2);
                        final int difference = 1 + random.nextInt(255);
                        stripe.change(strip, offset, difference);
                        final String what = strip + " of " + data + "+2";
                        assertEquals(offset, engine.verifyPq(stripe.strips(), data, 333), what);
                        assertEquals(strip > data ? -1 : offset, engine.verifyXor(stripe.strips(), data, 333), what);
                        stripe.change(strip, offset, difference);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldUpdateParityAsIfItWereGenerated(final ParityEngineType type)
    {
        open(type);
        for (int shape = 0; shape < SHAPES; shape++)
        {
            final int data = 1 + random.nextInt(20);
            // The last strip is the new data of one of the others.
            try (TestStripe stripe = randomStripe(data + 3))
            {
                final int length = stripe.lengthBytes();
                final long[] strips = stripe.strips();
                stripe.expectParity(data);
                stripe.restoreAll();
                final int index = random.nextInt(data);
                final int start = random.nextInt(length);
                final int part = 1 + random.nextInt(length - start);
                engine.updatePq(strips[index] + start, strips[data + 2] + start, index,
                    strips[data] + start, strips[data + 1] + start, part);
                System.arraycopy(stripe.expected(data + 2), start, stripe.expected(index), start, part);
                stripe.expectParity(data);
                stripe.restore(index);
                stripe.check("part of " + part + " bytes at " + start + " of strip " + index);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldUpdateXorAsIfItWereGenerated(final ParityEngineType type)
    {
        open(type);
        try (TestStripe stripe = new TestStripe(random, 5, 1000, false))
        {
            final long[] strips = stripe.strips();
            stripe.expectParity(3);
            stripe.restoreAll();
            System.arraycopy(stripe.expected(4), 7, stripe.expected(1), 7, 900);
            final byte[] q = stripe.expected(4).clone();
            engine.updateXor(strips[1] + 7, strips[4] + 7, strips[3] + 7, 900);
            stripe.expectParity(3);
            System.arraycopy(q, 0, stripe.expected(4), 0, q.length);
            stripe.restore(1);
            stripe.check("part");
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldMultiplyByAMatrix(final ParityEngineType type)
    {
        open(type);
        for (int shape = 0; shape < SHAPES; shape++)
        {
            final int data = 0 == shape ? ReedSolomon.SOURCES_MAX : 1 + random.nextInt(16);
            final int parity = 0 == shape ? ReedSolomon.PARITIES_MAX : 1 + random.nextInt(ReedSolomon.PARITIES_MAX);
            final ReedSolomon code = new ReedSolomon(data, parity);
            try (TestStripe stripe = new TestStripe(
                random, data + parity, 1 + random.nextInt(2000), random.nextBoolean()))
            {
                final int length = stripe.lengthBytes();
                expectProduct(code.parity(), stripe);
                final long[] outputs = Arrays.copyOfRange(stripe.strips(), data, data + parity);
                engine.multiply(code.parity(), stripe.strips(), outputs, length);
                stripe.check(data + "+" + parity);

                final int[] lost = random.ints(0, data).distinct().limit(
                    1 + random.nextInt(Math.min(data, parity))).toArray();
                final long used = used(data, parity, lost);
                recover(code.recovery(used), used, stripe, lost);
                stripe.check(data + "+" + parity + " without " + Arrays.toString(lost));
            }
        }
    }

    /** An array without members needs a matrix for each rotation, again and again, and others when one more is lost. */
    @ParameterizedTest
    @EnumSource
    void shouldRecoverByMoreMatricesThanItKeeps(final ParityEngineType type)
    {
        open(type);
        final int data = ReedSolomon.SOURCES_MAX;
        final ReedSolomon code = new ReedSolomon(data, 3);
        final List<int[]> losses = new ArrayList<>();
        for (int lost = 0; lost < data; lost++)
        {
            losses.add(new int[]{lost});
        }
        for (int lost = 0; lost < data; lost++)
        {
            losses.add(new int[]{lost, (lost + 7) % data});
            losses.add(new int[]{lost, (lost + 7) % data, (lost + 20) % data});
        }
        final Map<int[], GfMatrix> matrices = new IdentityHashMap<>();
        losses.forEach((lost) -> matrices.put(lost, code.recovery(used(data, 3, lost))));
        try (TestStripe stripe = new TestStripe(random, data + 3, 512, true))
        {
            expectProduct(code.parity(), stripe);
            stripe.restoreAll();
            for (int round = 0; round < 3; round++)
            {
                for (final int[] lost : losses)
                {
                    recover(matrices.get(lost), used(data, 3, lost), stripe, lost);
                    stripe.check("without " + Arrays.toString(lost));
                }
            }
        }
    }

    /** Strips that are read when data is lost, by bit: the others, and as much parity, the last of it. */
    private static long used(final int data, final int parity, final int... lost)
    {
        long used = (1L << data + parity) - (1L << data + parity - lost.length) | (1L << data) - 1;
        for (final int strip : lost)
        {
            used &= ~(1L << strip);
        }
        return used;
    }

    private void recover(final GfMatrix matrix, final long used, final TestStripe stripe, final int... lost)
    {
        for (final int strip : lost)
        {
            stripe.damage(strip);
        }
        final int[] sources = IntStream.range(0, Long.SIZE).filter((i) -> 0 != (used & 1L << i)).toArray();
        engine.multiply(matrix, at(stripe.strips(), sources),
            at(stripe.strips(), Arrays.stream(lost).sorted().toArray()), stripe.lengthBytes());
    }

    @ParameterizedTest
    @EnumSource
    void shouldUpdateParityOfAMatrixAsIfItWereMultiplied(final ParityEngineType type)
    {
        open(type);
        for (int shape = 0; shape < SHAPES; shape++)
        {
            final int data = 0 == shape ? ReedSolomon.SOURCES_MAX : 1 + random.nextInt(16);
            final int parity = 0 == shape ? ReedSolomon.PARITIES_MAX : 1 + random.nextInt(ReedSolomon.PARITIES_MAX);
            final GfMatrix matrix = new ReedSolomon(data, parity).parity();
            // The last strip has the new data.
            try (TestStripe stripe = new TestStripe(
                random, data + parity + 1, 1 + random.nextInt(2000), random.nextBoolean()))
            {
                expectProduct(matrix, stripe);
                stripe.restoreAll();
                final int column = random.nextInt(data);
                final int start = random.nextInt(stripe.lengthBytes());
                final int part = 1 + random.nextInt(stripe.lengthBytes() - start);
                final byte[] old = stripe.expected(column).clone();
                System.arraycopy(
                    stripe.expected(data + parity), start, stripe.expected(column), start, part);
                expectProduct(matrix, stripe);
                System.arraycopy(old, 0, stripe.expected(column), 0, old.length);
                final long[] parities = new long[parity];
                for (int row = 0; row < parity; row++)
                {
                    parities[row] = stripe.strips()[data + row] + start;
                }
                engine.update(matrix, column, stripe.strips()[column] + start,
                    stripe.strips()[data + parity] + start, parities, part);
                stripe.check("part of " + part + " bytes at " + start + " of strip " + column);
            }
        }
    }

    private static long[] at(final long[] strips, final int[] numbers)
    {
        return Arrays.stream(numbers).mapToLong((number) -> strips[number]).toArray();
    }

    private static void expectProduct(final GfMatrix matrix, final TestStripe stripe)
    {
        for (int row = 0; row < matrix.rows(); row++)
        {
            final byte[] output = stripe.expected(matrix.columns() + row);
            Arrays.fill(output, (byte)0);
            for (int column = 0; column < matrix.columns(); column++)
            {
                final byte[] source = stripe.expected(column);
                for (int i = 0; i < output.length; i++)
                {
                    output[i] ^= (byte)SlowField.product(matrix.coefficient(row, column), source[i] & 0xff);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseBadArguments(final ParityEngineType type)
    {
        open(type);
        try (Arena arena = Arena.ofConfined())
        {
            final long at = arena.allocate(1 << 16, 64).address();
            final long[] strips = {at, at + 1000, at + 2000, at + 3000};
            final String hex = "0x" + Long.toHexString(at);
            assertRefused("dataCount 0: must be 1 to 254", () -> engine.generatePq(strips, 0, 100));
            assertRefused("dataCount 255: must be 1 to 254", () -> engine.generatePq(strips, 255, 100));
            assertRefused("strips 4: must be 5 to 2147483647", () -> engine.generatePq(strips, 3, 100));
            assertRefused("strips 4: must be 5 to 2147483647", () -> engine.verifyXor(strips, 4, 100));
            assertRefused("lengthBytes 0: must be 1 to 2146435071", () -> engine.verifyPq(strips, 2, 0));
            assertRefused("lengthBytes -1: must be 1 to 2146435071", () -> engine.generateXor(strips, 2, -1));
            assertRefused("lengthBytes 2147483647: must be 1 to 2146435071",
                () -> engine.recoverXor(strips, 2, Integer.MAX_VALUE, 0));
            assertRefused("lost 4: must be 0 to 3", () -> engine.recoverPq(strips, 2, 100, 4));
            assertRefused("lost -1: must be 0 to 2", () -> engine.recoverXor(strips, 2, 100, -1));
            assertRefused("lostToo 4: must be 0 to 3", () -> engine.recoverPq(strips, 2, 100, 1, 4));
            assertRefused("lostToo 1: must be another strip than lost", () -> engine.recoverPq(strips, 2, 100, 1, 1));
            assertRefused("index 254: must be 0 to 253",
                () -> engine.updatePq(at, at + 1000, 254, at + 2000, at + 3000, 100));
            assertRefused("strip at 0x0 of 100 bytes: must be memory of the process, from 0x1 up to 0x200000000000000",
                () -> engine.generateXor(new long[] {at, 0, at + 1000}, 2, 100));
            assertRefused("q at 0x0 of 100 bytes: must be memory of the process, from 0x1 up to 0x200000000000000",
                () -> engine.updatePq(at, at + 1000, 0, at + 2000, 0, 100));
            assertRefused("sources 2: must be 3 to 2147483647",
                () -> engine.multiply(new ReedSolomon(3, 1).parity(), new long[2], new long[1], 100));
            assertRefused("outputs 0: must be 1 to 2147483647",
                () -> engine.multiply(new ReedSolomon(3, 1).parity(), new long[3], new long[0], 100));
            final GfMatrix two = new ReedSolomon(3, 2).parity();
            final long[] parities = {at + 2000, at + 3000};
            assertRefused("column 3: must be 0 to 2", () -> engine.update(two, 3, at, at + 1000, parities, 100));
            assertRefused("column -1: must be 0 to 2", () -> engine.update(two, -1, at, at + 1000, parities, 100));
            assertRefused("parity 1: must be 2 to 2147483647",
                () -> engine.update(two, 0, at, at + 1000, new long[1], 100));
            assertRefused("lengthBytes 0: must be 1 to 2146435071",
                () -> engine.update(two, 0, at, at + 1000, parities, 0));
            for (int bad = 0; bad < 3; bad++)
            {
                final String name = List.of("oldData", "newData", "parity").get(bad);
                final long[] none = {at, at + 1000, at + 2000};
                none[bad] = 0;
                final long[] over = {at, at + 1000, at + 2000};
                over[bad] = at + 3099;
                final long[] noneParity = {at + 3000, none[2]};
                final long[] overParity = {over[2], at + 3000};
                assertRefused(
                    name + " at 0x0 of 100 bytes: must be memory of the process, from 0x1 up to 0x200000000000000",
                    () -> engine.update(two, 0, none[0], none[1], noneParity, 100));
                assertRefused("parity at 0x" + Long.toHexString(at + 3000) + " of 100 bytes: must not overlap " + name +
                    " at 0x" + Long.toHexString(at + 3099),
                    () -> engine.update(two, 0, over[0], over[1], overParity, 100));
            }
            assertRefused("strip 2 at 0x" + Long.toHexString(at + 2000) +
                " of 1001 bytes: must not overlap strip 1 at 0x" + Long.toHexString(at + 1000),
                () -> engine.generatePq(strips, 2, 1001));
            assertRefused("strip 0 at " + hex + " of 1001 bytes: must not overlap strip 1 at 0x" +
                Long.toHexString(at + 1000), () -> engine.recoverPq(strips, 2, 1001, 0, 3));
            assertRefused("p at " + hex + " of 100 bytes: must not overlap newData at 0x" + Long.toHexString(at + 99),
                () -> engine.updateXor(at + 1000, at + 99, at, 100));
            assertRefused("output at 0x" + Long.toHexString(at + 99) +
                " of 100 bytes: must not overlap source at " + hex,
                () -> engine.multiply(new ReedSolomon(1, 1).parity(), new long[] {at}, new long[] {at + 99}, 100));
            // Sources may be the same memory.
            engine.generatePq(new long[] {at, at, at + 2000, at + 3000}, 2, 1000);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseWorkWhenItIsClosed(final ParityEngineType type)
    {
        open(type);
        engine.close();
        engine.close();
        assertEquals("parity engine " + type.label() + " is closed", assertThrows(IllegalStateException.class,
            () -> engine.verifyXor(new long[] {1, 1}, 1, 1)).getMessage());
    }

    private static void assertRefused(final String message, final Runnable call)
    {
        assertEquals(message, assertThrows(IllegalArgumentException.class, call::run).getMessage());
    }
}
