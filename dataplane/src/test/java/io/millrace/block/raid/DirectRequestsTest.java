package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.DeviceHealth;
import io.millrace.block.Initiator;
import io.millrace.block.MemoryHold;
import io.millrace.block.memory.MemoryDevice;
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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Requests that go straight to one member: what it does not end well, views that change, and channels that close. */
class DirectRequestsTest
{
    private static final int BLOCK = 4096;
    private static final int STRIP = 16 << 10;
    private static final int MEMBER_BYTES = 2 << 20;
    /** More than a channel has stripe requests. */
    private static final int MANY = 200;

    private final Random random = TestSeeds.random();
    private final RaidFixture fixture = new RaidFixture();
    private final DmaMemory arena = DmaMemory.map(2 * MEMBER_BYTES);
    private final List<HeldMember> members = new ArrayList<>();
    private ArrayLayout layout;
    private RaidConfig config;
    private RaidDevice array;
    private Initiator host;
    private byte[] model;

    private void create(final RaidLevel level, final int memberCount)
    {
        for (int i = 0; i < memberCount; i++)
        {
            members.add(new HeldMember(MemoryDevice.create("m" + i, RaidFixture.deviceBytes(MEMBER_BYTES), BLOCK)));
            fixture.own(members.get(i));
        }
        layout = ArrayLayout.of(level, memberCount, STRIP, MEMBER_BYTES);
        config = RaidFixture.config(level, STRIP, List.<BlockDevice>copyOf(members), List.of());
        array = fixture.assemble(config, List.<BlockDevice>copyOf(members),
            new RaidTimes(2_000_000_000L, 5_000_000_000L, 20_000_000L));
        host = new Initiator("host", array);
        if (RaidLevel.RAID0 != level)
        {
            ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
        }
        model = new byte[STRIP];
        random.nextBytes(model);
        NativeMemory.asByteBuffer(arena.address(), STRIP).put(model);
        assertEquals(BlockStatus.SUCCESS,
            host.run(BlockOperation.WRITE, 0, STRIP / BLOCK, false, arena.address(), STRIP));
        NativeMemory.fill(arena.address(), STRIP, (byte)0);
        members.forEach((each) -> each.reads().clear());
    }

    @AfterEach
    void close()
    {
        members.forEach(HeldMember::letGo);
        if (null != host)
        {
            host.close();
        }
        fixture.stop();
        array.close();
        fixture.close();
        arena.close();
    }

    /** Whose block the first one of the array is read from. */
    private HeldMember first()
    {
        return members.get(layout.level().parityCount() > 0 ? layout.dataSlot(0, 0) : 0);
    }

    private Initiator.Io begin(final BlockOperation operation, final long lba)
    {
        final Initiator.Io io = host.io();
        Initiator.fill(io.request(), operation, lba, 1, false, arena.address(), BLOCK);
        host.send(io);
        return io;
    }

    /** A read of the first block that its member has. */
    private Initiator.Io beginHeld(final BlockOperation operation)
    {
        first().hold((asked, block) -> asked == operation);
        final Initiator.Io io = begin(operation, 0);
        ArrayFixture.await(() -> 1 == first().held(), "asked");
        return io;
    }

    private void assertRead()
    {
        assertArrayEquals(Arrays.copyOf(model, BLOCK), NativeMemory.bytes(arena.address(), BLOCK));
    }

    @Test
    void shouldReadFromOthersWhatAMemberInASlotThatIsNewCannotRead()
    {
        create(RaidLevel.RAID1, 2);
        final HeldMember added =
            new HeldMember(MemoryDevice.create("m2", RaidFixture.deviceBytes(MEMBER_BYTES), BLOCK));
        fixture.own(added);
        members.add(added);
        final CompletableFuture<Void> done = new CompletableFuture<>();
        array.change(new MemberChange.Grow(added, RaidLevel.RAID1, done));
        RaidFixture.get(done);
        ArrayFixture.await(() -> array.view().isComplete(), "rebuilt");
        added.unreadable(0);
        // No stripe request of the channel was used since.
        members.getFirst().hold((operation, block) -> BlockOperation.READ == operation);
        members.get(1).hold((operation, block) -> BlockOperation.READ == operation);
        final List<Initiator.Io> reads = new ArrayList<>();
        for (int i = 0; i < 4; i++)
        {
            reads.add(begin(BlockOperation.READ, 0));
        }
        host.call(() -> null);
        members.forEach(HeldMember::letGo);
        reads.forEach((each) -> assertEquals(BlockStatus.SUCCESS, host.await(each)));
        assertRead();
    }

    @ParameterizedTest
    @CsvSource({"RAID0,2", "RAID1,2", "RAID10,4", "RAID5,4", "RAID6,5", "RAID6_Q_LAST,5"})
    void shouldReadIntoTheMemoryOfTheHost(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount);
        final long before = array.hostBytes();
        final Initiator.Io io = beginHeld(BlockOperation.READ);
        assertEquals(before + CopyRate.REQUEST_BYTES_MIN, array.hostBytes());
        // The request and its part: no stripe request.
        assertEquals(2, host.call(() -> host.channel().inFlight()));
        first().letGo();
        assertEquals(BlockStatus.SUCCESS, host.await(io));
        assertRead();
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID10,4", "RAID5,4", "RAID6,5"})
    void shouldFailAMemberThatFailsARead(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount);
        final Initiator.Io io = beginHeld(BlockOperation.READ);
        first().end(BlockStatus.DEVICE_ERROR);
        assertEquals(BlockStatus.SUCCESS, host.await(io));
        assertRead();
        assertEquals(SlotState.FAILED, array.view().state(members.indexOf(first())));
        // It was not asked again.
        assertEquals(1, first().reads().size());
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID10,4", "RAID5,4", "RAID6,5"})
    void shouldReadAroundABlockThatAMemberCannotRead(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount);
        final Initiator.Io io = beginHeld(BlockOperation.READ);
        first().end(BlockStatus.MEDIA_ERROR);
        assertEquals(BlockStatus.SUCCESS, host.await(io));
        assertRead();
        assertEquals(DeviceHealth.ONLINE, array.status().health());
        // The rows are to be repaired.
        ArrayFixture.await(() -> first().reads().size() > 1, "looked at again");
    }

    /** Its rows are those of several stripe requests. */
    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID5,4", "RAID6,5"})
    void shouldReadAllOfAStripAroundAMember(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount);
        first().hold((asked, block) -> BlockOperation.READ == asked);
        final Initiator.Io io = host.io();
        Initiator.fill(io.request(), BlockOperation.READ, 0, STRIP / BLOCK, false, arena.address(), STRIP);
        host.send(io);
        ArrayFixture.await(() -> first().held() > 0, "asked");
        first().end(BlockStatus.MEDIA_ERROR);
        assertEquals(BlockStatus.SUCCESS, host.await(io));
        assertArrayEquals(model, NativeMemory.bytes(arena.address(), STRIP));
    }

    @Test
    void shouldReadFromTheMemberWithTheLeastToDo()
    {
        create(RaidLevel.RAID1, 2);
        final Initiator.Io io = beginHeld(BlockOperation.READ);
        for (int i = 0; i < 3; i++)
        {
            assertEquals(BlockStatus.SUCCESS, host.await(begin(BlockOperation.READ, i)));
        }
        assertEquals(3, members.get(1).reads().size());
        first().letGo();
        assertEquals(BlockStatus.SUCCESS, host.await(io));
        first().reads().clear();
        assertEquals(BlockStatus.SUCCESS, host.await(begin(BlockOperation.READ, 0)));
        assertEquals(1, first().reads().size());
    }

    /** Whichever copy would be its turn. */
    @ParameterizedTest
    @CsvSource({"0", "1"})
    void shouldReadTheCopyThatIsLeftWithoutAStripeRequest(final int strip)
    {
        create(RaidLevel.RAID1, 2);
        RaidFixture.get(array.fail(members.get(1).name()));
        first().hold((asked, block) -> BlockOperation.READ == asked);
        final Initiator.Io io = begin(BlockOperation.READ, (long)strip * STRIP / BLOCK);
        ArrayFixture.await(() -> 1 == first().held(), "asked");
        assertEquals(2, host.call(() -> host.channel().inFlight()), "more than the request and its part");
        first().letGo();
        assertEquals(BlockStatus.SUCCESS, host.await(io));
    }

    /** It takes reads of what it has off the others. */
    @Test
    void shouldReadFromAMemberThatIsBeingRebuilt()
    {
        create(RaidLevel.RAID1, 2);
        array.copyRates(new CopyRates(MEMBER_BYTES / 8, MEMBER_BYTES / 8));
        RaidFixture.get(array.fail(first().name()));
        final HeldMember added =
            new HeldMember(MemoryDevice.create("m2", RaidFixture.deviceBytes(MEMBER_BYTES), BLOCK));
        fixture.own(added);
        members.add(added);
        final CompletableFuture<Void> done = new CompletableFuture<>();
        array.change(new MemberChange.TakeSlot(added, done));
        RaidFixture.get(done);
        ArrayFixture.await(() -> array.view().member(0).device() == added &&
            array.view().member(0).rebuiltBytes() >= STRIP, "rebuilt in part");
        assertEquals(BlockStatus.SUCCESS, host.await(begin(BlockOperation.READ, 0)));
        assertRead();
        assertEquals(SlotState.REBUILDING, array.view().state(0), "rebuilt too fast");
        assertFalse(added.reads().isEmpty(), "read from the other member alone");
    }

    @ParameterizedTest
    @CsvSource({"RAID0,2,WRITE", "RAID1,2,READ"})
    void shouldForceUnitAccess(final RaidLevel level, final int memberCount, final BlockOperation operation)
    {
        create(level, memberCount);
        assertEquals(BlockStatus.SUCCESS, host.run(operation, 1, 1, true, arena.address(), BLOCK));
        assertTrue(first().forced().contains(1L));
        assertEquals(BlockStatus.SUCCESS, host.run(operation, 2, 1, false, arena.address(), BLOCK));
        assertFalse(first().forced().contains(2L));
    }

    @Test
    void shouldSayWhichMemberFailedWhereNoOtherHasTheData()
    {
        create(RaidLevel.RAID0, 3);
        final Initiator.Io io = beginHeld(BlockOperation.READ);
        first().end(BlockStatus.MEDIA_ERROR);
        assertEquals(BlockStatus.MEDIA_ERROR, host.await(io));
        assertSame(first(), io.request().failedDevice());
        assertEquals(DeviceHealth.ONLINE, array.status().health());
        assertEquals(BlockStatus.SUCCESS, host.await(begin(BlockOperation.READ, 0)));
        assertRead();
    }

    @ParameterizedTest
    @EnumSource(value = BlockOperation.class, names = {"READ", "WRITE"})
    void shouldFailTheArrayWithItsMember(final BlockOperation operation)
    {
        create(RaidLevel.RAID0, 3);
        final Initiator.Io io = beginHeld(operation);
        first().end(BlockStatus.DEVICE_ERROR);
        assertEquals(BlockStatus.DEVICE_ERROR, host.await(io));
        assertSame(first(), io.request().failedDevice());
        assertEquals(DeviceHealth.FAILED, array.status().health());
        assertEquals(BlockStatus.DEVICE_ERROR, host.await(begin(operation, STRIP / BLOCK)));
    }

    /** A member that was given up may still write to the memory: nobody else is asked to read into it. */
    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID5,4"})
    void shouldNotReadAgainIntoMemoryThatAMemberStillUses(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount);
        first().keepMemory();
        final Initiator.Io io = beginHeld(BlockOperation.READ);
        first().end(BlockStatus.DEVICE_ERROR);
        assertEquals(BlockStatus.DEVICE_ERROR, host.await(io));
        assertReleasedWithTheMember(io);
    }

    private void assertReleasedWithTheMember(final Initiator.Io io)
    {
        assertNotNull(io.request().hold());
        final AtomicBoolean isReleased = new AtomicBoolean();
        host.call(() ->
        {
            io.request().hold().whenReleased(() -> isReleased.set(true));
            return null;
        });
        assertFalse(isReleased.get());
        final MemoryHold hold = first().holds().remove();
        host.call(() ->
        {
            hold.release();
            return null;
        });
        assertTrue(isReleased.get());
        assertEquals(0, host.quarantine().bytes());
    }

    @ParameterizedTest
    @CsvSource({"RAID0,2", "RAID1,2", "RAID5,4"})
    void shouldEndWithItsChannel(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount);
        final Initiator.Io io = beginHeld(BlockOperation.READ);
        host.call(() ->
        {
            assertTrue(host.channel().inFlight() > 0);
            return null;
        });
        host.closeChannel();
        assertEquals(BlockStatus.ABORTED, host.await(io));
        assertNull(io.request().hold());
        assertEquals(DeviceHealth.ONLINE, array.status().health());
    }

    @Test
    void shouldKeepMemoryThatAMemberUsesWhenItsChannelCloses()
    {
        create(RaidLevel.RAID1, 2);
        first().keepMemory();
        final Initiator.Io io = beginHeld(BlockOperation.READ);
        host.closeChannel();
        assertEquals(BlockStatus.ABORTED, host.await(io));
        assertReleasedWithTheMember(io);
    }

    @Test
    void shouldEndAWriteWithItsChannel()
    {
        create(RaidLevel.RAID0, 2);
        final Initiator.Io io = beginHeld(BlockOperation.WRITE);
        host.closeChannel();
        assertEquals(BlockStatus.ABORTED, host.await(io));
        assertEquals(DeviceHealth.ONLINE, array.status().health());
    }

    /** The member's channel stays open for it. */
    @ParameterizedTest
    @CsvSource({"RAID1,3", "RAID5,4", "RAID10,4"})
    void shouldEndWhenItsMemberHasLeftTheArrayMeanwhile(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount);
        final Initiator.Io io = beginHeld(BlockOperation.READ);
        final RaidMember member = array.raidMembers().get(members.indexOf(first()));
        RaidFixture.get(array.fail(first().name()));
        final HeldMember added = new HeldMember(
            MemoryDevice.create("new", RaidFixture.deviceBytes(MEMBER_BYTES), BLOCK));
        fixture.own(added);
        final List<BlockDevice> changed = new ArrayList<>(members);
        changed.set(members.indexOf(first()), added);
        final RaidConfig wanted = RaidFixture.config(level, STRIP, changed, List.of());
        final CompletableFuture<Void> applied = CompletableFuture.runAsync(
            () -> MembershipSettings.apply(array, config, wanted, List.of(added), null));
        ArrayFixture.await(() -> !array.raidMembers().contains(member), "removed");
        ArrayFixture.await(() -> array.view().isComplete(), "rebuilt");
        assertFalse(io.result().isDone());
        first().letGo();
        assertEquals(BlockStatus.SUCCESS, host.await(io));
        assertRead();
        RaidFixture.get(applied);
        assertEquals(BlockStatus.SUCCESS, host.await(begin(BlockOperation.READ, 0)));
        assertRead();
    }

    /** What a member did not end well waits for a stripe request. */
    @Test
    void shouldGoOnWhenAStripeRequestIsFree()
    {
        create(RaidLevel.RAID1, 2);
        final Initiator.Io io = beginHeld(BlockOperation.READ);
        final List<Initiator.Io> writes = fill();
        first().end(BlockStatus.MEDIA_ERROR);
        ArrayFixture.await(() -> 0 == first().held(), "ended");
        host.call(() -> null);
        assertFalse(io.result().isDone());
        members.get(1).letGo();
        assertEquals(BlockStatus.SUCCESS, host.await(io));
        writes.forEach((each) -> assertEquals(BlockStatus.SUCCESS, host.await(each)));
        assertRead();
    }

    @Test
    void shouldEndWhatWaitsForAStripeRequestWhenTheChannelCloses()
    {
        create(RaidLevel.RAID1, 2);
        final Initiator.Io io = beginHeld(BlockOperation.READ);
        fill();
        first().end(BlockStatus.MEDIA_ERROR);
        ArrayFixture.await(() -> 0 == first().held(), "ended");
        host.closeChannel();
        assertEquals(BlockStatus.ABORTED, host.await(io));
        members.get(1).letGo();
        ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
    }

    /** Takes all stripe requests. */
    private List<Initiator.Io> fill()
    {
        members.get(1).hold((asked, block) -> BlockOperation.WRITE == asked);
        final List<Initiator.Io> writes = new ArrayList<>();
        for (int i = 0; i < MANY; i++)
        {
            final Initiator.Io write = host.io();
            Initiator.fill(write.request(), BlockOperation.WRITE, STRIP / BLOCK + i, 1, false,
                arena.address() + STRIP, BLOCK);
            writes.add(write);
        }
        host.send(writes);
        ArrayFixture.await(() -> 128 == members.get(1).held(), "taken");
        return writes;
    }

    /** All readers see the same until copies are equal again. */
    @Test
    void shouldReadTheFirstCopyWhileCopiesMayDiffer()
    {
        create(RaidLevel.RAID1, 2);
        members.get(1).hold((asked, block) -> BlockOperation.WRITE == asked);
        array.intent().assembledDirty(0);
        // Its own work looks at what there is to do.
        assertThrows(ExecutionException.class, () -> array.fail("nobody").get());
        ArrayFixture.await(() -> members.get(1).held() > 0, "begun");
        members.forEach((each) -> each.reads().clear());
        final int blocks = (int)(array.intent().regionBytes() / BLOCK);
        for (int block = 0; block < blocks; block++)
        {
            assertEquals(BlockStatus.SUCCESS, host.await(begin(BlockOperation.READ, block)));
        }
        assertTrue(members.get(1).reads().isEmpty(), () -> "reads of " + members.get(1).reads());
        members.get(1).letGo();
        ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
        for (int block = 0; block < blocks; block++)
        {
            assertEquals(BlockStatus.SUCCESS, host.await(begin(BlockOperation.READ, block)));
        }
        assertFalse(members.get(1).reads().isEmpty());
    }

    /** A host that goes on within its completions needs no more stack for that. */
    @ParameterizedTest
    @CsvSource({"RAID0,2,READ", "RAID0,2,WRITE", "RAID1,2,READ", "RAID5,4,READ"})
    void shouldKeepTheStackFlat(final RaidLevel level, final int memberCount, final BlockOperation operation)
    {
        create(level, memberCount);
        final int[] left = {50_000};
        final CompletableFuture<BlockStatus> done = new CompletableFuture<>();
        final Initiator.Io io = host.io().then((ended) ->
        {
            if (0 == left[0] || BlockStatus.SUCCESS != ended.request().status())
            {
                done.complete(ended.request().status());
                return;
            }
            left[0]--;
            Initiator.fill(ended.request(), operation, left[0] % (STRIP / BLOCK), 1, false, arena.address(), BLOCK);
            host.channel().submit(ended.request());
        });
        Initiator.fill(io.request(), operation, 0, 1, false, arena.address(), BLOCK);
        host.call(() -> host.channel().submit(io.request()));
        assertEquals(BlockStatus.SUCCESS, RaidFixture.get(done));
        assertEquals(0, left[0]);
    }
}
