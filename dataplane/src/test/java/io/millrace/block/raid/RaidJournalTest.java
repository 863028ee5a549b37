package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import io.millrace.seed.TestSeeds;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When arrays with parity journal, and writes of several reactors that do. */
class RaidJournalTest
{
    private static final int STRIP_BYTES = 64 << 10;
    private static final int BLOCK = 4096;
    private static final long MEMBER_BYTES = 2 << 20;
    private static final int CHUNK_BYTES = 64 << 10;
    private static final long SETTLED_NS = 30_000_000;
    /** Of an entry of the journal, as the next two. */
    private static final int EPOCH_OFFSET = 32;
    private static final int SEQUENCE_OFFSET = 40;
    private static final int STRIP_COUNT_OFFSET = 68;

    private final Random random = TestSeeds.random();
    private final RaidFixture fixture = new RaidFixture();
    private final DmaMemory arena = DmaMemory.map(1 << 20);
    private List<MemberDisk> disks = new ArrayList<>();
    private RaidLevel level;
    private int memberCount;
    private byte[] model;
    private RaidDevice array;
    private Initiator initiator;

    @AfterEach
    void close()
    {
        closeArray();
        fixture.close();
        disks.forEach(MemberDisk::close);
        arena.close();
    }

    private void create(final RaidLevel ofLevel, final int members, final int spares)
    {
        level = ofLevel;
        memberCount = members;
        final PowerSupply supply = new PowerSupply(random.nextLong());
        for (int i = 0; i < members + spares; i++)
        {
            disks.add(MemberDisk.create("d" + i, RaidFixture.deviceBytes(MEMBER_BYTES), BLOCK, supply));
        }
        model = new byte[(int)ArrayLayout.of(level, members, STRIP_BYTES, MEMBER_BYTES).dataBytes()];
        open();
    }

    private void open()
    {
        final List<String> names = disks.stream().map(MemberDisk::name).toList();
        array = fixture.assemble(new RaidConfig("array", level, STRIP_BYTES, names.subList(0, memberCount),
            names.subList(memberCount, names.size()), true, false, false, CopyRates.DEFAULT),
            List.<BlockDevice>copyOf(disks));
        initiator = new Initiator("host", array);
    }

    private void restart()
    {
        closeArray();
        final PowerSupply supply = new PowerSupply(random.nextLong());
        disks = new ArrayList<>(disks.stream().map((disk) -> disk.restart(supply)).toList());
        open();
    }

    private void closeArray()
    {
        if (null != initiator)
        {
            initiator.close();
            initiator = null;
        }
        fixture.stop();
        if (null != array)
        {
            array.close();
            array = null;
        }
    }

    private Initiator.Io write(final int offset, final int length)
    {
        final byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        System.arraycopy(bytes, 0, model, offset, length);
        NativeMemory.asByteBuffer(arena.address(), length).put(bytes);
        final Initiator.Io io = initiator.io();
        Initiator.fill(
            io.request(), BlockOperation.WRITE, offset / BLOCK, length / BLOCK, false, arena.address(), length);
        initiator.send(io);
        return io;
    }

    private void writeAnywhere(final int count)
    {
        for (int i = 0; i < count; i++)
        {
            final int blocks = 1 + random.nextInt(3 * CHUNK_BYTES / BLOCK);
            assertEquals(BlockStatus.SUCCESS, initiator.await(
                write(random.nextInt(model.length / BLOCK - blocks + 1) * BLOCK, blocks * BLOCK)));
        }
    }

    private void verify()
    {
        for (int offset = 0; offset < model.length; offset += CHUNK_BYTES)
        {
            assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.READ, offset / BLOCK, CHUNK_BYTES / BLOCK,
                false, arena.address(), CHUNK_BYTES));
            assertArrayEquals(Arrays.copyOfRange(model, offset, offset + CHUNK_BYTES),
                NativeMemory.bytes(arena.address(), CHUNK_BYTES), "at " + offset);
        }
    }

    private void degrade()
    {
        disks.get(1).state(MemberState.FAILING);
        writeAnywhere(2 * memberCount);
        ArrayFixture.await(() -> array.view().isJournaling(), "journaling");
    }

    @ParameterizedTest
    @CsvSource({"RAID5,3", "RAID5,5", "RAID6,4", "RAID6,6", "RAID6_Q_LAST,5", "EC3,5", "EC3,6"})
    void shouldJournalWhileASlotIsNotInSync(final RaidLevel ofLevel, final int members)
    {
        create(ofLevel, members, 1);
        writeAnywhere(10);
        assertFalse(array.view().isJournaling());
        assertEquals(0, array.journal().tail());
        disks.get(1).state(MemberState.FAILING);
        disks.get(members).state(MemberState.FAILING);
        writeAnywhere(20);
        ArrayFixture.await(() -> array.view().isJournaling(), "journaling");
        writeAnywhere(3 * array.journal().places().placeCount());
        assertTrue(array.journal().tail() > array.journal().places().placeCount());
        verify();
        final long epoch = array.view().journalEpoch();
        restart();
        verify();
        ArrayFixture.await(() -> array.view().isComplete() || epoch < array.view().journalEpoch(), "of another epoch");
        ArrayFixture.await(() -> array.view().isComplete(), "rebuilt");
        assertFalse(array.view().isJournaling());
        final long entries = array.journal().tail();
        writeAnywhere(10);
        assertEquals(entries, array.journal().tail());
        verify();
    }

    @ParameterizedTest
    @CsvSource({"RAID5,4", "RAID6,5", "EC3,6"})
    void shouldServeTwoReactorsWhileDegraded(final RaidLevel ofLevel, final int members)
    {
        create(ofLevel, members, 0);
        degrade();
        final int half = model.length / 2 / CHUNK_BYTES * CHUNK_BYTES;
        try (Initiator other = new Initiator("other", array); DmaMemory otherArena = DmaMemory.map(1 << 20))
        {
            final long seed = random.nextLong();
            final CompletableFuture<Void> beside =
                CompletableFuture.runAsync(() -> writeHalf(other, otherArena, new Half(seed, half, model.length)));
            writeHalf(initiator, arena, new Half(random.nextLong(), 0, half));
            beside.join();
        }
        verify();
        assertFalse(array.journal().isPinned());
        restart();
        verify();
    }

    private record Half(long seed, int from, int to)
    {
    }

    /** With many writes outstanding, so that they wait for places. */
    private void writeHalf(final Initiator host, final DmaMemory memory, final Half half)
    {
        final Random own = TestSeeds.fixed(half.seed);
        for (int round = 0; round < 40; round++)
        {
            final List<Initiator.Io> ios = new ArrayList<>();
            for (int i = 0; i < 16; i++)
            {
                // Each in a range of its own.
                final int range = (half.to - half.from) / 16 / BLOCK * BLOCK;
                final int blocks = 1 + own.nextInt(Math.min(16, range / BLOCK));
                final int offset = half.from + i * range + own.nextInt(range / BLOCK - blocks + 1) * BLOCK;
                final byte[] bytes = new byte[blocks * BLOCK];
                own.nextBytes(bytes);
                System.arraycopy(bytes, 0, model, offset, bytes.length);
                final long address = memory.address() + (long)i * CHUNK_BYTES;
                NativeMemory.asByteBuffer(address, bytes.length).put(bytes);
                final Initiator.Io io = host.io();
                Initiator.fill(
                    io.request(), BlockOperation.WRITE, offset / BLOCK, blocks, false, address, bytes.length);
                host.send(io);
                ios.add(io);
            }
            ios.forEach((io) -> assertEquals(BlockStatus.SUCCESS, host.await(io)));
        }
    }

    @Test
    void shouldJournalAWriteInPartsThatWasBegunWithMoreRowsThanAnEntryHas()
    {
        create(RaidLevel.RAID5, 4, 0);
        writeAnywhere(20);
        final int unit = array.journal().places().rowUnitBytes();
        assertTrue(unit < STRIP_BYTES);
        // Its first strip is written, and the two others are read for that.
        disks.get(1).state(MemberState.HANGING);
        final Initiator.Io io = write(0, STRIP_BYTES);
        ArrayFixture.await(() -> disks.get(2).reads() > 0, "read");
        disks.get(1).state(MemberState.FAILING);
        assertEquals(BlockStatus.SUCCESS, initiator.await(io));
        // Buffers of the channel may have room for even fewer.
        assertTrue(array.journal().tail() >= STRIP_BYTES / unit, () -> "entries: " + array.journal().tail());
        verify();
    }

    @Test
    void shouldWaitForWritesThatAreNotJournaledBeforeSuperblocksSayThatAMemberFailed()
    {
        create(RaidLevel.RAID5, 4, 0);
        final WriteGate gate = array.gates().add();
        assertTrue(gate.enter());
        disks.get(1).state(MemberState.FAILING);
        final Initiator.Io io = write(0, 3 * STRIP_BYTES);
        ArrayFixture.await(() -> array.gates().isClosed(), "quiescing");
        LockSupport.parkNanos(SETTLED_NS);
        assertTrue(array.view().isComplete());
        assertFalse(gate.enter());
        gate.leave();
        assertEquals(BlockStatus.SUCCESS, initiator.await(io));
        assertTrue(array.view().isJournaling());
        ArrayFixture.await(() -> !array.gates().isClosed(), "open");
        assertTrue(gate.enter());
        gate.leave();
        verify();
    }

    @ParameterizedTest
    @CsvSource({"RAID5,4,0,2", "RAID5,4,1,1", "RAID6,5,0,3", "RAID6,5,1,2", "RAID6,5,2,1", "EC3,6,0,4", "EC3,6,2,2"})
    void shouldLogOnOneMemberMoreThanMayStillFail(
        final RaidLevel ofLevel, final int members, final int failed, final int copies)
    {
        try (ArrayFixture logging = new ArrayFixture(random, ofLevel, members, 0, JournalMode.ALWAYS);
            MemberIo io = new MemberIo(null))
        {
            for (int slot = 0; slot < failed; slot++)
            {
                RaidFixture.get(logging.array().fail("d" + slot));
            }
            logging.write(0, BLOCK);
            final Journal journal = logging.array().journal();
            final long sequence = journal.tail() - 1;
            int found = 0;
            for (int slot = failed; slot < members; slot++)
            {
                try (MemberIo.Member member = io.open(logging.disk(slot)))
                {
                    final byte[] header =
                        member.read(journal.places().offset(journal.places().place(sequence)), BLOCK);
                    found += sequence == ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN)
                        .getLong(SEQUENCE_OFFSET) ? 1 : 0;
                }
            }
            assertEquals(copies, found);
        }
    }

    @Test
    void shouldReadNothingAndLogDataAloneWhereNoParityIsLeft()
    {
        try (ArrayFixture logging = new ArrayFixture(random, RaidLevel.RAID5, 4, 0);
            MemberIo io = new MemberIo(null))
        {
            // Parity of the first stripe.
            RaidFixture.get(logging.array().fail("d3"));
            final long reads = logging.disk(0).reads() + logging.disk(1).reads() + logging.disk(2).reads();
            logging.write(0, BLOCK);
            assertEquals(reads, logging.disk(0).reads() + logging.disk(1).reads() + logging.disk(2).reads());
            // The first entry is on the first member in sync.
            try (MemberIo.Member member = io.open(logging.disk(0)))
            {
                final ByteBuffer header = ByteBuffer.wrap(
                    member.read(logging.array().journal().places().offset(0), BLOCK)).order(ByteOrder.LITTLE_ENDIAN);
                assertEquals(logging.array().view().journalEpoch(), header.getLong(EPOCH_OFFSET));
                assertEquals(1, header.getInt(STRIP_COUNT_OFFSET));
            }
        }
    }
}
