package io.millrace.block.raid.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDeviceException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Layouts as they are drawn in md's documentation, and what is not a layout. */
class ArrayLayoutTest
{
    private static final int STRIP = 64 << 10;

    /** A row a strip of the members, a word a member. */
    private static String table(final ArrayLayout layout)
    {
        final StringBuilder text = new StringBuilder();
        for (long row = 0; row < layout.stripes(); row++)
        {
            for (int slot = 0; slot < layout.memberCount(); slot++)
            {
                text.append(0 == slot ? "" : " ").append(
                    0 == layout.level().parityCount() ? mirrored(layout, row, slot) : rotated(layout, row, slot));
            }
            text.append('\n');
        }
        return text.toString();
    }

    private static String mirrored(final ArrayLayout layout, final long row, final int slot)
    {
        final long strip = layout.strip(slot, row);
        if (strip < 0)
        {
            return "--";
        }
        for (int copy = 0; copy < layout.copyCount(); copy++)
        {
            if (layout.slot(strip, copy) == slot && layout.memberStrip(strip, copy) == row)
            {
                return strip + "abcd".substring(copy, copy + 1);
            }
        }
        throw new AssertionError("strip " + strip + " says that it is not on slot " + slot + " in row " + row);
    }

    private static String rotated(final ArrayLayout layout, final long row, final int slot)
    {
        if (slot == layout.parityP(row))
        {
            return "P";
        }
        if (layout.parityCount() > 1 && slot == layout.paritySlot(row, 1))
        {
            return "Q";
        }
        final int index = layout.dataIndex(row, slot);
        assertEquals(slot, layout.dataSlot(row, index));
        return "" + (row * layout.dataCount() + index);
    }

    private static ArrayLayout layout(final RaidLevel level, final int members, final int rows)
    {
        return ArrayLayout.of(level, members, STRIP, (long)rows * STRIP);
    }

    @Test
    void shouldStripeOnLevel0()
    {
        assertEquals("""
            0a 1a 2a
            3a 4a 5a
            """, table(layout(RaidLevel.RAID0, 3, 2)));
    }

    @Test
    void shouldMirrorOnLevel1()
    {
        assertEquals("""
            0a 0b 0c
            1a 1b 1c
            """, table(layout(RaidLevel.RAID1, 3, 2)));
    }

    @Test
    void shouldPutTwoCopiesNextToEachOtherOnLevel10()
    {
        assertEquals("""
            0a 0b
            1a 1b
            """, table(layout(RaidLevel.RAID10, 2, 2)));
        assertEquals("""
            0a 0b 1a 1b
            2a 2b 3a 3b
            """, table(layout(RaidLevel.RAID10, 4, 2)));
    }

    @Test
    void shouldGoOnWithTheNextRowWhenTheMembersOfLevel10AreOdd()
    {
        assertEquals("""
            0a 0b 1a
            1b 2a 2b
            3a 3b 4a
            4b 5a 5b
            """, table(layout(RaidLevel.RAID10, 3, 4)));
    }

    @Test
    void shouldLeaveTheLastStripUnusedWhenThereIsNoRoomForItsSecondCopy()
    {
        final ArrayLayout layout = layout(RaidLevel.RAID10, 3, 3);
        assertEquals("""
            0a 0b 1a
            1b 2a 2b
            3a 3b --
            """, table(layout));
        assertEquals(4 * STRIP, layout.dataBytes());
    }

    @Test
    void shouldRotateParityToTheLeftOnLevel5()
    {
        assertEquals("""
            0 1 P
            3 P 2
            P 4 5
            6 7 P
            """, table(layout(RaidLevel.RAID5, 3, 4)));
        assertEquals("""
            0 1 2 3 P
            5 6 7 P 4
            10 11 P 8 9
            15 P 12 13 14
            P 16 17 18 19
            20 21 22 23 P
            """, table(layout(RaidLevel.RAID5, 5, 6)));
    }

    @Test
    void shouldRotateBothParitiesToTheLeftOnLevel6()
    {
        assertEquals("""
            Q 0 1 P
            2 3 P Q
            5 P Q 4
            P Q 6 7
            Q 8 9 P
            """, table(layout(RaidLevel.RAID6, 4, 5)));
        assertEquals("""
            Q 0 1 2 P
            3 4 5 P Q
            7 8 P Q 6
            11 P Q 9 10
            P Q 12 13 14
            Q 15 16 17 P
            """, table(layout(RaidLevel.RAID6, 5, 6)));
    }

    @ParameterizedTest
    @CsvSource({
        "RAID0, 4, 40, 1, 1", "RAID1, 4, 10, 1, 4", "RAID10, 4, 20, 1, 2", "RAID10, 5, 25, 1, 2",
        "RAID5, 4, 30, 3, 1", "RAID6, 4, 20, 2, 1", "RAID6, 64, 620, 62, 1",
        "EC3, 5, 20, 2, 1", "EC8, 40, 320, 32, 1"})
    void shouldHaveTheCapacityOfItsData(
        final RaidLevel level, final int members, final int strips, final int dataCount, final int copyCount)
    {
        final ArrayLayout layout = layout(level, members, 10);
        assertEquals((long)strips * STRIP, layout.dataBytes());
        assertEquals(dataCount, layout.dataCount());
        assertEquals(copyCount, layout.copyCount());
        assertEquals(10, layout.stripes());
        assertEquals(10L * STRIP, layout.memberBytes());
        assertEquals(members, layout.memberCount());
        assertEquals(level, layout.level());
        assertEquals(STRIP, layout.stripBytes());
        assertEquals(16, layout.stripShift());
    }

    @ParameterizedTest
    @CsvSource({"RAID0, 1, 2", "RAID1, 1, 2", "RAID5, 2, 3", "RAID6, 3, 4", "RAID10, 1, 2", "RAID1, -1, 2"})
    void shouldRefuseTooFewMembers(final RaidLevel level, final int members, final int least)
    {
        assertEquals("array: RAID " + level.label() + " of " + members + " members is outside " + least +
            " to 64: add members or choose another level", refusal(level, members, STRIP, STRIP));
        assertEquals(least, ArrayLayout.of(level, least, STRIP, STRIP).memberCount());
    }

    @ParameterizedTest
    @CsvSource({"EC1, 1, 3, 33", "EC3, 3, 5, 35", "EC8, 8, 10, 40"})
    void shouldBoundTheMembersOfAnErasureCode(
        final RaidLevel level, final int parityStrips, final int least, final int most)
    {
        final String of = "array: EC with " + parityStrips + " parity strip" + (1 == parityStrips ? "" : "s") + " of ";
        assertEquals(of + (least - 1) + " members is outside " + least + " to " + most +
            ": add members or choose another level", refusal(level, least - 1, STRIP, STRIP));
        assertEquals(of + (most + 1) + " members is outside " + least + " to " + most + ": name fewer members",
            refusal(level, most + 1, STRIP, STRIP));
        assertEquals(most, ArrayLayout.of(level, most, STRIP, STRIP).memberCount());
        assertEquals("EC " + (most - parityStrips) + '+' + parityStrips, level.title(most));
    }

    @ParameterizedTest
    @CsvSource({"RAID0", "RAID1", "RAID5", "RAID6", "RAID10"})
    void shouldRefuseTooManyMembers(final RaidLevel level)
    {
        assertTrue(refusal(level, 65, STRIP, STRIP).endsWith(" to 64: name fewer members"));
        assertEquals(64, ArrayLayout.of(level, 64, STRIP, STRIP).memberCount());
    }

    @ParameterizedTest
    @CsvSource({"0", "-65536", "2048", "65537", "98304", "2097152", "-2147483648"})
    void shouldRefuseAStripThatIsNoPowerOfTwoInItsBounds(final int stripBytes)
    {
        assertEquals("array: strip-size " + stripBytes +
            " is not a power of two from 4096 to 1048576: choose one of these",
            refusal(RaidLevel.RAID5, 3, stripBytes, 1L << 30));
    }

    @Test
    void shouldTakeTheSmallestAndTheLargestStrip()
    {
        assertEquals(12, ArrayLayout.of(RaidLevel.RAID5, 3, 4096, 1 << 20).stripShift());
        assertEquals(20, ArrayLayout.of(RaidLevel.RAID5, 3, 1 << 20, 1 << 20).stripShift());
    }

    @ParameterizedTest
    @CsvSource({"0", "-65536", "4096", "65535", "65537", "-9223372036854775808"})
    void shouldRefuseMembersThatAreNoMultipleOfTheStrip(final long memberBytes)
    {
        assertEquals("array: " + memberBytes + " bytes of data on each member is not a positive multiple of " +
            "strip-size 65536: round it down to one, or choose a smaller strip-size",
            refusal(RaidLevel.RAID0, 2, STRIP, memberBytes));
    }

    @Test
    void shouldRefuseASizeThatNoNumberHolds()
    {
        final long most = Long.MAX_VALUE / STRIP * STRIP;
        assertEquals(most, ArrayLayout.of(RaidLevel.RAID1, 2, STRIP, most).dataBytes());
        assertEquals(most, ArrayLayout.of(RaidLevel.RAID10, 2, STRIP, most).dataBytes());
        assertEquals("array: RAID 0 of 2 members with " + most + " bytes of data on each has more than " +
            "9223372036854775807 bytes: use fewer or smaller members", refusal(RaidLevel.RAID0, 2, STRIP, most));
        assertTrue(refusal(RaidLevel.RAID10, 3, STRIP, most).contains("has more than"));
        assertTrue(refusal(RaidLevel.RAID5, 64, 4096, 1L << 58).contains("has more than"));
        assertEquals(62L << 57, ArrayLayout.of(RaidLevel.RAID6, 64, 4096, 1L << 57).dataBytes());
    }

    private static String refusal(
        final RaidLevel level, final int members, final int stripBytes, final long memberBytes)
    {
        return assertThrows(BlockDeviceException.class,
            () -> ArrayLayout.of(level, members, stripBytes, memberBytes)).getMessage();
    }
}
