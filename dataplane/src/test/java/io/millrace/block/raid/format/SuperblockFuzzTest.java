package io.millrace.block.raid.format;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Whatever lies on a device where members have their superblock and bitmap, is read or refused in words. Runs on the
 * kept corpus with every build; {@code JAZZER_FUZZ=1} fuzzes, as {@code perf/fuzz} does.
 */
class SuperblockFuzzTest
{
    private static final int MAGIC_BYTES = 8;

    /**
     * The first byte says whether magic and checksum are made right (bit 0), so that the fields are reached. The rest
     * is the page, zeroes behind it.
     */
    @FuzzTest(maxDuration = "2m")
    void shouldReadOrRefuseAnyBytes(final byte[] input)
    {
        if (0 == input.length)
        {
            return;
        }
        final byte[] page = Arrays.copyOf(Arrays.copyOfRange(input, 1, input.length), Superblock.BYTES);
        if (0 != (input[0] & 1))
        {
            System.arraycopy("MILLRACE".getBytes(), 0, page, 0, MAGIC_BYTES);
            Superblocks.checksum(page);
        }
        try
        {
            final Superblock superblock = Superblocks.decode(page);
            if (null != superblock)
            {
                assertArrayEquals(page, Superblocks.encode(superblock));
                new BitmapPage().wrap(new UnsafeBuffer(page), 0).isValid(superblock.array(), superblock.memberBytes());
            }
        }
        catch (final InvalidSuperblockException e)
        {
            assertFalse(e.getMessage().isBlank());
        }
        ForeignSignature.find(new UnsafeBuffer(page), new UnsafeBuffer(input), input.length);
    }
}
