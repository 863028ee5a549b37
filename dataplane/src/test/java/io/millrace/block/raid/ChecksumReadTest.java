package io.millrace.block.raid;

import static io.millrace.block.raid.ArrayFixture.BLOCK_BYTES;
import static io.millrace.block.raid.ArrayFixture.MEMBER_BYTES;
import static io.millrace.block.raid.ArrayFixture.STRIP_BYTES;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.block.raid.format.ChecksumArea;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import io.millrace.seed.TestSeeds;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads and writes of hosts that are computed from a member which has another block than was written. */
class ChecksumReadTest
{
    private final Random random = TestSeeds.random();

    private ArrayFixture create(final RaidLevel level, final int memberCount, final boolean isInMemory)
    {
        final ArrayFixture fixture = new ArrayFixture(random, level, memberCount, 0, JournalMode.DEGRADED, true);
        if (!isInMemory)
        {
            fixture.restart();
        }
        return fixture;
    }

    private static void fail(final ArrayFixture fixture, final int slot)
    {
        RaidFixture.get(fixture.array().fail("d" + slot));
    }

    private static long wrong(final ArrayFixture fixture)
    {
        return fixture.array().raidMembers().stream().mapToLong(RaidMember::wrongBlocks).sum();
    }

    private static void awaitEvent(final ArrayFixture fixture, final String text)
    {
        ArrayFixture.await(() -> fixture.events().stream().anyMatch((each) -> each.contains(text)), text);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldNotAnswerAReadWithWhatIsComputedFromALie(final boolean isInMemory)
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3, isInMemory))
        {
            final int missing = fixture.layout().dataSlot(0, 0);
            final int liar = fixture.layout().dataSlot(0, 1);
            fixture.corrupt(liar, 0);
            fail(fixture, missing);
            assertEquals(BlockStatus.MEDIA_ERROR, fixture.read(0, BLOCK_BYTES));
            assertEquals(1, fixture.array().raidMembers().get(liar).wrongBlocks());
            awaitEvent(fixture, "blocks at byte 0 of the data of d" + liar + " (slot " + liar + "): checksum mismatch");
            // The others, each of which is computed from what its members were written.
            fixture.write(STRIP_BYTES + BLOCK_BYTES, BLOCK_BYTES);
            assertEquals(BlockStatus.SUCCESS, fixture.read(BLOCK_BYTES, BLOCK_BYTES));
        }
    }

    @Test
    void shouldAnnounceTheFirstWrongBlocksOfAMember()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3, true))
        {
            final int liar = fixture.layout().dataSlot(0, 1);
            fixture.corrupt(liar, 0);
            fail(fixture, fixture.layout().dataSlot(0, 0));
            for (int i = 0; i < 40; i++)
            {
                assertEquals(BlockStatus.MEDIA_ERROR, fixture.read(0, BLOCK_BYTES));
            }
            assertEquals(40, fixture.array().raidMembers().get(liar).wrongBlocks());
            ArrayFixture.await(fixture.array().wrongReads()::isEmpty, "announced");
            awaitEvent(fixture, "checksum mismatch in a read for a host");
            assertTrue(fixture.events().stream().filter((each) -> each.contains("in a read for a host")).count() <= 16);
        }
    }

    /** What a request has found of rows counts for no other one. */
    @Test
    void shouldReadWhatAnotherHostHasWrittenSinceItReadTheSameRows()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3, true);
            Initiator other = fixture.anotherHost("other");
            DmaMemory memory = DmaMemory.map(BLOCK_BYTES))
        {
            fail(fixture, fixture.layout().dataSlot(0, 0));
            for (int i = 0; i < 3; i++)
            {
                assertEquals(BlockStatus.SUCCESS, fixture.read(0, BLOCK_BYTES));
                NativeMemory.fill(memory.address(), BLOCK_BYTES, (byte)(1 + i));
                assertEquals(BlockStatus.SUCCESS, other.run(BlockOperation.WRITE, STRIP_BYTES / BLOCK_BYTES, 1, false,
                    memory.address(), BLOCK_BYTES));
            }
            assertEquals(0, wrong(fixture));
        }
    }

    @ParameterizedTest
    @CsvSource({"RAID6,5,true", "RAID6,5,false", "EC2,6,false", "EC3,6,false"})
    void shouldAnswerAReadWithoutTheMemberThatLies(
        final RaidLevel level, final int memberCount, final boolean isInMemory)
    {
        try (ArrayFixture fixture = create(level, memberCount, isInMemory))
        {
            for (int slot = 1; slot < memberCount; slot++)
            {
                fixture.corrupt(slot, (long)slot * STRIP_BYTES + BLOCK_BYTES);
            }
            fail(fixture, 0);
            for (int stripe = 1; stripe < memberCount; stripe++)
            {
                // What the missing member has; a direct read of the one that lies is not verified.
                for (int i = 0; i < fixture.layout().dataCount(); i++)
                {
                    if (0 == fixture.layout().dataSlot(stripe, i))
                    {
                        fixture.verify((stripe * fixture.layout().dataCount() + i) * STRIP_BYTES, STRIP_BYTES);
                    }
                }
            }
            assertTrue(wrong(fixture) > 0);
        }
    }

    /** Parity that is updated by the difference to a wrong block gives another block of the missing member. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldNotWriteOverALieWhereAMemberIsMissing(final boolean isInMemory)
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 4, isInMemory))
        {
            final int missing = fixture.layout().dataSlot(0, 0);
            final int liar = fixture.layout().dataSlot(0, 1);
            fixture.corrupt(liar, 0);
            fail(fixture, missing);
            assertEquals(BlockStatus.MEDIA_ERROR, fixture.tryWrite(STRIP_BYTES, BLOCK_BYTES));
            assertEquals(BlockStatus.MEDIA_ERROR, fixture.tryWrite(0, BLOCK_BYTES));
            assertEquals(BlockStatus.MEDIA_ERROR, fixture.read(0, BLOCK_BYTES));
            // All of the rows: nothing is read.
            fixture.write(0, fixture.layout().dataCount() * STRIP_BYTES);
            fixture.verify();
        }
    }

    /** Old data and others' data, by the way that is shorter. */
    @ParameterizedTest
    @CsvSource({"RAID5,3,0,0", "RAID5,3,1,1", "RAID5,6,0,1", "RAID5,6,1,0", "RAID6,8,0,1", "RAID6,8,1,0", "RAID6,5,0,0",
        "RAID6,5,1,1"})
    void shouldComputeParityWithoutALieWhereChecksumsAreInMemory(
        final RaidLevel level, final int memberCount, final int written, final int found)
    {
        try (ArrayFixture fixture = create(level, memberCount, true))
        {
            fixture.corrupt(fixture.layout().dataSlot(0, 0), 0);
            fixture.write(written * STRIP_BYTES, BLOCK_BYTES);
            assertEquals(found, wrong(fixture));
            // Whatever is lost now is computed from parity.
            fail(fixture, fixture.layout().dataSlot(0, 0));
            fixture.verify();
        }
    }

    /** Parity that is wrong is not updated. */
    @ParameterizedTest
    @CsvSource({"RAID5,6", "RAID6,8"})
    void shouldComputeParityAgainThatIsWrong(final RaidLevel level, final int memberCount)
    {
        try (ArrayFixture fixture = create(level, memberCount, true))
        {
            fixture.corrupt(fixture.layout().parityP(0), 0);
            fixture.write(0, BLOCK_BYTES);
            assertEquals(1, wrong(fixture));
            fail(fixture, fixture.layout().dataSlot(0, 1));
            fixture.verify();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldNotRewriteWhatCannotBeReadWithWhatIsComputedFromALie(final boolean isInMemory)
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3, isInMemory))
        {
            final int slot = fixture.layout().dataSlot(0, 0);
            fixture.failBlock(slot, 0);
            fixture.corrupt(fixture.layout().dataSlot(0, 1), 0);
            assertEquals(BlockStatus.MEDIA_ERROR, fixture.read(0, BLOCK_BYTES));
            fixture.failBlock(slot, 3L * STRIP_BYTES);
            fixture.verify(6 * STRIP_BYTES, 2 * STRIP_BYTES);
            ArrayFixture.await(() -> 1 == fixture.badBlocks(), "rewritten");
            assertEquals(BlockStatus.MEDIA_ERROR, fixture.read(0, BLOCK_BYTES));
            assertEquals(1, fixture.badBlocks());
            fixture.restart();
            assertEquals(BlockStatus.MEDIA_ERROR, fixture.read(0, BLOCK_BYTES));
        }
    }

    /** Nothing is known of the blocks of a member that is missing, and what is left is repaired. */
    @ParameterizedTest
    @CsvSource({"RAID6,5,true", "RAID6,5,false", "EC3,6,false"})
    void shouldRewriteWhatCannotBeReadWhileAMemberIsMissing(
        final RaidLevel level, final int memberCount, final boolean isThere)
    {
        try (ArrayFixture fixture = create(level, memberCount, false))
        {
            final int missing = fixture.layout().dataSlot(0, 0);
            if (isThere)
            {
                // Its checksum is that of an earlier block, or in memory.
                fixture.write(BLOCK_BYTES, BLOCK_BYTES);
                fail(fixture, missing);
                fixture.write(0, 2 * BLOCK_BYTES);
                fixture.failBlock(fixture.layout().dataSlot(0, 1), BLOCK_BYTES);
            }
            else
            {
                fixture.detach(missing);
                fixture.restart();
            }
            fixture.failBlock(fixture.layout().dataSlot(0, 1), 0);
            fixture.verify();
            ArrayFixture.await(() -> 0 == fixture.badBlocks(), "rewritten");
            fixture.verify();
            assertEquals(0, wrong(fixture));
        }
    }

    /** No worse than without checksums. */
    @Test
    void shouldAnswerAReadWhosePageOfChecksumsCannotBeRead()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3, false))
        {
            fixture.failBlock(0, MEMBER_BYTES);
            fixture.failBlock(2, MEMBER_BYTES);
            fail(fixture, 1);
            fixture.verify();
            assertEquals(2, fixture.badBlocks(), "pages are no rows to repair");
            fixture.writeAnywhere(20);
            fixture.verify();
            assertEquals(0, wrong(fixture));
        }
    }

    /** What it has is the checksum of no block. */
    @Test
    void shouldAnswerAReadWhosePageOfChecksumsIsDamaged()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3, false))
        {
            final byte[] page = new byte[ChecksumArea.PAGE_BYTES];
            random.nextBytes(page);
            fixture.disk(0).overwrite(RaidChannel.dataOffsetBytes() + MEMBER_BYTES, page);
            fail(fixture, 1);
            fixture.verify();
            assertEquals(0, wrong(fixture));
        }
    }

    /** Nothing is wrong: also while pages are stored and leave memory, and after them. */
    @ParameterizedTest
    @CsvSource({"RAID5,3", "RAID6,5"})
    void shouldFindNothingWrongInADegradedArrayThatIsWritten(final RaidLevel level, final int memberCount)
    {
        try (ArrayFixture fixture = create(level, memberCount, false))
        {
            fixture.times(new RaidTimes(5_000_000, 5_000_000));
            fixture.restart();
            for (int round = 0; round < 5; round++)
            {
                fixture.writeAnywhere(10);
                fixture.verify();
                if (1 == round)
                {
                    fail(fixture, 1);
                }
                if (3 == round)
                {
                    fixture.restart();
                }
            }
            assertEquals(0, wrong(fixture));
            assertEquals(Set.of(), fixture.unreadable());
        }
    }
}
