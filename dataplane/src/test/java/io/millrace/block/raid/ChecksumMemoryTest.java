package io.millrace.block.raid;

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
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Pages of checksums in memory, of which none may leave it while a member is missing. */
class ChecksumMemoryTest
{
    private static final int BLOCK_BYTES = 512;
    private static final int STRIP_BYTES = 64 << 10;
    private static final long PAGE_DATA_BYTES = (long)ChecksumArea.PAGE_ENTRIES * BLOCK_BYTES;
    /** A write changes checksums of two members, or of one where the missing member has its data or parity. */
    private static final int PAGES = 4 * BlockChecksums.PAGES_MAX / 5;
    private static final long MEMBER_BYTES = PAGES * PAGE_DATA_BYTES / STRIP_BYTES * STRIP_BYTES;

    private static long count(final RaidDevice array, final boolean isUnknown)
    {
        long count = 0;
        for (final RaidMember each : array.raidMembers())
        {
            for (int page = 0; page < array.pages().checksums().pageCount(); page++)
            {
                count += (isUnknown ? each.checksums().isUnknown(page) :
                    BlockChecksums.NO_SLOT != each.checksums().findSlot(page)) ? 1 : 0;
            }
        }
        return count;
    }

    /** Blocks of further pages have no checksums, and are written nevertheless. */
    @Test
    void shouldKeepNoMorePagesThanThereIsMemoryFor()
    {
        final RaidFixture fixture = new RaidFixture();
        final List<BlockDevice> members = new ArrayList<>();
        for (int i = 0; i < 3; i++)
        {
            members.add(fixture.own(new SparseDevice("m" + i, RaidFixture.deviceBytes(MEMBER_BYTES) +
                (PAGES + 1L) * ChecksumArea.PAGE_BYTES, BLOCK_BYTES)));
        }
        final RaidDevice array = fixture.assemble(new RaidConfig("array", RaidLevel.RAID5, STRIP_BYTES,
            members.stream().map(BlockDevice::name).toList(), List.of(), true, false, false, CopyRates.DEFAULT,
            JournalMode.DEGRADED, "", true), members);
        try (Initiator host = new Initiator("host", array); DmaMemory memory = DmaMemory.map(4096))
        {
            RaidFixture.get(array.fail("m0"));
            for (int page = 0; page < PAGES; page++)
            {
                // The first block of a stripe.
                final long stripe = page * PAGE_DATA_BYTES / STRIP_BYTES;
                NativeMemory.fill(memory.address(), BLOCK_BYTES, (byte)page);
                assertEquals(BlockStatus.SUCCESS, host.run(BlockOperation.WRITE, 2 * stripe * STRIP_BYTES / BLOCK_BYTES,
                    1, false, memory.address(), BLOCK_BYTES));
            }
            final long held = count(array, false);
            assertTrue(held <= BlockChecksums.PAGES_MAX, () -> held + " pages");
            assertTrue(count(array, true) > 0, "all pages fit");
            for (int page = 0; page < PAGES; page++)
            {
                final long stripe = page * PAGE_DATA_BYTES / STRIP_BYTES;
                assertEquals(BlockStatus.SUCCESS, host.run(BlockOperation.READ, 2 * stripe * STRIP_BYTES / BLOCK_BYTES,
                    1, false, memory.address(), BLOCK_BYTES));
                assertEquals((byte)page, NativeMemory.getByte(memory.address()));
            }
        }
        finally
        {
            fixture.stop();
            array.close();
            fixture.close();
        }
    }
}
