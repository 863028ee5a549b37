package io.millrace.block.raid;

import static io.millrace.block.raid.ArrayFixture.MEMBER_BYTES;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.raid.format.ChecksumArea;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.seed.TestSeeds;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What checksums say after a crash or a stop in the middle of something. */
class ChecksumRestartTest
{
    private static final RaidTimes RARELY_CLEARED = new RaidTimes(20_000_000_000L, 1_000_000);
    private static final CopyRates SLOW = new CopyRates(1 << 20, 1 << 20);

    private final Random random = TestSeeds.random();

    private static ScrubResult scrub(final ArrayFixture fixture, final ScrubMode mode)
    {
        fixture.array().scrub(mode);
        ArrayFixture.await(() -> !fixture.array().scrubControl().isActive(), "ended");
        return fixture.array().scrubControl().result();
    }

    private static void awaitRebuilt(final ArrayFixture fixture, final long bytes)
    {
        ArrayFixture.await(() ->
        {
            final ArrayView view = fixture.array().view();
            final int slot = view.firstOf(SlotState.REBUILDING);
            return slot >= 0 && view.member(slot).rebuiltBytes() >= bytes;
        }, "rebuilt in part");
    }

    /** The spare has something of an earlier life where its checksums are, and no region is set. */
    @Test
    void shouldNotBelieveChecksumsThatASpareHadBeforeARebuildThatACrashInterrupts()
    {
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID5, 3, 2, JournalMode.DEGRADED, true))
        {
            fixture.times(RARELY_CLEARED);
            fixture.restart();
            final RaidMember spare = fixture.array().raidMembers().get(3);
            fixture.disk(3).overwrite(ChecksumArea.offset(MEMBER_BYTES), StoredPages.random(random, spare.id(), 0));
            fixture.copyRates(SLOW);
            fixture.disk(0).state(MemberState.FAILING);
            fixture.verify();
            awaitRebuilt(fixture, MEMBER_BYTES / 2);
            fixture.losePower();
            fixture.copyRates(CopyRates.DEFAULT);
            fixture.awaitOnline();
            fixture.disk(1).state(MemberState.FAILING);
            fixture.verify();
            fixture.awaitOnline();
            assertEquals(0, fixture.lostBlocks());
            fixture.verify();
            assertEquals(0, scrub(fixture, ScrubMode.CHECK).wrongBlocks());
        }
    }

    /** Members' data is right, and so is parity that a scrub has computed once more. */
    @Test
    void shouldNotBelieveTheFormerChecksumOfParityThatAScrubWasWritingBeforeACrash()
    {
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID5, 5, 1, JournalMode.DEGRADED, true))
        {
            fixture.times(RARELY_CLEARED);
            fixture.restart();
            final int slot = fixture.layout().dataSlot(0, 0);
            fixture.corrupt(slot, 0);
            fixture.write(0, ArrayFixture.BLOCK_BYTES);
            fixture.restart();
            assertEquals(1, scrub(fixture, ScrubMode.REPAIR).repaired());
            ArrayFixture.await(() -> isScrubStored(fixture), "stored");
            fixture.losePower();
            fixture.disk(slot).state(MemberState.FAILING);
            fixture.verify();
            fixture.awaitOnline();
            assertEquals(0, fixture.lostBlocks());
            fixture.verify();
            assertEquals(0, scrub(fixture, ScrubMode.CHECK).mismatches());
        }
    }

    private static boolean isScrubStored(final ArrayFixture fixture)
    {
        return fixture.array().scrubControl().scrubbedMs() == fixture.read(0).superblock().scrubbedMs();
    }

    @Test
    void shouldStopCleanWhileCopiesHaveAPageWithoutChecksums()
    {
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID5, 3, 0, JournalMode.ALWAYS, true))
        {
            fixture.times(RARELY_CLEARED);
            fixture.restart();
            fixture.write(0, ArrayFixture.STRIP_BYTES);
            fixture.losePower();
            fixture.copyRates(SLOW);
            fixture.addDisk();
            fixture.set("d3 d1 d2", "");
            ArrayFixture.await(() -> null != fixture.array().view().target() &&
                fixture.array().view().target().rebuiltBytes() > 0, "copied in part");
            fixture.stopWork();
            assertTrue(fixture.read(1).superblock().clean());
        }
    }
}
