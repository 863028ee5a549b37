package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.raid.format.MemberArea;
import io.millrace.block.raid.format.ReshapeState;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.block.raid.layout.RaidLevel;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/**
 * Whole reshapes, step by step, on a model of the members that knows of each unit of 4 KiB which one of the array it
 * has.
 */
class StripMapPropertyTest
{
    private static final int UNIT = ArrayLayout.STRIP_BYTES_MIN;
    /** A unit without data that counts: parity, or never written. */
    private static final long NOTHING = -1;

    /** What members have in their rows, by slot and unit. */
    private static final class Members
    {
        private final long[][] units;
        private final long dataBytes;
        private StripMap map;

        Members(final StripMap map)
        {
            this.map = map;
            dataBytes = map.dataBytes();
            units = new long[map.layout().memberCount()][(int)(map.layout().memberBytes() / UNIT)];
            for (final long[] each : units)
            {
                Arrays.fill(each, NOTHING);
            }
            for (long offset = 0; offset < dataBytes; offset += UNIT)
            {
                put(map.old(), offset, offset);
            }
        }

        private void put(final ArrayLayout layout, final long offset, final long value)
        {
            units[slot(layout, offset)][row(layout, offset)] = value;
        }

        private long get(final ArrayLayout layout, final long offset)
        {
            return units[slot(layout, offset)][row(layout, offset)];
        }

        private static int slot(final ArrayLayout layout, final long offset)
        {
            final long stripe = layout.stripeOf(offset);
            return layout.dataSlot(
                stripe, (int)((offset >>> layout.stripShift()) - stripe * layout.dataCount()));
        }

        private static int row(final ArrayLayout layout, final long offset)
        {
            return (int)(((layout.stripeOf(offset) << layout.stripShift()) + (offset & layout.stripBytes() - 1)) /
                UNIT);
        }

        /** All that hosts read is where the map has it, in rows that are not free, and runs of it end at limits. */
        void check()
        {
            for (long offset = 0; offset < dataBytes; offset += UNIT)
            {
                final ArrayLayout layout = map.layoutOf(offset);
                assertEquals(offset, get(layout, offset));
                assertTrue(map.countingLayout() == map.layout() || layout == map.old(), "members of others count");
                final long rowOffset = (long)row(layout, offset) * UNIT;
                assertEquals(layout, map.layoutAt(rowOffset), "of rows that have data");
                assertTrue(map.rowsEnd(rowOffset) > rowOffset);
                if (offset + UNIT < dataBytes && map.limit(offset) > offset + UNIT)
                {
                    assertEquals(layout, map.layoutOf(offset + UNIT), "within the limit");
                }
            }
            for (long rowOffset = 0; rowOffset + UNIT < map.layout().memberBytes(); rowOffset += UNIT)
            {
                if (map.rowsEnd(rowOffset) > rowOffset + UNIT)
                {
                    assertEquals(map.layoutAt(rowOffset), map.layoutAt(rowOffset + UNIT));
                }
            }
        }

        /** Moves what a step has, from a copy of the slice in the head, else from what is there by then. */
        void step(final long stripesMax)
        {
            final int start = map.isAtHead() ? map.state().sliceStart() : 0;
            final int end = map.isAtHead() ? start + map.sliceBytes() : map.layout().stripBytes();
            final StripMap waiting = map.waitingForNext(stripesMax);
            final long[][] source = new long[units.length][];
            for (int slot = 0; slot < units.length; slot++)
            {
                source[slot] = map.isAtHead() ? units[slot].clone() : units[slot];
            }
            final long last = map.nextPosition(stripesMax);
            assertTrue(last > map.state().position() || map.isAtHead());
            for (long stripe = map.state().position(); stripe < last; stripe++)
            {
                final Set<Integer> slots = new HashSet<>();
                for (int index = 0; index < map.layout().dataCount(); index++)
                {
                    move(waiting, source, stripe, index, start, end, slots);
                }
                for (int row = start; row < end; row += UNIT)
                {
                    units[map.layout().parityP(stripe)]
                        [(int)(((stripe << map.layout().stripShift()) + row) / UNIT)] = NOTHING;
                }
            }
            map = map.at(last == map.layout().stripes() && 0 == map.next(stripesMax).sliceStart() ?
                ReshapeState.NONE : map.next(stripesMax));
        }

        private void move(
            final StripMap waiting,
            final long[][] source,
            final long stripe,
            final int index,
            final int start,
            final int end,
            final Set<Integer> slots)
        {
            final long strip = map.strip(stripe, index);
            final int shift = map.layout().stripShift();
            if (strip >= 0)
            {
                assertTrue(slots.add(map.oldSlot(strip)), "each strip of a stripe is read from another member");
                assertTrue(waiting.blocks(strip << shift, (strip << shift) + 1), "hosts wait for what is moved");
            }
            for (int row = start; row < end; row += UNIT)
            {
                final long offset = (strip << shift) + row;
                final int to = (int)(((stripe << shift) + row) / UNIT);
                final long value = strip < 0 ? NOTHING :
                    source[map.oldSlot(strip)][(int)(((map.oldRow(strip) << shift) + row) / UNIT)];
                assertEquals(strip < 0 ? NOTHING : offset, value, "what is read was not moved nor overwritten");
                units[map.layout().dataSlot(stripe, index)][to] = value;
            }
        }
    }

    @Property(tries = 400)
    void shouldHaveAllDataInItsPlaceAfterEachStep(
        @ForAll final boolean isSixth,
        @ForAll @IntRange(min = 0, max = 5) final int more,
        @ForAll @IntRange(min = 0, max = 8) final int shift,
        @ForAll @IntRange(min = 1, max = 40) final int stripes,
        @ForAll @IntRange(min = 1, max = 9) final int stripesMax)
    {
        final RaidLevel level = isSixth ? RaidLevel.RAID6 : RaidLevel.RAID5;
        final int count = level.membersMin() + more;
        final int stripBytes = UNIT << shift;
        final int rows = shift > 4 ? 1 + stripes / 4 : stripes;
        final ArrayLayout layout = ArrayLayout.of(level, count + 1, stripBytes, (long)rows * stripBytes);
        final Members members =
            new Members(StripMap.of(layout, new ReshapeState(count, 0, 0, ReshapeState.Stage.MOVING)));
        members.check();
        int steps = 0;
        while (members.map.isReshaping())
        {
            members.step(stripesMax);
            members.check();
            steps++;
            assertTrue(steps < 20 * (rows + 256), "it comes to its end");
        }
        assertEquals(layout.dataBytes(), members.map.dataBytes());
    }

    private static StripMap movingQ(final int count, final int stripBytes, final int stripes)
    {
        return LevelChange.movingQ(
            ArrayLayout.of(RaidLevel.RAID6, count, stripBytes, (long)stripes * stripBytes));
    }

    @Property(tries = 300)
    void shouldHaveAllDataInItsPlaceWhileQIsMoved(
        @ForAll @IntRange(min = 4, max = 9) final int count,
        @ForAll @IntRange(min = 0, max = 8) final int shift,
        @ForAll @IntRange(min = 1, max = 40) final int stripes)
    {
        final int rows = 0 == shift ? 20 * stripes : shift > 6 ? 1 + stripes / 8 : stripes;
        final Members members = new Members(movingQ(count, UNIT << shift, rows));
        members.check();
        int steps = 0;
        while (members.map.isReshaping())
        {
            assertEquals(count, members.map.slotsWithData(), "the last slot has data where it is not moved");
            members.step(1);
            members.check();
            steps++;
            assertTrue(steps < 20 * (rows + 256), "it comes to its end");
        }
        assertEquals(RaidLevel.RAID6_Q_LAST, members.map.layout().level());
        assertEquals(count - 1, members.map.slotsWithData());
    }

    @Property(tries = 200)
    void shouldHaveRoomForTheBackupWhileQIsMoved(
        @ForAll @IntRange(min = 4, max = 64) final int count,
        @ForAll @IntRange(min = 0, max = 8) final int shift,
        @ForAll @IntRange(min = 1, max = 400) final int stripes)
    {
        StripMap map = movingQ(count, UNIT << shift, stripes);
        while (map.isReshaping())
        {
            final long row = map.state().position();
            assertTrue(map.backupOffset(row, map.state().sliceStart()) ==
                MemberArea.JOURNAL_OFFSET_BYTES - MemberArea.DATA_OFFSET_BYTES);
            assertTrue(map.backupOffset(row + map.headRows() - 1,
                map.state().sliceStart() + map.sliceBytes() - 1) < 0, "it ends before the data");
            final ReshapeState next = map.next(1);
            map = map.at(stripes == next.position() ? ReshapeState.NONE : next);
        }
    }

    @Property(tries = 200)
    void shouldHaveRoomForTheBackup(
        @ForAll final boolean isSixth,
        @ForAll @IntRange(min = 0, max = 59) final int more,
        @ForAll @IntRange(min = 0, max = 8) final int shift)
    {
        final RaidLevel level = isSixth ? RaidLevel.RAID6 : RaidLevel.RAID5;
        final int count = level.membersMin() + more;
        final int stripBytes = UNIT << shift;
        final StripMap map = StripMap.of(ArrayLayout.of(level, count + 1, stripBytes, 1000L * stripBytes),
            new ReshapeState(count, 0, 0, ReshapeState.Stage.MOVING));
        final int slice = map.sliceBytes();
        assertEquals(1, Integer.bitCount(slice));
        assertTrue(slice >= UNIT && slice <= stripBytes);
        assertTrue(map.backupOffset(0, 0) == MemberArea.JOURNAL_OFFSET_BYTES - MemberArea.DATA_OFFSET_BYTES);
        assertTrue(map.backupOffset(map.headRows() - 1, slice - 1) < 0, "it ends before the data");
    }

    @Property(tries = 200)
    void shouldHaveOneLayoutWithoutAReshape(@ForAll @IntRange(min = 3, max = 9) final int count)
    {
        final ArrayLayout layout = ArrayLayout.of(RaidLevel.RAID5, count, UNIT, 8 * UNIT);
        final StripMap map = StripMap.of(layout);
        assertFalse(map.isReshaping());
        assertFalse(map.isAtHead());
        assertNull(map.old());
        assertNotNull(map.layoutAt(0));
        assertEquals(layout, map.layoutOf(UNIT));
        assertEquals(Long.MAX_VALUE, map.limit(0));
        assertEquals(Long.MAX_VALUE, map.rowsEnd(0));
        assertFalse(map.blocks(0, layout.dataBytes()));
    }
}
