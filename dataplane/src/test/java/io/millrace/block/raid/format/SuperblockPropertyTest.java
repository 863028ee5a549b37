package io.millrace.block.raid.format;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.seed.TestSeeds;
import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/**
 * Superblocks and their bytes, whole and damaged.
 */
class SuperblockPropertyTest
{
    /** Offsets where a field begins, and such behind the last. */
    private static final int[] FIELDS = {0, 8, 16, 24, 32, 48, 64, 72, 80, 84, 88, 92, 96, 104, 108, 112, 176, 240,
        248, 256, 272, 276, 280, 288, 304, 308, 312, 2303, 2304, 4095};

    /** What was read, or null where it was refused in words or there is none. */
    private static Superblock read(final byte[] bytes)
    {
        try
        {
            return Superblocks.decode(bytes);
        }
        catch (final InvalidSuperblockException e)
        {
            assertFalse(e.getMessage().isBlank());
            return null;
        }
    }

    @Property(tries = 500)
    void shouldReadWhatWasWritten(@ForAll final long seed)
    {
        final Superblock superblock = Superblocks.random(TestSeeds.fixed(seed));
        assertEquals(superblock, Superblocks.decode(Superblocks.encode(superblock)));
    }

    @Property(tries = 500)
    void shouldFindNoneInOtherBytes(@ForAll final long seed)
    {
        final byte[] bytes = new byte[Superblock.BYTES];
        TestSeeds.fixed(seed).nextBytes(bytes);
        assertNull(Superblocks.decode(bytes));
    }

    /** With a checksum that is right, so that the fields themselves are judged. What is read has one encoding. */
    @Property(tries = 5_000)
    void shouldReadOrRefuseAnyFields(@ForAll final long seed)
    {
        final Random random = TestSeeds.fixed(seed);
        final byte[] bytes = Superblocks.encode(Superblocks.random(random));
        for (int i = 1 + random.nextInt(3); i > 0; i--)
        {
            final int at = Math.min(FIELDS[random.nextInt(FIELDS.length)] + random.nextInt(16), Superblock.BYTES - 1);
            bytes[at] = (byte)(random.nextBoolean() ? random.nextInt() : bytes[at] ^ 1 << random.nextInt(8));
        }
        Superblocks.checksum(bytes);
        final Superblock superblock = read(bytes);
        if (null != superblock)
        {
            assertArrayEquals(bytes, Superblocks.encode(superblock));
        }
    }

    @Property(tries = 200)
    void shouldReadOrRefuseAnyBytesBehindTheMagic(@ForAll final long seed)
    {
        final Random random = TestSeeds.fixed(seed);
        final byte[] bytes = new byte[Superblock.BYTES];
        random.nextBytes(bytes);
        System.arraycopy("MILLRACE".getBytes(), 0, bytes, 0, 8);
        if (random.nextBoolean())
        {
            Arrays.fill(bytes, 8, 32, (byte)0);
            bytes[8] = 1;
            Superblocks.checksum(bytes);
        }
        assertNull(read(bytes));
    }

    @Test
    void shouldUseNoneWithOneBitFlipped()
    {
        final byte[] bytes = Superblocks.encode(Superblocks.random(TestSeeds.random()));
        for (int bit = 0; bit < Byte.SIZE * Superblock.BYTES; bit++)
        {
            bytes[bit / Byte.SIZE] ^= (byte)(1 << bit % Byte.SIZE);
            final int flipped = bit;
            assertNull(read(bytes), () -> "with bit " + flipped + " flipped");
            bytes[bit / Byte.SIZE] ^= (byte)(1 << bit % Byte.SIZE);
        }
        assertTrue(null != read(bytes));
    }
}
