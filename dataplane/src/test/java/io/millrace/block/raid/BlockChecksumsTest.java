package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.raid.format.ChecksumArea;
import io.millrace.memory.Crc32c;
import io.millrace.memory.DmaMemory;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Checksums in memory, of which there is room for two pages. */
class BlockChecksumsTest
{
    private static final int BLOCK_BYTES = 512;
    private static final long PAGE_DATA = (long)ChecksumArea.PAGE_ENTRIES * BLOCK_BYTES;
    private static final long MEMBER_BYTES = 4 * PAGE_DATA;
    private static final int CHANGES = 200_000;

    private final DmaMemory arena = DmaMemory.map(1 << 16);
    private final BlockChecksums checksums = new BlockChecksums(MEMBER_BYTES, 9, 2, arena.address(), null);
    private final RaidMember member = new RaidMember(0, null, UUID.randomUUID(), 0).with(checksums.newMember());

    @AfterEach
    void close()
    {
        checksums.close();
        arena.close();
    }

    private void write(final long offset, final int blocks)
    {
        final long lba = (RaidChannel.dataOffsetBytes() + offset) / BLOCK_BYTES;
        checksums.onWrite(member, new BlockRequest(this, (done) ->
        {
        }).reset(BlockOperation.WRITE, lba, blocks).addSegment(arena.address() + 4096, blocks * BLOCK_BYTES));
    }

    private int entry(final int page, final int index)
    {
        return checksums.entry(member.checksums().findSlot(page), index);
    }

    @Test
    void shouldHaveTheChecksumsOfWhatIsWrittenAcrossPages()
    {
        for (int i = 0; i < 2 * BLOCK_BYTES; i++)
        {
            NativeMemory.putByte(arena.address() + 4096 + i, (byte)i);
        }
        NativeMemory.fill(arena.address() + 4096, BLOCK_BYTES, (byte)7);
        write(PAGE_DATA - BLOCK_BYTES, 2);
        assertEquals(ChecksumArea.entry(Crc32c.digest(arena.address() + 4096, BLOCK_BYTES)),
            entry(0, ChecksumArea.PAGE_ENTRIES - 1));
        assertEquals(ChecksumArea.entry(Crc32c.digest(arena.address() + 4096 + BLOCK_BYTES, BLOCK_BYTES)),
            entry(1, 0));
        assertEquals(0, entry(0, 0));
        assertFalse(member.checksums().isStored(0));
        assertTrue(member.checksums().isStored(2));
    }

    @Test
    void shouldNotTakeMetadataForData()
    {
        write(-BLOCK_BYTES, 1);
        assertTrue(member.checksums().isStored(0));
    }

    @Test
    void shouldMakeAPageUnknownThatHasNoRoomUntilItHas()
    {
        write(0, 1);
        write(PAGE_DATA, 1);
        write(2 * PAGE_DATA, 1);
        assertTrue(checksums.isShort());
        assertTrue(member.checksums().isUnknown(2));
        assertTrue(member.checksums().hasUnknown());
        assertFalse(member.checksums().isStored(2));
        member.checksums().release(0, member.checksums().findSlot(0));
        write(2 * PAGE_DATA, 1);
        assertFalse(member.checksums().hasUnknown());
        assertTrue(ChecksumArea.isKnown(entry(2, 0)));
        assertEquals(BlockChecksums.UNKNOWN, entry(2, 1));
        assertTrue(checksums.isLoaded(member.checksums().findSlot(2)));
    }

    @Test
    void shouldHaveWhatIsBehindAPageThatHasNoRoom()
    {
        write(0, 1);
        write(3 * PAGE_DATA, 1);
        NativeMemory.fill(arena.address() + 4096, BLOCK_BYTES, (byte)1);
        NativeMemory.fill(arena.address() + 4096 + BLOCK_BYTES, BLOCK_BYTES, (byte)2);
        write(3 * PAGE_DATA - BLOCK_BYTES, 2);
        assertTrue(member.checksums().isUnknown(2));
        assertEquals(ChecksumArea.entry(Crc32c.digest(arena.address() + 4096 + BLOCK_BYTES, BLOCK_BYTES)), entry(3, 0));
    }

    @Test
    void shouldHaveThoseOfZeroesThatAreWrittenWithoutData()
    {
        final long lba = RaidChannel.dataOffsetBytes() / BLOCK_BYTES;
        checksums.onWrite(member, new BlockRequest(this, (done) ->
        {
        }).reset(BlockOperation.WRITE_ZEROES, lba, 1));
        assertEquals(ChecksumArea.entry(Crc32c.digest(arena.address(), BLOCK_BYTES)), entry(0, 0));
    }

    @Test
    void shouldHaveNothingOfAnotherPageInASlot()
    {
        write(0, 1);
        final int slot = member.checksums().findSlot(0);
        member.checksums().release(0, slot);
        write(PAGE_DATA + BLOCK_BYTES, 1);
        assertEquals(slot, member.checksums().findSlot(1));
        assertEquals(0, entry(1, 0));
    }

    @Test
    void shouldFindWhatCounts()
    {
        assertEquals(0, checksums.find(member.checksums(), 0));
        write(0, 1);
        assertEquals(entry(0, 0), checksums.find(member.checksums(), 0));
        assertEquals(0, checksums.find(member.checksums(), 1));
        member.checksums().release(0, member.checksums().findSlot(0));
        assertEquals(0, checksums.find(member.checksums(), 0));
        member.checksums().assembledUnknown(0);
        assertEquals(BlockChecksums.UNKNOWN, checksums.find(member.checksums(), 0));
    }

    /** Whoever looks has the block locked, and not the page, which is stored and gives its slot to another one. */
    @Test
    void shouldNeverFindAChecksumOfThePageThatHasTheSlotNow() throws InterruptedException
    {
        NativeMemory.fill(arena.address() + 4096, BLOCK_BYTES, (byte)9);
        // One slot is left for two pages.
        write(2 * PAGE_DATA, 1);
        final AtomicBoolean isDone = new AtomicBoolean();
        final Thread writer = Thread.ofPlatform().start(() ->
        {
            for (int i = 0; i < CHANGES; i++)
            {
                write(BLOCK_BYTES, 1);
                member.checksums().release(0, member.checksums().findSlot(0));
                write(PAGE_DATA, 1);
                member.checksums().release(1, member.checksums().findSlot(1));
            }
            isDone.set(true);
        });
        int found = 0;
        while (!isDone.get())
        {
            found += 0 == checksums.find(member.checksums(), 0) ? 0 : 1;
        }
        writer.join();
        assertEquals(0, found);
    }

    @Test
    void shouldForgetAnUnknownPageWhenThatIsStored()
    {
        assertFalse(member.checksums().hasUnknown());
        member.checksums().assembledUnknown(3);
        assertTrue(member.checksums().hasUnknown());
        assertTrue(member.checksums().isUnknown(3));
        member.checksums().onUnknownStored(3);
        assertFalse(member.checksums().hasUnknown());
        assertFalse(member.checksums().isUnknown(3));
        assertTrue(member.checksums().isStored(3));
    }

    @Test
    void shouldKeepWhatIsInMemoryWhenItTakesWhatIsStored()
    {
        write(0, 1);
        final int slot = member.checksums().findSlot(0);
        final int own = entry(0, 0);
        NativeMemory.fill(arena.address() + 8192, ChecksumArea.PAGE_BYTES, (byte)0);
        NativeMemory.putInt(BlockChecksums.entryAddress(arena.address() + 8192, 0), 77);
        NativeMemory.putInt(BlockChecksums.entryAddress(arena.address() + 8192, 1), 78);
        checksums.merge(slot, arena.address() + 8192);
        assertEquals(own, entry(0, 0));
        assertEquals(78, entry(0, 1));
        assertEquals(BlockChecksums.UNKNOWN, entry(0, 2));
    }

    @Test
    void shouldBeChangedAgainByAWriteWhileItIsStored()
    {
        write(0, 1);
        final int slot = member.checksums().findSlot(0);
        checksums.beginWrite(slot);
        checksums.takeChanges(slot);
        assertFalse(checksums.isStored(slot));
        write(BLOCK_BYTES, 1);
        checksums.endWrite(slot, true);
        assertFalse(checksums.isStored(slot));
        checksums.beginWrite(slot);
        checksums.takeChanges(slot);
        checksums.endWrite(slot, false);
        assertFalse(checksums.isStored(slot));
        checksums.beginWrite(slot);
        checksums.takeChanges(slot);
        checksums.endWrite(slot, true);
        assertTrue(checksums.isStored(slot));
    }
}
