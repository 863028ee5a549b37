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
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The bytes of a superblock, by numbers: members were written by other versions and are read by other tools.
 */
class SuperblockLayoutTest
{
    private static final UUID ARRAY = UUID.fromString("00010203-0405-4607-8809-0a0b0c0d0e0f");
    private static final UUID MEMBER = UUID.fromString("10111213-1415-4617-9819-1a1b1c1d1e1f");
    private static final UUID OTHER = UUID.fromString("20212223-2425-4627-a829-2a2b2c2d2e2f");
    private static final UUID FAILED = UUID.fromString("30313233-3435-4637-b839-3a3b3c3d3e3f");
    private static final Superblock SUPERBLOCK = new Superblock(ARRAY, "vol-7", RaidLevel.RAID6, 65536, 4096,
        0x1234_5000_0000L, MEMBER, 0x0102030405060708L, true, 0x0000_0199_1122_3344L,
        0x0000_0199_5566_7788L, List.of(
            new Slot(OTHER, SlotState.IN_SYNC, 0),
            new Slot(MEMBER, SlotState.REBUILDING, 0x1122_3344_5566L),
            Slot.EMPTY,
            new Slot(FAILED, SlotState.FAILED, 0)));

    private static byte[] bytes(final int state)
    {
        final ByteBuffer bytes = ByteBuffer.allocate(4096).order(ByteOrder.LITTLE_ENDIAN);
        bytes.put(0, "MILLRACE".getBytes(StandardCharsets.US_ASCII));
        bytes.putInt(8, 1);
        uuid(bytes, 32, ARRAY);
        uuid(bytes, 48, MEMBER);
        bytes.putLong(64, 0x0102030405060708L);
        bytes.putLong(72, 0x0000_0199_1122_3344L);
        bytes.putInt(80, 6);
        bytes.putInt(84, 4);
        bytes.putInt(88, 65536);
        bytes.putInt(92, 4096);
        bytes.putLong(96, 0x1234_5000_0000L);
        bytes.putInt(104, state);
        bytes.putInt(108, 5);
        bytes.put(112, "vol-7".getBytes(StandardCharsets.US_ASCII));
        bytes.putLong(240, 0x0000_0199_5566_7788L);
        uuid(bytes, 256, OTHER);
        bytes.putInt(272, 1);
        uuid(bytes, 288, MEMBER);
        bytes.putInt(304, 2);
        bytes.putLong(312, 0x1122_3344_5566L);
        uuid(bytes, 352, FAILED);
        bytes.putInt(368, 3);
        Superblocks.checksum(bytes.array());
        return bytes.array();
    }

    /** The digits of the text in their order. */
    private static void uuid(final ByteBuffer bytes, final int offset, final UUID uuid)
    {
        final String digits = uuid.toString().replace("-", "");
        for (int i = 0; i < 16; i++)
        {
            bytes.put(offset + i, (byte)Integer.parseInt(digits.substring(2 * i, 2 * i + 2), 16));
        }
    }

    @Test
    void shouldWriteWhatTheFormatSays()
    {
        assertArrayEquals(bytes(1), Superblocks.encode(SUPERBLOCK));
    }

    @Test
    void shouldReadWhatTheFormatSays()
    {
        assertEquals(SUPERBLOCK, Superblocks.decode(bytes(1)));
        assertEquals(new Superblock(ARRAY, "vol-7", RaidLevel.RAID6, 65536, 4096, 0x1234_5000_0000L, MEMBER,
            0x0102030405060708L, false, 0x0000_0199_1122_3344L, 0x0000_0199_5566_7788L,
            SUPERBLOCK.slots()), Superblocks.decode(bytes(2)));
    }

    @Test
    void shouldWriteAndReadTheJournal()
    {
        final ByteBuffer bytes = ByteBuffer.wrap(bytes(1)).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(16, 1);
        bytes.putLong(176, 0x0102030405060700L);
        bytes.putInt(184, 1);
        Superblocks.checksum(bytes.array());
        final Superblock superblock = new Superblock(ARRAY, "vol-7", RaidLevel.RAID6, 65536, 4096, 0x1234_5000_0000L,
            MEMBER, 0x0102030405060708L, true, 0x0000_0199_1122_3344L, SUPERBLOCK.scrubbedMs(), SUPERBLOCK.slots(),
            new JournalState(0x0102030405060700L, true));
        assertArrayEquals(bytes.array(), Superblocks.encode(superblock));
        assertEquals(superblock, Superblocks.decode(bytes.array()));
    }

    @Test
    void shouldWriteAndReadAJournalDevice()
    {
        final ByteBuffer bytes = ByteBuffer.wrap(bytes(1)).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(16, 65);
        bytes.putLong(176, 0x0102030405060700L);
        bytes.putInt(188, 0x01020304);
        for (int i = 0; i < 16; i++)
        {
            bytes.put(192 + i, (byte)(0x60 + i));
        }
        Superblocks.checksum(bytes.array());
        final Superblock superblock = SUPERBLOCK.with(new JournalState(0x0102030405060700L, false,
            new UUID(0x6061626364656667L, 0x68696A6B6C6D6E6FL), 0x01020304));
        assertArrayEquals(bytes.array(), Superblocks.encode(superblock));
        assertEquals(superblock, Superblocks.decode(bytes.array()));
    }

    @Test
    void shouldWriteAndReadLostEvents()
    {
        final ByteBuffer bytes = ByteBuffer.wrap(bytes(1)).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(16, 2);
        bytes.putLong(2304 + 8, 0x0102030405060701L);
        bytes.putLong(2304 + 3 * 8, 0x0102030405060702L);
        Superblocks.checksum(bytes.array());
        final Superblock superblock = new Superblock(ARRAY, "vol-7", RaidLevel.RAID6, 65536, 4096, 0x1234_5000_0000L,
            MEMBER, 0x0102030405060708L, true, 0x0000_0199_1122_3344L, SUPERBLOCK.scrubbedMs(), List.of(
                new Slot(OTHER, SlotState.IN_SYNC, 0),
                new Slot(MEMBER, SlotState.REBUILDING, 0x1122_3344_5566L, 0x0102030405060701L),
                Slot.EMPTY,
                new Slot(FAILED, SlotState.FAILED, 0, 0x0102030405060702L)));
        assertArrayEquals(bytes.array(), Superblocks.encode(superblock));
        assertEquals(superblock, Superblocks.decode(bytes.array()));
    }

    @Test
    void shouldWriteAndReadThatMembersHaveLostBlocks()
    {
        final ByteBuffer bytes = ByteBuffer.wrap(bytes(1)).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(16, 4);
        bytes.putInt(256 + 20, 1);
        bytes.putInt(288 + 20, 1);
        Superblocks.checksum(bytes.array());
        final Superblock superblock = new Superblock(ARRAY, "vol-7", RaidLevel.RAID6, 65536, 4096, 0x1234_5000_0000L,
            MEMBER, 0x0102030405060708L, true, 0x0000_0199_1122_3344L, SUPERBLOCK.scrubbedMs(), List.of(
                new Slot(OTHER, SlotState.IN_SYNC, 0, 0, true),
                new Slot(MEMBER, SlotState.REBUILDING, 0x1122_3344_5566L, 0, true),
                Slot.EMPTY,
                new Slot(FAILED, SlotState.FAILED, 0)));
        assertArrayEquals(bytes.array(), Superblocks.encode(superblock));
        assertEquals(superblock, Superblocks.decode(bytes.array()));
        assertTrue(superblock.hasLostBlocks());
    }

    @Test
    void shouldWriteAndReadThatRowsDoNotMatch()
    {
        final ByteBuffer bytes = ByteBuffer.wrap(bytes(1)).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(16, 512);
        Superblocks.checksum(bytes.array());
        final Superblock superblock = Superblocks.decode(bytes.array());
        assertTrue(superblock.hasMismatches());
        assertFalse(SUPERBLOCK.hasMismatches());
        assertArrayEquals(bytes.array(), Superblocks.encode(superblock.forMember(MEMBER)));
        assertTrue(superblock.with(JournalState.NONE).withChecksums(0).hasMismatches());
    }

    @Test
    void shouldWriteAndReadFormerNames()
    {
        final ByteBuffer bytes = ByteBuffer.wrap(bytes(1)).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(16, 1024);
        bytes.putInt(2836, 2);
        bytes.put(2840, "vol0".getBytes(StandardCharsets.US_ASCII));
        final String longest = "a".repeat(64);
        bytes.put(2904, longest.getBytes(StandardCharsets.US_ASCII));
        Superblocks.checksum(bytes.array());
        final Superblock superblock = Superblocks.decode(bytes.array());
        assertEquals(List.of("vol0", longest), superblock.formerNames());
        assertEquals(List.of(), SUPERBLOCK.formerNames());
        assertArrayEquals(bytes.array(), Superblocks.encode(superblock.forMember(MEMBER)));
        assertEquals(superblock.formerNames(), superblock.with(JournalState.NONE).withChecksums(0).formerNames());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "1024 | 0 | '' | 0 | features 0x400 do not fit the former names",
        "0 | 1 | vol0 | 0 | features 0x0 do not fit the former names",
        "1024 | 17 | vol0 | 0 | count 17 of former names is outside 0 to 16",
        "1024 | -1 | vol0 | 0 | count -1 of former names is outside 0 to 16",
        "1024 | 1 | vol-7 | 0 | are not up to 16 others, each once",
        "1024 | 1 | 'v 0' | 0 | name v 0 is not a name of 1 to 64 letters",
        "1024 | 2 | vol0 | 0 | name  is not a name of 1 to 64 letters",
        "1024 | 1 | vol0 | 2903 | byte 2903 is 0x1, and version 1 writes 0 there",
        "1024 | 1 | vol0 | 2904 | byte 2904 is 0x1, and version 1 writes 0 there",
        "1024 | 1 | vol0 | 3863 | byte 3863 is 0x1, and version 1 writes 0 there",
        "1024 | 1 | vol0 | 3864 | byte 3864 is 0x1, and version 1 writes 0 there"})
    void shouldRefuseFormerNamesThatNoBuildWrites(
        final int features, final int count, final String name, final int stray, final String message)
    {
        final ByteBuffer bytes = ByteBuffer.wrap(bytes(1)).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(16, features);
        bytes.putInt(2836, count);
        bytes.put(2840, name.getBytes(StandardCharsets.US_ASCII));
        if (0 != stray)
        {
            bytes.put(stray, (byte)1);
        }
        Superblocks.checksum(bytes.array());
        final String said = assertThrows(
            InvalidSuperblockException.class, () -> Superblocks.decode(bytes.array())).getMessage();
        assertTrue(said.contains(message), said);
    }

    private static Superblock erasureCode()
    {
        return new Superblock(ARRAY, "vol-7", RaidLevel.EC2, 65536, 4096, 0x1234_5000_0000L, MEMBER,
            0x0102030405060708L, true, 0x0000_0199_1122_3344L, SUPERBLOCK.scrubbedMs(), SUPERBLOCK.slots());
    }

    private static byte[] bytes(final int level, final int parityStrips, final int features)
    {
        final ByteBuffer bytes = ByteBuffer.wrap(bytes(1)).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(16, features);
        bytes.putInt(80, level);
        bytes.putInt(248, parityStrips);
        Superblocks.checksum(bytes.array());
        return bytes.array();
    }

    @Test
    void shouldWriteAndReadAnErasureCode()
    {
        assertArrayEquals(bytes(100, 2, 16), Superblocks.encode(erasureCode()));
        assertEquals(erasureCode(), Superblocks.decode(bytes(100, 2, 16)));
    }

    @Test
    void shouldWriteAndReadALayout()
    {
        final ByteBuffer bytes = ByteBuffer.wrap(bytes(6, 0, 32)).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(252, 1);
        Superblocks.checksum(bytes.array());
        final Superblock superblock = new Superblock(ARRAY, "vol-7", RaidLevel.RAID6_Q_LAST, 65536, 4096,
            0x1234_5000_0000L, MEMBER, 0x0102030405060708L, true, 0x0000_0199_1122_3344L, SUPERBLOCK.scrubbedMs(),
            SUPERBLOCK.slots());
        assertArrayEquals(bytes.array(), Superblocks.encode(superblock));
        assertEquals(superblock, Superblocks.decode(bytes.array()));
    }

    @Test
    void shouldWriteAndReadTheOffsetOfChecksums()
    {
        final ByteBuffer bytes = ByteBuffer.wrap(bytes(6, 0, 128)).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(208, 0x1234_5010_0000L);
        Superblocks.checksum(bytes.array());
        final Superblock superblock = Superblocks.decode(bytes.array());
        assertEquals(0x1234_5010_0000L, superblock.checksumOffset());
        assertEquals(SUPERBLOCK.level(), superblock.withChecksums(0).level());
        assertArrayEquals(bytes.array(), Superblocks.encode(superblock));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "6 | 128 | 0 | features 0x80 do not fit the offset of checksums",
        "6 | 0 | 20015890825216 | features 0x0 do not fit the offset of checksums",
        "6 | 128 | 20015890825217 | are not behind the data of an array with parity",
        "1 | 128 | 20015890825216 | are not behind the data of an array with parity"})
    void shouldRefuseAnOffsetOfChecksumsThatNoBuildWrites(
        final int level, final int features, final long offset, final String message)
    {
        final ByteBuffer bytes = ByteBuffer.wrap(bytes(level, 0, features)).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(208, offset);
        Superblocks.checksum(bytes.array());
        final String said = assertThrows(
            InvalidSuperblockException.class, () -> Superblocks.decode(bytes.array())).getMessage();
        assertTrue(said.contains(message), said);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "6 | 1 | 0 | features 0x0 do not fit the layout", "6 | 0 | 32 | features 0x20 do not fit the layout",
        "6 | 2 | 32 | has no layout 2", "5 | 1 | 32 | has no layout 1"})
    void shouldRefuseALayoutThatNoBuildWrites(
        final int level, final int layout, final int features, final String message)
    {
        final ByteBuffer bytes = ByteBuffer.wrap(bytes(level, 0, features)).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(252, layout);
        Superblocks.checksum(bytes.array());
        final String said = assertThrows(
            InvalidSuperblockException.class, () -> Superblocks.decode(bytes.array())).getMessage();
        assertTrue(said.contains(message), said);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "100 | 2 | 0 | features 0x0 do not fit the level", "6 | 0 | 16 | features 0x10 do not fit the level",
        "100 | 0 | 16 | level 100 with 0 parity strips is none of", "100 | 9 | 16 | level 100 with 9 parity strips",
        "100 | -1 | 16 | level 100 with -1 parity strips", "6 | 2 | 0 | level 6 with 2 parity strips is none of",
        "100 | 3 | 16 | EC with 3 parity strips of 4 members is outside 5 to 35"})
    void shouldRefuseACountOfParityStripsThatNoBuildWrites(
        final int level, final int parityStrips, final int features, final String message)
    {
        final String said = assertThrows(InvalidSuperblockException.class,
            () -> Superblocks.decode(bytes(level, parityStrips, features))).getMessage();
        assertTrue(said.contains(message), said);
    }

    @Test
    void shouldKeepToItsBytesOfABuffer()
    {
        final byte[] bytes = new byte[3 * 4096];
        Arrays.fill(bytes, (byte)0x5A);
        SUPERBLOCK.encode(new UnsafeBuffer(bytes), 4096);
        final byte[] expected = new byte[3 * 4096];
        Arrays.fill(expected, (byte)0x5A);
        System.arraycopy(bytes(1), 0, expected, 4096, 4096);
        assertArrayEquals(expected, bytes);
        assertEquals(SUPERBLOCK, Superblock.decode(new UnsafeBuffer(bytes), 4096));
    }
}
