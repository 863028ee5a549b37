package io.millrace.block.raid;

import static io.millrace.block.raid.ArrayFixture.BLOCK_BYTES;
import static io.millrace.block.raid.ArrayFixture.STRIP_BYTES;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.DeviceHealth;
import io.millrace.block.DeviceStatus;
import io.millrace.block.raid.format.ChecksumArea;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.seed.TestSeeds;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Arrays with checksums whose members have other blocks than were written. */
class ChecksumScrubTest
{
    private final Random random = TestSeeds.random();

    private ArrayFixture create(final RaidLevel level, final int memberCount, final int spareCount)
    {
        return new ArrayFixture(random, level, memberCount, spareCount, JournalMode.DEGRADED, true);
    }

    private static ScrubResult scrub(final ArrayFixture fixture, final ScrubMode mode)
    {
        fixture.array().scrub(mode);
        ArrayFixture.await(() -> !fixture.array().scrubControl().isActive(), "ended");
        final ScrubResult result = fixture.array().scrubControl().result();
        assertEquals(ScrubStatus.COMPLETED, result.status());
        return result;
    }

    private static void assertClean(final ArrayFixture fixture)
    {
        final ScrubResult result = scrub(fixture, ScrubMode.CHECK);
        assertEquals(0, result.mismatches());
        assertEquals(0, result.wrongBlocks() + result.unreadable() + result.skippedBytes());
    }

    @ParameterizedTest
    @CsvSource({"RAID5,3", "RAID5,5", "RAID6,4", "RAID6,6", "RAID6_Q_LAST,5", "EC3,6", "EC1,3"})
    void shouldNameAndRepairTheMemberThatLies(final RaidLevel level, final int memberCount)
    {
        try (ArrayFixture fixture = create(level, memberCount, 0))
        {
            assertClean(fixture);
            fixture.restart();
            assertClean(fixture);
            for (int slot = 0; slot < memberCount; slot++)
            {
                fixture.corrupt(slot, (long)(slot + 3) * STRIP_BYTES + BLOCK_BYTES);
            }
            final ScrubResult found = scrub(fixture, ScrubMode.CHECK);
            assertEquals(memberCount, found.mismatches());
            assertEquals(memberCount, found.wrongBlocks());
            for (int slot = 0; slot < memberCount; slot++)
            {
                assertEquals(1, fixture.array().raidMembers().get(slot).wrongBlocks());
                final String sentence = "block at byte " + ((slot + 3) * STRIP_BYTES + BLOCK_BYTES) +
                    " of the data of d" + slot + " (slot " + slot + "): checksum mismatch";
                assertTrue(fixture.events().stream().anyMatch(sentence::equals), () -> "no event: " + sentence);
            }
            assertEquals(new DeviceStatus(DeviceHealth.DEGRADED, "the last scrub found " + memberCount +
                " blocks with a checksum mismatch, and did not repair all: scrub with repair"),
                fixture.array().status());
            final ScrubResult repaired = scrub(fixture, ScrubMode.REPAIR);
            assertEquals(memberCount, repaired.repaired());
            assertEquals(new DeviceStatus(DeviceHealth.ONLINE, ""), fixture.array().status());
            for (int slot = 0; slot < memberCount; slot++)
            {
                assertEquals(1, fixture.array().raidMembers().get(slot).correctedErrors());
            }
            fixture.verify();
            assertClean(fixture);
            fixture.restart();
            assertClean(fixture);
            fixture.verify();
        }
    }

    @ParameterizedTest
    @CsvSource({"RAID6,5", "RAID6_Q_LAST,5", "EC2,6"})
    void shouldRepairTwoMembersThatLieInTheSameRows(final RaidLevel level, final int memberCount)
    {
        try (ArrayFixture fixture = create(level, memberCount, 0))
        {
            for (int slot = 0; slot < memberCount; slot++)
            {
                fixture.corrupt(slot, 2L * slot * STRIP_BYTES);
                fixture.corrupt((slot + 1) % memberCount, 2L * slot * STRIP_BYTES);
            }
            final ScrubResult repaired = scrub(fixture, ScrubMode.REPAIR);
            assertEquals(2L * memberCount, repaired.wrongBlocks());
            assertEquals(memberCount, repaired.repaired());
            fixture.verify();
            assertClean(fixture);
        }
    }

    @ParameterizedTest
    @CsvSource({"RAID5,4", "RAID6,5"})
    void shouldLoseBlocksWhenMoreMembersLieThanParityMakesUpFor(final RaidLevel level, final int memberCount)
    {
        try (ArrayFixture fixture = create(level, memberCount, 0))
        {
            final int liars = level.parityCount() + 1;
            for (int i = 0; i < liars; i++)
            {
                fixture.corrupt(fixture.layout().dataSlot(1, i), STRIP_BYTES);
            }
            final long event = fixture.array().view().eventCount();
            assertEquals(liars, scrub(fixture, ScrubMode.CHECK).wrongBlocks());
            assertEquals(0, fixture.lostBlocks());
            final ScrubResult result = scrub(fixture, ScrubMode.REPAIR);
            assertEquals(0, result.repaired());
            assertEquals(1, result.unreadable());
            assertEquals(liars, fixture.lostBlocks());
            // Superblocks say that there are lists, and when each of the scrubs ended.
            ArrayFixture.await(() -> fixture.array().view().eventCount() >= event + 3, "announced");
            assertEquals(liars, fixture.unreadable().size());
            final String lost = IntStream.range(0, liars).boxed().sorted(
                Comparator.comparing((index) -> fixture.layout().dataSlot(1, index)))
                .map((index) -> "LBA " + 4 * (fixture.layout().dataCount() + index) + " of the array")
                .collect(Collectors.joining(", "));
            assertTrue(fixture.events().stream().anyMatch((each) -> each.endsWith(
                "are lost, since more are wrong than parity makes up for: " + lost + "; overwrite them from a host")));
            assertTrue(fixture.array().status().reason().contains(liars + " blocks of members are lost"));
            fixture.restart();
            assertEquals(liars, fixture.unreadable().size());
            fixture.write(fixture.layout().dataCount() * STRIP_BYTES, fixture.layout().dataCount() * STRIP_BYTES);
            ArrayFixture.await(() -> 0 == fixture.lostBlocks(), "written");
            fixture.verify();
            assertClean(fixture);
        }
    }

    /** Parity may have been computed from a wrong block: it is no proof that the checksum is what is wrong. */
    @Test
    void shouldLeaveABlockAndItsChecksumToAHostWhenParityAgreesWithTheBlock()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3, 0))
        {
            fixture.restart();
            fixture.disk(1).overwrite(ChecksumArea.offset(ArrayFixture.MEMBER_BYTES),
                StoredPages.random(random, fixture.array().raidMembers().get(1).id(), 0));
            final ScrubResult found = scrub(fixture, ScrubMode.CHECK);
            final long blocks = ArrayFixture.MEMBER_BYTES / BLOCK_BYTES;
            assertEquals(blocks, found.mismatches());
            assertEquals(blocks, fixture.array().raidMembers().get(1).wrongBlocks());
            assertTrue(fixture.events().stream().anyMatch((each) -> each.endsWith("overwrite it from a host")));
            final ScrubResult repaired = scrub(fixture, ScrubMode.REPAIR);
            assertEquals(blocks, repaired.mismatches());
            assertEquals(0, repaired.repaired());
            assertEquals(0, fixture.array().correctedErrors());
            fixture.verify();
            final int stripeBytes = fixture.layout().dataCount() * ArrayFixture.STRIP_BYTES;
            for (int offset = 0; offset < fixture.layout().dataBytes(); offset += stripeBytes)
            {
                fixture.write(offset, stripeBytes);
            }
            fixture.verify();
            assertClean(fixture);
            fixture.restart();
            assertClean(fixture);
        }
    }

    @Test
    void shouldNotRepairByParityThatWasComputedFromAWrongBlock()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3, 0))
        {
            // No checksum is in memory, by which the write would find the block.
            fixture.restart();
            final int wrong = fixture.layout().dataSlot(0, 0);
            fixture.corrupt(wrong, 0);
            // The other strip of the row: parity is computed from both.
            fixture.write(ArrayFixture.STRIP_BYTES, BLOCK_BYTES);
            assertEquals(0, scrub(fixture, ScrubMode.REPAIR).repaired());
            assertEquals(1, scrub(fixture, ScrubMode.CHECK).wrongBlocks());
            fixture.write(0, BLOCK_BYTES);
            fixture.verify();
            assertClean(fixture);
        }
    }

    /** Syndromes of such rows say that the data is wrong. */
    @ParameterizedTest
    @CsvSource({"RAID5,5", "RAID6,8"})
    void shouldComputeParityThatWasUpdatedByTheDifferenceToAWrongBlock(final RaidLevel level, final int memberCount)
    {
        try (ArrayFixture fixture = create(level, memberCount, 0))
        {
            fixture.restart();
            fixture.corrupt(fixture.layout().dataSlot(0, 0), 0);
            fixture.write(0, BLOCK_BYTES);
            final ScrubResult repaired = scrub(fixture, ScrubMode.REPAIR);
            assertEquals(1, repaired.mismatches());
            assertEquals(0, repaired.wrongBlocks());
            fixture.verify();
            assertClean(fixture);
            fixture.disk(fixture.layout().dataSlot(0, 0)).state(MemberState.FAILING);
            fixture.verify();
        }
    }

    @ParameterizedTest
    @CsvSource({"RAID6,5", "EC3,6"})
    void shouldNotSpreadWhatAMemberLiesInARebuild(final RaidLevel level, final int memberCount)
    {
        try (ArrayFixture fixture = create(level, memberCount, 1))
        {
            fixture.corrupt(1, 3L * STRIP_BYTES);
            fixture.disk(0).state(MemberState.FAILING);
            fixture.write(0, fixture.layout().dataCount() * STRIP_BYTES);
            ArrayFixture.await(() -> fixture.array().view().isComplete(), "rebuilt");
            final ScrubResult found = scrub(fixture, ScrubMode.REPAIR);
            assertEquals(1, found.wrongBlocks());
            assertEquals(1, found.repaired());
            fixture.verify();
            assertClean(fixture);
        }
    }

    @Test
    void shouldLoseWhatARebuildCanOnlyComputeFromALie()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3, 1))
        {
            fixture.corrupt(1, 3L * STRIP_BYTES);
            fixture.disk(0).state(MemberState.FAILING);
            fixture.write(0, fixture.layout().dataCount() * STRIP_BYTES);
            ArrayFixture.await(() -> fixture.array().view().isComplete(), "rebuilt");
            assertEquals(2, fixture.lostBlocks());
            assertTrue(fixture.array().raidMembers().get(1).wrongBlocks() > 0);
            assertEquals(2, fixture.unreadable().size());
            final ScrubResult found = scrub(fixture, ScrubMode.CHECK);
            assertEquals(0, found.mismatches());
            assertEquals(1, found.unreadable());
            fixture.restart();
            assertEquals(2, fixture.unreadable().size());
        }
    }

    @ParameterizedTest
    @CsvSource({"RAID6,5", "RAID6_Q_LAST,5", "EC3,6"})
    void shouldRepairRowsInWhichOneMemberCannotReadAndAnotherOneLies(final RaidLevel level, final int memberCount)
    {
        try (ArrayFixture fixture = create(level, memberCount, 0))
        {
            for (int slot = 0; slot < memberCount; slot++)
            {
                fixture.failBlock(slot, 2L * slot * STRIP_BYTES);
                fixture.corrupt((slot + 1) % memberCount, 2L * slot * STRIP_BYTES);
            }
            final ScrubResult found = scrub(fixture, ScrubMode.CHECK);
            assertEquals(memberCount, found.correctedErrors());
            assertEquals(memberCount, found.wrongBlocks());
            assertEquals(0, found.unreadable());
            final ScrubResult repaired = scrub(fixture, ScrubMode.REPAIR);
            assertEquals(memberCount, repaired.wrongBlocks());
            assertEquals(memberCount, repaired.repaired());
            fixture.verify();
            assertClean(fixture);
        }
    }

    @Test
    void shouldLoseTheBlockOfAMemberThatLiesBesideOneThatCannotRead()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3, 0))
        {
            fixture.corrupt(fixture.layout().dataSlot(3, 0), 3L * STRIP_BYTES);
            fixture.failBlock(fixture.layout().dataSlot(3, 1), 3L * STRIP_BYTES);
            final ScrubResult found = scrub(fixture, ScrubMode.CHECK);
            assertEquals(1, found.wrongBlocks());
            assertEquals(1, found.mismatches());
            assertEquals(1, found.unreadable());
            assertEquals(0, fixture.lostBlocks());
            final ScrubResult repaired = scrub(fixture, ScrubMode.REPAIR);
            assertEquals(1, repaired.wrongBlocks());
            assertEquals(0, repaired.repaired());
            assertEquals(1, repaired.unreadable());
            assertEquals(1, fixture.lostBlocks());
            assertEquals(2, fixture.unreadable().size());
            assertEquals(0, scrub(fixture, ScrubMode.CHECK).wrongBlocks());
        }
    }

    private static long pagesInMemory(final ArrayFixture fixture)
    {
        final BlockChecksums checksums = fixture.array().pages().checksums();
        return IntStream.range(0, checksums.slotCount()).filter((slot) -> null != checksums.owner(slot)).count();
    }

    @Test
    void shouldHaveNoPageInMemoryWhenNobodyWrites()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3, 1))
        {
            fixture.times(new RaidTimes(20_000_000, 20_000_000));
            fixture.restart();
            // Pages are stored soon: on a busy machine before anybody looks.
            ArrayFixture.await(() ->
            {
                fixture.write(0, STRIP_BYTES);
                return pagesInMemory(fixture) > 0;
            }, "in memory");
            RaidFixture.get(fixture.array().fail("d0"));
            fixture.awaitOnline();
            ArrayFixture.await(() -> 0 == fixture.array().intent().dirtyCount(), "cleared");
            ArrayFixture.await(() -> 0 == pagesInMemory(fixture), "stored");
            fixture.restart();
            assertClean(fixture);
        }
    }

    @Test
    void shouldKeepTheOthersOfAPageOfWhichABlockIsWritten()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3, 0))
        {
            fixture.restart();
            fixture.write(0, BLOCK_BYTES);
            fixture.restart();
            for (int slot = 0; slot < 3; slot++)
            {
                fixture.corrupt(slot, (slot + 5L) * STRIP_BYTES);
            }
            assertEquals(3, scrub(fixture, ScrubMode.CHECK).wrongBlocks());
        }
    }

    @Test
    void shouldStoreTheChecksumsOfBlocksThatHaveNoneWhenItChecks()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3, 0))
        {
            fixture.restart();
            fixture.failBlock(1, ArrayFixture.MEMBER_BYTES);
            assertClean(fixture);
            fixture.restart();
            fixture.corrupt(1, 5L * STRIP_BYTES);
            assertEquals(1, scrub(fixture, ScrubMode.CHECK).wrongBlocks());
        }
    }

    @Test
    void shouldLoseABlockThatDoesNotHaveItsChecksumWhenItIsComputed()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3, 0))
        {
            fixture.restart();
            fixture.failBlock(2, ArrayFixture.MEMBER_BYTES);
            fixture.corrupt(2, 5L * STRIP_BYTES);
            fixture.corrupt(1, 5L * STRIP_BYTES);
            final ScrubResult result = scrub(fixture, ScrubMode.REPAIR);
            assertEquals(0, result.repaired());
            assertEquals(1, result.unreadable());
            assertEquals(1, fixture.lostBlocks());
        }
    }

    @Test
    void shouldNotRewriteABlockWithWhatIsComputedFromALie()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3, 0))
        {
            fixture.failBlock(0, 5L * STRIP_BYTES);
            fixture.corrupt(1, 5L * STRIP_BYTES);
            assertEquals(1, scrub(fixture, ScrubMode.REPAIR).unreadable());
            assertEquals(1, fixture.badBlocks());
        }
    }

    @Test
    void shouldGiveAReplacementTheChecksumsOfWhatIsWrittenMeanwhile()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3, 0))
        {
            fixture.addDisk();
            fixture.copyRates(new CopyRates(1 << 20, 1 << 20));
            fixture.set("d3 d1 d2", "");
            final RaidMember target = fixture.array().raidMembers().get(3);
            fixture.disk(3).overwrite(
                ChecksumArea.offset(ArrayFixture.MEMBER_BYTES), StoredPages.random(random, target.id(), 0));
            ArrayFixture.await(() -> target.rebuiltBytes() > 4 * STRIP_BYTES, "copied in part");
            fixture.write(0, 4 * STRIP_BYTES);
            fixture.copyRates(CopyRates.DEFAULT);
            fixture.awaitOnline();
            fixture.verify();
            assertClean(fixture);
        }
    }

    @Test
    void shouldGiveBlocksTheirChecksumsInAResync()
    {
        try (RaidFixture fixture = new RaidFixture())
        {
            final List<BlockDevice> members = fixture.memoryMembers(3, 1 << 20, BLOCK_BYTES);
            final RaidConfig config = new RaidConfig("array", RaidLevel.RAID5, STRIP_BYTES, List.of("m0", "m1", "m2"),
                List.of(), false, false, false, CopyRates.DEFAULT, JournalMode.DEGRADED, "", true);
            final RaidDevice array = fixture.assemble(config, members, List.of(), RaidTimes.DEFAULT);
            try
            {
                ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
                final long blocks = array.layout().memberBytes() / BLOCK_BYTES;
                for (final RaidMember member : array.raidMembers())
                {
                    final MemberChecksums of = member.checksums();
                    final int slot = of.findSlot(0);
                    assertTrue(slot >= 0, () -> member + " has none in memory");
                    for (int i = 0; i < blocks; i++)
                    {
                        assertTrue(ChecksumArea.isKnown(array.pages().checksums().entry(slot, i)));
                    }
                }
            }
            finally
            {
                fixture.stop();
                array.close();
            }
        }
    }

    /** No region is set then, and in place of them is what another user of the drive has left. */
    @Test
    void shouldNotTrustChecksumsOfARebuildThatACrashInterrupts()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3, 1))
        {
            fixture.restart();
            fixture.copyRates(new CopyRates(1 << 20, 1 << 20));
            RaidFixture.get(fixture.array().fail("d0"));
            final RaidMember spare = fixture.array().raidMembers().get(3);
            ArrayFixture.await(() -> spare.rebuiltBytes() > ArrayFixture.MEMBER_BYTES / 4, "rebuilt in part");
            fixture.assembleAlone();
            fixture.disk(3).overwrite(
                ChecksumArea.offset(ArrayFixture.MEMBER_BYTES), StoredPages.random(random, spare.id(), 0));
            fixture.copyRates(CopyRates.DEFAULT);
            fixture.restart();
            ArrayFixture.await(() -> fixture.array().view().isComplete(), "rebuilt");
            assertClean(fixture);
        }
    }

    @Test
    void shouldNotCopyALieToAReplacement()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3, 0))
        {
            fixture.addDisk();
            fixture.corrupt(0, 3L * STRIP_BYTES);
            fixture.set("d3 d1 d2", "");
            fixture.awaitOnline();
            fixture.verify();
            assertClean(fixture);
            fixture.restart();
            assertClean(fixture);
        }
    }

    @Test
    void shouldHaveThemBesideSharedSpares()
    {
        final RaidConfig config = new RaidConfig("array", RaidLevel.RAID5, STRIP_BYTES, List.of("a", "b", "c"),
            List.of(), false, false, false, CopyRates.DEFAULT, JournalMode.ALWAYS, "j", true);
        assertEquals(config, SharedSpareMembers.with(config, List.of()));
    }

    @Test
    void shouldRefuseSettingsWithoutThem()
    {
        try (RaidFixture fixture = new RaidFixture())
        {
            final List<BlockDevice> members = fixture.memoryMembers(3, 1 << 20, BLOCK_BYTES);
            final List<String> names = members.stream().map(BlockDevice::name).toList();
            final RaidDevice array = fixture.assemble(new RaidConfig("array", RaidLevel.RAID5, STRIP_BYTES, names,
                List.of(), false, false, false, CopyRates.DEFAULT, JournalMode.DEGRADED, "", true), members);
            fixture.stop();
            array.close();
            final String sentence = assertThrows(BlockDeviceException.class, () -> RaidAssembly.assemble(
                RaidFixture.config(RaidLevel.RAID5, STRIP_BYTES, members, List.of()), members, null,
                RaidTimes.DEFAULT)).getMessage();
            assertTrue(sentence.contains("checksums is false"), sentence);
            assertTrue(sentence.contains("true in the superblocks, and does not change: set checksums to true to use " +
                "this array, or"), sentence);
            assertTrue(sentence.endsWith("no checksums, and copy the data"), sentence);
        }
    }

    /** Settings of more than its checksums would not be followed. */
    @Test
    void shouldNameAllSettingsThatUseAnArray()
    {
        try (RaidFixture fixture = new RaidFixture())
        {
            final List<BlockDevice> members = fixture.memoryMembers(4, 1 << 20, BLOCK_BYTES);
            final List<String> names = members.stream().map(BlockDevice::name).limit(3).toList();
            final RaidDevice array = fixture.assemble(new RaidConfig("array", RaidLevel.RAID5, STRIP_BYTES, names,
                List.of(), false, false, false, CopyRates.DEFAULT, JournalMode.DEGRADED, "", true),
                members.subList(0, 3));
            fixture.stop();
            array.close();
            final String sentence = assertThrows(BlockDeviceException.class, () -> RaidAssembly.assemble(
                RaidFixture.config(RaidLevel.RAID6, STRIP_BYTES, members, List.of()), members, null,
                RaidTimes.DEFAULT)).getMessage();
            assertTrue(sentence.contains(
                "set checksums to true, level to 5, and members to its 3 devices, to use this array, or"), sentence);
            final String holders = String.join(", ", names);
            assertTrue(sentence.contains("true in the superblocks of " + holders + ", and does not"), sentence);
            assertTrue(sentence.endsWith(
                ", or erase the superblocks of " + holders + " first (docs/raid.md, Erasing a member)"), sentence);
        }
    }

    @Test
    void shouldSayWhichSettingsOfAnotherShapeItDoesNotFollow()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3, 0))
        {
            fixture.addDisk();
            fixture.configure(RaidLevel.RAID6, "d0 d1 d2 d3", "");
            fixture.restart();
            assertEquals("members names 4 devices, and the array has 3 slots and checksums, with which it neither " +
                "grows nor changes its level: set level: 5 and leave the last name out of members",
                fixture.array().status().reason());
            assertEquals(List.of(), List.copyOf(fixture.events()));
            fixture.set(RaidLevel.RAID5, "d0 d1 d2", "");
            assertEquals("", fixture.array().status().reason());
        }
    }

    @Test
    void shouldRefuseToChangeItsShape()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3, 0))
        {
            fixture.addDisk();
            final String sentence = "array array has checksums, with which it neither grows nor changes its level: " +
                "create another one and copy the data";
            assertEquals(sentence, assertThrows(
                BlockDeviceException.class, () -> fixture.set("d0 d1 d2 d3", "")).getMessage());
            assertEquals(sentence, assertThrows(
                BlockDeviceException.class, () -> fixture.set(RaidLevel.RAID6, "d0 d1 d2 d3", "")).getMessage());
            assertEquals(sentence, assertThrows(ExecutionException.class,
                () -> fixture.array().resizeMembers(0).get()).getCause().getMessage());
        }
    }
}
