package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import io.millrace.seed.TestSeeds;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** What lies on members that entries of the journal know nothing of, and must not undo. */
class JournalHistoryTest
{
    private static final int BLOCK = ArrayFixture.BLOCK_BYTES;
    private static final CopyRates SLOW = new CopyRates(1, 512 << 10);
    private static final long SETTLED_NS = 30_000_000;

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

    /** A replay would write what was logged first, and then what was logged without knowing of it. */
    @Test
    void shouldNotGiveRowsToOthersWhileAnEntryThatWasNotWrittenWouldBeReplayed()
    {
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID6, 5, 0);
            DmaMemory memory = DmaMemory.map(BLOCK);
            Initiator host = fixture.anotherHost("host"))
        {
            // The last data of the first stripe.
            fail(fixture, "d3");
            final long epoch = fixture.array().view().journalEpoch();
            final WriteGate gate = fixture.array().gates().add();
            assertTrue(gate.enter());
            // The first data, which is logged there and on another one. Then too much is missing to plan it again.
            fixture.disk(1).refuseWrites();
            fixture.failBlock(2, 0);
            final Initiator.Io io = host.io();
            Initiator.fill(io.request(), BlockOperation.WRITE, 0, 1, false, memory.address(), BLOCK);
            host.send(io);
            ArrayFixture.await(() -> fixture.array().gates().isClosed(), "another epoch is to begin");
            LockSupport.parkNanos(SETTLED_NS);
            assertEquals(SlotState.FAILED, fixture.array().view().state(1));
            assertEquals(epoch, fixture.array().view().journalEpoch());
            assertFalse(fixture.array().locks().tryShared(0, BLOCK));
            assertFalse(io.result().isDone());
            gate.leave();
            assertEquals(BlockStatus.MEDIA_ERROR, host.await(io));
            assertNotEquals(epoch, fixture.array().view().journalEpoch());
            // The rows are torn: a resync may have them at this moment.
            ArrayFixture.await(() -> fixture.array().locks().tryShared(0, BLOCK), "the rows are free");
            fixture.array().locks().releaseShared(0, BLOCK);
        }
    }
}
