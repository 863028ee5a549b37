package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.DeviceProperties;
import io.millrace.block.Initiator;
import io.millrace.block.MemoryHold;
import io.millrace.block.delay.DelayDevice;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reads of a member that is slow are answered by the others, whose answer lies in other memory than the host's. */
class HedgedReadsTest
{
    private static final int BLOCK = HedgeFixture.BLOCK;
    private static final int STRIP_BLOCKS = HedgeFixture.STRIP / BLOCK;
    private static final int LATE_MAX = 32;
    /** More than buffers for hedges would last if they did not come back. */
    private static final int MANY = 200;

    private final Random random = TestSeeds.random();
    private HedgeFixture f;

    private void create(final RaidLevel level, final int memberCount)
    {
        f = new HedgeFixture(random, level, memberCount);
    }

    @AfterEach
    void close()
    {
        f.close();
    }

    private static AtomicBoolean watch(final HedgeFixture fixture, final MemoryHold hold)
    {
        final AtomicBoolean isReleased = new AtomicBoolean();
        fixture.host.call(() ->
        {
            hold.whenReleased(() -> isReleased.set(true));
            return null;
        });
        return isReleased;
    }

    private void assertUntouched(final Initiator.Io io, final int blocks)
    {
        assertTrue(Arrays.equals(new byte[blocks * BLOCK],
            NativeMemory.bytes(f.memory(io.request().lba()), blocks * BLOCK)));
    }

    /** A read that a hedge has answered; its member still has it. */
    private Initiator.Io answered()
    {
        final Initiator.Io io = f.beginHeld();
        assertEquals(BlockStatus.SUCCESS, f.host.await(io));
        assertTrue(io.request().lent());
        f.assertPayload(io);
        return io;
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID1,3", "RAID10,4", "RAID10,5", "RAID5,3", "RAID5,4", "RAID6,5", "RAID6,6",
        "RAID6_Q_LAST,5"})
    void shouldAnswerFromTheOthers(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount);
        final Initiator.Io io = answered();
        assertEquals(1, f.first().held());
        assertUntouched(io, 1);
        final AtomicBoolean isReleased = watch(f, io.request().hold());
        assertFalse(isReleased.get());
        assertEquals(1, f.array.hedgeCounts().begun());
        assertEquals(1, f.array.hedgeCounts().won());
        // The host is still sending it.
        f.first().letGo();
        ArrayFixture.await(isReleased::get, "released by the member");
        f.assertPayload(io);
        f.releaseLoan(io);
        assertEquals(0, f.host.call(() -> f.host.channel().inFlight()));
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID10,4", "RAID5,4", "RAID6,5"})
    void shouldAnswerWhatTheMemberHasFirst(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount);
        f.others().forEach(HedgeFixture::holdReads);
        final Initiator.Io io = f.beginHeld();
        ArrayFixture.await(() -> 1 == f.array.hedgeCounts().begun(), "hedged");
        f.first().letGo();
        assertEquals(BlockStatus.SUCCESS, f.host.await(io));
        assertFalse(io.request().lent());
        assertNull(io.request().hold());
        f.assertPayload(io);
        f.others().forEach(HeldMember::letGo);
        ArrayFixture.await(() -> 0 == f.host.call(() -> f.host.channel().inFlight()), "ended");
        assertEquals(0, f.array.hedgeCounts().won());
        // Nothing is left of it: a whole stripe can be written.
        assertTrue(f.array.locks().tryExclusiveOnce(0, HedgeFixture.STRIP));
        f.array.locks().releaseExclusive(0, HedgeFixture.STRIP);
    }

    /** Each block has its own checksum. */
    @ParameterizedTest
    @CsvSource({"RAID5,4", "RAID6,5"})
    void shouldNotAnswerWhatIsComputedFromALie(final RaidLevel level, final int memberCount)
    {
        f = new HedgeFixture(random, level, memberCount, true);
        final HeldMember liar = f.members.get(f.layout.dataSlot(0, 1));
        final Initiator direct = new Initiator("corrupting", liar);
        assertEquals(BlockStatus.SUCCESS, direct.run(BlockOperation.WRITE,
            RaidChannel.dataOffsetBytes() / BLOCK + 1, 1, false, f.arena.address(), BLOCK));
        direct.close();
        HedgeFixture.holdReads(f.first());
        final Initiator.Io late = f.begin(0, 3);
        ArrayFixture.await(() -> 1 == f.array.hedgeCounts().begun(), "hedged");
        final Initiator.Io right = f.begin(2, 3);
        assertEquals(BlockStatus.SUCCESS, f.host.await(right));
        assertTrue(right.request().lent());
        f.assertPayload(right);
        f.releaseLoan(right);
        f.first().letGo();
        assertEquals(BlockStatus.SUCCESS, f.host.await(late));
        assertFalse(late.request().lent());
        f.assertPayload(late);
        assertEquals(1, f.array.hedgeCounts().won());
    }

    /** Buffers and slots come back, whoever is first. */
    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID5,4", "RAID6,5"})
    void shouldGiveBackWhatHedgesHave(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount);
        for (int i = 0; i < MANY; i++)
        {
            final boolean isLost = 0 == i % 4;
            final long before = f.array.hedgeCounts().begun();
            if (isLost)
            {
                f.others().forEach(HedgeFixture::holdReads);
            }
            HedgeFixture.holdReads(f.first());
            final Initiator.Io io = f.begin(0, 2);
            ArrayFixture.await(() -> before + 1 == f.array.hedgeCounts().begun(), "hedged");
            if (isLost)
            {
                f.first().letGo();
            }
            assertEquals(BlockStatus.SUCCESS, f.host.await(io));
            assertEquals(!isLost, io.request().lent());
            f.assertPayload(io);
            f.members.forEach(HeldMember::letGo);
            if (!isLost)
            {
                f.releaseLoan(io);
            }
            ArrayFixture.await(() -> 0 == f.host.call(() -> f.host.channel().inFlight()), "ended");
        }
    }

    /** All of a strip, from its middle, and in pieces of memory. */
    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID10,5", "RAID5,4", "RAID6,6"})
    void shouldHedgeAllOfAStrip(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount);
        f.members.forEach(HedgeFixture::holdReads);
        final List<Initiator.Io> all = new ArrayList<>();
        final int strips = 2 * memberCount;
        for (int strip = 0; strip < strips; strip++)
        {
            final int from = random.nextInt(STRIP_BLOCKS);
            final int blocks = 1 + random.nextInt(STRIP_BLOCKS - from);
            all.add(f.begin((long)strip * STRIP_BLOCKS + from, blocks));
        }
        ArrayFixture.await(() -> f.array.hedgeCounts().begun() > 0, "hedged");
        f.members.forEach(HeldMember::letGo);
        end(all);
    }

    /**
     * The channel has work as long as a hedge waits for a member to take it: who polls it would not go on otherwise,
     * and the rows would stay locked for writes of other reactors.
     */
    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID10,4", "RAID5,4", "RAID6,5"})
    void shouldBePolledWhileAHedgeWaitsForAMemberThatIsFull(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount);
        f.others().forEach(HeldMember::full);
        final Initiator.Io io = f.beginHeld();
        ArrayFixture.await(() -> 1 == f.array.hedgeCounts().begun(), "hedged");
        f.first().letGo();
        assertEquals(BlockStatus.SUCCESS, f.host.await(io));
        assertFalse(io.request().lent());
        assertNotEquals(0, f.host.call(() -> f.host.channel().inFlight()));
        f.others().forEach(HeldMember::letGo);
        ArrayFixture.await(() -> 0 == f.host.call(() -> f.host.channel().inFlight()), "ended");
        assertTrue(f.array.locks().tryExclusiveOnce(0, HedgeFixture.STRIP));
        f.array.locks().releaseExclusive(0, HedgeFixture.STRIP);
    }

    /** A device above that passes requests on as they are gives their loans back as well. */
    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID5,4"})
    void shouldTakeALoanBackThroughADeviceThatDelays(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount);
        final DelayDevice delayed = DelayDevice.over("delayed", f.array,
            DeviceProperties.of(Map.of("base", "array", "read-delay", random.nextInt(2) * 1_000_000L)));
        HedgeFixture.holdReads(f.first());
        try (Initiator above = f.host.beside(delayed))
        {
            // The next read of a copy goes to the other one.
            final int reads = level.parityCount() > 0 ? LATE_MAX / 4 : 1;
            for (int i = 0; i < reads; i++)
            {
                final Initiator.Io io = above.io();
                Initiator.fill(io.request(), BlockOperation.READ, i, 1, false, f.memory(i), BLOCK);
                io.request().lendable(true);
                above.send(io);
                assertEquals(BlockStatus.SUCCESS, above.await(io));
                assertTrue(io.request().lent());
                f.assertPayload(io);
                above.call(() ->
                {
                    above.channel().releaseLoan(io.request());
                    io.request().clearLent();
                    return null;
                });
            }
            f.first().letGo();
            ArrayFixture.await(() -> 0 == above.call(() -> above.channel().inFlight()), "ended");
        }
    }

    @Test
    void shouldNotHedgeForAHostThatWantsItsOwnMemory()
    {
        create(RaidLevel.RAID5, 4);
        HedgeFixture.holdReads(f.first());
        final Initiator.Io own = f.host.io();
        Initiator.fill(own.request(), BlockOperation.READ, 0, 1, false, f.memory(0), BLOCK);
        f.host.send(own);
        final Initiator.Io lendable = f.begin(1, 1);
        assertEquals(BlockStatus.SUCCESS, f.host.await(lendable));
        f.passTime();
        assertFalse(own.result().isDone());
        assertEquals(1, f.array.hedgeCounts().begun());
        f.releaseLoan(lendable);
        f.first().letGo();
        assertEquals(BlockStatus.SUCCESS, f.host.await(own));
        f.assertPayload(own);
    }

    @Test
    void shouldNotHedgeWhenItIsOff()
    {
        create(RaidLevel.RAID5, 4);
        f.array.hedgeReads(0);
        final Initiator.Io io = f.beginHeld();
        f.passTime();
        assertEquals(0, f.array.hedgeCounts().begun());
        f.first().letGo();
        assertEquals(BlockStatus.SUCCESS, f.host.await(io));
    }

    /** Some may begin at once; another one is earned by 20 reads at 5 percent. */
    @Test
    void shouldBoundTheShareOfReads()
    {
        create(RaidLevel.RAID5, 4);
        f.array.hedgeReads(5);
        HedgeFixture.holdReads(f.first());
        final List<Initiator.Io> all = new ArrayList<>();
        for (int i = 0; i < 40; i++)
        {
            all.add(f.lendable(i % STRIP_BLOCKS, 1));
        }
        f.host.send(all);
        assertHedged(16, all);
        // Of the next strip, whose member is fast.
        for (int i = 0; i < 20; i++)
        {
            assertEquals(BlockStatus.SUCCESS, f.host.await(f.begin(STRIP_BLOCKS, 1)));
        }
        assertHedged(17, all);
        f.first().letGo();
        all.forEach((io) -> assertEquals(BlockStatus.SUCCESS, f.host.await(io)));
    }

    /** So many and no more, which buffers are not the reason for. */
    private void assertHedged(final int count, final List<Initiator.Io> all)
    {
        ArrayFixture.await(() ->
        {
            releaseLoans(all);
            return count == f.array.hedgeCounts().begun();
        }, "hedged " + count);
        releaseLoans(all);
        f.passTime();
        assertEquals(count, f.array.hedgeCounts().begun());
    }

    private void releaseLoans(final List<Initiator.Io> all)
    {
        for (final Initiator.Io io : all)
        {
            if (io.result().isDone() && io.request().lent())
            {
                f.assertPayload(io);
                f.releaseLoan(io);
            }
        }
    }

    private void end(final List<Initiator.Io> all)
    {
        for (final Initiator.Io io : all)
        {
            assertEquals(BlockStatus.SUCCESS, f.host.await(io));
            f.assertPayload(io);
            if (io.request().lent())
            {
                f.releaseLoan(io);
            }
        }
    }

    /** A member that never answers keeps so much memory, and no more. */
    @Test
    void shouldBoundTheReadsThatAreLate()
    {
        create(RaidLevel.RAID5, 4);
        HedgeFixture.holdReads(f.first());
        final List<Initiator.Io> all = new ArrayList<>();
        for (int round = 0; round < 3; round++)
        {
            for (int i = 0; i < 16; i++)
            {
                all.add(f.begin(i % STRIP_BLOCKS, 1));
            }
            assertHedged(Math.min(LATE_MAX, 16 * (round + 1)), all);
        }
        f.first().letGo();
        all.forEach((io) -> assertEquals(BlockStatus.SUCCESS, f.host.await(io)));
    }

    /** A sixteenth of the buffers of the reactor. */
    @Test
    void shouldBoundTheMemoryThatIsLate()
    {
        create(RaidLevel.RAID5, 4);
        HedgeFixture.holdReads(f.first());
        final int blocks = 8192 / BLOCK;
        final List<Initiator.Io> all = new ArrayList<>();
        for (int i = 0; i < 6; i++)
        {
            all.add(f.begin((long)i % 2 * blocks, blocks));
        }
        assertHedged(Initiator.BUFFERS_BYTES / 16 / 8192, all);
        f.first().letGo();
        all.forEach((io) -> assertEquals(BlockStatus.SUCCESS, f.host.await(io)));
        ArrayFixture.await(() -> 0 == f.host.call(() -> f.host.channel().inFlight()), "ended");
        HedgeFixture.holdReads(f.first());
        final Initiator.Io next = f.begin(0, blocks);
        assertEquals(BlockStatus.SUCCESS, f.host.await(next));
        f.releaseLoan(next);
    }

    /** The rows of a write are not computed from data that is old and parity that is new. */
    @ParameterizedTest
    @CsvSource({"RAID5,4", "RAID6,5"})
    void shouldWaitForAWriteOfTheRows(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount);
        ArrayFixture.await(() -> f.array.locks().tryExclusiveOnce(0, BLOCK), "locked");
        final Initiator.Io io = f.beginHeld();
        f.passTime();
        assertEquals(0, f.array.hedgeCounts().begun());
        f.array.locks().releaseExclusive(0, BLOCK);
        assertEquals(BlockStatus.SUCCESS, f.host.await(io));
        assertTrue(io.request().lent());
        f.assertPayload(io);
        f.releaseLoan(io);
    }

    @ParameterizedTest
    @CsvSource({"RAID5,4", "RAID6,5"})
    void shouldLockTheRows(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount);
        f.others().forEach(HedgeFixture::holdReads);
        final Initiator.Io io = f.beginHeld();
        ArrayFixture.await(() -> 1 == f.array.hedgeCounts().begun(), "hedged");
        assertFalse(f.array.locks().tryExclusiveOnce(0, BLOCK));
        f.others().forEach(HeldMember::letGo);
        assertEquals(BlockStatus.SUCCESS, f.host.await(io));
        assertTrue(f.array.locks().tryExclusiveOnce(0, BLOCK));
        f.array.locks().releaseExclusive(0, BLOCK);
        f.releaseLoan(io);
    }

    /** Copies and parity may not match there. */
    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID10,4", "RAID5,4", "RAID6,5"})
    void shouldNotHedgeWhereAResyncIsDue(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount);
        // Nobody resynchronizes the region meanwhile.
        f.fixture.stop();
        HedgeFixture.holdReads(f.first());
        final Initiator.Io io = f.lendable(0, 1);
        f.host.call(() ->
        {
            f.host.resend(io);
            f.array.intent().tear(0);
            return null;
        });
        f.passTime();
        assertEquals(0, f.array.hedgeCounts().begun());
        f.first().letGo();
        assertEquals(BlockStatus.SUCCESS, f.host.await(io));
        f.assertPayload(io);
    }

    /** One of the others has failed since: what is left is for reads that need it. */
    @ParameterizedTest
    @CsvSource({"RAID1,3", "RAID6,5"})
    void shouldNotHedgeWithoutAllMembers(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount);
        final RaidChannel channel = (RaidChannel)f.host.channel();
        HedgeFixture.holdReads(f.first());
        final Initiator.Io io = f.lendable(0, 1);
        f.host.call(() ->
        {
            f.host.resend(io);
            channel.hold();
            return null;
        });
        f.passTime();
        assertEquals(0, f.array.hedgeCounts().begun(), "while members are held");
        RaidFixture.get(f.array.fail(f.others().getLast().name()));
        f.host.call(() ->
        {
            channel.resume();
            return null;
        });
        f.passTime();
        assertEquals(0, f.array.hedgeCounts().begun());
        f.first().letGo();
        assertEquals(BlockStatus.SUCCESS, f.host.await(io));
        f.assertPayload(io);
    }

    /** A hedge that fails leaves the read as it was; the member that failed it is reported. */
    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID10,4", "RAID5,4", "RAID6,5"})
    void shouldGoOnWithoutAHedgeThatFails(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount);
        f.others().forEach(HedgeFixture::holdReads);
        final Initiator.Io io = f.beginHeld();
        ArrayFixture.await(() -> f.others().stream().anyMatch((each) -> each.held() > 0), "asked");
        final HeldMember failing =
            f.others().stream().filter((each) -> each.held() > 0).findFirst().orElseThrow();
        failing.end(BlockStatus.DEVICE_ERROR);
        f.others().stream().filter((each) -> failing != each).forEach(HeldMember::letGo);
        ArrayFixture.await(() -> SlotState.FAILED == f.array.view().state(f.members.indexOf(failing)), "failed");
        assertFalse(io.result().isDone());
        f.first().letGo();
        assertEquals(BlockStatus.SUCCESS, f.host.await(io));
        assertFalse(io.request().lent());
        f.assertPayload(io);
        assertEquals(0, f.array.hedgeCounts().won());
    }

    /** Both end with media errors: a stripe request says what is left. */
    @Test
    void shouldFailWhenBothFail()
    {
        create(RaidLevel.RAID1, 2);
        // Nobody reads the rows to repair them.
        f.fixture.stop();
        f.others().forEach(HedgeFixture::holdReads);
        final Initiator.Io io = f.beginHeld();
        ArrayFixture.await(() -> 1 == f.members.get(1).held(), "asked");
        f.members.get(1).end(BlockStatus.MEDIA_ERROR);
        ArrayFixture.await(() -> 0 == f.members.get(1).held(), "ended");
        HedgeFixture.holdReads(f.members.get(1));
        f.first().end(BlockStatus.MEDIA_ERROR);
        ArrayFixture.await(() -> f.members.get(1).held() > 0, "read again");
        f.members.get(1).end(BlockStatus.MEDIA_ERROR);
        assertEquals(BlockStatus.MEDIA_ERROR, f.host.await(io));
        assertNull(io.request().hold());
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID10,4", "RAID5,4", "RAID6,5"})
    void shouldFailAMemberThatFailsALateRead(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount);
        final Initiator.Io io = answered();
        final AtomicBoolean isReleased = watch(f, io.request().hold());
        f.first().end(BlockStatus.DEVICE_ERROR);
        ArrayFixture.await(() -> SlotState.FAILED == f.array.view().state(f.firstSlot()), "failed");
        ArrayFixture.await(isReleased::get, "released");
        f.assertPayload(io);
        f.releaseLoan(io);
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID10,5", "RAID5,4", "RAID6,5"})
    void shouldRepairWhatALateReadCouldNotRead(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount);
        HedgeFixture.holdReads(f.first());
        final Initiator.Io io = f.begin(17, 1);
        assertEquals(BlockStatus.SUCCESS, f.host.await(io));
        f.first().end(BlockStatus.MEDIA_ERROR);
        ArrayFixture.await(() -> f.first().reads().size() > 1, "looked at again");
        // A row has eight blocks.
        assertEquals(List.of(17L, 16L), f.first().reads().stream().toList());
        f.releaseLoan(io);
    }

    /** Memory of the host stays with the drive until that has let go of it. */
    @Test
    void shouldHoldTheHostsMemoryForTheDrive()
    {
        create(RaidLevel.RAID5, 4);
        final Initiator.Io io = answered();
        final AtomicBoolean isReleased = watch(f, io.request().hold());
        f.first().keepMemory();
        f.first().end(BlockStatus.ABORTED);
        ArrayFixture.await(() -> 1 == f.first().holds().size(), "kept");
        ArrayFixture.await(() -> 0 == f.host.call(() -> f.host.channel().inFlight()), "ended");
        assertFalse(isReleased.get());
        f.host.call(() ->
        {
            f.first().holds().remove().release();
            return null;
        });
        assertTrue(isReleased.get());
        f.releaseLoan(io);
    }

    /** A buffer of a hedge that a drive keeps is not used again before the drive has let go of it. */
    @Test
    void shouldHoldTheBufferOfAHedge()
    {
        create(RaidLevel.RAID1, 2);
        HedgeFixture.holdReads(f.members.get(1));
        f.members.get(1).keepMemory();
        final Initiator.Io io = f.beginHeld();
        ArrayFixture.await(() -> 1 == f.members.get(1).held(), "asked");
        f.members.get(1).end(BlockStatus.MEDIA_ERROR);
        ArrayFixture.await(() -> 1 == f.members.get(1).holds().size(), "kept");
        f.first().letGo();
        assertEquals(BlockStatus.SUCCESS, f.host.await(io));
        assertFalse(io.request().lent());
        final Initiator.Io next = answered();
        assertNotEquals(f.members.get(1).kept().remove(), next.request().segments().address(0));
        f.releaseLoan(next);
        f.host.call(() ->
        {
            f.members.get(1).holds().remove().release();
            return null;
        });
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID5,4"})
    void shouldCloseWithALateRead(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount);
        final Initiator.Io io = answered();
        final AtomicBoolean isReleased = watch(f, io.request().hold());
        f.releaseLoan(io);
        RaidFixture.get(f.host.beginClosing());
        assertTrue(isReleased.get());
        // A member that closes has not failed.
        assertEquals(SlotState.IN_SYNC, f.array.view().state(f.firstSlot()));
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID5,4", "RAID6,5"})
    void shouldCloseWithAHedge(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount);
        f.others().forEach(HedgeFixture::holdReads);
        final Initiator.Io io = f.beginHeld();
        ArrayFixture.await(() -> 1 == f.array.hedgeCounts().begun(), "hedged");
        final CompletableFuture<Void> closed = f.host.beginClosing();
        assertEquals(BlockStatus.ABORTED, f.host.await(io));
        RaidFixture.get(closed);
        assertTrue(f.array.locks().tryExclusiveOnce(0, BLOCK));
        f.array.locks().releaseExclusive(0, BLOCK);
    }

    /** Nothing is computed of what is listed as lost. */
    @ParameterizedTest
    @CsvSource({"RAID5,4", "RAID6,5"})
    void shouldNotComputeFromLostParity(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount);
        final int parity = f.layout.parityP(0);
        RaidFixture.get(f.host.reactor().call(() ->
            f.array.lostBlockChanges().lose(f.array.view().member(parity), 0, BLOCK)));
        final Initiator.Io io = f.beginHeld();
        ArrayFixture.await(() -> 1 == f.array.hedgeCounts().begun(), "hedged");
        f.passTime();
        assertFalse(io.result().isDone());
        assertEquals(0, f.array.hedgeCounts().won());
        f.first().letGo();
        assertEquals(BlockStatus.SUCCESS, f.host.await(io));
        f.assertPayload(io);
    }

    private ScrubResult scrub(final ScrubMode mode)
    {
        f.array.scrub(mode);
        ArrayFixture.await(() -> !f.array.scrubControl().isActive(), "scrubbed");
        return f.array.scrubControl().result();
    }

    /** Data that is right on its member is not computed of parity that is known not to match. */
    @ParameterizedTest
    @CsvSource({"RAID5,4", "RAID6,5"})
    void shouldNotComputeFromParityThatDoesNotMatch(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount);
        final byte[] wrong = new byte[BLOCK];
        random.nextBytes(wrong);
        final long address = f.memory(0);
        NativeMemory.asByteBuffer(address, BLOCK).put(wrong);
        try (Initiator drive = new Initiator("drive", f.members.get(f.layout.parityP(0))))
        {
            assertEquals(BlockStatus.SUCCESS,
                drive.run(BlockOperation.WRITE, RaidChannel.dataOffsetBytes() / BLOCK, 1, false, address, BLOCK));
        }
        assertEquals(1, scrub(ScrubMode.CHECK).mismatches());
        final Initiator.Io io = f.beginHeld();
        f.passTime();
        assertEquals(0, f.array.hedgeCounts().begun());
        f.first().letGo();
        assertEquals(BlockStatus.SUCCESS, f.host.await(io));
        f.assertPayload(io);
        assertEquals(1, scrub(ScrubMode.REPAIR).repaired());
        f.releaseLoan(answered());
    }
}
