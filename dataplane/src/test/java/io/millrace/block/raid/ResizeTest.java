package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockGeometry;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.DeviceHealth;
import io.millrace.block.Initiator;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.block.fault.FaultDevice;
import io.millrace.block.fault.FaultPlan;
import io.millrace.block.fault.FaultRule;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.block.raid.format.MemberArea;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.format.Superblock;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Arrays whose members became larger while they serve. */
class ResizeTest
{
    /** Of data on each member; a region of the bitmap is divided by both ends. */
    private static final long LARGER_BYTES = ArrayFixture.MEMBER_BYTES + (1 << 20) + (256 << 10);

    private final Random random = TestSeeds.random();

    private ArrayFixture create(final RaidLevel level, final int memberCount, final JournalMode journal)
    {
        return new ArrayFixture(random, level, memberCount, 0, journal);
    }

    private static void growDisks(final ArrayFixture fixture, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            fixture.disk(i).grow(RaidFixture.deviceBytes(LARGER_BYTES));
        }
    }

    private static void awaitResized(final ArrayFixture fixture, final long memberBytes)
    {
        ArrayFixture.await(() -> memberBytes == fixture.array().layout().memberBytes(),
            "resized: " + fixture.array().status());
    }

    private static void scrub(final RaidDevice array)
    {
        array.scrub(ScrubMode.CHECK);
        ArrayFixture.await(() -> null != array.scrubControl().result() &&
            ScrubStatus.COMPLETED == array.scrubControl().result().status(), "scrubbed");
        assertEquals(0, array.scrubControl().result().mismatches());
        assertEquals(array.layout().dataBytes(), array.scrubControl().result().checkedBytes());
    }

    private static void slow(final ArrayFixture fixture)
    {
        fixture.copyRates(new CopyRates(64 << 10, 64 << 10));
    }

    private static void fast(final ArrayFixture fixture)
    {
        fixture.copyRates(new CopyRates(1L << 40, 1L << 40));
    }

    private static String refusal(final ArrayFixture fixture, final long memberBytes)
    {
        return assertThrows(CompletionException.class, () -> fixture.array().resizeMembers(memberBytes).join())
            .getCause().getMessage();
    }

    private static void assertRefused(final ArrayFixture fixture, final long memberBytes, final String reason)
    {
        final String message = refusal(fixture, memberBytes);
        assertTrue(message.contains(reason), message);
    }

    @ParameterizedTest
    @CsvSource({
        "RAID0,2,DEGRADED,0", "RAID1,2,DEGRADED,1", "RAID1,3,DEGRADED,2", "RAID5,3,DEGRADED,1", "RAID5,4,ALWAYS,1",
        "RAID6,4,DEGRADED,2", "RAID6,5,ALWAYS,2", "RAID10,4,DEGRADED,1", "RAID10,3,DEGRADED,1"})
    void shouldUseTheRoomOfMembersThatGrewInPlace(
        final RaidLevel level, final int count, final JournalMode journal, final int tolerated)
    {
        try (ArrayFixture fixture = create(level, count, journal))
        {
            final long before = fixture.array().geometry().sizeBytes();
            growDisks(fixture, count);
            fixture.array().resizeMembers(0).join();
            while (LARGER_BYTES != fixture.array().layout().memberBytes())
            {
                fixture.writeAnywhere(3);
            }
            assertEquals(before, fixture.array().geometry().sizeBytes());
            assertEquals(before / (ArrayFixture.MEMBER_BYTES >> 18) * (LARGER_BYTES >> 18),
                fixture.array().availableBytes());
            fixture.extend();
            fixture.verify();
            fixture.writeAnywhere(50);
            fixture.zero((int)before - (32 << 10), 64 << 10);
            fixture.write((int)before - 4096, 8192);
            fixture.verify();
            if (RaidLevel.RAID0 != level)
            {
                scrub(fixture.array());
            }
            fixture.restart();
            assertEquals(fixture.layout().dataCount(), fixture.array().layout().dataCount());
            assertEquals(LARGER_BYTES, fixture.array().layout().memberBytes());
            fixture.verify();
            for (int i = 0; i < tolerated; i++)
            {
                RaidFixture.get(fixture.array().fail("d" + i));
            }
            fixture.verify();
            fixture.writeAnywhere(20);
            fixture.verify();
        }
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID5,3", "RAID6,4", "RAID10,4", "EC3,5"})
    void shouldUseTheRoomOfMembersThatReplacedOthers(final RaidLevel level, final int count)
    {
        try (ArrayFixture fixture = create(level, count, JournalMode.DEGRADED))
        {
            final StringBuilder names = new StringBuilder();
            for (int i = 0; i < count; i++)
            {
                assertRefused(fixture, 0, "has room for no more: replace it by a larger device");
                fixture.addDisk(RaidFixture.deviceBytes(LARGER_BYTES));
                names.append(0 == i ? "d" : " d").append(count + i);
                final StringBuilder members = new StringBuilder(names);
                for (int rest = i + 1; rest < count; rest++)
                {
                    members.append(" d").append(rest);
                }
                if (count - 1 == i)
                {
                    // Nothing is erased on it.
                    RaidFixture.get(fixture.array().fail("d" + i));
                }
                fixture.set(members.toString(), "");
                fixture.awaitOnline();
            }
            fixture.array().resizeMembers(0).join();
            awaitResized(fixture, LARGER_BYTES);
            fixture.extend();
            fixture.writeAnywhere(30);
            fixture.verify();
            scrub(fixture.array());
            // Those that were replaced are named again by a file that nobody changed: they are too small, and left out.
            final String failed = "d" + (count - 1);
            fixture.configure(names.toString(), "d0 " + failed);
            fixture.restart();
            final String reason = fixture.array().status().reason();
            assertTrue(reason.contains("device d0 has room for") &&
                reason.contains("device " + failed + " has room for"), reason);
            assertTrue(fixture.array().view().isComplete());
            fixture.verify();
        }
    }

    @Test
    void shouldUseAPartOfTheRoomAndTheRestLater()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3, JournalMode.DEGRADED))
        {
            growDisks(fixture, 3);
            final long part = ArrayFixture.MEMBER_BYTES + ArrayFixture.STRIP_BYTES;
            fixture.array().resizeMembers(part).join();
            awaitResized(fixture, part);
            assertRefused(fixture, part, "already: choose a larger size");
            fixture.extend();
            fixture.writeAnywhere(20);
            fixture.array().resizeMembers(LARGER_BYTES).join();
            awaitResized(fixture, LARGER_BYTES);
            fixture.extend();
            fixture.writeAnywhere(20);
            fixture.verify();
            scrub(fixture.array());
        }
    }

    /** Of an odd count of strips in all, the last one has no other copy before members become larger. */
    @Test
    void shouldNotFindWhatWasInAStripThatTheArrayDidNotUse()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID10, 3, JournalMode.DEGRADED))
        {
            final long oddBytes = ArrayFixture.MEMBER_BYTES + ArrayFixture.STRIP_BYTES;
            growDisks(fixture, 3);
            fixture.array().resizeMembers(oddBytes).join();
            awaitResized(fixture, oddBytes);
            fixture.extend();
            fixture.writeAnywhere(20);
            assertEquals(-1, fixture.array().layout().strip(2, oddBytes / ArrayFixture.STRIP_BYTES - 1));
            fixture.corrupt(2, ArrayFixture.MEMBER_BYTES);
            fixture.array().resizeMembers(0).join();
            awaitResized(fixture, LARGER_BYTES);
            fixture.extend();
            fixture.verify();
            scrub(fixture.array());
        }
    }

    @Test
    void shouldRefuseWhatIsNoGainAndChangeNothing()
    {
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID5, 3, 1, JournalMode.DEGRADED))
        {
            assertRefused(fixture, 0, "uses 2097152 bytes of each member already, and d0 has room for no more");
            growDisks(fixture, 2);
            assertRefused(fixture, 0, "d2 has room for no more");
            assertRefused(fixture, LARGER_BYTES, "device d2 has room for 2097152 bytes of data, less than 3407872");
            growDisks(fixture, 3);
            assertRefused(fixture, 0, "device d3, which array array has no slot for, has room for 2097152 bytes");
            assertRefused(fixture, ArrayFixture.MEMBER_BYTES / 2, "an array does not become smaller");
            assertRefused(fixture, ArrayFixture.MEMBER_BYTES + 4096, "are no multiple of that");
            assertRefused(fixture, LARGER_BYTES + ArrayFixture.STRIP_BYTES, "less than 3424256");
            slow(fixture);
            RaidFixture.get(fixture.array().fail("d1"));
            ArrayFixture.await(
                () -> fixture.array().view().firstOf(SlotState.REBUILDING) >= 0, "rebuilding");
            assertRefused(fixture, 0, "is rebuilding slot 1: try again when that has ended");
            assertEquals(ArrayFixture.MEMBER_BYTES, fixture.array().layout().memberBytes());
            fixture.verify();
        }
        try (ArrayFixture fixture = create(RaidLevel.RAID1, 2, JournalMode.DEGRADED))
        {
            growDisks(fixture, 2);
            RaidFixture.get(fixture.array().fail("d1"));
            assertRefused(fixture, 0, "is degraded: add a spare");
        }
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3, JournalMode.DEGRADED))
        {
            fixture.addDisk();
            growDisks(fixture, 4);
            slow(fixture);
            fixture.set("d0 d1 d2 d3", "");
            assertRefused(fixture, 0, "is being reshaped: grow it when that has ended");
        }
    }

    /** Begins, and waits until zeroes are written. */
    private static void begin(final ArrayFixture fixture, final int count)
    {
        growDisks(fixture, count);
        slow(fixture);
        fixture.array().resizeMembers(0).join();
        ArrayFixture.await(() -> null != fixture.array().status().progress() &&
            "resize".equals(fixture.array().status().progress().operation()), "begun");
    }

    @Test
    void shouldNotMoveQOrGiveItUpMeanwhile()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID6, 4, JournalMode.DEGRADED))
        {
            begin(fixture, 4);
            final String message = assertThrows(CompletionException.class, () -> fixture.array().moveQ().join())
                .getCause().getMessage();
            assertTrue(message.contains("is being resized: reshape it when that has ended"), message);
        }
        try (ArrayFixture fixture = create(RaidLevel.RAID6_Q_LAST, 4, JournalMode.DEGRADED))
        {
            begin(fixture, 4);
            final String message = assertThrows(BlockDeviceException.class,
                () -> fixture.set(RaidLevel.RAID5, "d0 d1 d2", "")).getMessage();
            assertTrue(message.contains("is being resized: change its level when that has ended"), message);
        }
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID5,3", "RAID6,4", "RAID10,4", "EC3,5"})
    void shouldBeginAnewWhenAMemberWasRebuilt(final RaidLevel level, final int count)
    {
        try (ArrayFixture fixture = create(level, count, JournalMode.DEGRADED))
        {
            begin(fixture, count);
            assertRefused(fixture, 0, "is being resized to 3407872 bytes of data on each member");
            RaidFixture.get(fixture.array().fail("d1"));
            fast(fixture);
            fixture.writeAnywhere(200);
            assertEquals(ArrayFixture.MEMBER_BYTES, fixture.array().layout().memberBytes());
            fixture.addDisk().grow(RaidFixture.deviceBytes(LARGER_BYTES));
            final String members = "d0 d1 d2 d3 d4".substring(0, 3 * count - 1);
            fixture.set(members, "d" + count);
            awaitResized(fixture, LARGER_BYTES);
            fixture.extend();
            fixture.verify();
            scrub(fixture.array());
            // The member that failed has the old size, and missed what came after: it is not used.
            RaidFixture.get(fixture.array().fail("d0"));
            fixture.verify();
            fixture.writeAnywhere(20);
            fixture.restart();
            fixture.awaitOnline();
            fixture.verify();
            scrub(fixture.array());
        }
    }

    /** A device that reactors open when a test says so. */
    private record LateDevice(BlockDevice inner, Queue<Runnable> opens) implements BlockDevice
    {
        @Override
        public String name()
        {
            return inner.name();
        }

        @Override
        public BlockGeometry geometry()
        {
            return inner.geometry();
        }

        @Override
        public void open(final ReactorContext context, final OpenListener listener)
        {
            opens.add(() -> context.reactor().execute(() -> inner.open(context, listener)));
        }

        @Override
        public void close()
        {
            // The fixture does.
        }
    }

    /** One that is added meanwhile was checked by the size of before. */
    @Test
    void shouldNotBecomeLargerWhileADeviceIsAdded()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID1, 2, JournalMode.DEGRADED))
        {
            begin(fixture, 2);
            final LateDevice late = new LateDevice(fixture.addDisk(), new ConcurrentLinkedQueue<>());
            final CompletableFuture<Void> added = new CompletableFuture<>();
            fixture.array().change(new MemberChange.Add(late, added));
            ArrayFixture.await(() -> 2 == late.opens().size(), "opened");
            fast(fixture);
            ArrayFixture.await(() -> null != fixture.array().status().progress() &&
                1000 == fixture.array().status().progress().perMille(), "zeroed");
            fixture.writeAnywhere(50);
            assertEquals(ArrayFixture.MEMBER_BYTES, fixture.array().layout().memberBytes());
            late.opens().forEach(Runnable::run);
            RaidFixture.get(added);
            ArrayFixture.await(() -> fixture.events().stream().anyMatch((each) -> each.contains("resize was given " +
                "up: device d2, which array array has no slot for, has room for 2097152")), "given up");
            fixture.verify();
            assertEquals(ArrayFixture.MEMBER_BYTES, fixture.array().layout().memberBytes());
        }
    }

    @Test
    void shouldRefuseADeviceThatWasCheckedBefore()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID1, 2, JournalMode.DEGRADED))
        {
            growDisks(fixture, 2);
            fixture.array().resizeMembers(0).join();
            awaitResized(fixture, LARGER_BYTES);
            final CompletableFuture<Void> added = new CompletableFuture<>();
            fixture.array().change(new MemberChange.Add(fixture.addDisk(), added));
            final String message = assertThrows(CompletionException.class, added::join).getCause().getMessage();
            assertTrue(message.contains("device d2 has room for 2097152 bytes of data, and members of the array have " +
                LARGER_BYTES), message);
        }
    }

    @Test
    void shouldGiveUpWhenAMemberHasNoRoomAnyMore()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3, JournalMode.DEGRADED))
        {
            begin(fixture, 3);
            fixture.addDisk();
            RaidFixture.get(fixture.array().fail("d1"));
            fixture.set("d0 d3 d2", "");
            fast(fixture);
            ArrayFixture.await(() -> fixture.events().stream().anyMatch((each) ->
                each.contains("resize was given up: device d3 has room for 2097152 bytes")), "given up");
            fixture.awaitOnline();
            fixture.verify();
            assertEquals(ArrayFixture.MEMBER_BYTES, fixture.array().layout().memberBytes());
        }
    }

    /** An array whose members have 256 blocks of data, and room for 256 more. */
    private static RaidDevice overFaults(final RaidFixture fixture, final FaultRule rule)
    {
        return overFaults(fixture, rule, rule);
    }

    private static RaidDevice overFaults(final RaidFixture fixture, final FaultRule first, final FaultRule others)
    {
        final List<MemoryDevice> media = new ArrayList<>();
        final List<BlockDevice> members = new ArrayList<>();
        for (int i = 0; i < 3; i++)
        {
            media.add(MemoryDevice.create("m" + i, RaidFixture.deviceBytes(1 << 20), 4096));
            members.add(fixture.own(FaultDevice.wrap(media.get(i), FaultPlan.of(1, 0 == i ? first : others))));
        }
        final RaidDevice array = fixture.create(RaidLevel.RAID5, 4096, members);
        media.forEach((each) -> MemberDisk.grow(each, RaidFixture.deviceBytes(2 << 20)));
        return array;
    }

    /** The new member lacks the zeroes, though all slots are in sync again when the others have written theirs. */
    @Test
    void shouldBeginAnewWhenAMemberWasReplacedWhileZeroesAreWritten()
    {
        try (RaidFixture fixture = new RaidFixture())
        {
            final FaultRule zeroes = FaultRule.delay(1_500_000_000L).withRange(513, 767)
                .withOperations(Set.of(BlockOperation.WRITE, BlockOperation.WRITE_ZEROES));
            final RaidDevice array = overFaults(fixture, zeroes, zeroes.withRange(1L << 40, 1L << 41));
            final MemoryDevice replacement = MemoryDevice.create("m3", RaidFixture.deviceBytes(1 << 20), 4096);
            MemberDisk.grow(replacement, RaidFixture.deviceBytes(2 << 20));
            fixture.own(replacement);
            ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
            RaidFixture.get(array.resizeMembers(0));
            ArrayFixture.await(() -> null != array.status().progress(), "begun");
            final CompletableFuture<Void> replaced = new CompletableFuture<>();
            array.change(new MemberChange.Replace(replacement, array.view().member(1).device(), replaced));
            RaidFixture.get(replaced);
            ArrayFixture.await(
                () -> replacement == array.view().member(1).device() && array.view().isSteady(), "replaced");
            assertEquals(1 << 20, array.layout().memberBytes());
            ArrayFixture.await(() -> 2 << 20 == array.layout().memberBytes(), "resized");
            scrub(array);
            fixture.stop();
            array.close();
        }
    }

    @Test
    void shouldWriteZeroesWhereMembersDoNotSupportTheCommand()
    {
        try (RaidFixture fixture = new RaidFixture())
        {
            final RaidDevice array = overFaults(fixture,
                FaultRule.error(BlockStatus.NOT_SUPPORTED).withOperations(Set.of(BlockOperation.WRITE_ZEROES)));
            RaidFixture.get(array.resizeMembers(0));
            ArrayFixture.await(() -> 2 << 20 == array.layout().memberBytes(), "resized");
            assertTrue(array.view().isComplete());
            scrub(array);
            fixture.stop();
            array.close();
        }
    }

    /** Members stay, which a failure of several would end. */
    @Test
    void shouldGiveUpWhenThereIsNoSpaceForZeroes()
    {
        try (RaidFixture fixture = new RaidFixture())
        {
            final RaidDevice array = overFaults(fixture, FaultRule.error(BlockStatus.CAPACITY_EXCEEDED)
                .withRange(513, 767).withOperations(Set.of(BlockOperation.WRITE, BlockOperation.WRITE_ZEROES)));
            RaidFixture.get(array.resizeMembers(0));
            ArrayFixture.await(() -> fixture.events().stream().anyMatch((each) ->
                each.contains("resize was given up: no space is left below m")), "given up");
            assertTrue(array.view().isComplete());
            assertEquals(1 << 20, array.layout().memberBytes());
            fixture.stop();
            array.close();
        }
    }

    /** The first copy is written when the one at the end, which may not be there yet, is stable. */
    @Test
    void shouldWriteTheSuperblockAtTheEndBeforeTheFirst()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID1, 2, JournalMode.DEGRADED))
        {
            growDisks(fixture, 2);
            final MemberWrites.Targets places = fixture.array().pages().superblockTargets();
            final RaidMember member = fixture.array().view().member(0);
            assertEquals(MemberArea.secondSuperblockOffset(RaidFixture.deviceBytes(LARGER_BYTES)),
                places.offset(member, 0));
            assertEquals(MemberArea.FIRST_SUPERBLOCK_BYTES, places.offset(member, 1));
        }
    }

    /** As files of a full file system that were made longer: nor is there space for superblocks at the new ends. */
    @Test
    void shouldServeAndStartAgainWhenThereIsNoSpaceForAnythingNew()
    {
        try (RaidFixture fixture = new RaidFixture())
        {
            final RaidDevice array = overFaults(fixture, FaultRule.error(BlockStatus.CAPACITY_EXCEEDED)
                .withRange(513, Long.MAX_VALUE)
                .withOperations(Set.of(BlockOperation.WRITE, BlockOperation.WRITE_ZEROES)));
            RaidFixture.get(array.resizeMembers(0));
            ArrayFixture.await(() -> fixture.events().stream().anyMatch((each) ->
                each.contains("resize was given up: no space is left below m")), "given up");
            assertTrue(array.view().isComplete());
            fixture.stop();
            array.close();
            final RaidDevice again = fixture.assemble(
                RaidFixture.config(RaidLevel.RAID5, 4096, array.members(), List.of()), array.members());
            assertTrue(again.view().isComplete());
            assertEquals(1 << 20, again.layout().memberBytes());
            fixture.stop();
            again.close();
        }
    }

    @Test
    void shouldStayAsItWasWhenItIsStopped()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID6, 4, JournalMode.DEGRADED))
        {
            begin(fixture, 4);
            fixture.writeAnywhere(10);
            fixture.restart();
            assertEquals(ArrayFixture.MEMBER_BYTES, fixture.array().layout().memberBytes());
            assertEquals(DeviceHealth.ONLINE, fixture.array().status().health());
            fixture.verify();
            fast(fixture);
            fixture.array().resizeMembers(0).join();
            awaitResized(fixture, LARGER_BYTES);
            fixture.extend();
            fixture.verify();
            scrub(fixture.array());
        }
    }

    @ParameterizedTest
    @CsvSource({"RAID5,3", "RAID6,5", "RAID1,2", "RAID10,4", "EC3,6"})
    void shouldServeSeveralReactors(final RaidLevel level, final int count) throws InterruptedException
    {
        try (ArrayFixture fixture = create(level, count, JournalMode.DEGRADED))
        {
            final RaidDevice array = fixture.array();
            final AtomicBoolean isOver = new AtomicBoolean();
            final AtomicReference<Throwable> problem = new AtomicReference<>();
            final List<Thread> threads = new ArrayList<>();
            growDisks(fixture, count);
            for (long memberBytes = ArrayFixture.MEMBER_BYTES; memberBytes < LARGER_BYTES; )
            {
                threads.add(startHost(fixture, threads.size() % 2, isOver, problem));
                // Hosts of before write on, and others what is new, too.
                memberBytes += 16 * ArrayFixture.STRIP_BYTES;
                array.resizeMembers(memberBytes).join();
                awaitResized(fixture, memberBytes);
                array.grow(array.availableBytes());
                isOver.set(2 == threads.size());
                if (isOver.get())
                {
                    for (final Thread each : threads)
                    {
                        each.join();
                    }
                    threads.clear();
                    isOver.set(false);
                }
            }
            isOver.set(true);
            for (final Thread each : threads)
            {
                each.join();
            }
            assertNull(problem.get(), () -> problem.get().toString());
            assertEquals(LARGER_BYTES, array.layout().memberBytes());
            scrub(array);
        }
    }

    private static Thread startHost(
        final ArrayFixture fixture,
        final int number,
        final AtomicBoolean isOver,
        final AtomicReference<Throwable> problem)
    {
        final Thread thread = new Thread(() ->
        {
            try (Initiator other = fixture.anotherHost("other" + number))
            {
                ReshapeTest.write(other, fixture, number, isOver);
            }
            catch (final RuntimeException | AssertionError e)
            {
                problem.compareAndSet(null, e);
            }
        });
        thread.start();
        return thread;
    }

    @Test
    void shouldFinishAScrubThatWaits()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3, JournalMode.DEGRADED))
        {
            begin(fixture, 3);
            fixture.array().scrub(ScrubMode.CHECK);
            fast(fixture);
            awaitResized(fixture, LARGER_BYTES);
            ArrayFixture.await(() -> null != fixture.array().scrubControl().result() &&
                ScrubStatus.COMPLETED == fixture.array().scrubControl().result().status(), "scrubbed");
            assertEquals(0, fixture.array().scrubControl().result().mismatches());
        }
    }

    @Test
    void shouldHaveBothSuperblocksAtThePresentEndBeforeTheOldOneIsOverwritten()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID1, 2, JournalMode.DEGRADED))
        {
            begin(fixture, 2);
            assertNotNull(Superblock.decode(new UnsafeBuffer(fixture.lastBlock(0)), 0));
            fixture.stopWork();
            fixture.eraseFirstSuperblock(0);
            fixture.restart();
            assertTrue(fixture.array().view().isComplete());
            fixture.verify();
        }
    }

    /** What another array left where a device ends that has become larger is not taken for its superblock. */
    @Test
    void shouldNotTakeWhatLiesAtTheNewEndForItsSuperblock()
    {
        try (ArrayFixture other = create(RaidLevel.RAID1, 2, JournalMode.DEGRADED);
            ArrayFixture fixture = create(RaidLevel.RAID5, 3, JournalMode.DEGRADED))
        {
            other.restart();
            other.restart();
            final FoundMember foreign = other.read(0);
            assertNotNull(foreign.superblock());
            fixture.stopWork();
            fixture.disk(0).grow(RaidFixture.deviceBytes(LARGER_BYTES));
            fixture.copyLastBlock(other, 0);
            assertTrue(foreign.superblock().eventCount() > fixture.read(1).superblock().eventCount());
            fixture.restart();
            assertTrue(fixture.array().view().isComplete());
            assertEquals(DeviceHealth.ONLINE, fixture.array().status().health());
            fixture.verify();
        }
    }

    @Test
    void shouldNotGrowMoreThanItsMembers()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3, JournalMode.DEGRADED))
        {
            final RaidDevice array = fixture.array();
            growDisks(fixture, 3);
            final String message = assertThrows(
                BlockDeviceException.class, () -> array.grow(array.geometry().sizeBytes() * 2)).getMessage();
            assertTrue(message.contains("make all larger"), message);
            assertNull(array.status().progress());
        }
    }
}
