package io.millrace.block.raid.format;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.seed.TestSeeds;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Random;
import java.util.UUID;
import java.util.function.Consumer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BitmapPageTest
{
    private static final UUID ARRAY = UUID.fromString("00010203-0405-4607-8809-0a0b0c0d0e0f");
    /** Of 20 regions, the last of them smaller. */
    private static final long MEMBER_BYTES = 20 * 1048576 - 4096;

    private final byte[] bytes = new byte[BitmapPage.BYTES];
    private final BitmapPage page = new BitmapPage().wrap(new UnsafeBuffer(bytes), 0);

    private void seal(final long sequence)
    {
        page.initialize(ARRAY, 1048576, 20);
        page.set(0);
        page.set(10);
        page.set(19);
        page.seal(sequence);
    }

    @Test
    void shouldHaveEachFieldAtItsOffset()
    {
        seal(0x0102030405060708L);
        final ByteBuffer expected = ByteBuffer.allocate(4096).order(ByteOrder.LITTLE_ENDIAN);
        expected.put(0, "MILLBITS".getBytes(StandardCharsets.US_ASCII));
        expected.putInt(8, 1);
        expected.putLong(16, 0x0102030405060708L);
        expected.order(ByteOrder.BIG_ENDIAN).putLong(24, 0x0001020304054607L).putLong(32, 0x88090a0b0c0d0e0fL);
        expected.order(ByteOrder.LITTLE_ENDIAN).putLong(40, 1048576);
        expected.putInt(48, 20);
        expected.put(64, (byte)0x01);
        expected.put(65, (byte)0x04);
        expected.put(66, (byte)0x08);
        Superblocks.checksum(expected.array());
        assertArrayEquals(expected.array(), bytes);
        assertEquals(0x0102030405060708L, page.sequence());
        assertTrue(page.isValid(ARRAY, MEMBER_BYTES));
    }

    @ParameterizedTest
    @CsvSource({
        "4096, 1048576, 1", "1048576, 1048576, 1", "1048577, 1048576, 2",
        "33822867456, 1048576, 32256", "33822867457, 2097152, 16129",
        "67645734912, 2097152, 32256", "67645734913, 4194304, 16129",
        "1099511627776, 67108864, 16384", "9007199254740992, 549755813888, 16384"})
    void shouldHaveRegionsThatCoverAMember(final long memberBytes, final long regionBytes, final int regionCount)
    {
        assertEquals(regionBytes, BitmapPage.regionBytes(memberBytes));
        assertEquals(regionCount, BitmapPage.regionCount(memberBytes));
    }

    @Property(tries = 1_000)
    void shouldHaveTheSmallestRegionsThatSuffice(@ForAll final long seed)
    {
        final Random random = TestSeeds.fixed(seed);
        final long memberBytes = 1 + (random.nextLong() >>> 1 + random.nextInt(62));
        final long regionBytes = BitmapPage.regionBytes(memberBytes);
        final long regionCount = BitmapPage.regionCount(memberBytes);
        assertEquals(1, Long.bitCount(regionBytes));
        assertTrue(regionCount <= BitmapPage.BITS_MAX);
        assertTrue((regionCount - 1) * regionBytes < memberBytes);
        assertTrue(regionCount * regionBytes >= memberBytes || regionCount * regionBytes < 0);
        assertTrue(1048576 == regionBytes || (memberBytes - 1) / (regionBytes / 2) + 1 > BitmapPage.BITS_MAX);
    }

    @Test
    void shouldHaveRegionsOfAStripAtLeast()
    {
        assertTrue(BitmapPage.REGION_BYTES_MIN >= Superblock.STRIP_BYTES_MAX);
        assertEquals(0, BitmapPage.REGION_BYTES_MIN % Superblock.STRIP_BYTES_MAX);
    }

    @Property(tries = 200)
    void shouldHoldItsBits(@ForAll final long seed)
    {
        final Random random = TestSeeds.fixed(seed);
        final long memberBytes = 1 + (random.nextLong() >>> 11 + random.nextInt(50));
        final int regionCount = BitmapPage.regionCount(memberBytes);
        final int offset = random.nextInt(100);
        final UnsafeBuffer memory = new UnsafeBuffer(new byte[offset + BitmapPage.BYTES]);
        random.nextBytes(memory.byteArray());
        final BitmapPage written = new BitmapPage().wrap(memory, offset)
            .initialize(ARRAY, BitmapPage.regionBytes(memberBytes), regionCount);
        final BitSet model = new BitSet();
        for (int i = 0; i < 300; i++)
        {
            final int region = random.nextInt(random.nextInt(3) > 0 ? regionCount : Math.min(9, regionCount));
            if (random.nextInt(3) > 0)
            {
                written.set(region);
                model.set(region);
            }
            else
            {
                written.clear(region);
                model.clear(region);
            }
        }
        written.seal(random.nextLong() >>> 1);
        final BitmapPage read = new BitmapPage().wrap(memory, offset);
        assertTrue(read.isValid(ARRAY, memberBytes));
        for (int i = 0; i < regionCount; i++)
        {
            assertEquals(model.get(i), read.isSet(i), "region " + i);
        }
    }

    @Test
    void shouldBeInvalidUntilItIsSealed()
    {
        page.initialize(ARRAY, 1048576, 20);
        assertFalse(page.isValid(ARRAY, MEMBER_BYTES));
        page.seal(0);
        assertTrue(page.isValid(ARRAY, MEMBER_BYTES));
        page.set(3);
        assertFalse(page.isValid(ARRAY, MEMBER_BYTES));
        page.seal(1);
        assertTrue(page.isValid(ARRAY, MEMBER_BYTES));
    }

    @Test
    void shouldBeInvalidForAnotherArrayOrSize()
    {
        seal(1);
        assertFalse(page.isValid(new UUID(1, ARRAY.getLeastSignificantBits()), MEMBER_BYTES));
        assertFalse(page.isValid(new UUID(ARRAY.getMostSignificantBits(), 1), MEMBER_BYTES));
        assertFalse(page.isValid(ARRAY, MEMBER_BYTES + 1048576));
        assertFalse(page.isValid(ARRAY, 20L * 2097152 * 32256));
    }

    private void assertInvalid(final Consumer<ByteBuffer> change)
    {
        seal(1);
        change.accept(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
        Superblocks.checksum(bytes);
        assertFalse(page.isValid(ARRAY, MEMBER_BYTES));
    }

    @Test
    void shouldBeInvalidWithFieldsThatItDoesNotWrite()
    {
        assertInvalid((changed) -> changed.put(0, (byte)'m'));
        assertInvalid((changed) -> changed.putInt(8, 2));
        assertInvalid((changed) -> changed.putLong(16, -1));
        assertInvalid((changed) -> changed.putLong(40, 2097152));
        assertInvalid((changed) -> changed.putInt(48, 21));
        assertInvalid((changed) -> changed.put(52, (byte)1));
        assertInvalid((changed) -> changed.put(63, (byte)1));
        assertInvalid((changed) -> changed.put(66, (byte)0x10));
        assertInvalid((changed) -> changed.put(67, (byte)1));
        assertInvalid((changed) -> changed.put(4095, (byte)0x80));
    }

    @Test
    void shouldBeInvalidWithABitAfterRegionsOfWholeBytes()
    {
        page.initialize(ARRAY, 1048576, 24);
        page.seal(1);
        assertTrue(page.isValid(ARRAY, 24 << 20));
        bytes[67] = 1;
        Superblocks.checksum(bytes);
        assertFalse(page.isValid(ARRAY, 24 << 20));
    }

    @Test
    void shouldBeInvalidWithOneBitFlipped()
    {
        seal(1);
        for (int bit = 0; bit < Byte.SIZE * bytes.length; bit++)
        {
            bytes[bit / Byte.SIZE] ^= (byte)(1 << bit % Byte.SIZE);
            assertFalse(page.isValid(ARRAY, MEMBER_BYTES), "with bit " + bit + " flipped");
            bytes[bit / Byte.SIZE] ^= (byte)(1 << bit % Byte.SIZE);
        }
        assertTrue(page.isValid(ARRAY, MEMBER_BYTES));
    }

    private static void assertOutside(final String message, final Executable access)
    {
        assertEquals(message, assertThrows(IndexOutOfBoundsException.class, access).getMessage());
    }

    @Test
    void shouldTouchNothingOutsideItsRegions()
    {
        seal(1);
        assertOutside("region 20 is outside 0 to 19", () -> page.set(20));
        assertOutside("region -1 is outside 0 to 19", () -> page.clear(-1));
        assertOutside("region 2147483647 is outside 0 to 19", () -> page.isSet(Integer.MAX_VALUE));
        assertTrue(page.isValid(ARRAY, MEMBER_BYTES));
        // Whatever a page that was never valid says of its regions.
        Arrays.fill(bytes, (byte)0x7F);
        assertOutside("region 32256 is outside 0 to 32255", () -> page.isSet(BitmapPage.BITS_MAX));
        assertFalse(page.isSet(BitmapPage.BITS_MAX - 1));
        assertTrue(page.isSet(BitmapPage.BITS_MAX - 2));
        assertThrows(IllegalArgumentException.class, () -> page.initialize(ARRAY, 1048576, BitmapPage.BITS_MAX + 1));
        assertThrows(IllegalArgumentException.class, () -> page.initialize(ARRAY, 1048576, 0));
        assertThrows(IllegalArgumentException.class, () -> page.seal(-1));
    }
}
