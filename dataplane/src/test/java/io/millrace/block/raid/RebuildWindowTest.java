package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import io.millrace.seed.TestSeeds;
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

/** Rebuilds of which a copy takes longer than those behind it. */
class RebuildWindowTest
{
    private static final int BLOCK = 4096;
    private static final int STRIP = 16 << 10;
    private static final int STRIP_BLOCKS = STRIP / BLOCK;
    private static final int MEMBER_BYTES = 2 << 20;
    private static final int CHUNK = 64 << 10;
    /** The strip of each member whose copy waits. */
    private static final int SLOW = 3;
    /** Longer than between two looks at what hosts do. */
    private static final long REST_NS = 150_000_000L;
    private static final int LOOKS = 3;
    /** The progress of a rebuild is stored at once. */
    private static final RaidTimes TIMES = new RaidTimes(2_000_000_000L, 1_000_000L);

    private final Random random = TestSeeds.random();
    private final RaidFixture fixture = new RaidFixture();
    private final DmaMemory arena = DmaMemory.map(CHUNK);
    private List<MemberDisk> disks = new ArrayList<>();
    private final List<HeldMember> members = new ArrayList<>();
    private PowerSupply supply;
    private RaidConfig config;
    private RaidDevice array;
    private Initiator host;
    private byte[] model;

    private void create(final RaidLevel level, final int memberCount, final int spareCount)
    {
        supply = new PowerSupply(random.nextLong());
        for (int i = 0; i < memberCount + spareCount; i++)
        {
            disks.add(MemberDisk.create("m" + i, RaidFixture.deviceBytes(MEMBER_BYTES), BLOCK, supply));
        }
        final List<String> names = disks.stream().map(MemberDisk::name).toList();
        config = new RaidConfig("array", level, STRIP, names.subList(0, memberCount),
            names.subList(memberCount, names.size()), false, false, false, new CopyRates(1L << 40, 1L << 40));
        model = new byte[(int)ArrayLayout.of(level, memberCount, STRIP, MEMBER_BYTES).dataBytes()];
        random.nextBytes(model);
        open();
        for (int offset = 0; offset < model.length; offset += CHUNK)
        {
            NativeMemory.asByteBuffer(arena.address(), CHUNK).put(model, offset, CHUNK);
            assertEquals(BlockStatus.SUCCESS,
                host.run(BlockOperation.WRITE, offset / BLOCK, CHUNK / BLOCK, false, arena.address(), CHUNK));
        }
        rest();
        members.forEach((each) -> each.reads().clear());
    }

    /**
     * The array's own work looks at what hosts do when it copies, unless it did so a moment ago: the first look may see
     * what hosts have written, those behind it see nothing.
     */
    private void rest()
    {
        for (int look = 0; look < LOOKS; look++)
        {
            LockSupport.parkNanos(REST_NS);
            ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
            array.intent().tear(0);
            ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
        }
    }

    private void open()
    {
        members.clear();
        disks.forEach((each) -> members.add(new HeldMember(each)));
        array = fixture.assemble(config, List.<BlockDevice>copyOf(members), TIMES);
        host = new Initiator("host", array);
    }

    private void closeArray()
    {
        members.forEach(HeldMember::letGo);
        closeHost();
        fixture.stop();
        array.close();
    }

    private void closeHost()
    {
        if (null != host)
        {
            host.close();
            host = null;
        }
    }

    /** The drives in their next life. */
    private void restart()
    {
        supply = new PowerSupply(random.nextLong());
        disks = new ArrayList<>(disks.stream().map((disk) -> disk.restart(supply)).toList());
    }

    @AfterEach
    void close()
    {
        closeArray();
        fixture.close();
        disks.forEach(MemberDisk::close);
        arena.close();
    }

    /** Slot 0 is rebuilt, and a strip of it waits for the member of slot 1. */
    private RaidMember rebuildHeld()
    {
        members.get(1).hold((asked, block) -> BlockOperation.READ == asked && block / STRIP_BLOCKS == SLOW);
        final long before = array.view().eventCount();
        RaidFixture.get(array.fail("m0"));
        ArrayFixture.await(() -> members.get(1).held() > 0, "held");
        // The last strip that has a place behind it.
        final long last = (SLOW + 2L * CopyWindow.COPIES_MAX - 1) * STRIP_BLOCKS;
        ArrayFixture.await(
            () -> members.stream().anyMatch((each) -> each.reads().contains(last)), "copied behind it");
        // The failure, the spare, and how far it is.
        ArrayFixture.await(() -> array.view().eventCount() >= before + 3, "stored");
        return array.view().member(0);
    }

    private void verify()
    {
        for (int offset = 0; offset < model.length; offset += CHUNK)
        {
            assertEquals(BlockStatus.SUCCESS,
                host.run(BlockOperation.READ, offset / BLOCK, CHUNK / BLOCK, false, arena.address(), CHUNK));
            assertArrayEquals(Arrays.copyOfRange(model, offset, offset + CHUNK),
                NativeMemory.bytes(arena.address(), CHUNK), "at " + offset);
        }
    }

    private void awaitRebuilt()
    {
        ArrayFixture.await(() -> array.view().isComplete(), "rebuilt, but " + array.status());
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID5,4", "RAID6,5", "EC3,6", "RAID10,4"})
    void shouldGoOnBehindACopyThatWaitsAndCountNothingOfThat(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount, 1);
        final RaidMember target = rebuildHeld();
        assertEquals((long)SLOW * STRIP, target.rebuiltBytes());
        members.get(1).letGo();
        awaitRebuilt();
        verify();
        disks.get(1).state(MemberState.FAILING);
        verify();
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID5,4", "RAID6,5", "EC3,6", "RAID10,4"})
    void shouldCopyAgainFromItsBeginningToAnotherSpare(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount, 2);
        final RaidMember target = rebuildHeld();
        final CompletableFuture<Void> failing = array.fail("m" + memberCount);
        members.get(1).letGo();
        RaidFixture.get(failing);
        awaitRebuilt();
        assertTrue(target != array.view().member(0));
        assertEquals("m" + (memberCount + 1), array.view().member(0).device().name());
        verify();
        disks.get(1).state(MemberState.FAILING);
        verify();
    }

    @ParameterizedTest
    @CsvSource({"RAID1,3", "RAID6,5", "EC3,6"})
    void shouldGoOnWithoutASourceThatFails(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount, 1);
        rebuildHeld();
        members.get(1).end(BlockStatus.DEVICE_ERROR);
        ArrayFixture.await(() -> SlotState.IN_SYNC == array.view().state(0), "rebuilt");
        assertEquals(SlotState.FAILED, array.view().state(1));
        verify();
        disks.get(2).state(MemberState.FAILING);
        verify();
    }

    /** The copies behind it are done again, and none of them is lost. */
    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID5,4", "RAID10,4"})
    void shouldLoseOneBlockOfACopyThatFailsLate(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount, 1);
        final RaidMember target = rebuildHeld();
        disks.get(1).failMedia((RaidChannel.dataOffsetBytes() + (long)SLOW * STRIP) / BLOCK + 1, 1);
        members.get(1).letGo();
        awaitRebuilt();
        assertEquals(1, target.lostBlocks().count());
        assertEquals((long)SLOW * STRIP + BLOCK, target.lostBlocks().first(0, 12));
        int unreadable = 0;
        for (int block = 0; block < model.length / BLOCK; block++)
        {
            unreadable += BlockStatus.MEDIA_ERROR ==
                host.run(BlockOperation.READ, block, 1, false, arena.address(), BLOCK) ? 1 : 0;
        }
        // With parity, that member's own, and what is computed of both.
        assertTrue(unreadable >= 1 && unreadable <= 2, unreadable + " blocks");
    }

    /** Writes of hosts go to the member that is rebuilt, wherever the rebuild is. */
    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID5,4", "RAID6,5", "EC3,6", "RAID10,4"})
    void shouldOrderWritesWithCopies(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount, 1);
        rebuildHeld();
        final List<Initiator.Io> writes = new ArrayList<>();
        // Before, at and behind the copy that waits: those that meet it wait for its rows.
        NativeMemory.fill(arena.address(), BLOCK, (byte)7);
        final int blocks = 64 * STRIP_BLOCKS;
        for (int block = 0; block < blocks; block += STRIP_BLOCKS)
        {
            Arrays.fill(model, block * BLOCK, (block + 1) * BLOCK, (byte)7);
            final Initiator.Io write = host.io();
            Initiator.fill(write.request(), BlockOperation.WRITE, block, 1, false, arena.address(), BLOCK);
            writes.add(write);
        }
        host.send(writes);
        ArrayFixture.await(() -> writes.stream().filter((each) -> each.result().isDone()).count() > 30, "written");
        members.get(1).letGo();
        writes.forEach((each) -> assertEquals(BlockStatus.SUCCESS, host.await(each)));
        awaitRebuilt();
        verify();
        disks.get(1).state(MemberState.FAILING);
        verify();
    }

    /** It had reached the source of the copy, where hosts read it: they read the same until members match, and then. */
    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID1,3", "RAID10,4"})
    void shouldKeepWhatHostsHaveReadOfAWriteThatEndedBehindItsCopy(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount, 1);
        rebuildHeld();
        // Two strips behind the copy that waits.
        final long memberBlock = (SLOW + 2) * STRIP_BLOCKS;
        final int block = (int)(array.layout().strip(0, SLOW + 2) * STRIP_BLOCKS);
        members.get(memberCount).hold((asked, first) -> BlockOperation.WRITE == asked && memberBlock == first);
        Arrays.fill(model, block * BLOCK, (block + 1) * BLOCK, (byte)7);
        NativeMemory.fill(arena.address(), BLOCK, (byte)7);
        try (Initiator other = new Initiator("other", array))
        {
            final Initiator.Io write = other.io();
            Initiator.fill(write.request(), BlockOperation.WRITE, block, 1, false, arena.address(), BLOCK);
            final long writes = disks.get(1).writes();
            other.send(write);
            ArrayFixture.await(() -> members.get(memberCount).held() > 0 && disks.get(1).writes() > writes, "written");
            other.closeChannel();
            assertEquals(BlockStatus.ABORTED, other.await(write));
        }
        assertTrue(array.intent().needsResync(array.intent().region(memberBlock * BLOCK)));
        assertEquals(BlockStatus.SUCCESS,
            host.run(BlockOperation.READ, block, 1, false, arena.address(), BLOCK));
        assertEquals(7, NativeMemory.getByte(arena.address()));
        members.get(memberCount).letGo();
        members.get(1).letGo();
        awaitRebuilt();
        ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
        verify();
        disks.get(1).state(MemberState.FAILING);
        verify();
    }

    /** Power is cut while copies behind one that waits are done, and some in a cache that is lost. */
    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID5,4", "RAID6,5", "EC3,6", "RAID10,4"})
    void shouldGoOnFromWhatIsStableAfterACrash(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount, 1);
        rebuildHeld();
        closeHost();
        fixture.cut(supply);
        closeArray();
        restart();
        try (MemberIo io = new MemberIo(null))
        {
            final long stored =
                FoundMember.read(io, disks.get(1)).superblock().slots().getFirst().rebuiltBytes();
            assertTrue(stored <= (long)SLOW * STRIP, () -> "rebuilt up to " + stored);
        }
        open();
        awaitRebuilt();
        verify();
        disks.get(1).state(MemberState.FAILING);
        verify();
    }

    @Test
    void shouldKeepTheRate()
    {
        create(RaidLevel.RAID1, 2, 1);
        final long bytesPerS = MEMBER_BYTES / 4;
        array.copyRates(new CopyRates(bytesPerS, bytesPerS));
        final long start = System.nanoTime();
        RaidFixture.get(array.fail("m0"));
        awaitRebuilt();
        // As many as may be under way begin at once.
        final long paced = MEMBER_BYTES - 2L * CopyWindow.COPIES_MAX * STRIP;
        assertTrue(System.nanoTime() - start >= paced * 1_000_000_000L / bytesPerS);
    }

    @Test
    void shouldStopWhileCopiesAreUnderWay()
    {
        create(RaidLevel.RAID1, 2, 1);
        rebuildHeld();
        members.get(1).letGo();
        closeArray();
        restart();
        open();
        awaitRebuilt();
        verify();
        disks.get(1).state(MemberState.FAILING);
        verify();
    }
}
