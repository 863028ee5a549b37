package io.millrace.block.raid.format;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.raid.layout.RaidLevel;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** The bytes of a lost-block list, by numbers: members were written by other versions and are read by other tools. */
class LostBlocksPageTest
{
    private static final UUID ARRAY = UUID.fromString("00010203-0405-4607-8809-0a0b0c0d0e0f");
    private static final long MEMBER_BYTES = 65536 * 100;
    private static final long[] ENTRIES = {0x01, 0x0581, 0x63FFF};

    private static Superblock superblock(final int blockBytes)
    {
        return superblock(ARRAY, blockBytes);
    }

    private static Superblock superblock(final UUID array, final int blockBytes)
    {
        return new Superblock(array, "vol", RaidLevel.RAID1, 65536, blockBytes, MEMBER_BYTES, new UUID(1, 1), 7, true,
            0, 0, List.of(new Slot(new UUID(1, 1), SlotState.IN_SYNC, 0), Slot.EMPTY));
    }

    private static byte[] encode(final int blockBytes, final long... entries)
    {
        final byte[] bytes = new byte[4096];
        LostBlocksPage.encode(new UnsafeBuffer(bytes), 0, ARRAY, blockBytes, 0x0102030405060708L, entries);
        return bytes;
    }

    private static boolean isValid(final byte[] bytes, final Superblock superblock)
    {
        return LostBlocksPage.isValid(new UnsafeBuffer(bytes), 0, superblock);
    }

    private static boolean isValid(final int blockBytes, final long... entries)
    {
        return isValid(encode(blockBytes, entries), superblock(blockBytes));
    }

    private static void assertRefused(final Consumer<ByteBuffer> damage)
    {
        final byte[] bytes = encode(512, ENTRIES);
        damage.accept(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
        Superblocks.checksum(bytes);
        assertFalse(isValid(bytes, superblock(512)));
    }

    @Test
    void shouldHaveEachFieldAtItsOffset()
    {
        final ByteBuffer expected = ByteBuffer.allocate(4096).order(ByteOrder.LITTLE_ENDIAN);
        expected.put(0, "MILLLOST".getBytes(StandardCharsets.US_ASCII));
        expected.putInt(8, 1);
        expected.putLong(16, 0x0102030405060708L);
        expected.order(ByteOrder.BIG_ENDIAN).putLong(24, 0x0001020304054607L).putLong(32, 0x88090a0b0c0d0e0fL);
        expected.order(ByteOrder.LITTLE_ENDIAN).putInt(40, 512);
        expected.putInt(44, 3);
        // Block 0 of unit 0, blocks 0 and 7 of unit 5, all of unit 1599, which is the last.
        expected.putLong(64, 0x01);
        expected.putLong(72, 0x0581);
        expected.putLong(80, 0x63FFF);
        Superblocks.checksum(expected.array());
        assertArrayEquals(expected.array(), encode(512, ENTRIES));
    }

    @Test
    void shouldReadWhatWasWritten()
    {
        final UnsafeBuffer page = new UnsafeBuffer(encode(512, ENTRIES));
        assertTrue(LostBlocksPage.isValid(page, 0, superblock(512)));
        assertEquals(0x0102030405060708L, LostBlocksPage.sequence(page, 0));
        assertArrayEquals(ENTRIES, LostBlocksPage.entries(page, 0));
        assertTrue(isValid(4096));
        assertTrue(isValid(4096, LongStream.range(0, 504).map((unit) -> unit << 8 | 1).toArray()));
        assertThrows(IllegalArgumentException.class, () -> encode(4096, new long[505]));
    }

    @Test
    void shouldRefuseWhatDoesNotFit()
    {
        // Behind the member's data, without a block, with one that the unit does not have, not ascending, twice.
        assertFalse(isValid(512, 1600 << 8 | 1));
        assertFalse(isValid(512, 0x0500));
        assertFalse(isValid(4096, 0x0502));
        assertFalse(isValid(512, 0x0501, 0x0401));
        assertFalse(isValid(512, 0x0501, 0x0502));
        assertFalse(isValid(encode(512, ENTRIES), superblock(4096)));
        assertFalse(isValid(encode(512, ENTRIES), superblock(new UUID(2, 2), 512)));
    }

    @Test
    void shouldRefuseWhatIsDamaged()
    {
        final byte[] torn = encode(512, ENTRIES);
        torn[4000] = 1;
        assertFalse(isValid(torn, superblock(512)));
        assertFalse(isValid(new byte[4096], superblock(512)));
        assertRefused((bytes) -> bytes.put(0, (byte)'X'));
        assertRefused((bytes) -> bytes.putInt(8, 2));
        assertRefused((bytes) -> bytes.putLong(16, -1));
        assertRefused((bytes) -> bytes.putInt(44, 505));
        assertRefused((bytes) -> bytes.putInt(44, -1));
        assertRefused((bytes) -> bytes.putInt(44, 2));
        assertRefused((bytes) -> bytes.put(48, (byte)1));
        assertRefused((bytes) -> bytes.put(4095, (byte)1));
    }
}
