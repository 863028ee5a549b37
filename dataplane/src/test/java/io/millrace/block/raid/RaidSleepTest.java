package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.block.StripeLocks;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import io.millrace.testing.MeasuresTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Reactors sleep while members do not answer, and go on when what their stripe requests wait for has come about. */
@MeasuresTime
class RaidSleepTest
{
    private static final int STRIP_BYTES = 16 << 10;
    private static final int BLOCK_BYTES = 4096;
    private static final int BLOCK_SHIFT = 12;
    private static final int STRIP_BLOCKS = STRIP_BYTES / BLOCK_BYTES;
    private static final long MEMBER_BYTES = 16 << 20;
    /** One that spins runs hundreds of thousands; what waits is tried again every 50 ms, with some cycles after it. */
    private static final int CYCLES_MAX = 5000;
    /** What members have refused is offered again every 16 ms. */
    private static final int RETRY_CYCLES_MAX = 10 * CYCLES_MAX;
    /** The first times after 1, 2 and 4 ms, and some. */
    private static final long SOON_NS = 8_000_000L;
    private static final long QUIET_NS = 200_000_000L;
    /** A reactor that was not woken sleeps for a second. */
    private static final long WOKEN_NS = 500_000_000L;
    /** What waits in a channel is tried again 48 ms after its reactor fell asleep, woken or not. */
    private static final long RETRIED_NS = StripeLocks.MARK_NS_MAX / 4;
    private static final int ROUNDS = 4;
    private static final int BATCHES = 400;
    private static final long ASLEEP_NS = 900_000_000L;
    private static final long STALE_NS = 2 * StripeLocks.MARK_NS_MAX;

    private final RaidFixture fixture = new RaidFixture();
    private final DmaMemory arena = DmaMemory.map(2 * BLOCK_BYTES);
    private final List<HeldMember> members = new ArrayList<>();
    private final List<Initiator> hosts = new ArrayList<>();
    private RaidDevice array;

    @AfterEach
    void close()
    {
        letGo();
        hosts.forEach(Initiator::close);
        fixture.stop();
        if (null != array)
        {
            array.close();
        }
        fixture.close();
        arena.close();
    }

    private void create(final RaidLevel level, final JournalMode journal, final int hostCount, final int memberCount)
    {
        fixture.memoryMembers(memberCount, MEMBER_BYTES, BLOCK_BYTES)
            .forEach((each) -> members.add(new HeldMember(each)));
        final List<BlockDevice> devices = new ArrayList<>(members);
        array = fixture.create(level, STRIP_BYTES, devices, journal);
        for (int i = 0; i < hostCount; i++)
        {
            hosts.add(new Initiator("host-" + i, array));
        }
        ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
    }

    private Initiator.Io write(final int host, final long block)
    {
        return send(host, BlockOperation.WRITE, block);
    }

    private Initiator.Io send(final int host, final BlockOperation operation, final long block)
    {
        final Initiator.Io io = hosts.get(host).io();
        Initiator.fill(io.request(), operation, block, 1, false, arena.address(), BLOCK_BYTES);
        hosts.get(host).send(io);
        return io;
    }

    private void assertSuccess(final Initiator.Io io)
    {
        assertEquals(BlockStatus.SUCCESS, hosts.getFirst().get(io.result()));
    }

    private static void pass(final long durationNs)
    {
        final long deadlineNs = System.nanoTime() + durationNs;
        while (System.nanoTime() - deadlineNs < 0)
        {
            LockSupport.parkNanos(deadlineNs - System.nanoTime());
        }
    }

    /** All reactors with a channel to the array sleep but for a few cycles. */
    private void assertQuiet()
    {
        assertQuiet(CYCLES_MAX);
    }

    private void assertQuiet(final int cyclesMax)
    {
        final List<Reactor> reactors = new ArrayList<>(List.of(fixture.reactor()));
        hosts.forEach((each) -> reactors.add(each.reactor()));
        for (final Reactor reactor : reactors)
        {
            long least = Long.MAX_VALUE;
            for (int i = 0; i < 5 && least > cyclesMax; i++)
            {
                final long before = reactor.dutyCycle().cycles();
                pass(QUIET_NS);
                least = Math.min(least, reactor.dutyCycle().cycles() - before);
            }
            assertTrue(least <= cyclesMax, reactor.config().name() + " runs " + least + " cycles");
        }
    }

    /** Waits until a reactor has just fallen asleep, so that it would sleep for long unless it is woken. */
    private static void awaitFreshSleep(final Reactor reactor)
    {
        final long before = reactor.dutyCycle().sleepCount();
        ArrayFixture.await(() -> reactor.dutyCycle().sleepCount() > before, "woken by itself");
        pass(5_000_000L);
    }

    /** What a reactor waits for comes about, and an operation ends well before the reactor would wake by itself. */
    private interface Round
    {
        /** Begins what is waited for. */
        Initiator.Io begin(int round);

        void release();
    }

    /** In the best of some rounds, since other processes may have the CPUs. */
    private void assertWoken(final int host, final Round round)
    {
        long leastNs = Long.MAX_VALUE;
        for (int i = 0; i < ROUNDS && leastNs > RETRIED_NS; i++)
        {
            final Initiator.Io io = round.begin(i);
            assertQuiet();
            assertFalse(io.result().isDone());
            awaitFreshSleep(hosts.get(host).reactor());
            final long startNs = System.nanoTime();
            round.release();
            assertSuccess(io);
            leastNs = Math.min(leastNs, System.nanoTime() - startNs);
        }
        assertTrue(leastNs <= RETRIED_NS, "took " + leastNs + " ns at best");
    }

    private void holdWrites()
    {
        members.forEach((each) -> each.hold((operation, block) -> BlockOperation.WRITE == operation && block >= 0));
    }

    private void letGo()
    {
        members.forEach(HeldMember::letGo);
    }

    private void awaitHeld()
    {
        ArrayFixture.await(() -> members.stream().anyMatch((each) -> 0 != each.held()), "held");
    }

    /** Another host writes the same rows, which are locked until then. */
    private final class LockedRows implements Round
    {
        private final BlockOperation operation;
        private final long block;
        private Initiator.Io first;

        private LockedRows(final BlockOperation operation, final long block)
        {
            this.operation = operation;
            this.block = block;
        }

        @Override
        public Initiator.Io begin(final int round)
        {
            holdWrites();
            first = write(0, 0);
            awaitHeld();
            return send(1, operation, block);
        }

        @Override
        public void release()
        {
            letGo();
            assertSuccess(first);
        }
    }

    @ParameterizedTest
    @EnumSource(value = RaidLevel.class, names = {"RAID1", "RAID5", "RAID6"})
    void shouldWakeAWriteWhoseRowsAnotherReactorUnlocks(final RaidLevel level)
    {
        create(level, JournalMode.DEGRADED, 2, 4);
        assertSuccess(write(0, 0));
        assertWoken(1, new LockedRows(BlockOperation.WRITE, 0));
    }

    @Test
    void shouldWakeAReadThatReconstructsWhenRowsAreUnlocked()
    {
        create(RaidLevel.RAID5, JournalMode.DEGRADED, 2, 3);
        final int missing = array.layout().dataSlot(0, 1);
        RaidFixture.get(array.fail(members.get(missing).name()));
        assertSuccess(write(0, 0));
        assertWoken(1, new LockedRows(BlockOperation.READ, STRIP_BLOCKS));
    }

    /** Reads have to reconstruct, and lock their rows for that. */
    private void createDegraded(final int hostCount)
    {
        create(RaidLevel.RAID5, JournalMode.DEGRADED, hostCount, 3);
        RaidFixture.get(array.fail(members.get(array.layout().dataSlot(0, 1)).name()));
        assertSuccess(write(0, 0));
    }

    private int held()
    {
        return members.stream().mapToInt(HeldMember::held).sum();
    }

    /** A read of two members that do not answer, whose rows a write of another host waits for. */
    private Initiator.Io holdRowsFrom(final int writer, final List<Initiator.Io> writes)
    {
        members.forEach((each) -> each.hold((operation, block) -> BlockOperation.READ == operation && block >= 0));
        final Initiator.Io first = send(0, BlockOperation.READ, STRIP_BLOCKS);
        ArrayFixture.await(() -> 2 == held(), "held");
        writes.add(write(writer, 0));
        awaitFreshSleep(hosts.get(writer).reactor());
        return first;
    }

    /** Nobody reports that a writer has gone, which has refused readers: its mark on the rows becomes stale. */
    @Test
    void shouldReadWhenAWriterThatWaitedForTheRowsHasGone()
    {
        createDegraded(2);
        long leastNs = Long.MAX_VALUE;
        for (int i = 0; i < ROUNDS && leastNs > WOKEN_NS; i++)
        {
            hosts.add(new Initiator("writer-" + i, array));
            final int writer = hosts.size() - 1;
            final List<Initiator.Io> writes = new ArrayList<>();
            final Initiator.Io first = holdRowsFrom(writer, writes);
            hosts.get(writer).closeChannel();
            assertEquals(BlockStatus.ABORTED, hosts.get(writer).get(writes.getFirst().result()));
            final long startNs = System.nanoTime();
            final Initiator.Io second = send(1, BlockOperation.READ, STRIP_BLOCKS);
            ArrayFixture.await(() -> 4 == held(), "read");
            leastNs = Math.min(leastNs, System.nanoTime() - startNs);
            letGo();
            assertSuccess(first);
            assertSuccess(second);
        }
        assertTrue(leastNs <= WOKEN_NS, "took " + leastNs + " ns at best");
    }

    /** Else reads that take long, of which another one always begins before the last has ended, starve it. */
    @Test
    void shouldKeepReadersOutWhileAWriterSleeps()
    {
        createDegraded(3);
        boolean isKeptOut = false;
        for (int i = 0; i < ROUNDS && !isKeptOut; i++)
        {
            final List<Initiator.Io> writes = new ArrayList<>();
            final Initiator.Io first = holdRowsFrom(1, writes);
            pass(STALE_NS);
            final Initiator.Io second = send(2, BlockOperation.READ, STRIP_BLOCKS);
            pass(QUIET_NS);
            isKeptOut = 2 == held();
            letGo();
            assertSuccess(first);
            assertSuccess(second);
            assertSuccess(writes.getFirst());
        }
        assertTrue(isKeptOut, "others read the rows that a writer waits for");
    }

    @Test
    void shouldWakeAWriteWhoseRegionIsSet()
    {
        create(RaidLevel.RAID5, JournalMode.DEGRADED, 1, 3);
        ArrayFixture.await(() -> 0 == array.intent().dirtyCount(), "cleared");
        members.forEach(HeldMember::holdMetadata);
        assertWoken(0, new Round()
        {
            @Override
            public Initiator.Io begin(final int round)
            {
                members.forEach((each) ->
                    each.hold((operation, block) -> BlockOperation.WRITE == operation && block < 0));
                final int region = 1 + 2 * round;
                final long row = region * array.intent().regionBytes() / STRIP_BYTES;
                return write(0, row * array.layout().dataCount() * STRIP_BLOCKS);
            }

            @Override
            public void release()
            {
                letGo();
            }
        });
    }

    /** A write of lost blocks ends after the list of its member has been stored without them. */
    @Test
    void shouldWakeAWriteOfLostBlocksWhenTheListIsStored()
    {
        create(RaidLevel.RAID1, JournalMode.DEGRADED, 1, 2);
        members.forEach(HeldMember::holdMetadata);
        assertWoken(0, new Round()
        {
            @Override
            public Initiator.Io begin(final int round)
            {
                final long block = 1 + round;
                array.raidMembers().getLast().lostBlocks().add(block * BLOCK_BYTES, BLOCK_SHIFT);
                // Its region is set.
                assertSuccess(write(0, 0));
                members.forEach((each) ->
                    each.hold((operation, at) -> BlockOperation.WRITE == operation && at < 0));
                return write(0, block);
            }

            @Override
            public void release()
            {
                letGo();
            }
        });
        assertTrue(array.raidMembers().getLast().lostBlocks().isEmpty());
    }

    @Test
    void shouldWakeAWriteWhenSuperblocksSayThatAMemberHasFailed()
    {
        create(RaidLevel.RAID1, JournalMode.DEGRADED, 1, ROUNDS + 1);
        assertSuccess(write(0, 0));
        members.forEach(HeldMember::holdMetadata);
        assertWoken(0, new Round()
        {
            @Override
            public Initiator.Io begin(final int round)
            {
                members.get(round).hold((operation, block) -> BlockOperation.WRITE == operation && 0 == block);
                final Initiator.Io io = write(0, 0);
                awaitHeld();
                members.stream().filter((each) -> members.get(round) != each).forEach((each) -> each.hold(
                    (operation, block) -> BlockOperation.WRITE == operation &&
                        (block < 0 || block >= MEMBER_BYTES / BLOCK_BYTES)));
                members.get(round).end(BlockStatus.DEVICE_ERROR);
                return io;
            }

            @Override
            public void release()
            {
                letGo();
            }
        });
    }

    /** A drive whose controller is being reset takes nothing, and its channel does not say when it does again. */
    @ParameterizedTest
    @EnumSource(value = RaidLevel.class, names = {"RAID1", "RAID5", "RAID10"})
    void shouldSleepWhileMembersTakeNoRequests(final RaidLevel level)
    {
        create(level, JournalMode.DEGRADED, 1, 4);
        assertSuccess(write(0, 0));
        long leastNs = Long.MAX_VALUE;
        for (int i = 0; i < ROUNDS && leastNs > RETRIED_NS; i++)
        {
            members.forEach(HeldMember::full);
            final Initiator.Io io = write(0, 0);
            assertQuiet(RETRY_CYCLES_MAX);
            assertFalse(io.result().isDone());
            final long startNs = System.nanoTime();
            letGo();
            assertSuccess(io);
            leastNs = Math.min(leastNs, System.nanoTime() - startNs);
        }
        assertTrue(leastNs <= RETRIED_NS, "took " + leastNs + " ns at best");
    }

    /** However long members have taken nothing before. */
    @Test
    void shouldOfferSoonWhatIsRefusedAnew()
    {
        create(RaidLevel.RAID1, JournalMode.DEGRADED, 1, 2);
        assertSuccess(write(0, 0));
        long leastNs = Long.MAX_VALUE;
        for (int i = 0; i < ROUNDS && leastNs > SOON_NS; i++)
        {
            members.forEach(HeldMember::full);
            final Initiator.Io first = write(0, 0);
            pass(QUIET_NS);
            letGo();
            assertSuccess(first);
            members.forEach(HeldMember::full);
            final long startNs = System.nanoTime();
            final Initiator.Io second = write(0, 0);
            pass(1_000_000L);
            letGo();
            assertSuccess(second);
            leastNs = Math.min(leastNs, System.nanoTime() - startNs);
        }
        assertTrue(leastNs <= SOON_NS, "took " + leastNs + " ns at best");
    }

    /** Superblocks with another epoch wait for writes that have passed the gates, and others for the gates. */
    @Test
    void shouldSleepWhileAnEpochOfTheJournalWaitsForAMember()
    {
        create(RaidLevel.RAID6, JournalMode.DEGRADED, 2, 5);
        final long otherRows = (long)array.layout().dataCount() * STRIP_BLOCKS;
        assertSuccess(write(0, 0));
        assertSuccess(write(0, otherRows));
        holdWrites();
        final Initiator.Io first = write(0, 0);
        awaitHeld();
        array.fail(members.get(array.layout().dataSlot(1, 1)).name());
        ArrayFixture.await(array.gates()::isClosed, "closed");
        final Initiator.Io last = write(1, otherRows);
        assertQuiet();
        awaitFreshSleep(fixture.reactor());
        final long startNs = System.nanoTime();
        letGo();
        assertSuccess(first);
        assertSuccess(last);
        assertTrue(System.nanoTime() - startNs <= WOKEN_NS, "superblocks were not woken for");
    }

    /** Reactors that sleep as soon as they can, and writes of the same rows that members end now and then. */
    @Test
    void shouldNeverLoseAWakeUpWhenHostsShareRows() throws InterruptedException
    {
        create(RaidLevel.RAID5, JournalMode.ALWAYS, 0, 3);
        for (int i = 0; i < 2; i++)
        {
            hosts.add(new Initiator(new ReactorConfig("eager-" + i, -1, ReactorConfig.IdleMode.SLEEP, 0), array));
        }
        long leastNs = Long.MAX_VALUE;
        for (int i = 0; i < ROUNDS && leastNs > ASLEEP_NS; i++)
        {
            leastNs = Math.min(leastNs, longestBatchNs());
        }
        hosts.forEach((each) -> assertTrue(each.reactor().dutyCycle().sleepCount() > 0));
        assertTrue(leastNs <= ASLEEP_NS, "took " + leastNs + " ns at best");
    }

    private long longestBatchNs() throws InterruptedException
    {
        final AtomicBoolean isDone = new AtomicBoolean();
        final Thread drives = Thread.ofPlatform().start(() ->
        {
            while (!isDone.get())
            {
                holdWrites();
                pass(200_000L);
                letGo();
            }
        });
        final AtomicLong longestNs = new AtomicLong();
        final List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < hosts.size(); i++)
        {
            final int host = i;
            threads.add(Thread.ofPlatform().start(() ->
            {
                for (int done = 0; done < BATCHES; done++)
                {
                    final long startNs = System.nanoTime();
                    // Of two rows, and of one of them again.
                    final List<Initiator.Io> batch = List.of(write(host, 0), write(host, 1), write(host, 0));
                    batch.forEach(this::assertSuccess);
                    longestNs.accumulateAndGet(System.nanoTime() - startNs, Math::max);
                }
            }));
        }
        for (final Thread each : threads)
        {
            each.join();
        }
        isDone.set(true);
        drives.join();
        return longestNs.get();
    }
}
