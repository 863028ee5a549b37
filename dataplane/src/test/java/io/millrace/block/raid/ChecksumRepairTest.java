package io.millrace.block.raid;

import static io.millrace.block.raid.ArrayFixture.BLOCK_BYTES;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockStatus;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.seed.TestSeeds;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Blocks that a member cannot read, of arrays with checksums, which are rewritten when hosts have met them. */
class ChecksumRepairTest
{
    /** By then, the array's own work has nothing left to do. */
    private static final int TURNS = 100;

    private final Random random = TestSeeds.random();

    /** Nothing is in memory: what is known of blocks has to be read. */
    private ArrayFixture create()
    {
        final ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID5, 3, 0, JournalMode.DEGRADED, true);
        fixture.restart();
        return fixture;
    }

    @Test
    void shouldNotRewriteABlockWithWhatIsComputedFromALie()
    {
        try (ArrayFixture fixture = create())
        {
            final int liar = fixture.layout().dataSlot(0, 1);
            fixture.failBlock(fixture.layout().dataSlot(0, 0), 0);
            fixture.corrupt(liar, 0);
            assertEquals(BlockStatus.MEDIA_ERROR, fixture.read(0, BLOCK_BYTES));
            // The host's own read does not rewrite it: the array's work does, if anybody.
            fixture.array().onUnreadable(0, BLOCK_BYTES);
            ArrayFixture.await(() -> fixture.array().repairs().isEmpty(), "looked at");
            fixture.turn(TURNS);
            assertEquals(1, fixture.badBlocks());
            assertTrue(fixture.array().raidMembers().get(liar).wrongBlocks() > 0);
        }
    }

    @Test
    void shouldKeepNoPageInMemoryForRepairsThatHaveEnded()
    {
        try (ArrayFixture fixture = create())
        {
            fixture.failBlock(fixture.layout().dataSlot(0, 0), 0);
            fixture.verify(0, BLOCK_BYTES);
            ArrayFixture.await(() -> 0 == fixture.badBlocks(), "rewritten");
            ArrayFixture.await(() -> !fixture.array().pages().checksums().isViewed(0), "left");
            fixture.verify();
        }
    }
}
