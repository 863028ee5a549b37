package io.millrace.block.raid;

import static io.millrace.block.raid.ArrayFixture.BLOCK_BYTES;
import static io.millrace.block.raid.ArrayFixture.MEMBER_BYTES;
import static io.millrace.block.raid.ArrayFixture.STRIP_BYTES;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.raid.format.ChecksumArea;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.seed.TestSeeds;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Pages of checksums that members have lost, or have something else in place of. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ChecksumPagesTest
{
    private static final long OFFSET = ChecksumArea.offset(MEMBER_BYTES);
    private static final int LIAR = 1;
    private static final RaidTimes SOON_CLEARED = new RaidTimes(20_000_000, 20_000_000);

    private final Random random = TestSeeds.random();

    /** What a member has in place of a page. */
    private enum Damage
    {
        JUNK, ZEROES, ROTTEN_BIT, OF_ANOTHER_MEMBER, OF_ANOTHER_PLACE
    }

    private ArrayFixture create(final int spareCount)
    {
        return new ArrayFixture(random, RaidLevel.RAID5, 3, spareCount, JournalMode.DEGRADED, true);
    }

    private static ScrubResult scrub(final ArrayFixture fixture, final ScrubMode mode)
    {
        fixture.array().scrub(mode);
        ArrayFixture.await(() -> !fixture.array().scrubControl().isActive(), "ended");
        return fixture.array().scrubControl().result();
    }

    private byte[] damaged(final Damage damage, final ArrayFixture fixture)
    {
        final RaidMember member = fixture.array().raidMembers().get(LIAR);
        final byte[] page = fixture.disk(LIAR).stored(OFFSET, ChecksumArea.PAGE_BYTES);
        switch (damage)
        {
            case JUNK -> random.nextBytes(page);
            case ZEROES -> Arrays.fill(page, (byte)0);
            case ROTTEN_BIT -> page[64 + random.nextInt(4032)] ^= 16;
            case OF_ANOTHER_MEMBER -> System.arraycopy(
                fixture.disk(0).stored(OFFSET, page.length), 0, page, 0, page.length);
            case OF_ANOTHER_PLACE -> StoredPages.seal(page, member.id(), 1);
        }
        return page;
    }

    private static long invalid(final ArrayFixture fixture)
    {
        return fixture.array().raidMembers().stream().mapToLong(RaidMember::invalidChecksumPages).sum();
    }

    private static long events(final ArrayFixture fixture, final String text)
    {
        return fixture.events().stream().filter((each) -> each.contains(text)).count();
    }

    @ParameterizedTest
    @EnumSource(Damage.class)
    void shouldMakeAPageAgainThatIsNotTheMembers(final Damage damage)
    {
        try (ArrayFixture fixture = create(0))
        {
            fixture.restart();
            final byte[] right = fixture.disk(LIAR).stored(OFFSET, ChecksumArea.PAGE_BYTES);
            fixture.disk(LIAR).overwrite(OFFSET, damaged(damage, fixture));
            final ScrubResult found = scrub(fixture, ScrubMode.CHECK);
            assertEquals(0, found.mismatches() + found.wrongBlocks() + found.skippedBytes());
            assertEquals(1, fixture.array().raidMembers().get(LIAR).invalidChecksumPages());
            assertEquals(1, invalid(fixture));
            assertEquals(1, events(fixture, "the page of checksums of d1 for its blocks from byte 0 to " +
                MEMBER_BYTES + " of the data is damaged"));
            fixture.restart();
            assertArrayEquals(right, fixture.disk(LIAR).stored(OFFSET, ChecksumArea.PAGE_BYTES));
            fixture.corrupt(LIAR, 5L * STRIP_BYTES);
            assertEquals(1, scrub(fixture, ScrubMode.CHECK).wrongBlocks());
            assertEquals(0, invalid(fixture));
        }
    }

    /** A rebuild before any scrub: it has nothing to verify these blocks by. */
    @ParameterizedTest
    @EnumSource(Damage.class)
    void shouldLoseNothingInARebuildBesideAPageThatIsNotTheMembers(final Damage damage)
    {
        try (ArrayFixture fixture = create(1))
        {
            fixture.restart();
            fixture.disk(LIAR).overwrite(OFFSET, damaged(damage, fixture));
            fixture.disk(0).state(MemberState.FAILING);
            fixture.verify();
            fixture.awaitOnline();
            assertEquals(0, fixture.lostBlocks());
            assertEquals(1, invalid(fixture));
            fixture.verify();
            assertEquals(0, scrub(fixture, ScrubMode.CHECK).mismatches());
            fixture.restart();
            fixture.corrupt(LIAR, 5L * STRIP_BYTES);
            assertEquals(1, scrub(fixture, ScrubMode.CHECK).wrongBlocks());
        }
    }

    /** It is valid, and does not match the block that was written since. */
    @Test
    void shouldFindThatAMemberHasLostTheWriteOfAPage()
    {
        try (ArrayFixture fixture = create(0))
        {
            fixture.times(SOON_CLEARED);
            fixture.restart();
            final int slot = fixture.layout().dataSlot(0, 0);
            final byte[] before = fixture.disk(slot).stored(OFFSET, ChecksumArea.PAGE_BYTES);
            fixture.write(0, BLOCK_BYTES);
            ArrayFixture.await(() -> 0 == fixture.array().intent().dirtyCount(), "cleared");
            ArrayFixture.await(() -> BlockChecksums.NO_SLOT ==
                fixture.array().raidMembers().get(slot).checksums().findSlot(0), "stored");
            fixture.disk(slot).overwrite(OFFSET, before);
            final ScrubResult found = scrub(fixture, ScrubMode.CHECK);
            assertEquals(0, found.mismatches() + found.wrongBlocks());
            assertEquals(1, fixture.array().raidMembers().get(slot).invalidChecksumPages());
            assertEquals(1, events(fixture, "is an older one"));
            fixture.restart();
            assertEquals(0, scrub(fixture, ScrubMode.CHECK).mismatches());
        }
    }

    /** A block that was written since is not wrong. */
    @Test
    void shouldAnswerADegradedReadWhereAMemberHasLostTheWriteOfAPage()
    {
        try (ArrayFixture fixture = create(0))
        {
            fixture.times(SOON_CLEARED);
            fixture.restart();
            final int slot = fixture.layout().dataSlot(0, 0);
            final byte[] before = fixture.disk(slot).stored(OFFSET, ChecksumArea.PAGE_BYTES);
            fixture.write(0, BLOCK_BYTES);
            ArrayFixture.await(() -> 0 == fixture.array().intent().dirtyCount(), "cleared");
            ArrayFixture.await(() -> BlockChecksums.NO_SLOT ==
                fixture.array().raidMembers().get(slot).checksums().findSlot(0), "stored");
            fixture.disk(slot).overwrite(OFFSET, before);
            RaidFixture.get(fixture.array().fail("d" + fixture.layout().dataSlot(0, 1)));
            fixture.verify();
            assertEquals(0, fixture.array().raidMembers().get(slot).wrongBlocks());
        }
    }

    /** The first write of a block reads the page, to keep the checksums of the others. */
    @Test
    void shouldNotKeepWhatIsDamagedWhenAnotherBlockIsWritten()
    {
        try (ArrayFixture fixture = create(0))
        {
            fixture.restart();
            final int slot = fixture.layout().dataSlot(0, 0);
            final byte[] page = fixture.disk(slot).stored(OFFSET, ChecksumArea.PAGE_BYTES);
            page[64 + 4 * 100] ^= 1;
            fixture.disk(slot).overwrite(OFFSET, page);
            fixture.write(0, BLOCK_BYTES);
            fixture.restart();
            assertTrue(events(fixture, "is damaged") > 0);
            assertEquals(0, scrub(fixture, ScrubMode.CHECK).mismatches());
            assertEquals(0, invalid(fixture));
        }
    }

    @Test
    void shouldSayThatAPageCannotBeRead()
    {
        try (ArrayFixture fixture = create(0))
        {
            fixture.restart();
            fixture.failBlock(LIAR, MEMBER_BYTES);
            assertEquals(0, scrub(fixture, ScrubMode.CHECK).mismatches());
            assertEquals(1, events(fixture, "cannot be read: they have none until a scrub has read them"));
            fixture.restart();
            assertEquals(0, scrub(fixture, ScrubMode.CHECK).mismatches());
            assertEquals(0, invalid(fixture));
        }
    }
}
