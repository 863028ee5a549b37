package io.millrace.block.raid;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.raid.format.JournalEntry;
import io.millrace.block.raid.format.JournalPlaces;
import io.millrace.block.raid.format.MemberArea;
import io.millrace.block.raid.format.Superblock;
import io.millrace.memory.DmaMemory;
import java.util.Arrays;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.agrona.BitUtil;

/**
 * The journal of an array that is assembled: what writes were going to store when the array ended, and may have stored
 * in part. Set-up only; the caller waits for the members.
 */
final class JournalReplay
{
    private final MemberIo io;
    private final Superblock superblock;
    private final JournalPlaces places;
    /** Valid entries by their sequence. */
    private final SortedMap<Long, byte[]> entries = new TreeMap<>();
    private long tail;

    /**
     * Without entries.
     *
     * @param io         to read and write with.
     * @param superblock that is authoritative.
     */
    JournalReplay(final MemberIo io, final Superblock superblock)
    {
        this.io = io;
        this.superblock = superblock;
        final JournalPlaces ofMembers = JournalPlaces.of(superblock.slots().size(), superblock.stripBytes());
        places = null == superblock.journal().device() ? ofMembers :
            ofMembers.withCount(superblock.journal().placeCount());
    }

    /**
     * Reads the journal of a member in sync, unless a device of its own has it.
     *
     * @param member of the array.
     * @throws BlockDeviceException when it cannot be read: the member may have the only copy of an entry.
     */
    void read(final RaidMember member)
    {
        if (0 != superblock.journal().epoch() && null == superblock.journal().device())
        {
            read(member.device());
        }
    }

    /**
     * Reads the journal of a device.
     *
     * @param device that superblocks say that it is on.
     * @throws BlockDeviceException when it cannot be read: the device may have the only copy of an entry.
     */
    void read(final BlockDevice device)
    {
        if (places.endOffset() > device.geometry().sizeBytes())
        {
            throw new BlockDeviceException("device " + device.name() + " has " + device.geometry().sizeBytes() +
                " bytes, and the journal on it ends at " + places.endOffset() + ": restore the device's size");
        }
        try (MemberIo.Member open = io.open(device); DmaMemory memory = DmaMemory.map(places.placeBytes()))
        {
            final JournalEntry entry = new JournalEntry().wrap(memory.address());
            for (int place = 0; place < places.placeCount(); place++)
            {
                final long offset = places.offset(place);
                read(open, offset, JournalEntry.HEADER_BYTES, memory.address());
                // Most places are empty, or have what was logged in epochs that are over.
                if (!entry.isOf(superblock, places.placeBytes()))
                {
                    continue;
                }
                // Whole blocks, whatever a damaged header says.
                final int bytes = BitUtil.align(entry.bytes(), JournalEntry.HEADER_BYTES);
                for (int done = JournalEntry.HEADER_BYTES; done < bytes; done += MemberIo.LENGTH_MAX)
                {
                    read(open, offset + done, Math.min(MemberIo.LENGTH_MAX, bytes - done), memory.address() + done);
                }
                if (entry.isValid(superblock, place, places.placeBytes(), places.placeCount()))
                {
                    tail = Math.max(tail, entry.tail());
                    entries.putIfAbsent(entry.sequence(), NativeMemory.bytes(memory.address(), entry.bytes()));
                }
            }
        }
    }

    private static void read(
        final MemberIo.Member open, final long offset, final int length, final long address)
    {
        NativeMemory.asByteBuffer(address, length).put(open.read(offset, length));
    }

    /**
     * {@return count of entries that are replayed}
     */
    int count()
    {
        return entries.tailMap(tail).size();
    }

    /**
     * Writes in place, in their order, what the entries have, stable when this returns. Those below the highest tail
     * were complete; the places of some may have been used again, so that those that are left may be older.
     *
     * @param bySlot members in slots; those without one are left out.
     * @return a member that could not be written, after which nothing was; null: all were.
     */
    Failure run(final Map<Integer, RaidMember> bySlot)
    {
        try (DmaMemory memory = DmaMemory.map(places.placeBytes()))
        {
            final JournalEntry entry = new JournalEntry().wrap(memory.address());
            for (final byte[] bytes : entries.tailMap(tail).values())
            {
                NativeMemory.asByteBuffer(memory.address(), bytes.length).put(bytes);
                final Failure failure = replay(entry, bytes, bySlot);
                if (null != failure)
                {
                    return failure;
                }
            }
        }
        return null;
    }

    private Failure replay(final JournalEntry entry, final byte[] bytes, final Map<Integer, RaidMember> bySlot)
    {
        int payload = JournalEntry.HEADER_BYTES;
        for (int strip = 0; strip < entry.stripCount(); strip++)
        {
            final RaidMember member = bySlot.get(entry.slot(strip));
            if (null != member)
            {
                try (MemberIo.Member open = io.open(member.device()))
                {
                    open.write(MemberArea.DATA_OFFSET_BYTES + entry.rowOffset() + entry.start(strip),
                        Arrays.copyOfRange(bytes, payload, payload + entry.length(strip)));
                }
                catch (final BlockDeviceException e)
                {
                    return new Failure(member, e);
                }
            }
            payload += entry.length(strip);
        }
        return null;
    }

    /**
     * A member cannot be written.
     *
     * @param member that cannot.
     * @param reason with the remedy.
     */
    record Failure(RaidMember member, BlockDeviceException reason)
    {
    }
}
