package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.block.raid.format.Slot;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.format.Superblock;
import io.millrace.block.raid.layout.RaidLevel;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which members that come back can take their slots again. */
class FormerMemberTest
{
    private static final UUID ARRAY = new UUID(1, 1);
    private static final UUID FIRST = new UUID(2, 2);
    private static final UUID MEMBER = new UUID(3, 3);
    private static final UUID OTHER = new UUID(4, 4);
    private static final long LOST = 5000;

    private static Superblock own(final long eventCount, final UUID member, final Slot slot)
    {
        return new Superblock(ARRAY, "a", RaidLevel.RAID1, 4096, 4096, 1 << 20, member, eventCount, false, 0, 0,
            List.of(new Slot(FIRST, SlotState.IN_SYNC, 0), slot));
    }

    private static int slot(final Slot recorded, final Superblock own)
    {
        return FormerMember.slot(List.of(new Slot(FIRST, SlotState.IN_SYNC, 0), recorded), own);
    }

    private static Slot lost(final long lostEvent)
    {
        return new Slot(MEMBER, SlotState.FAILED, 0, lostEvent);
    }

    private static Slot inSync(final UUID member)
    {
        return new Slot(member, SlotState.IN_SYNC, 0);
    }

    @ParameterizedTest
    @CsvSource({"5000,1", "5001,1", "6023,1", "6024,-1", "4999,-1", "0,-1", "7048,-1"})
    void shouldTakeOneThatHasTheEventsUntilItWasLostAndNoOthers(final long eventCount, final int slot)
    {
        assertEquals(slot, slot(lost(LOST), own(eventCount, MEMBER, inSync(MEMBER))));
    }

    @Test
    void shouldNotTakeOneOfWhichTheBitmapHasNotAll()
    {
        assertEquals(-1, slot(lost(0), own(LOST, MEMBER, inSync(MEMBER))));
        assertEquals(-1, slot(lost(0), own(0, MEMBER, inSync(MEMBER))));
    }

    @Test
    void shouldNotTakeAnotherOne()
    {
        assertEquals(-1, slot(lost(LOST), own(LOST, OTHER, inSync(OTHER))));
        assertEquals(-1, slot(lost(LOST), own(LOST, OTHER, inSync(MEMBER))));
        assertEquals(-1, slot(inSync(OTHER), own(LOST, MEMBER, inSync(MEMBER))));
        assertEquals(-1, slot(Slot.EMPTY, own(LOST, MEMBER, inSync(MEMBER))));
    }

    @Test
    void shouldTakeOneThatWasRebuiltOnlyWhereThatWasByTheBitmap()
    {
        assertEquals(-1, slot(lost(LOST), own(LOST, MEMBER, new Slot(MEMBER, SlotState.REBUILDING, 4096))));
        assertEquals(1, slot(lost(LOST), own(LOST, MEMBER, new Slot(MEMBER, SlotState.REBUILDING, 4096, 4000))));
    }

    @Test
    void shouldNotTakeOneThatHasFailed()
    {
        assertEquals(-1, slot(lost(LOST), own(LOST, MEMBER, lost(4000))));
    }
}
