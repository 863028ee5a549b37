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
import io.millrace.block.Initiator;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.block.raid.format.BitmapPage;
import io.millrace.block.raid.format.MemberArea;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.format.Superblock;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Members that come back: what the bitmap has is copied to them, and nothing else. */
class RaidReAddTest
{
    private static final int BLOCK_BYTES = 4096;
    private static final int STRIP_BYTES = 64 << 10;
    private static final int REGION_BYTES = BitmapPage.REGION_BYTES_MIN;
    private static final int REGIONS = 12;
    private static final long MEMBER_BYTES = (long)REGIONS * REGION_BYTES;
    private static final int CHUNK_BYTES = 256 << 10;
    private static final RaidTimes HURRIED = new RaidTimes(200_000, 300_000);
    private static final CopyRates SLOW = new CopyRates(1 << 20, 1 << 20);

    private final Random random = TestSeeds.random();
    private final RaidFixture fixture = new RaidFixture();
    private final DmaMemory arena = DmaMemory.map(CHUNK_BYTES);
    private final List<CountedDevice> members = new ArrayList<>();
    private RaidLevel level;
    private int stripBytes = STRIP_BYTES;
    private RaidTimes times = HURRIED;
    private byte[] model;
    private RaidDevice array;
    private Initiator initiator;

    /** A new array, full of random bytes. */
    private void create(final RaidLevel newLevel, final int memberCount)
    {
        level = newLevel;
        for (int i = 0; i < memberCount; i++)
        {
            addMember();
        }
        model = new byte[(int)layout().dataBytes()];
        open(members);
        for (int offset = 0; offset < model.length; offset += CHUNK_BYTES)
        {
            write(offset, CHUNK_BYTES);
        }
        // What is written next is all that is marked then.
        stop();
        open(members);
    }

    private CountedDevice addMember()
    {
        final CountedDevice member = new CountedDevice(fixture.own(MemoryDevice.create(
            "m" + members.size(), RaidFixture.deviceBytes(MEMBER_BYTES), BLOCK_BYTES)), (abilities) -> abilities);
        members.add(member);
        return member;
    }

    private ArrayLayout layout()
    {
        return ArrayLayout.of(level, members.size(), stripBytes, MEMBER_BYTES);
    }

    private RaidConfig config(final List<String> names, final List<String> spares)
    {
        return new RaidConfig("array", level, stripBytes, names, spares, true, false, true,
            new CopyRates(1L << 40, 1L << 40));
    }

    private List<String> names()
    {
        return members.stream().map(BlockDevice::name).toList();
    }

    private void open(final List<CountedDevice> present)
    {
        array = fixture.assemble(config(names(), List.of()), List.copyOf(present), times);
        initiator = new Initiator("host", array);
    }

    private List<CountedDevice> without(final int index)
    {
        return members.stream().filter((each) -> each != members.get(index)).toList();
    }

    private void stop()
    {
        if (null != initiator)
        {
            initiator.close();
            initiator = null;
            fixture.stop();
            array.close();
        }
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

    /** Writes some blocks; {@return the regions that they are in} */
    private Set<Integer> writeAnywhere(final int count)
    {
        final Set<Integer> regions = new TreeSet<>();
        for (int i = 0; i < count; i++)
        {
            final int offset = random.nextInt(model.length / BLOCK_BYTES) * BLOCK_BYTES;
            write(offset, BLOCK_BYTES);
            regions.add(region(offset));
        }
        return regions;
    }

    /** Of the first copy, or of the stripe. */
    private int region(final long offset)
    {
        final ArrayLayout layout = layout();
        final long strip =
            level.parityCount() > 0 ? layout.stripeOf(offset) : layout.memberStrip(offset / stripBytes, 0);
        return (int)(strip * stripBytes / REGION_BYTES);
    }

    private void verify()
    {
        final byte[] bytes = new byte[CHUNK_BYTES];
        for (int offset = 0; offset < model.length; offset += CHUNK_BYTES)
        {
            final int at = offset;
            assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.READ, offset / BLOCK_BYTES,
                CHUNK_BYTES / BLOCK_BYTES, false, arena.address(), CHUNK_BYTES), () -> "read at " + at);
            NativeMemory.asByteBuffer(arena.address(), CHUNK_BYTES).get(bytes);
            final byte[] expected = new byte[CHUNK_BYTES];
            System.arraycopy(model, offset, expected, 0, CHUNK_BYTES);
            assertArrayEquals(expected, bytes, () -> "at " + at);
        }
    }

    private void awaitComplete()
    {
        ArrayFixture.await(() -> array.view().isComplete(), "complete, but " + array.status());
    }

    /** All that a member has is right: another one, whose data it helps to compute, is not there. */
    private void verifyMember(final int other)
    {
        array.scrub(ScrubMode.CHECK);
        ArrayFixture.await(() -> null != array.details().scrub() && !array.details().scrub().isActive(), "scrubbed");
        assertEquals(0, array.details().scrub().mismatches());
        verify();
        RaidFixture.get(array.fail("m" + other));
        verify();
    }

    /** Without those of superblocks behind the data. */
    private static List<CountedDevice.Asked> copies(final CountedDevice member)
    {
        return member.asked().stream().filter((each) ->
            BlockOperation.WRITE == each.operation() && each.lba() * BLOCK_BYTES < MEMBER_BYTES).toList();
    }

    private static long copiedBytes(final CountedDevice member)
    {
        return copies(member).stream().mapToLong(CountedDevice.Asked::blocks).sum() * BLOCK_BYTES;
    }

    private void assertCopied(final int index, final Set<Integer> regions)
    {
        final CountedDevice member = members.get(index);
        for (final CountedDevice.Asked each : copies(member))
        {
            assertTrue(regions.contains((int)(each.lba() * BLOCK_BYTES / REGION_BYTES)),
                () -> each + " is in none of " + regions);
        }
        assertEquals((long)regions.size() * REGION_BYTES, copiedBytes(member));
    }

    @AfterEach
    void close()
    {
        stop();
        fixture.close();
        arena.close();
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID1,3", "RAID5,3", "RAID6,4", "RAID6_Q_LAST,4", "EC3,6", "RAID10,4", "RAID10,3"})
    void shouldCopyWhatWasWrittenWhileAMemberWasAbsent(final RaidLevel newLevel, final int memberCount)
    {
        create(newLevel, memberCount);
        stop();
        open(without(1));
        assertEquals(SlotState.FAILED, array.view().state(1));
        final Set<Integer> regions = writeAnywhere(4);
        // Over several starts, and whatever time passes.
        ArrayFixture.await(() -> regions.size() == array.intent().dirtyCount(), "set");
        stop();
        open(without(1));
        regions.addAll(writeAnywhere(2));
        stop();
        members.get(1).forget();
        open(members);
        awaitComplete();
        assertCopied(1, regions);
        assertEquals(List.of("slot 1 (m1) is back: " + regions.size() + " of " + REGIONS + " regions are copied"),
            List.copyOf(fixture.events()));
        ArrayFixture.await(() -> 0 == array.intent().dirtyCount(), "cleared");
        verifyMember(0);
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID5,3", "RAID6,4", "EC3,6", "RAID10,4"})
    void shouldCopyWhatWasWrittenToAMemberThatFailedAndIsNamedAgain(final RaidLevel newLevel, final int memberCount)
    {
        create(newLevel, memberCount);
        final List<String> others = new ArrayList<>(names());
        others.set(1, "gone");
        RaidFixture.get(array.fail("m1"));
        final Set<Integer> regions = writeAnywhere(4);
        final CountedDevice member = members.get(1);
        MembershipSettings.apply(array, config(names(), List.of()), config(others, List.of()), List.of(), null);
        regions.addAll(writeAnywhere(1));
        member.forget();
        MembershipSettings.apply(
            array, config(others, List.of()), config(others, List.of("m1")), List.of(member), null);
        awaitComplete();
        assertEquals(1, array.view().slotOf(array.raidMembers().getLast()));
        assertCopied(1, regions);
        verifyMember(0);
    }

    /** Strips of a region's end have their second copy in the next one. */
    @Test
    void shouldCopyWhatHasItsFirstCopyInAnotherRegion()
    {
        stripBytes = REGION_BYTES;
        create(RaidLevel.RAID10, 3);
        stop();
        open(without(0));
        // Strip 1 is on the last slot in the first region, and on the first slot in the second.
        write(stripBytes, BLOCK_BYTES);
        stop();
        members.get(0).forget();
        open(members);
        awaitComplete();
        // The strips of both regions are copied.
        assertEquals(2 * REGION_BYTES, copiedBytes(members.get(0)));
        verifyMember(2);
    }

    @ParameterizedTest
    @CsvSource({"RAID1,3", "RAID6,5", "EC3,6"})
    void shouldTakeTwoThatComeBackOneBehindTheOther(final RaidLevel newLevel, final int memberCount)
    {
        create(newLevel, memberCount);
        stop();
        open(without(1));
        final Set<Integer> regions = writeAnywhere(2);
        RaidFixture.get(array.fail("m2"));
        regions.addAll(writeAnywhere(2));
        stop();
        members.forEach(CountedDevice::forget);
        open(members);
        awaitComplete();
        for (final int index : new int[] {1, 2})
        {
            final long copied = copiedBytes(members.get(index));
            // The second one gets what is copied to the first, too.
            assertTrue(copied <= 2L * regions.size() * REGION_BYTES, () -> copied + " bytes of " + regions);
        }
        verifyMember(0);
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID5,3"})
    void shouldGoOnByTheBitmapAfterAStop(final RaidLevel newLevel, final int memberCount)
    {
        create(newLevel, memberCount);
        stop();
        open(without(1));
        final Set<Integer> regions = writeAnywhere(4);
        stop();
        members.get(1).forget();
        array = fixture.assemble(new RaidConfig(
            "array", level, stripBytes, names(), List.of(), true, false, true, SLOW), List.copyOf(members), times);
        initiator = new Initiator("host", array);
        ArrayFixture.await(() -> copiedBytes(members.get(1)) > 0, "copying");
        assertEquals(SlotState.REBUILDING, array.view().state(1));
        verify();
        stop();
        open(members);
        awaitComplete();
        final long copied = copiedBytes(members.get(1));
        // Some of it twice.
        assertTrue(copied < 2L * regions.size() * REGION_BYTES, () -> copied + " bytes of " + regions);
        verifyMember(0);
    }

    @Test
    void shouldCopyWhatAMemberHadNotMadeStableWhenItFailed()
    {
        create(RaidLevel.RAID5, 3);
        stop();
        times = new RaidTimes(Long.MAX_VALUE / 4, 300_000);
        open(members);
        final Set<Integer> regions = writeAnywhere(3);
        stop();
        times = HURRIED;
        open(members);
        regions.clear();
        members.get(1).fail(BlockOperation.FLUSH);
        regions.addAll(writeAnywhere(3));
        // The bits are to be cleared then, for which it has to flush.
        ArrayFixture.await(() -> SlotState.FAILED == array.view().state(1), "failed");
        assertEquals(regions.size(), array.intent().dirtyCount());
        members.get(1).fail(null);
        stop();
        members.get(1).forget();
        open(members);
        awaitComplete();
        assertCopied(1, regions);
        verifyMember(0);
    }

    /** As a copy of it that was made before the others went on. */
    @Test
    void shouldRebuildAMemberCompletelyThatIsOlderThanTheBitmap()
    {
        create(RaidLevel.RAID1, 2);
        stop();
        final byte[] older = superblock(1);
        open(members);
        stop();
        open(without(1));
        writeAnywhere(1);
        stop();
        try (MemberIo io = new MemberIo(null); MemberIo.Member member = io.open(members.get(1)))
        {
            member.write(MemberArea.FIRST_SUPERBLOCK_BYTES, older);
            member.write(MemberArea.secondSuperblockOffset(members.get(1).geometry().sizeBytes()), older);
        }
        members.get(1).forget();
        open(members);
        awaitComplete();
        assertEquals(MEMBER_BYTES, copiedBytes(members.get(1)));
        verifyMember(0);
    }

    private byte[] superblock(final int index)
    {
        try (MemberIo io = new MemberIo(null); MemberIo.Member member = io.open(members.get(index)))
        {
            return member.read(MemberArea.FIRST_SUPERBLOCK_BYTES, Superblock.BYTES);
        }
    }

    @Test
    void shouldRebuildAMemberCompletelyWhoseSlotASpareHasTaken()
    {
        create(RaidLevel.RAID5, 3);
        RaidFixture.get(array.fail("m1"));
        final CountedDevice spare = new CountedDevice(fixture.own(MemoryDevice.create(
            "s", RaidFixture.deviceBytes(MEMBER_BYTES), BLOCK_BYTES)), (abilities) -> abilities);
        MembershipSettings.apply(
            array, config(names(), List.of()), config(names(), List.of("s")), List.of(spare), null);
        awaitComplete();
        // And its end was erased before.
        assertTrue(copiedBytes(spare) >= MEMBER_BYTES, () -> copiedBytes(spare) + " bytes");
        writeAnywhere(3);
        RaidFixture.get(array.fail("m0"));
        writeAnywhere(3);
        final CountedDevice member = members.get(1);
        final List<String> others = List.of("m0", "s", "m2");
        MembershipSettings.apply(array, config(names(), List.of("s")), config(others, List.of()), List.of(), null);
        member.forget();
        MembershipSettings.apply(
            array, config(others, List.of()), config(others, List.of("m1")), List.of(member), null);
        awaitComplete();
        assertTrue(copiedBytes(member) >= MEMBER_BYTES, () -> copiedBytes(member) + " bytes");
        verifyMember(2);
    }

    @Test
    void shouldRefuseAMemberThatWasWrittenElsewhere()
    {
        create(RaidLevel.RAID1, 2);
        stop();
        open(without(1));
        writeAnywhere(1);
        stop();
        open(without(0));
        writeAnywhere(1);
        stop();
        final String refusal = assertThrows(
            BlockDeviceException.class, () -> open(members)).getMessage();
        assertTrue(refusal.contains("the array was split"), refusal);
    }
}
