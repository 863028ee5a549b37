package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.DeviceHealth;
import io.millrace.block.Initiator;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Members that fail, spares, rebuilding, and what is assembled afterwards. */
class RaidFailureTest
{
    private static final int STRIP_BYTES = 16 << 10;
    private static final int BLOCK_BYTES = 4096;
    private static final long MEMBER_BYTES = 2 << 20;
    private static final int CHUNK_BYTES = 64 << 10;
    private static final long PATIENCE_NS = 30_000_000_000L;
    /** So that no bitmap flushes what was copied. */
    private static final RaidTimes UNHURRIED = new RaidTimes(3_600_000_000_000L, 3_600_000_000_000L);

    private final Random random = TestSeeds.random();
    private final RaidFixture fixture = new RaidFixture();
    private final DmaMemory arena = DmaMemory.map(1 << 20);
    private List<MemberDisk> disks = new ArrayList<>();
    private byte[] model;
    private RaidTimes times = RaidTimes.DEFAULT;
    private CopyRates copyRates = CopyRates.DEFAULT;
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

    private void create(final RaidLevel level, final int memberCount, final int spareCount)
    {
        final PowerSupply supply = new PowerSupply(random.nextLong());
        for (int i = 0; i < memberCount + spareCount; i++)
        {
            disks.add(MemberDisk.create("d" + i, RaidFixture.deviceBytes(MEMBER_BYTES), BLOCK_BYTES, supply));
        }
        model = new byte[(int)ArrayLayout.of(level, memberCount, STRIP_BYTES, MEMBER_BYTES).dataBytes()];
        open(config(level, memberCount, false), disks);
        for (int offset = 0; offset < model.length; offset += CHUNK_BYTES)
        {
            write(offset, CHUNK_BYTES);
        }
    }

    private RaidConfig config(final RaidLevel level, final int memberCount, final boolean forceStart)
    {
        final List<String> names = disks.stream().map(MemberDisk::name).toList();
        return new RaidConfig("array", level, STRIP_BYTES, names.subList(0, memberCount),
            names.subList(memberCount, names.size()), false, false, forceStart, copyRates);
    }

    private void open(final RaidConfig config, final List<? extends BlockDevice> devices)
    {
        array = fixture.assemble(config, new ArrayList<>(devices), times);
        initiator = new Initiator("host", array);
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

    /** The drives in their next life; those left out are gone. */
    private List<MemberDisk> restart(final int... gone)
    {
        closeArray();
        final PowerSupply supply = new PowerSupply(random.nextLong());
        disks = new ArrayList<>(disks.stream().map((disk) -> disk.restart(supply)).toList());
        final List<MemberDisk> left = new ArrayList<>(disks);
        for (final int index : gone)
        {
            left.remove(disks.get(index));
        }
        return left;
    }

    private void write(final int offset, final int length)
    {
        final byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        System.arraycopy(bytes, 0, model, offset, length);
        NativeMemory.asByteBuffer(arena.address(), length).put(bytes);
        assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.WRITE, offset / BLOCK_BYTES,
            length / BLOCK_BYTES, false, arena.address(), length));
    }

    private void writeAnywhere(final int count)
    {
        for (int i = 0; i < count; i++)
        {
            final int blocks = 1 + random.nextInt(CHUNK_BYTES / BLOCK_BYTES);
            write(random.nextInt(model.length / BLOCK_BYTES - blocks + 1) * BLOCK_BYTES, blocks * BLOCK_BYTES);
        }
    }

    private void verify()
    {
        final byte[] bytes = new byte[CHUNK_BYTES];
        final byte[] expected = new byte[CHUNK_BYTES];
        for (int offset = 0; offset < model.length; offset += CHUNK_BYTES)
        {
            final int at = offset;
            assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.READ, offset / BLOCK_BYTES,
                CHUNK_BYTES / BLOCK_BYTES, false, arena.address(), CHUNK_BYTES), () -> "read at " + at);
            NativeMemory.asByteBuffer(arena.address(), CHUNK_BYTES).get(bytes);
            System.arraycopy(model, offset, expected, 0, CHUNK_BYTES);
            assertArrayEquals(expected, bytes, () -> "at " + at);
        }
    }

    private static void await(final BooleanSupplier condition, final String what)
    {
        final long deadlineNs = System.nanoTime() + PATIENCE_NS;
        while (!condition.getAsBoolean())
        {
            assertTrue(System.nanoTime() - deadlineNs < 0, () -> "never " + what);
            LockSupport.parkNanos(100_000);
        }
    }

    private void awaitHealth(final DeviceHealth health)
    {
        await(() -> health == array.status().health(), health + ", but " + array.status());
    }

    private void awaitResynced()
    {
        await(() -> array.intent().nextResync(0) < 0, "resynchronized");
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2,1", "RAID1,3,2", "RAID5,3,1", "RAID5,5,1", "RAID6,4,2", "RAID6,6,2", "RAID6_Q_LAST,6,2",
        "EC3,5,3", "EC3,7,3",
        "RAID10,4,1", "RAID10,5,1"})
    void shouldServeWithoutAsManyMembersAsItsLevelTolerates(
        final RaidLevel level, final int memberCount, final int tolerated)
    {
        create(level, memberCount, 0);
        awaitResynced();
        for (int failed = 0; failed < tolerated; failed++)
        {
            disks.get((failed * 2 + 1) % memberCount).state(MemberState.FAILING);
            writeAnywhere(20);
            verify();
        }
        assertEquals(DeviceHealth.DEGRADED, array.status().health());
        // What remains is still right, and says which members are not.
        final List<MemberDisk> left = restart();
        open(config(level, memberCount, false), left);
        verify();
    }

    @ParameterizedTest
    @CsvSource({"RAID0,3,1", "RAID1,2,2", "RAID5,4,2", "RAID6,5,3", "EC3,6,4"})
    void shouldFailWhenItLosesMore(final RaidLevel level, final int memberCount, final int lost)
    {
        create(level, memberCount, 0);
        for (int i = 0; i < lost; i++)
        {
            disks.get(i).state(MemberState.FAILING);
        }
        BlockStatus status = BlockStatus.SUCCESS;
        for (int i = 0; i < 100 && BlockStatus.SUCCESS == status; i++)
        {
            status = initiator.run(BlockOperation.WRITE, i * 16, 16, false, arena.address(), 16 * BLOCK_BYTES);
        }
        assertEquals(BlockStatus.DEVICE_ERROR, status);
        awaitHealth(DeviceHealth.FAILED);
        assertEquals(BlockStatus.DEVICE_ERROR,
            initiator.run(BlockOperation.READ, 0, 1, false, arena.address(), BLOCK_BYTES));
        // Which drives to look at: superblocks and slots stay as they were.
        final String reason = array.status().reason();
        for (int i = 0; i < memberCount; i++)
        {
            assertEquals(i < lost, reason.contains("slot " + i + " ("), reason);
        }
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID5,4", "RAID6,5", "EC3,6", "RAID10,4", "RAID10,3"})
    void shouldRebuildASpareWhileItIsWritten(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount, 1);
        awaitResynced();
        disks.get(1).state(MemberState.FAILING);
        do
        {
            writeAnywhere(4);
        }
        while (DeviceHealth.ONLINE != array.status().health() || !array.view().isComplete() || 1 == array.view().slotOf(
            array.raidMembers().get(1)));
        verify();
        // The spare has all that the failed member had: another one may fail now.
        disks.get(0).state(MemberState.FAILING);
        writeAnywhere(10);
        verify();
        open(config(level, memberCount, false), restart());
        verify();
    }

    @Test
    void shouldNotUseAMemberThatMissedWrites()
    {
        create(RaidLevel.RAID1, 2, 0);
        awaitResynced();
        disks.get(1).state(MemberState.FAILING);
        writeAnywhere(20);
        final List<MemberDisk> left = restart();
        open(config(RaidLevel.RAID1, 2, false), left);
        verify();
        // It came back as a spare, and was rebuilt.
        awaitHealth(DeviceHealth.ONLINE);
        disks.get(0).state(MemberState.FAILING);
        verify();
    }

    /** Hosts have read what the member had that failed. */
    @Test
    void shouldHaveWhatAResyncWroteStableBeforeAMemberHasFailed()
    {
        times = UNHURRIED;
        final PowerSupply supply = new PowerSupply(random.nextLong());
        for (int i = 0; i < 2; i++)
        {
            disks.add(MemberDisk.create("d" + i, RaidFixture.deviceBytes(MEMBER_BYTES), BLOCK_BYTES, supply));
        }
        disks.forEach(this::fill);
        open(config(RaidLevel.RAID1, 2, false), disks);
        awaitResynced();
        model = read();
        disks.get(0).state(MemberState.FAILING);
        writeAgain();
        assertEquals(SlotState.FAILED, array.view().state(0));
        initiator.close();
        initiator = null;
        fixture.cut(supply);
        open(config(RaidLevel.RAID1, 2, false), restart(0));
        verify();
    }

    /** Writes a block with what it has. */
    private void writeAgain()
    {
        NativeMemory.asByteBuffer(arena.address(), BLOCK_BYTES).put(model, 0, BLOCK_BYTES);
        assertEquals(BlockStatus.SUCCESS,
            initiator.run(BlockOperation.WRITE, 0, 1, false, arena.address(), BLOCK_BYTES));
    }

    /** Random data, which is stable. */
    private void fill(final MemberDisk disk)
    {
        final byte[] bytes = new byte[CHUNK_BYTES];
        try (MemberIo io = new MemberIo(null);
            MemberIo.Member open = io.open(disk))
        {
            for (int offset = 0; offset < MEMBER_BYTES; offset += CHUNK_BYTES)
            {
                random.nextBytes(bytes);
                open.write(RaidChannel.dataOffsetBytes() + offset, bytes);
            }
        }
    }

    private byte[] read()
    {
        final byte[] bytes = new byte[(int)array.geometry().sizeBytes()];
        for (int offset = 0; offset < bytes.length; offset += CHUNK_BYTES)
        {
            assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.READ, offset / BLOCK_BYTES,
                CHUNK_BYTES / BLOCK_BYTES, false, arena.address(), CHUNK_BYTES));
            NativeMemory.asByteBuffer(arena.address(), CHUNK_BYTES).get(bytes, offset, CHUNK_BYTES);
        }
        return bytes;
    }

    @Test
    void shouldRefuseHalfAMirrorThatMayBeTheOlderOne()
    {
        create(RaidLevel.RAID1, 2, 0);
        awaitResynced();
        final List<MemberDisk> left = restart(1);
        final BlockDeviceException refusal = assertThrows(
            BlockDeviceException.class, () -> open(config(RaidLevel.RAID1, 2, false), left));
        assertTrue(refusal.getMessage().contains("may have gone on without the others"), refusal.getMessage());
        open(config(RaidLevel.RAID1, 2, true), left);
        verify();
    }

    @Test
    void shouldCountWhatHostsDoSoThatCopyingLeavesThemRoom()
    {
        create(RaidLevel.RAID1, 2, 0);
        final long created = array.hostBytes();
        assertTrue(created >= (long)model.length / CHUNK_BYTES * CopyRate.REQUEST_BYTES_MIN, created + " bytes");
        awaitResynced();
        assertEquals(created, array.hostBytes());
        write(0, BLOCK_BYTES);
        initiator.close();
        assertEquals(created + CopyRate.REQUEST_BYTES_MIN, array.hostBytes());
        initiator = new Initiator("host", array);
        verify();
        assertTrue(array.hostBytes() > created + model.length, array.hostBytes() + " bytes");
    }

    @Test
    void shouldStartWithoutAMemberThatCannotHaveGoneOnAlone()
    {
        create(RaidLevel.RAID5, 4, 0);
        awaitResynced();
        open(config(RaidLevel.RAID5, 4, false), restart(2));
        verify();
        assertEquals(DeviceHealth.DEGRADED, array.status().health());
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID5,4", "RAID6,5", "EC3,6", "RAID10,4"})
    void shouldReadAroundBlocksThatAMemberCannotRead(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount, 0);
        awaitResynced();
        for (int i = 0; i < memberCount; i += 2)
        {
            disks.get(i).failMedia(RaidChannel.dataOffsetBytes() / BLOCK_BYTES + 32L * i, 3);
        }
        verify();
        writeAnywhere(40);
        verify();
        assertEquals(DeviceHealth.ONLINE, array.status().health());
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID5,4", "RAID6,5", "EC3,6"})
    void shouldRebuildAnotherSpareFromItsStartWhenTheFirstFails(final RaidLevel level, final int memberCount)
    {
        times = new RaidTimes(1_000_000, 1_000_000);
        copyRates = new CopyRates(4 << 20, 4 << 20);
        create(level, memberCount, 2);
        awaitResynced();
        disks.get(1).state(MemberState.FAILING);
        writeAnywhere(4);
        final RaidMember spare = array.raidMembers().get(memberCount);
        await(() -> spare.rebuiltBytes() > MEMBER_BYTES / 4, "half rebuilt");
        disks.get(memberCount).state(MemberState.FAILING);
        writeAnywhere(4);
        awaitHealth(DeviceHealth.ONLINE);
        disks.get(0).state(MemberState.FAILING);
        writeAnywhere(4);
        verify();
    }

    @Test
    void shouldRefuseAnArrayWhosePartsWentOnEachWithoutTheOther()
    {
        create(RaidLevel.RAID1, 2, 0);
        awaitResynced();
        open(config(RaidLevel.RAID1, 2, true), restart(1));
        writeAnywhere(3);
        open(config(RaidLevel.RAID1, 2, true), restart(0));
        writeAnywhere(3);
        final List<MemberDisk> both = restart();
        final BlockDeviceException refusal = assertThrows(
            BlockDeviceException.class, () -> open(config(RaidLevel.RAID1, 2, true), both));
        assertTrue(refusal.getMessage().contains("was split"), refusal.getMessage());
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID5,3", "RAID6,4"})
    void shouldHaveNothingToResynchronizeAfterAStop(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount, 0);
        awaitResynced();
        disks.get(1).state(MemberState.FAILING);
        writeAnywhere(5);
        // Its channels are closed after that, as those of a data plane.
        fixture.stop();
        final List<MemberDisk> left = restart();
        open(config(level, memberCount, false), left);
        assertEquals(-1, array.intent().nextResync(0));
        verify();
    }

    @Test
    void shouldDoWithOneCopyOfASuperblockAndWithoutAMemberThatHasNone()
    {
        create(RaidLevel.RAID5, 3, 0);
        awaitResynced();
        List<MemberDisk> left = restart();
        left.get(0).failMedia(0, 1);
        open(config(RaidLevel.RAID5, 3, false), left);
        assertEquals(DeviceHealth.ONLINE, array.status().health());
        left = restart();
        left.get(2).failMedia(0, 1);
        left.get(2).failMedia(left.get(2).geometry().blockCount() - 1, 1);
        open(config(RaidLevel.RAID5, 3, false), left);
        assertEquals(DeviceHealth.DEGRADED, array.status().health());
        assertTrue(array.status().reason().contains("no copy of its superblock"), array.status().reason());
        verify();
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID5,3"})
    void shouldMakeMembersEqualAgainWhenAChannelIsClosedAmidAWrite(final RaidLevel level, final int memberCount)
    {
        times = new RaidTimes(2_000_000_000L, 5_000_000_000L, 20_000_000L);
        create(level, memberCount, 0);
        awaitResynced();
        final long before = disks.get(0).writes() + disks.get(memberCount - 1).writes();
        disks.get(1).state(MemberState.HANGING);
        final Initiator.Io io = initiator.io();
        // Its parity is on that member, and its data and what is read are not.
        final int lba = 2 * STRIP_BYTES / BLOCK_BYTES;
        Initiator.fill(io.request(), BlockOperation.WRITE, lba, 1, false, arena.address(), BLOCK_BYTES);
        initiator.send(io);
        await(() -> disks.get(0).writes() + disks.get(memberCount - 1).writes() > before, "written");
        initiator.close();
        disks.get(1).state(MemberState.ONLINE);
        awaitResynced();
        initiator = new Initiator("host", array);
        assertEquals(BlockStatus.SUCCESS,
            initiator.run(BlockOperation.READ, lba, 1, false, arena.address(), BLOCK_BYTES));
        NativeMemory.asByteBuffer(arena.address(), BLOCK_BYTES).get(model, lba * BLOCK_BYTES, BLOCK_BYTES);
        disks.get(0).state(MemberState.FAILING);
        writeAnywhere(1);
        verify();
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID5,3"})
    void shouldEndWritesThatWaitForRowsWhenTheChannelCloses(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount, 0);
        awaitResynced();
        assertTrue(array.locks().tryExclusive(0, BLOCK_BYTES));
        final Initiator.Io io = initiator.io();
        Initiator.fill(io.request(), BlockOperation.WRITE, 0, 1, false, arena.address(), BLOCK_BYTES);
        initiator.send(io);
        initiator.close();
        initiator = null;
        assertEquals(BlockStatus.ABORTED, io.request().status());
        array.locks().releaseExclusive(0, BLOCK_BYTES);
        assertEquals(0, array.locks().heldCount());
        array.intent().closeUnused();
        assertTrue(array.intent().isClosed());
    }

    @Test
    void shouldDoWithoutTheBitmapOfAMemberThatCannotReadIt()
    {
        create(RaidLevel.RAID5, 3, 0);
        awaitResynced();
        final List<MemberDisk> left = restart();
        left.get(0).failMedia(2, 2);
        open(config(RaidLevel.RAID5, 3, false), left);
        assertEquals(DeviceHealth.ONLINE, array.status().health());
        verify();
    }

    @Test
    void shouldNotBeMadeOfAnotherArray()
    {
        create(RaidLevel.RAID1, 2, 0);
        final List<BlockDevice> devices = List.of(array, disks.get(0));
        final BlockDeviceException refusal = assertThrows(BlockDeviceException.class,
            () -> RaidAssembly.assemble(RaidFixture.config(RaidLevel.RAID1, STRIP_BYTES, devices, List.of()), devices,
                null));
        assertTrue(refusal.getMessage().contains("is an array or made of one"), refusal.getMessage());
    }
}
