package io.millrace.block.raid.format;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The bytes of an entry, by numbers, and what is not taken for one. */
class JournalEntryTest
{
    private static final UUID ARRAY = UUID.fromString("00010203-0405-4607-8809-0a0b0c0d0e0f");
    private static final UUID OTHER = UUID.fromString("10111213-1415-4617-9819-1a1b1c1d1e1f");
    private static final long EPOCH = 77;
    private static final long SEQUENCE = 40;
    private static final int PLACES = 9;
    private static final int PLACE = 4;
    private static final int BYTES = 4096 + 1024 + 512;

    private final DmaMemory memory = DmaMemory.map(1 << 16);
    private final JournalEntry entry = new JournalEntry().wrap(memory.address());

    @AfterEach
    void close()
    {
        memory.close();
    }

    private static Superblock superblock(final UUID array, final long epoch, final long memberBytes)
    {
        return new Superblock(array, "a", RaidLevel.RAID5, 4096, 512, memberBytes, OTHER, 100, false, 1, 0, List.of(
            Slot.EMPTY, Slot.EMPTY, new Slot(OTHER, SlotState.IN_SYNC, 0)), new JournalState(epoch, true));
    }

    private void fill(final int slot, final int start, final int length, final byte value)
    {
        NativeMemory.fill(entry.add(slot, start, length), length, value);
    }

    private void make()
    {
        NativeMemory.fill(memory.address(), BYTES, (byte)0x5A);
        entry.initialize(ARRAY, EPOCH, SEQUENCE, 38, 8192 + 512, 1024);
        fill(2, 0, 1024, (byte)1);
        fill(0, 512, 512, (byte)2);
        entry.seal();
    }

    private boolean isValid(final Superblock superblock, final int place)
    {
        return entry.isValid(superblock, place, 1 << 14, PLACES);
    }

    @Test
    void shouldHaveTheBytesOfTheFormat()
    {
        make();
        final ByteBuffer bytes = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.put(0, "MILLJRNL".getBytes(StandardCharsets.US_ASCII));
        bytes.putInt(8, 1);
        for (int i = 0; i < 16; i++)
        {
            bytes.put(16 + i, (byte)i);
        }
        bytes.put(22, (byte)0x46).put(24, (byte)0x88);
        bytes.put(23, (byte)7).put(25, (byte)9);
        bytes.putLong(32, 77).putLong(40, 40).putLong(48, 38).putLong(56, 8704);
        bytes.putInt(64, 1024).putInt(68, 2).putInt(72, 1536);
        bytes.putInt(128, 2).putInt(132, 0).putInt(136, 1024);
        bytes.putInt(144, 0).putInt(148, 512).putInt(152, 512);
        for (int i = 0; i < 1536; i++)
        {
            bytes.put(4096 + i, (byte)(i < 1024 ? 1 : 2));
        }
        final CRC32C crc = new CRC32C();
        crc.update(bytes.array());
        bytes.putInt(12, (int)crc.getValue());
        assertArrayEquals(bytes.array(), NativeMemory.bytes(memory.address(), BYTES));
        assertEquals(BYTES, entry.bytes());
    }

    @Test
    void shouldBeReadAsItWasMade()
    {
        make();
        assertTrue(isValid(superblock(ARRAY, EPOCH, 1 << 20), PLACE));
        assertEquals(List.of(SEQUENCE, 38L, 8704L, 2L), List.of(
            entry.sequence(), entry.tail(), entry.rowOffset(), (long)entry.stripCount()));
        assertEquals(List.of(2, 0, 1024, 0, 512, 512), List.of(
            entry.slot(0), entry.start(0), entry.length(0), entry.slot(1), entry.start(1), entry.length(1)));
    }

    @Test
    void shouldNotBeValidInAnotherArrayEpochOrPlace()
    {
        make();
        assertFalse(isValid(superblock(OTHER, EPOCH, 1 << 20), PLACE));
        make();
        assertFalse(isValid(superblock(ARRAY, EPOCH, 1 << 20).with(
            new JournalState(EPOCH, true, OTHER, PLACES)), PLACE));
        make();
        assertTrue(isValid(superblock(OTHER, EPOCH, 1 << 20).with(
            new JournalState(EPOCH, true, ARRAY, PLACES)), PLACE));
        make();
        assertFalse(isValid(superblock(ARRAY, EPOCH - 1, 1 << 20), PLACE));
        make();
        assertFalse(isValid(superblock(ARRAY, EPOCH, 1 << 20), PLACE + 1));
        make();
        assertFalse(isValid(superblock(ARRAY, EPOCH, 8192), PLACE));
    }

    @Test
    void shouldNotBeValidWhenAnyByteWasChanged()
    {
        for (int at = 0; at < BYTES; at++)
        {
            make();
            NativeMemory.putByte(memory.address() + at, (byte)(NativeMemory.getByte(memory.address() + at) ^ 0x10));
            final int changed = at;
            assertFalse(isValid(superblock(ARRAY, EPOCH, 1 << 20), PLACE), () -> "byte " + changed);
        }
    }

    @ParameterizedTest
    @CsvSource({"3, 0, 512, 1024", "-1, 0, 512, 1024", "0, 1024, 512, 1024", "0, -512, 512, 1024", "0, 0, 512, 8192",
        "0, 0, 512, 0"})
    void shouldNotBeValidWithStripsThatNoWriteHas(
        final int slot, final int start, final int length, final int rowBytes)
    {
        entry.initialize(ARRAY, EPOCH, SEQUENCE, 38, 0, rowBytes);
        fill(slot, start, length, (byte)1);
        entry.seal();
        assertFalse(isValid(superblock(ARRAY, EPOCH, 1 << 20), PLACE));
    }
}
