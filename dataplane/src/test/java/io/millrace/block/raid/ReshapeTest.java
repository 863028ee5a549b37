package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.DeviceHealth;
import io.millrace.block.Initiator;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import io.millrace.seed.TestSeeds;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Arrays that get one more member while they serve. */
class ReshapeTest
{
    private final Random random = TestSeeds.random();

    private ArrayFixture create(final RaidLevel level, final int memberCount, final JournalMode journal)
    {
        return new ArrayFixture(random, level, memberCount, 0, journal);
    }

    private static String names(final int count)
    {
        final StringBuilder names = new StringBuilder("d0");
        for (int i = 1; i < count; i++)
        {
            names.append(" d").append(i);
        }
        return names.toString();
    }

    private static void awaitGrown(final ArrayFixture fixture, final int count)
    {
        final RaidDevice array = fixture.array();
        ArrayFixture.await(() -> !array.view().map().isReshaping() && count == array.view().slotCount() &&
            array.view().isComplete(), "grown: " + array.status() + ", " + array.view().map().state());
    }

    private static void scrub(final RaidDevice array)
    {
        array.scrub(ScrubMode.CHECK);
        ArrayFixture.await(() -> null != array.scrubControl().result() &&
            ScrubStatus.COMPLETED == array.scrubControl().result().status(), "scrubbed");
        assertEquals(0, array.scrubControl().result().mismatches());
    }

    @ParameterizedTest
    @CsvSource({"RAID5,3,DEGRADED", "RAID5,4,ALWAYS", "RAID5,5,DEGRADED", "RAID6,4,DEGRADED", "RAID6,5,ALWAYS",
        "EC3,5,DEGRADED", "EC2,5,ALWAYS", "RAID6_Q_LAST,4,DEGRADED", "RAID6_Q_LAST,5,ALWAYS"})
    void shouldHaveAllDataAndMoreRoomWhileHostsWrite(final RaidLevel level, final int count, final JournalMode journal)
    {
        try (ArrayFixture fixture = create(level, count, journal))
        {
            final RaidDevice array = fixture.array();
            final long before = array.geometry().sizeBytes();
            fixture.addDisk();
            fixture.set(names(count + 1), "");
            while (array.view().map().isReshaping())
            {
                fixture.writeAnywhere(5);
            }
            awaitGrown(fixture, count + 1);
            fixture.verify();
            scrub(array);
            assertEquals(before, array.geometry().sizeBytes());
            final int parity = level.parityCount();
            assertEquals(before / (count - parity) * (count + 1 - parity), array.availableBytes());
            array.grow(array.availableBytes());
            assertEquals(array.availableBytes(), array.geometry().sizeBytes());
            assertZeroes(fixture, before, array.availableBytes());
            fixture.writeAnywhere(20);
            fixture.restart();
            fixture.verify();
            assertEquals(DeviceHealth.ONLINE, fixture.array().status().health());
            assertEquals(count + 1, fixture.array().layout().memberCount());
        }
    }

    /** Buffers with data of hosts are all that new strips could have otherwise. */
    private static void assertZeroes(final ArrayFixture fixture, final long start, final long end)
    {
        try (Initiator host = fixture.anotherHost("zeroes");
            DmaMemory memory = DmaMemory.map(ArrayFixture.STRIP_BYTES))
        {
            for (long offset = start; offset < end; offset += ArrayFixture.STRIP_BYTES)
            {
                final long at = offset;
                assertEquals(BlockStatus.SUCCESS, host.run(BlockOperation.READ, offset / ArrayFixture.BLOCK_BYTES,
                    ArrayFixture.STRIP_BYTES / ArrayFixture.BLOCK_BYTES, false, memory.address(),
                    ArrayFixture.STRIP_BYTES));
                for (int i = 0; i < ArrayFixture.STRIP_BYTES; i += 8)
                {
                    assertEquals(0, NativeMemory.getLong(memory.address() + i), () -> "at " + at);
                }
            }
        }
    }

    @Test
    void shouldRebuildAnotherCopyOfAMirror()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID1, 2, JournalMode.DEGRADED))
        {
            final RaidDevice array = fixture.array();
            fixture.addDisk();
            fixture.set(names(3), "");
            fixture.writeAnywhere(20);
            awaitGrown(fixture, 3);
            scrub(array);
            RaidFixture.get(array.fail("d0"));
            RaidFixture.get(array.fail("d1"));
            fixture.verify();
            assertTrue(assertThrows(BlockDeviceException.class, () -> array.grow(array.geometry().sizeBytes() * 2))
                .getMessage().contains("add a member"));
        }
    }

    @Test
    void shouldZeroPartsOfStripsOnAnotherCopyOfAMirror()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID1, 2, JournalMode.DEGRADED))
        {
            fixture.addDisk();
            fixture.set(names(3), "");
            awaitGrown(fixture, 3);
            for (int strip = 0; strip < 80; strip++)
            {
                fixture.zero(strip * ArrayFixture.STRIP_BYTES, ArrayFixture.BLOCK_BYTES);
            }
            RaidFixture.get(fixture.array().fail("d0"));
            RaidFixture.get(fixture.array().fail("d1"));
            fixture.verify();
        }
    }

    private static void slow(final ArrayFixture fixture)
    {
        fixture.copyRates(new CopyRates(64 << 10, 64 << 10));
    }

    private static void fast(final ArrayFixture fixture)
    {
        fixture.copyRates(new CopyRates(1L << 40, 1L << 40));
    }

    /** Begins to grow, and waits until some stripes have the new layout. */
    private static void begin(final ArrayFixture fixture, final int count)
    {
        slow(fixture);
        fixture.addDisk();
        fixture.set(names(count + 1), "");
        ArrayFixture.await(() -> fixture.array().view().map().state().position() > 0, "begun");
        assertTrue(fixture.array().view().map().isReshaping(), "it is over too early");
    }

    @ParameterizedTest
    @CsvSource({"RAID5,3,0", "RAID5,4,4", "RAID6,4,2", "RAID6,4,4", "EC3,5,2", "RAID6_Q_LAST,4,3", "RAID6_Q_LAST,4,1"})
    void shouldWaitForTheRebuildOfAMemberThatFails(final RaidLevel level, final int count, final int failed)
    {
        try (ArrayFixture fixture = create(level, count, JournalMode.DEGRADED))
        {
            begin(fixture, count);
            final RaidDevice array = fixture.array();
            RaidFixture.get(array.fail("d" + failed));
            fixture.writeAnywhere(30);
            fixture.verify();
            assertTrue(array.status().reason().contains("the reshape waits for that"), array.status()::reason);
            fast(fixture);
            fixture.writeAnywhere(10);
            assertTrue(array.view().map().isReshaping(), "no data moves while a slot is not in sync");
            fixture.addDisk();
            fixture.set(names(count + 1), "d" + (count + 1));
            awaitGrown(fixture, count + 1);
            fixture.verify();
            scrub(array);
        }
    }

    @ParameterizedTest
    @CsvSource({"RAID5,4,DEGRADED", "RAID6,5,ALWAYS", "EC3,5,DEGRADED", "EC2,5,ALWAYS", "RAID6_Q_LAST,5,DEGRADED"})
    void shouldGoOnAfterStopsWhereItWas(final RaidLevel level, final int count, final JournalMode journal)
    {
        try (ArrayFixture fixture = create(level, count, journal))
        {
            begin(fixture, count);
            for (int life = 0; life < 3; life++)
            {
                final long before = fixture.array().view().map().state().position();
                fixture.writeAnywhere(10);
                fixture.restart();
                assertTrue(fixture.array().view().map().state().position() >= before);
                assertTrue(fixture.array().view().map().isReshaping());
                fixture.verify();
            }
            fast(fixture);
            awaitGrown(fixture, count + 1);
            fixture.verify();
            scrub(fixture.array());
        }
    }

    @ParameterizedTest
    @CsvSource({"RAID5,3", "RAID6,4", "EC3,5"})
    void shouldNotReplayWhatWasLoggedBeforeItsRowsGotAnotherLayout(final RaidLevel level, final int count)
    {
        try (ArrayFixture fixture = create(level, count, JournalMode.ALWAYS))
        {
            begin(fixture, count);
            // In the middle of the members, and nothing is logged after it.
            final int offset = (int)fixture.layout().dataBytes() / 2;
            fixture.write(offset, 64 << 10);
            assertTrue(fixture.array().view().map().state().position() < 16, "it is further than what is written");
            fast(fixture);
            awaitGrown(fixture, count + 1);
            fixture.restart();
            fixture.verify();
            scrub(fixture.array());
        }
    }

    @ParameterizedTest
    @CsvSource({"RAID5,3", "RAID6,4", "EC3,5"})
    void shouldZeroAcrossTheEndOfWhatWasMoved(final RaidLevel level, final int count)
    {
        try (ArrayFixture fixture = create(level, count, JournalMode.DEGRADED))
        {
            begin(fixture, count);
            final StripMap map = fixture.array().view().map();
            final int unit = map.layout().dataCount() * ArrayFixture.STRIP_BYTES;
            fixture.zero((int)(map.state().position() - 1) * unit, 6 * unit);
            fixture.verify();
            assertTrue(fixture.array().view().map().isReshaping(), "it is over too early");
            fast(fixture);
            awaitGrown(fixture, count + 1);
            fixture.verify();
            scrub(fixture.array());
        }
    }

    @Test
    void shouldGrowWhenSettingsNameOneMoreAtTheStart()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3, JournalMode.DEGRADED))
        {
            fixture.addDisk();
            fixture.configure(names(4), "");
            fixture.restart();
            awaitGrown(fixture, 4);
            fixture.verify();
            // The last name may be missing: a configuration that nobody changed.
            fixture.configure(names(3), "");
            fixture.restart();
            assertTrue(fixture.array().view().isComplete());
            assertTrue(fixture.array().status().reason().contains("d3"), fixture.array().status()::reason);
            fixture.verify();
        }
    }

    @Test
    void shouldRewriteBlocksThatCannotBeRead()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 4, JournalMode.DEGRADED))
        {
            fixture.failBlock(1, 0);
            fixture.failBlock(2, 40 << 10);
            fixture.failBlock(0, 100 << 10);
            fixture.addDisk();
            fixture.set(names(5), "");
            awaitGrown(fixture, 5);
            fixture.verify();
            assertEquals(0, fixture.badBlocks());
        }
    }

    private static void assertRefused(final ArrayFixture fixture, final String members, final String reason)
    {
        final String message =
            assertThrows(BlockDeviceException.class, () -> fixture.set(members, "")).getMessage();
        assertTrue(message.contains(reason), message);
    }

    @Test
    void shouldRefuseToGrowWhatCannot()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3, JournalMode.DEGRADED))
        {
            fixture.addDisk();
            fixture.addDisk();
            fixture.addDisk(RaidFixture.deviceBytes(64 << 10));
            final RaidDevice array = fixture.array();
            assertRefused(fixture, "d0 d1 d2 d5", "use a larger device");
            assertRefused(fixture, "d0 d1 d3 d4", "grows by one new device at a time");
            RaidFixture.get(array.fail("d1"));
            assertRefused(fixture, "d0 d1 d2 d3", "is degraded: add a spare");
            slow(fixture);
            fixture.set("d0 d1 d2", "d4");
            ArrayFixture.await(() -> array.view().firstOf(
                SlotState.REBUILDING) >= 0, "rebuilding");
            final String message = assertThrows(
                BlockDeviceException.class, () -> fixture.set("d0 d1 d2 d3", "d4")).getMessage();
            assertTrue(message.contains("is rebuilding slot 1"), message);
        }
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3, JournalMode.DEGRADED))
        {
            begin(fixture, 3);
            fixture.addDisk();
            assertRefused(fixture, names(5), "is being reshaped: add another member when that has ended");
            assertRefused(fixture, "d4 d1 d2 d3", "is being reshaped: replace d0 when that has ended");
        }
        try (ArrayFixture fixture = create(RaidLevel.RAID10, 4, JournalMode.DEGRADED))
        {
            fixture.addDisk();
            assertRefused(fixture, names(5), "is RAID 10, which does not grow");
        }
    }

    @ParameterizedTest
    @CsvSource({"RAID5,3", "RAID6,5", "EC3,6", "RAID1,2", "RAID6_Q_LAST,4"})
    void shouldServeSeveralReactors(final RaidLevel level, final int count) throws InterruptedException
    {
        try (ArrayFixture fixture = create(level, count, JournalMode.DEGRADED))
        {
            final RaidDevice array = fixture.array();
            final AtomicBoolean isOver = new AtomicBoolean();
            final AtomicReference<Throwable> problem = new AtomicReference<>();
            final Thread[] threads = new Thread[2];
            for (int i = 0; i < threads.length; i++)
            {
                final int number = i;
                threads[i] = new Thread(() ->
                {
                    try (Initiator other = fixture.anotherHost("other" + number))
                    {
                        write(other, fixture, number, isOver);
                    }
                    catch (final RuntimeException | AssertionError e)
                    {
                        problem.compareAndSet(null, e);
                    }
                });
                threads[i].start();
            }
            fixture.copyRates(new CopyRates(2 << 20, 2 << 20));
            fixture.addDisk();
            fixture.set(names(count + 1), "");
            awaitGrown(fixture, count + 1);
            isOver.set(true);
            for (final Thread each : threads)
            {
                each.join();
            }
            assertNull(problem.get(), () -> problem.get().toString());
            scrub(array);
        }
    }

    /** Writes blocks of its own or zeroes them, and reads them back later. */
    static void write(
        final Initiator host, final ArrayFixture fixture, final int number, final AtomicBoolean isOver)
    {
        final int blockBytes = fixture.array().geometry().blockSizeBytes();
        final int blocks = (int)(fixture.array().geometry().sizeBytes() / blockBytes);
        final long[] values = new long[blocks];
        final boolean[] areKnown = new boolean[blocks];
        final Random draw = TestSeeds.fixed(number);
        try (DmaMemory memory = DmaMemory.map(blockBytes))
        {
            for (long value = 1; !isOver.get(); value++)
            {
                final int block = draw.nextInt(blocks / 2) * 2 + number;
                if (areKnown[block])
                {
                    assertEquals(BlockStatus.SUCCESS,
                        host.run(BlockOperation.READ, block, 1, false, memory.address(), blockBytes));
                    assertEquals(values[block], NativeMemory.getLong(memory.address() + blockBytes - 8));
                }
                areKnown[block] = true;
                if (0 == draw.nextInt(3))
                {
                    values[block] = 0;
                    assertEquals(BlockStatus.SUCCESS, host.run(BlockOperation.WRITE_ZEROES, block, 1, false));
                    continue;
                }
                values[block] = value << 32 | block;
                for (int at = 0; at < blockBytes; at += 8)
                {
                    NativeMemory.putLong(memory.address() + at, values[block]);
                }
                assertEquals(BlockStatus.SUCCESS,
                    host.run(BlockOperation.WRITE, block, 1, false, memory.address(), blockBytes));
            }
            for (int block = number; block < blocks; block += 2)
            {
                if (areKnown[block])
                {
                    assertEquals(BlockStatus.SUCCESS,
                        host.run(BlockOperation.READ, block, 1, false, memory.address(), blockBytes));
                    assertEquals(values[block], NativeMemory.getLong(memory.address()));
                }
            }
        }
    }
}
