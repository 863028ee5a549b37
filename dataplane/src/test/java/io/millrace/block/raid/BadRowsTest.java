package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.seed.TestSeeds;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A write whose rows are written in parts, since the array has begun to journal meanwhile. */
class BadRowsTest
{
    /** So many that rows of a strip do not fit into one entry of the journal. */
    private static final int MEMBERS = 9;
    private static final int STRIP_BYTES = ArrayFixture.STRIP_BYTES;
    /** That are not written. */
    private static final int OTHER_STRIPS = 2;

    private final Random random = TestSeeds.random();

    /** In each half of the rows one member cannot read, and one has failed: as many as RAID 6 makes up for. */
    @Test
    void shouldNotTakeABlockThatAMemberCannotReadForAllRowsOfTheWrite()
    {
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID6, MEMBERS, 0))
        {
            final int failing = fixture.layout().dataSlot(0, 0);
            final int first = fixture.layout().dataSlot(0, OTHER_STRIPS);
            final int second = fixture.layout().dataSlot(0, OTHER_STRIPS + 1);
            fixture.failBlock(first, 0);
            fixture.failBlock(second, ArrayFixture.BLOCK_BYTES);
            fixture.disk(failing).state(MemberState.FAILING);
            final int written = fixture.layout().dataCount() - OTHER_STRIPS;
            fixture.write(OTHER_STRIPS * STRIP_BYTES, written * STRIP_BYTES);
            assertEquals(SlotState.FAILED, fixture.array().view().state(failing));
            assertTrue(fixture.array().view().isJournaling());
            fixture.verify();
        }
    }
}
