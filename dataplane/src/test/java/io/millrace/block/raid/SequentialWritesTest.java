package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.block.MemoryHold;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.Segments;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Writes of hosts that follow each other on an array with parity: what members are asked for, and how each ends. */
class SequentialWritesTest
{
    private static final int BLOCK = 4096;
    private static final int STRIP = 16 << 10;
    private static final int STRIP_BLOCKS = STRIP / BLOCK;
    private static final int MEMBER_BYTES = 2 << 20;
    private static final int ARENA_BYTES = 8 << 20;
    private static final int DATA = 4;
    private static final int STRIPE_BLOCKS = DATA * STRIP_BLOCKS;

    private final Random random = TestSeeds.random();
    private final RaidFixture fixture = new RaidFixture();
    private final DmaMemory arena = DmaMemory.map(ARENA_BYTES);
    private final List<HeldMember> members = new ArrayList<>();
    private ArrayLayout layout;
    private RaidDevice array;
    private RoomyArray roomy;
    private Initiator host;
    private byte[] model;
    private int arenaOffset;

    private void create(final RaidLevel level)
    {
        create(level, STRIP, JournalMode.DEGRADED);
    }

    private void create(final RaidLevel level, final int stripBytes, final JournalMode journal)
    {
        for (int i = 0; i < DATA + level.parityCount(); i++)
        {
            members.add(new HeldMember(MemoryDevice.create("m" + i, RaidFixture.deviceBytes(MEMBER_BYTES), BLOCK)));
            fixture.own(members.get(i));
        }
        layout = ArrayLayout.of(level, members.size(), stripBytes, MEMBER_BYTES);
        array = fixture.create(level, stripBytes, List.<BlockDevice>copyOf(members), journal);
        roomy = new RoomyArray(array);
        host = new Initiator("host", roomy);
        model = new byte[(int)layout.dataBytes()];
        ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
        // Its region is set in the bitmap from here on.
        run(batch(model.length / BLOCK - 1, 1));
        forget();
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
        roomy.close();
        fixture.close();
        arena.close();
    }

    /** Commands may share a cycle. */
    private void awaitCycle()
    {
        final long nowNs = host.call(() -> host.reactor().nowNs());
        ArrayFixture.await(() -> nowNs != host.call(() -> host.reactor().nowNs()), "in another cycle");
    }

    private void forget()
    {
        members.forEach((each) ->
        {
            each.asked().clear();
            each.forced().clear();
        });
    }

    private long asked(final BlockOperation operation)
    {
        // Behind the data is a superblock, which may be written at any time.
        return members.stream().flatMap((each) -> each.asked().stream())
            .filter((each) -> operation == each.operation() && each.block() < layout.memberBytes() / BLOCK).count();
    }

    /** Writes of a block each, in their order. */
    private List<Initiator.Io> batch(final int lba, final int count)
    {
        return batch(lba, count, 1);
    }

    private List<Initiator.Io> batch(final int lba, final int count, final int blocks)
    {
        final List<Initiator.Io> batch = new ArrayList<>();
        for (int i = 0; i < count; i++)
        {
            batch.add(write(lba + i * blocks, blocks, false));
        }
        return batch;
    }

    private Initiator.Io write(final int lba, final int blocks, final boolean isForced)
    {
        final byte[] bytes = new byte[blocks * BLOCK];
        random.nextBytes(bytes);
        System.arraycopy(bytes, 0, model, lba * BLOCK, bytes.length);
        // None lies beside that of the one before.
        arenaOffset = arenaOffset + bytes.length + BLOCK > ARENA_BYTES ? 0 : arenaOffset;
        final long address = arena.address() + arenaOffset;
        arenaOffset += bytes.length + BLOCK;
        NativeMemory.asByteBuffer(address, bytes.length).put(bytes);
        final Initiator.Io io = host.io();
        Initiator.fill(io.request(), BlockOperation.WRITE, lba, blocks, isForced, address, bytes.length);
        return io;
    }

    private void run(final List<Initiator.Io> batch)
    {
        host.send(batch);
        assertEnd(batch);
    }

    private void assertEnd(final List<Initiator.Io> batch)
    {
        batch.forEach((each) -> assertEquals(BlockStatus.SUCCESS, host.await(each), () -> each.request().toString()));
    }

    /** By what the array says, and by its data and parity without any member. */
    private void verify()
    {
        verifyContent();
        assertEquals(0, mismatches());
    }

    private long mismatches()
    {
        array.scrubControl().request(ScrubMode.CHECK);
        ArrayFixture.await(() -> null != array.scrubControl().result() &&
            ScrubStatus.COMPLETED == array.scrubControl().result().status(),
            "scrubbed");
        return array.scrubControl().result().mismatches();
    }

    private void verifyContent()
    {
        final byte[] bytes = new byte[STRIP];
        for (int offset = 0; offset < STRIPE_BLOCKS * BLOCK * 8; offset += STRIP)
        {
            final int at = offset;
            assertEquals(BlockStatus.SUCCESS,
                host.run(BlockOperation.READ, offset / BLOCK, STRIP_BLOCKS, false, arena.address(), STRIP));
            NativeMemory.asByteBuffer(arena.address(), STRIP).get(bytes);
            assertArrayEquals(Arrays.copyOfRange(model, at, at + STRIP), bytes, () -> "at " + at);
        }
    }

    @ParameterizedTest
    @CsvSource({"RAID5,DEGRADED", "RAID6,DEGRADED", "RAID6_Q_LAST,DEGRADED", "EC3,DEGRADED", "RAID5,ALWAYS",
        "RAID6,ALWAYS", "RAID6_Q_LAST,ALWAYS"})
    void shouldWriteWholeStripesOfSmallWrites(final RaidLevel level, final JournalMode journal)
    {
        create(level, STRIP, journal);
        // The first of a stream goes alone, and the rest of its stripe.
        run(batch(0, 2 * STRIPE_BLOCKS));
        forget();
        final StripeWrites before = array.details().writes();
        final List<Initiator.Io> batch = batch(2 * STRIPE_BLOCKS, 2 * STRIPE_BLOCKS);
        run(batch);
        assertEquals(before.plus(new StripeWrites(2, 0, 0, 2 * STRIPE_BLOCKS)),
            array.details().writes());
        assertEquals(0, asked(BlockOperation.READ));
        assertEquals(2L * members.size(), asked(BlockOperation.WRITE));
        verify();
    }

    @ParameterizedTest
    @CsvSource({"RAID5,4", "RAID6,6"})
    void shouldAskMembersFourOrSixTimesForAWriteAtRandom(final RaidLevel level, final int count)
    {
        create(level);
        // Not one behind another.
        final List<Initiator.Io> batch = new ArrayList<>();
        for (int i = 0; i < 8; i++)
        {
            batch.add(write((7 - i) * STRIPE_BLOCKS + random.nextInt(STRIPE_BLOCKS - 1), 1, false));
        }
        final StripeWrites before = array.details().writes();
        run(batch);
        final StripeWrites after = array.details().writes();
        // Of four strips, RAID 6 has to read as many either way.
        assertEquals(8, after.readModifyWrites() - before.readModifyWrites() +
            after.reconstructs() - before.reconstructs());
        assertEquals(before.gathered(), after.gathered());
        assertEquals(count * 8L, asked(BlockOperation.READ) + asked(BlockOperation.WRITE));
        verify();
    }

    /** Members are asked four times for each write of RAID 5, and six times of RAID 6, where none are gathered. */
    @ParameterizedTest
    @CsvSource({"RAID5,1,5", "RAID5,4,10", "RAID5,16,40", "RAID6,1,6", "RAID6,4,12", "RAID6,16,48"})
    void shouldAskMembersSeldomForManyWritesInSequence(final RaidLevel level, final int blocks, final int count)
    {
        create(level, 64 << 10, JournalMode.DEGRADED);
        final int depth = 32;
        run(batch(0, depth, blocks));
        for (int i = 1; i < 3; i++)
        {
            forget();
            run(batch(i * depth * blocks, depth, blocks));
            assertEquals(count, asked(BlockOperation.READ) + asked(BlockOperation.WRITE));
        }
        verify();
    }

    @Test
    void shouldNotDelayWritesOfAHostThatWaitsForEach()
    {
        create(RaidLevel.RAID5);
        for (int i = 0; i < 2 * STRIPE_BLOCKS; i++)
        {
            final Initiator.Io io = write(i, 1, false);
            awaitCycle();
            // Members end at once, so that it has ended when it was submitted, unless it waits.
            host.call(() ->
            {
                host.resend(io);
                assertTrue(io.result().isDone(), () -> io.request().toString());
                return null;
            });
        }
        assertEquals(8L * STRIPE_BLOCKS, asked(BlockOperation.READ) + asked(BlockOperation.WRITE));
        verify();
    }

    @Test
    void shouldNotDelayTheSecondWriteAfterABatch()
    {
        create(RaidLevel.RAID5);
        run(batch(0, 8));
        awaitCycle();
        run(batch(8, 1));
        awaitCycle();
        final Initiator.Io io = write(9, 1, false);
        host.call(() ->
        {
            host.resend(io);
            assertTrue(io.result().isDone());
            return null;
        });
    }

    @Test
    void shouldGatherWritesThatWaitForTheSameRows()
    {
        create(RaidLevel.RAID5);
        members.forEach((each) -> each.hold((operation, block) -> BlockOperation.WRITE == operation));
        final List<Initiator.Io> all = new ArrayList<>(batch(0, 1, STRIP_BLOCKS));
        host.send(all);
        ArrayFixture.await(() -> members.stream().mapToInt(HeldMember::held).sum() == 2, "written");
        // Each in a cycle of its own, and later than all of the one before.
        for (int i = 0; i < 2 * STRIP_BLOCKS; i++)
        {
            final List<Initiator.Io> next = batch(STRIP_BLOCKS + i, 1);
            all.addAll(next);
            awaitCycle();
            host.send(next);
        }
        forget();
        members.forEach(HeldMember::letGo);
        assertEnd(all);
        // Two strips, parity, and what is read for it: one strip.
        assertEquals(3, asked(BlockOperation.WRITE));
        assertEquals(2, asked(BlockOperation.READ));
        verify();
    }

    @Test
    void shouldNotWaitForAnotherStripe()
    {
        create(RaidLevel.RAID5);
        run(batch(0, STRIPE_BLOCKS));
        members.getFirst().hold((operation, block) ->
            BlockOperation.WRITE == operation && block >= 2 * STRIP_BLOCKS);
        final List<Initiator.Io> batch = batch(STRIPE_BLOCKS, 2 * STRIPE_BLOCKS);
        host.send(batch);
        assertEnd(batch.subList(0, STRIPE_BLOCKS));
        assertFalse(batch.subList(STRIPE_BLOCKS, 2 * STRIPE_BLOCKS).stream().anyMatch((each) ->
            each.result().isDone()));
        members.getFirst().letGo();
        assertEnd(batch);
        verify();
    }

    @Test
    void shouldWriteWhatOneRequestToAMemberCanHave()
    {
        create(RaidLevel.RAID5, 128 << 10, JournalMode.DEGRADED);
        run(batch(0, 64));
        final int most = members.stream().flatMap((each) -> each.asked().stream())
            .mapToInt(HeldMember.Asked::segments).max().orElseThrow();
        assertEquals(Segments.COUNT_MAX, most);
        verify();
    }

    @Test
    void shouldWriteStrideAcrossStripes()
    {
        create(RaidLevel.RAID6);
        run(batch(1, 12, 5));
        run(batch(61, 12, 3));
        run(batch(97, 3, 24));
        verify();
    }

    @Test
    void shouldBeStableWhenOneOfThemHasToBe()
    {
        create(RaidLevel.RAID5);
        run(batch(0, STRIPE_BLOCKS));
        forget();
        final List<Initiator.Io> batch = batch(STRIPE_BLOCKS, STRIPE_BLOCKS - 1);
        batch.add(write(2 * STRIPE_BLOCKS - 1, 1, true));
        run(batch);
        assertEquals(members.size(), asked(BlockOperation.WRITE));
        assertEquals(members.size(), members.stream().mapToInt((each) -> each.forced().size()).sum());
        forget();
        run(batch(2 * STRIPE_BLOCKS, STRIPE_BLOCKS));
        assertEquals(0, members.stream().mapToInt((each) -> each.forced().size()).sum());
        verify();
    }

    @ParameterizedTest
    @CsvSource({"RAID5,DEGRADED", "RAID6,DEGRADED", "RAID6_Q_LAST,DEGRADED", "RAID5,ALWAYS"})
    void shouldWriteWithoutAMemberThatFails(final RaidLevel level, final JournalMode journal)
    {
        create(level, STRIP, journal);
        run(batch(0, STRIPE_BLOCKS));
        final HeldMember failing = members.get(layout.dataSlot(1, 2));
        failing.hold((operation, block) -> BlockOperation.WRITE == operation);
        final List<Initiator.Io> batch = batch(STRIPE_BLOCKS, STRIPE_BLOCKS);
        host.send(batch);
        ArrayFixture.await(() -> 1 == failing.held(), "written");
        assertFalse(batch.stream().anyMatch((each) -> each.result().isDone()));
        failing.end(BlockStatus.DEVICE_ERROR);
        assertEnd(batch);
        assertFalse(array.view().isComplete());
        run(batch(2 * STRIPE_BLOCKS + 3, 2 * STRIPE_BLOCKS));
        verifyContent();
    }

    @Test
    void shouldEndThoseAloneThatCannotBeWritten()
    {
        create(RaidLevel.RAID5);
        run(batch(0, STRIP_BLOCKS));
        // The second row of two strips cannot be read, so that its parity is not known.
        final HeldMember one = members.get(layout.dataSlot(1, 0));
        final HeldMember other = members.get(layout.dataSlot(1, 1));
        final List<Initiator.Io> prior = batch(STRIP_BLOCKS, STRIPE_BLOCKS - STRIP_BLOCKS);
        run(prior);
        one.unreadable(STRIP_BLOCKS + 1);
        other.unreadable(STRIP_BLOCKS + 1);
        final byte[] before = Arrays.copyOf(model, model.length);
        final List<Initiator.Io> batch = batch(STRIPE_BLOCKS, STRIP_BLOCKS - 1);
        host.send(batch);
        assertEquals(BlockStatus.SUCCESS, host.await(batch.get(0)));
        assertEquals(BlockStatus.MEDIA_ERROR, host.await(batch.get(1)));
        assertEquals(BlockStatus.SUCCESS, host.await(batch.get(2)));
        one.unreadable(-1);
        other.unreadable(-1);
        final int failed = STRIPE_BLOCKS + 1;
        System.arraycopy(before, failed * BLOCK, model, failed * BLOCK, BLOCK);
        verify();
    }

    /** One that waits to be tried alone was not written, and may come behind one beside it that has ended. */
    @Test
    void shouldTryAloneWhatHasNeitherEndedNorBeenWritten()
    {
        create(RaidLevel.RAID5);
        run(batch(0, STRIP_BLOCKS));
        final HeldMember one = members.get(layout.dataSlot(1, 0));
        final HeldMember other = members.get(layout.dataSlot(1, 1));
        run(batch(STRIP_BLOCKS, STRIPE_BLOCKS - STRIP_BLOCKS));
        one.unreadable(STRIP_BLOCKS + 1);
        other.unreadable(STRIP_BLOCKS + 1);
        one.hold((operation, block) -> BlockOperation.WRITE == operation && STRIP_BLOCKS == block);
        final byte[] before = Arrays.copyOf(model, model.length);
        final List<Initiator.Io> batch = batch(STRIPE_BLOCKS, STRIP_BLOCKS - 1);
        final byte[] gathered = Arrays.copyOf(model, model.length);
        forget();
        host.send(batch);
        // Its data and parity.
        ArrayFixture.await(() -> 1 == one.held() && asked(BlockOperation.WRITE) >= 2, "the first is written alone");
        assertEquals(2, asked(BlockOperation.WRITE), "what failed was written in part");
        final int last = STRIPE_BLOCKS + 2;
        final Initiator.Io beside = write(last, 1, false);
        host.send(List.of(beside));
        assertEquals(BlockStatus.SUCCESS, host.await(beside));
        assertFalse(batch.get(2).result().isDone());
        one.letGo();
        assertEquals(BlockStatus.SUCCESS, host.await(batch.get(0)));
        final Initiator.Io behind = write(STRIPE_BLOCKS, 1, false);
        host.send(List.of(behind));
        assertEquals(BlockStatus.SUCCESS, host.await(behind));
        assertEquals(BlockStatus.MEDIA_ERROR, host.await(batch.get(1)));
        assertEquals(BlockStatus.SUCCESS, host.await(batch.get(2)));
        one.unreadable(-1);
        other.unreadable(-1);
        System.arraycopy(before, (STRIPE_BLOCKS + 1) * BLOCK, model, (STRIPE_BLOCKS + 1) * BLOCK, BLOCK);
        System.arraycopy(gathered, last * BLOCK, model, last * BLOCK, BLOCK);
        verify();
    }

    /** The array has failed: they are not tried alone, which would end them without the cause. */
    @Test
    void shouldEndAllByTheCauseOfTheArraysFailure()
    {
        create(RaidLevel.RAID5);
        run(batch(0, STRIPE_BLOCKS));
        final List<HeldMember> failing =
            List.of(members.get(layout.dataSlot(1, 1)), members.get(layout.dataSlot(1, 2)));
        failing.forEach((each) -> each.hold((operation, block) -> BlockOperation.WRITE == operation));
        final List<Initiator.Io> batch = batch(STRIPE_BLOCKS, STRIPE_BLOCKS);
        host.send(batch);
        failing.forEach((each) -> ArrayFixture.await(() -> 1 == each.held(), "written"));
        failing.forEach((each) -> each.end(BlockStatus.DEVICE_ERROR));
        for (final Initiator.Io each : batch)
        {
            assertEquals(BlockStatus.DEVICE_ERROR, host.await(each));
            assertNotNull(each.request().failedDevice());
        }
        assertNotNull(array.view().failure());
    }

    @Test
    void shouldHoldTheMemoryOfAllThatAMemberMayStillUse()
    {
        create(RaidLevel.RAID5);
        run(batch(0, STRIPE_BLOCKS));
        final HeldMember failing = members.get(layout.dataSlot(1, 2));
        failing.keepMemory();
        failing.hold((operation, block) -> BlockOperation.WRITE == operation);
        final List<Initiator.Io> batch = batch(STRIPE_BLOCKS, STRIPE_BLOCKS);
        host.send(batch);
        ArrayFixture.await(() -> 1 == failing.held(), "written");
        failing.end(BlockStatus.DEVICE_ERROR);
        assertEnd(batch);
        final int released = host.call(() ->
        {
            final List<MemoryHold> holds = batch.stream().map((each) -> each.request().hold()).toList();
            holds.forEach((each) -> assertNotNull(each));
            final int[] count = new int[1];
            holds.forEach((each) -> each.whenReleased(() -> count[0]++));
            assertEquals(0, count[0]);
            failing.holds().forEach(MemoryHold::release);
            return count[0];
        });
        assertEquals(STRIPE_BLOCKS, released);
        final List<Initiator.Io> next = batch(2 * STRIPE_BLOCKS, STRIPE_BLOCKS);
        run(next);
        next.forEach((each) -> assertNull(each.request().hold()));
        verifyContent();
    }

    @Test
    void shouldEndAllWhenTheChannelClosesWhileTheyAreTriedAlone()
    {
        create(RaidLevel.RAID5);
        run(batch(0, STRIP_BLOCKS));
        final HeldMember one = members.get(layout.dataSlot(1, 0));
        final HeldMember other = members.get(layout.dataSlot(1, 1));
        run(batch(STRIP_BLOCKS, STRIPE_BLOCKS - STRIP_BLOCKS));
        one.unreadable(STRIP_BLOCKS + 1);
        other.unreadable(STRIP_BLOCKS + 1);
        one.hold((operation, block) -> BlockOperation.WRITE == operation);
        final List<Initiator.Io> batch = batch(STRIPE_BLOCKS, STRIP_BLOCKS - 1);
        host.send(batch);
        ArrayFixture.await(() -> 1 == one.held(), "the first is written alone");
        final CompletableFuture<Void> closed = host.beginClosing();
        // It ends when the view says that the member has failed, later in a cycle than what waits is begun.
        one.end(BlockStatus.DEVICE_ERROR);
        host.get(closed);
        assertEquals(BlockStatus.SUCCESS, host.await(batch.get(0)));
        assertEquals(BlockStatus.ABORTED, host.await(batch.get(1)));
        assertEquals(BlockStatus.ABORTED, host.await(batch.get(2)));
    }

    @Test
    void shouldAbortWhatHasNotBegunWhenTheChannelCloses()
    {
        create(RaidLevel.RAID5);
        run(batch(0, STRIPE_BLOCKS));
        final List<Initiator.Io> batch = batch(STRIPE_BLOCKS, 5);
        final CompletableFuture<Void> closed = new CompletableFuture<>();
        host.call(() ->
        {
            batch.forEach(host::resend);
            assertFalse(host.channel().canSleep());
            assertEquals(batch.size(), host.channel().inFlight());
            host.channel().close((channel) -> closed.complete(null));
            return null;
        });
        batch.forEach((each) -> assertEquals(BlockStatus.ABORTED, host.await(each)));
        host.get(closed);
        host.reactor().close();
        host = null;
    }
}
