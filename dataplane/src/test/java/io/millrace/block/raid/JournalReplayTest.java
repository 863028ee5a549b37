package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.block.raid.format.JournalEntry;
import io.millrace.block.raid.format.JournalPlaces;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.format.Superblock;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Arrays that are assembled of members with entries in their journals. */
class JournalReplayTest
{
    private static final int MEMBERS = 5;
    private static final int STRIP_BYTES = 16 << 10;
    private static final int BLOCK = 4096;
    private static final long MEMBER_BYTES = 1 << 20;
    private static final int PAYLOAD_BYTES_OFFSET = 72;
    private static final JournalPlaces PLACES = JournalPlaces.of(MEMBERS, STRIP_BYTES);

    private final Random random = TestSeeds.random();
    private final RaidFixture fixture = new RaidFixture();
    private final DmaMemory memory = DmaMemory.map(1 << 20);
    private List<MemberDisk> disks = new ArrayList<>();
    private RaidDevice array;

    @BeforeEach
    void create()
    {
        final PowerSupply supply = new PowerSupply(random.nextLong());
        for (int i = 0; i < MEMBERS; i++)
        {
            disks.add(MemberDisk.create("d" + i, RaidFixture.deviceBytes(MEMBER_BYTES), BLOCK, supply));
        }
        open(disks);
        stop();
    }

    @AfterEach
    void close()
    {
        stop();
        fixture.close();
        disks.forEach(MemberDisk::close);
        memory.close();
    }

    private void open(final List<MemberDisk> present)
    {
        final List<String> names = disks.stream().map(MemberDisk::name).toList();
        array = fixture.assemble(new RaidConfig("array", RaidLevel.RAID6, STRIP_BYTES, names, List.of(), true, false,
            false, CopyRates.DEFAULT, JournalMode.ALWAYS), List.<BlockDevice>copyOf(present));
    }

    private void stop()
    {
        fixture.stop();
        if (null != array)
        {
            array.close();
            array = null;
            final PowerSupply supply = new PowerSupply(random.nextLong());
            disks = new ArrayList<>(disks.stream().map((disk) -> disk.restart(supply)).toList());
        }
    }

    private void io(final int disk, final BlockOperation operation, final long offset, final int length)
    {
        try (Initiator initiator = new Initiator("direct", disks.get(disk)))
        {
            assertEquals(BlockStatus.SUCCESS, initiator.run(
                operation, offset / BLOCK, length / BLOCK, false, memory.address(), length));
        }
    }

    private Superblock superblock()
    {
        io(0, BlockOperation.READ, 0, BLOCK);
        return Superblock.decode(new UnsafeBuffer(NativeMemory.bytes(memory.address(), BLOCK)), 0);
    }

    /** An entry that writes a block of each slot, in the memory. */
    private JournalEntry entry(
        final Superblock superblock,
        final long epoch,
        final long sequence,
        final long tail,
        final int row,
        final int value)
    {
        final JournalEntry entry = new JournalEntry().wrap(memory.address())
            .initialize(superblock.array(), epoch, sequence, tail, (long)row * BLOCK, BLOCK);
        for (int slot = 0; slot < MEMBERS; slot++)
        {
            NativeMemory.fill(entry.add(slot, 0, BLOCK), BLOCK, (byte)(value + slot));
        }
        entry.seal();
        return entry;
    }

    private void store(final int disk, final JournalEntry entry)
    {
        io(disk, BlockOperation.WRITE, PLACES.offset(PLACES.place(entry.sequence())), entry.bytes());
    }

    private void store(
        final int disk, final long sequence, final long tail, final int row, final int value)
    {
        final Superblock superblock = superblock();
        store(disk, entry(superblock, superblock.journal().epoch(), sequence, tail, row, value));
    }

    /** What a row has on each member: the value of slot 0; -1: they have not all been written. */
    private int value(final int row)
    {
        int value = 0;
        for (int disk = 0; disk < MEMBERS; disk++)
        {
            io(disk, BlockOperation.READ, RaidChannel.dataOffsetBytes() + (long)row * BLOCK, BLOCK);
            final int here = NativeMemory.getByte(memory.address() + BLOCK - 1);
            value = 0 == disk ? here : 0 == here && 0 == value || here == value + disk ? value : -1;
        }
        return value;
    }

    @Test
    void shouldReplayEntriesFromTheHighestTailOnInTheirOrder()
    {
        store(0, 3, 0, 0, 10);
        store(1, 4, 4, 1, 20);
        store(2, 6, 4, 2, 40);
        store(3, 5, 4, 2, 30);
        open(disks);
        stop();
        assertEquals(List.of(0, 20, 40), List.of(value(0), value(1), value(2)));
    }

    @Test
    void shouldReplayOnceOnly()
    {
        store(0, 5, 5, 1, 20);
        open(disks);
        stop();
        assertEquals(20, value(1));
        for (int disk = 0; disk < MEMBERS; disk++)
        {
            NativeMemory.fill(memory.address(), BLOCK, (byte)0);
            io(disk, BlockOperation.WRITE, RaidChannel.dataOffsetBytes() + BLOCK, BLOCK);
        }
        open(disks);
        stop();
        assertEquals(0, value(1));
    }

    @Test
    void shouldUseAnotherCopyOfADamagedEntryAndNoneOfOneWithoutACopy()
    {
        store(1, 7, 6, 1, 20);
        final Superblock superblock = superblock();
        final JournalEntry entry = entry(superblock, superblock.journal().epoch(), 7, 6, 1, 50);
        NativeMemory.putByte(memory.address() + entry.bytes() - 1, (byte)0);
        store(0, entry);
        store(2, 8, 6, 3, 60);
        io(2, BlockOperation.READ, PLACES.offset(8), BLOCK);
        NativeMemory.putByte(memory.address() + 48, (byte)8);
        io(2, BlockOperation.WRITE, PLACES.offset(8), BLOCK);
        store(3, 9, 6, 2, 40);
        open(disks);
        stop();
        assertEquals(List.of(20, 40, 0), List.of(value(1), value(2), value(3)));
    }

    @Test
    void shouldNotReplayEntriesOfAnotherEpoch()
    {
        final Superblock superblock = superblock();
        store(0, entry(superblock, superblock.journal().epoch() - 1, 2, 2, 1, 20));
        store(1, entry(superblock, superblock.journal().epoch() + 1, 3, 3, 2, 30));
        open(disks);
        stop();
        assertEquals(List.of(0, 0), List.of(value(1), value(2)));
    }

    @Test
    void shouldReplayToTheMembersThatAreLeft()
    {
        store(1, 5, 5, 1, 20);
        open(disks.subList(1, MEMBERS));
        assertTrue(array.view().isJournaling());
        stop();
        io(0, BlockOperation.READ, RaidChannel.dataOffsetBytes() + BLOCK, BLOCK);
        assertEquals(0, NativeMemory.getByte(memory.address()));
        io(3, BlockOperation.READ, RaidChannel.dataOffsetBytes() + BLOCK, BLOCK);
        assertEquals(23, NativeMemory.getByte(memory.address()));
    }

    @Test
    void shouldLeaveOutAMemberWhoseJournalCannotBeReadOrThatCannotBeWritten()
    {
        store(1, 5, 5, 1, 20);
        disks.get(0).failMedia(PLACES.offset(2) / BLOCK, 1);
        disks.get(2).refuseWrites();
        open(disks);
        assertEquals(List.of("d1", "d3", "d4"), IntStream.range(0, MEMBERS)
            .filter((slot) -> array.view().isWritable(slot)).mapToObj((slot) -> array.view().member(slot).toString())
            .toList());
        assertTrue(array.status().reason().contains("d0"), array.status().reason());
        stop();
        io(3, BlockOperation.READ, RaidChannel.dataOffsetBytes() + BLOCK, BLOCK);
        assertEquals(23, NativeMemory.getByte(memory.address()));
    }

    @Test
    void shouldLeaveOutAMemberWhoseEntryCannotBeRead()
    {
        store(0, 5, 5, 1, 20);
        store(1, 5, 5, 1, 20);
        disks.get(0).failMedia(PLACES.offset(5) / BLOCK + MEMBERS, 1);
        open(disks);
        assertEquals(SlotState.FAILED, array.view().state(0));
        stop();
        io(3, BlockOperation.READ, RaidChannel.dataOffsetBytes() + BLOCK, BLOCK);
        assertEquals(23, NativeMemory.getByte(memory.address()));
    }

    /** What is behind their headers is not read, and need not be readable. */
    @Test
    void shouldReadOnlyTheHeadersOfPlacesWithoutAnEntryOfTheEpoch()
    {
        final Superblock superblock = superblock();
        store(0, entry(superblock, superblock.journal().epoch() - 1, 2, 2, 1, 20));
        disks.get(0).failMedia(PLACES.offset(2) / BLOCK + 1, 1);
        disks.get(1).failMedia(PLACES.offset(2) / BLOCK + 1, 1);
        open(disks);
        assertTrue(array.view().isComplete());
    }

    @ParameterizedTest
    @ValueSource(ints = {100, BLOCK + 100, 1 << 30, Integer.MAX_VALUE, -BLOCK, Integer.MIN_VALUE})
    void shouldReadWholeBlocksOfItsPlaceWhateverADamagedHeaderSays(final int payloadBytes)
    {
        store(0, 5, 5, 1, 20);
        io(0, BlockOperation.READ, PLACES.offset(5), BLOCK);
        NativeMemory.putInt(memory.address() + PAYLOAD_BYTES_OFFSET, payloadBytes);
        io(0, BlockOperation.WRITE, PLACES.offset(5), BLOCK);
        open(disks);
        assertTrue(array.view().isComplete());
    }

    @Test
    void shouldWriteNothingWhenTooFewMembersAreThere()
    {
        store(1, 5, 5, 1, 20);
        assertThrows(BlockDeviceException.class, () -> open(disks.subList(3, MEMBERS)));
        assertEquals(0, value(1));
    }
}
