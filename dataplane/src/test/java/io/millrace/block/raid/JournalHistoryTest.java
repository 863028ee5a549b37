package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.seed.TestSeeds;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What lies on members that entries of the journal know nothing of, and must not undo. */
class JournalHistoryTest
{
    private static final int BLOCK = ArrayFixture.BLOCK_BYTES;
    private static final CopyRates SLOW = new CopyRates(1, 512 << 10);

    private final Random random = TestSeeds.random();

    private static void fail(final ArrayFixture fixture, final String name)
    {
        RaidFixture.get(fixture.array().fail(name));
    }

    @Test
    void shouldNotReplayOntoASpareWhatWasLoggedForTheMemberBefore()
    {
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID6, 4, 0))
        {
            // Parity of the first stripe, so that its first data is in slot 1.
            fail(fixture, "d3");
            final long epoch = fixture.array().view().journalEpoch();
            // A write elsewhere that takes longer: the tail of what follows.
            final long slow = fixture.array().journal().take(fixture.array().journal().tail());
            fixture.write(0, BLOCK);
            fail(fixture, "d1");
            assertEquals(epoch, fixture.array().view().journalEpoch());
            // Parity alone has it.
            fixture.write(0, BLOCK);
            fixture.array().copyRates(SLOW);
            fixture.addDisk();
            fixture.set("d0 d1 d2 d3", "d4");
            ArrayFixture.await(() -> SlotState.REBUILDING == fixture.array().view().state(1), "rebuilding");
            fixture.array().journal().complete(slow);
            final RaidMember spare = fixture.array().view().member(1);
            ArrayFixture.await(() -> spare.rebuiltBytes() > 0, "partly rebuilt");
            fixture.restart();
            assertTrue(fixture.array().view().member(1).rebuiltBytes() > 0);
            fixture.verify();
        }
    }

    @Test
    void shouldNotReplayParityThatAScrubHasRepaired()
    {
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID5, 5, 0, JournalMode.ALWAYS))
        {
            // Parity of the first stripe, which is updated by the difference.
            fixture.corrupt(4, 0);
            fixture.write(0, BLOCK);
            assertEquals(1, scrub(fixture, ScrubMode.REPAIR).repaired());
            assertEquals(0, scrub(fixture, ScrubMode.CHECK).mismatches());
            fixture.restart();
            assertEquals(0, scrub(fixture, ScrubMode.CHECK).mismatches());
            fixture.verify();
        }
    }

    private static ScrubResult scrub(final ArrayFixture fixture, final ScrubMode mode)
    {
        fixture.array().scrub(mode);
        ArrayFixture.await(() -> !fixture.array().scrubControl().isActive(), "ended");
        assertEquals(ScrubStatus.COMPLETED, fixture.array().scrubControl().result().status());
        return fixture.array().scrubControl().result();
    }

    @Test
    void shouldNotSayThatAMemberFailedWhenAnotherCannotMakeStableWhatItHas()
    {
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID5, 3, 0))
        {
            fixture.writeAnywhere(5);
            final long events = fixture.read(1).superblock().eventCount();
            fixture.disk(2).state(MemberState.FAILING);
            fixture.array().fail("d0");
            ArrayFixture.await(() -> null != fixture.array().view().failure(), "failed");
            // Superblocks of a later event would say that parity matches what it may have lost.
            assertEquals(events, fixture.read(1).superblock().eventCount());
        }
    }
}
