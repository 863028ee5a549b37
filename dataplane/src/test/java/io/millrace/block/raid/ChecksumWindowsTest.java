package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.block.raid.format.ChecksumArea;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import io.millrace.seed.TestSeeds;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Members of several pages of checksums, whose ends are in the middle of strips. */
class ChecksumWindowsTest
{
    private static final int BLOCK_BYTES = 512;
    private static final int STRIP_BYTES = 64 << 10;
    private static final int MEMBER_COUNT = 4;
    private static final int DEVICE_BYTES = 3 << 20;
    private static final int PAGE_DATA = ChecksumArea.PAGE_ENTRIES * BLOCK_BYTES;

    private final Random random = TestSeeds.random();
    private final RaidFixture fixture = new RaidFixture();
    private final DmaMemory arena = DmaMemory.map(STRIP_BYTES);
    private final List<BlockDevice> devices = fixture.memoryMembers(MEMBER_COUNT + 1, DEVICE_BYTES, BLOCK_BYTES);
    private final RaidConfig config = new RaidConfig("array", RaidLevel.RAID5, STRIP_BYTES,
        List.of("m0", "m1", "m2", "m3"), List.of("m4"), false, false, false, CopyRates.DEFAULT, JournalMode.DEGRADED,
        "", true);
    private RaidDevice array = fixture.assemble(config, devices);
    private Initiator host = new Initiator("host", array);
    private final byte[] model = new byte[(int)array.geometry().sizeBytes()];
    private final long memberBytes = array.layout().memberBytes();
    private final int pageCount = ChecksumArea.pageCount(memberBytes, BLOCK_BYTES);

    ChecksumWindowsTest()
    {
        ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
        random.nextBytes(model);
        for (int offset = 0; offset < model.length; offset += STRIP_BYTES)
        {
            NativeMemory.asByteBuffer(arena.address(), STRIP_BYTES).put(model, offset, STRIP_BYTES);
            assertEquals(BlockStatus.SUCCESS, run(host, BlockOperation.WRITE, offset, STRIP_BYTES));
        }
    }

    @AfterEach
    void close()
    {
        stop();
        fixture.close();
        arena.close();
    }

    private void stop()
    {
        host.close();
        fixture.stop();
        array.close();
    }

    private void restart()
    {
        stop();
        array = fixture.assemble(config, devices);
        host = new Initiator("host", array);
    }

    private BlockStatus run(
        final Initiator initiator, final BlockOperation operation, final long offset, final int length)
    {
        return initiator.run(operation, offset / BLOCK_BYTES, length / BLOCK_BYTES, false, arena.address(), length);
    }

    private void corrupt(final int slot, final long memberOffset)
    {
        final Initiator direct = new Initiator("corrupting", devices.get(slot));
        final byte[] bytes = new byte[BLOCK_BYTES];
        random.nextBytes(bytes);
        NativeMemory.asByteBuffer(arena.address(), BLOCK_BYTES).put(bytes);
        assertEquals(BlockStatus.SUCCESS,
            run(direct, BlockOperation.WRITE, RaidChannel.dataOffsetBytes() + memberOffset, BLOCK_BYTES));
        direct.close();
    }

    private void verify()
    {
        final byte[] bytes = new byte[STRIP_BYTES];
        for (int offset = 0; offset < model.length; offset += STRIP_BYTES)
        {
            final int at = offset;
            assertEquals(BlockStatus.SUCCESS, run(host, BlockOperation.READ, offset, STRIP_BYTES));
            NativeMemory.asByteBuffer(arena.address(), STRIP_BYTES).get(bytes);
            assertArrayEquals(Arrays.copyOfRange(model, offset, offset + STRIP_BYTES), bytes, () -> "at " + at);
        }
    }

    private ScrubResult scrub(final ScrubMode mode)
    {
        array.scrub(mode);
        ArrayFixture.await(() -> !array.scrubControl().isActive(), "ended");
        return array.scrubControl().result();
    }

    private long invalid()
    {
        return array.raidMembers().stream().mapToLong(RaidMember::invalidChecksumPages).sum();
    }

    /** The first and the last block of each page, of one member after the other. */
    private int corruptPages()
    {
        int count = 0;
        for (int page = 0; page < pageCount; page++)
        {
            corrupt(count++ % MEMBER_COUNT, (long)page * PAGE_DATA);
            corrupt(count++ % MEMBER_COUNT, Math.min((page + 1L) * PAGE_DATA, memberBytes) - BLOCK_BYTES);
        }
        return count;
    }

    @Test
    void shouldFindWhatIsWrongAtTheEndsOfPages()
    {
        assertTrue(pageCount > 4);
        restart();
        final int count = corruptPages();
        assertEquals(count, scrub(ScrubMode.CHECK).wrongBlocks());
        final ScrubResult repaired = scrub(ScrubMode.REPAIR);
        assertEquals(count, repaired.wrongBlocks());
        assertEquals(count, repaired.repaired());
        verify();
        restart();
        assertEquals(0, scrub(ScrubMode.CHECK).mismatches());
        assertEquals(0, invalid());
        verify();
    }

    @Test
    void shouldCopyWithTheChecksumsOfEachPage()
    {
        restart();
        RaidFixture.get(array.fail("m1"));
        ArrayFixture.await(() -> array.view().isComplete(), "rebuilt");
        verify();
        assertEquals(0, array.raidMembers().stream().mapToLong(RaidMember::wrongBlocks).sum());
        assertEquals(0, scrub(ScrubMode.CHECK).mismatches());
        assertEquals(0, invalid());
        restart();
        final int wrong = array.view().slotOf(array.raidMembers().stream()
            .filter((each) -> "m4".equals(each.device().name())).findFirst().orElseThrow());
        assertEquals(1, wrong);
        for (int page = 0; page < pageCount; page++)
        {
            corrupt(MEMBER_COUNT, (long)page * PAGE_DATA + BLOCK_BYTES);
        }
        assertEquals(pageCount, scrub(ScrubMode.CHECK).wrongBlocks());
    }

    /** Of rows whose parity is lost as well, an operator needs the place that hosts read. */
    @Test
    void shouldNameTheDataThatARebuildLosesBesideParity()
    {
        restart();
        long stripe = 1;
        while (array.layout().dataIndex(stripe, 0) >= 0)
        {
            stripe++;
        }
        corrupt(array.layout().dataSlot(stripe, 1), stripe * STRIP_BYTES);
        RaidFixture.get(array.fail("m0"));
        ArrayFixture.await(() -> array.view().isComplete(), "rebuilt");
        final long lba = (stripe * array.layout().dataCount() + 1) * STRIP_BYTES / BLOCK_BYTES;
        final String sentence = "rebuild: 2 blocks of members are lost, since others of the same rows cannot be read " +
            "or have a checksum mismatch: the first at byte " + stripe * STRIP_BYTES + " of the members' data (LBA " +
            lba + " of the array); overwrite them from a host";
        assertTrue(fixture.failures().contains(sentence), () -> fixture.failures().toString());
    }

    /** Rows on both sides of the end of a page: their checksums are in two. */
    @Test
    void shouldVerifyRowsOfTwoPagesInADegradedRead()
    {
        restart();
        final long stripe = PAGE_DATA / STRIP_BYTES;
        final int missing = array.layout().dataSlot(stripe, 0);
        final int liar = array.layout().dataSlot(stripe, 1);
        final int row = PAGE_DATA % STRIP_BYTES;
        corrupt(liar, PAGE_DATA);
        array.copyRates(new CopyRates(1 << 20, 1 << 20));
        RaidFixture.get(array.fail(devices.get(missing).name()));
        final long offset = stripe * array.layout().dataCount() * STRIP_BYTES;
        assertEquals(BlockStatus.SUCCESS, run(host, BlockOperation.READ, offset + row - 4096, 4096));
        assertEquals(BlockStatus.MEDIA_ERROR, run(host, BlockOperation.READ, offset + row - 4096, 8192));
        assertEquals(BlockStatus.SUCCESS, run(host, BlockOperation.READ, offset + row + BLOCK_BYTES, 4096));
        // Where nothing is wrong.
        final long other = 3L * PAGE_DATA / STRIP_BYTES;
        for (int i = 0; i < array.layout().dataCount(); i++)
        {
            final long strip = other * array.layout().dataCount() + i;
            assertEquals(BlockStatus.SUCCESS,
                run(host, BlockOperation.READ, strip * STRIP_BYTES + 3 * PAGE_DATA % STRIP_BYTES - 4096, 8192));
        }
    }

    private void restartWithoutSpare()
    {
        stop();
        array = fixture.assemble(new RaidConfig("array", RaidLevel.RAID5, STRIP_BYTES, config.members(), List.of(),
            false, false, false, CopyRates.DEFAULT, JournalMode.DEGRADED, "", true),
            devices.subList(0, MEMBER_COUNT));
        host = new Initiator("host", array);
    }

    /** It has another UUID, and pages of the former one where nothing is copied to it. */
    @Test
    void shouldFindNoPageDamagedOfAMemberThatHasComeBack()
    {
        restartWithoutSpare();
        RaidFixture.get(array.fail("m1"));
        NativeMemory.asByteBuffer(arena.address(), BLOCK_BYTES).put(model, 0, BLOCK_BYTES);
        assertEquals(BlockStatus.SUCCESS, run(host, BlockOperation.WRITE, 0, BLOCK_BYTES));
        for (int life = 0; life < 2; life++)
        {
            restartWithoutSpare();
            ArrayFixture.await(() -> array.view().isComplete(), "back");
            verify();
        }
        assertEquals(0, scrub(ScrubMode.CHECK).mismatches());
        assertEquals(0, invalid());
        // It has checksums again.
        final int corrupted = corruptPages();
        assertEquals(corrupted, scrub(ScrubMode.CHECK).wrongBlocks());
    }
}
