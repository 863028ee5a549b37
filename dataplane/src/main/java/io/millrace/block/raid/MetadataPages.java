package io.millrace.block.raid;

import io.millrace.block.BlockRequest;
import io.millrace.block.MemoryHold;
import io.millrace.block.raid.format.BitmapPage;
import io.millrace.block.raid.format.LostBlocksPage;
import io.millrace.block.raid.format.MemberArea;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.format.Superblock;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import io.millrace.memory.MemoryRole;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Memory that members can read: pages of metadata, which are a superblock and a lost-block list for each index of a
 * member, since one that has failed may still store what it was asked for, and the bitmap, and are {@link ArrayWork}'s;
 * and a strip of zeroes, which nobody writes.
 */
final class MetadataPages implements AutoCloseable
{
    private final RaidDevice device;
    private final DmaMemory memory;
    private final UnsafeBuffer buffer;
    private final BitmapPage bitmap = new BitmapPage();
    private final int bitmapIndex = RaidLevel.MEMBERS_MAX * Superblock.BYTES;
    private final int lostBlocksIndex = bitmapIndex + BitmapPage.BYTES;
    private final int zeroesIndex = lostBlocksIndex + RaidLevel.MEMBERS_MAX * LostBlocksPage.BYTES;
    private final AtomicInteger holds = new AtomicInteger();
    /** Null of an array without them. */
    private final BlockChecksums checksums;
    private long sequence;

    /**
     * Pages with the bitmap of the array as it was assembled.
     *
     * @param device   of the members.
     * @param unknown  blocks that have no checksums, whatever is stored; null: the array has none.
     * @param registry memory registry of the data plane; null without one.
     */
    MetadataPages(final RaidDevice device, final UnknownChecksums unknown, final MemoryRegistry registry)
    {
        this.device = device;
        final int lengthBytes = zeroesIndex + device.layout().stripBytes();
        memory = DmaMemory.map(lengthBytes);
        if (null != registry)
        {
            registry.add(memory, MemoryRole.BUFFERS);
        }
        buffer = new UnsafeBuffer(memory.address(), lengthBytes);
        sequence = device.bitmapSequence();
        bitmap.wrap(buffer, bitmapIndex);
        if (null != device.intent())
        {
            device.intent().fill(bitmap, device.id(), device.layout().memberBytes());
        }
        checksums = null == unknown ? null : new BlockChecksums(device.layout().memberBytes(),
            device.geometry().blockShift(), BlockChecksums.PAGES_MAX, zeroesAddress(), registry);
        if (null != unknown)
        {
            device.raidMembers().forEach((member) -> startChecksums(member, unknown));
            device.intent().clearableWhen((region) -> ChecksumWriter.isStored(device, region));
        }
    }

    private void startChecksums(final RaidMember member, final UnknownChecksums unknown)
    {
        member.with(checksums.newMember());
        final int slot = device.view().slotOf(member);
        final boolean isInSync = slot >= 0 && SlotState.IN_SYNC == device.view().state(slot);
        member.checksums().formerPages(
            isInSync ? checksums.pageCount() : (int)(member.rebuiltBytes() / checksums.pageDataBytes()));
        final WriteIntent intent = device.intent();
        unknown.regions().stream().forEach((region) ->
        {
            final long start = region * intent.regionBytes();
            makeUnknown(member, start, Math.min(start + intent.regionBytes(), checksums.memberBytes()));
        });
        if (unknown.rebuilt())
        {
            makeUnknown(member, 0, member.rebuiltBytes());
        }
        if (slot >= 0 && SlotState.REBUILDING == device.view().state(slot) && 0 != device.view().lostEvent(slot))
        {
            // It has pages of its former UUID, which nobody would replace where the bitmap has nothing to copy.
            makeUnknown(member, member.rebuiltBytes(), checksums.memberBytes());
        }
    }

    private void makeUnknown(final RaidMember member, final long start, final long end)
    {
        for (int page = checksums.page(start); start < end && page <= checksums.page(end - 1); page++)
        {
            member.checksums().assembledUnknown(page);
        }
    }

    /**
     * {@return checksums of the blocks; null of an array without them; any thread}
     */
    BlockChecksums checksums()
    {
        return checksums;
    }

    /**
     * Gives a member checksums, when the array has them.
     *
     * @param member that comes to be one.
     * @return it.
     */
    RaidMember withChecksums(final RaidMember member)
    {
        return null == checksums ? member : member.with(checksums.newMember());
    }

    /**
     * {@return address of a strip of zeroes; any thread}
     */
    long zeroesAddress()
    {
        return memory.address() + zeroesIndex;
    }

    BitmapPage bitmap()
    {
        return bitmap;
    }

    /**
     * Fills the superblocks of all members.
     *
     * @param superblock of any member.
     */
    void fillSuperblocks(final Superblock superblock)
    {
        for (final RaidMember member : device.raidMembers())
        {
            superblock.forMember(member.id()).encode(buffer, member.index() * Superblock.BYTES);
        }
    }

    /** Numbers the bitmap, which goes to the other place than the last one. */
    void sealBitmap()
    {
        sequence++;
        bitmap.seal(sequence);
    }

    /** No member was written the bitmap: the next one has its place, not that of the last one, which counts. */
    void onBitmapUnwritten()
    {
        sequence--;
    }

    /**
     * Numbers the bitmap of members that become larger. It counts with superblocks that say so, and the last one, in
     * the other place, with those before.
     *
     * @param memberBytes data bytes of a member then.
     */
    void sealEnlarged(final long memberBytes)
    {
        device.intent().fill(bitmap, device.id(), memberBytes);
        sealBitmap();
    }

    /** Members do not become larger: the next bitmap replaces the one for that. */
    void undoEnlarged()
    {
        device.intent().fill(bitmap, device.id(), device.layout().memberBytes());
        sequence--;
    }

    /**
     * Fills the lost-block list of a member.
     *
     * @param member   of the array.
     * @param entries  of the list.
     * @param number   sequence of its copies.
     */
    void fillLostBlocks(final RaidMember member, final long[] entries, final long number)
    {
        LostBlocksPage.encode(buffer, lostBlocksIndex + member.index() * LostBlocksPage.BYTES, device.id(),
            device.geometry().blockSizeBytes(), number, entries);
    }

    /**
     * {@return the lists that were filled, each in place of both copies}
     */
    MemberWrites.Targets lostBlocksTargets()
    {
        return new MemberWrites.Targets()
        {
            @Override
            public long address(final RaidMember member)
            {
                return memory.address() + lostBlocksIndex + (long)member.index() * LostBlocksPage.BYTES;
            }

            @Override
            public long offset(final RaidMember member, final int place)
            {
                return place < MemberArea.LOST_BLOCKS_COUNT ? MemberArea.lostBlocksOffset(place) : -1;
            }
        };
    }

    MemberWrites.Targets superblockTargets()
    {
        return new SuperblockPlaces()
        {
            @Override
            public long address(final RaidMember member)
            {
                return memory.address() + (long)member.index() * Superblock.BYTES;
            }
        };
    }

    /**
     * {@return zeroes in place of superblocks}
     */
    MemberWrites.Targets erasedTargets()
    {
        return new SuperblockPlaces()
        {
            @Override
            public long address(final RaidMember member)
            {
                return zeroesAddress();
            }
        };
    }

    /** The end goes first: a device that has become larger has no copy there while the first one is written. */
    private abstract static class SuperblockPlaces implements MemberWrites.Targets
    {
        @Override
        public final long offset(final RaidMember member, final int place)
        {
            return switch (place)
            {
                case 0 -> MemberArea.secondSuperblockOffset(member.device().geometry().sizeBytes());
                case 1 -> MemberArea.FIRST_SUPERBLOCK_BYTES;
                default -> -1;
            };
        }

        /** Nothing may be allocated at the end of a device that has become larger, and then no member would be left. */
        @Override
        public final boolean needsSpace(final int place)
        {
            return 0 != place;
        }
    }

    MemberWrites.Targets bitmapTargets()
    {
        return new MemberWrites.Targets()
        {
            @Override
            public long address(final RaidMember member)
            {
                return memory.address() + bitmapIndex;
            }

            @Override
            public long offset(final RaidMember member, final int place)
            {
                return 0 == place ? MemberArea.bitmapOffset((int)(sequence % MemberArea.BITMAP_PAGE_COUNT)) : -1;
            }
        };
    }

    /**
     * A request with a page has ended: the member may still read it, until its hold is released.
     *
     * @param ended request, on the reactor of its channel.
     */
    void hold(final BlockRequest ended)
    {
        final MemoryHold hold = ended.hold();
        if (null != hold)
        {
            ended.clearHold();
            holds.incrementAndGet();
            hold.whenReleased(holds::decrementAndGet);
        }
    }

    /**
     * {@return whether a member may still read a page of a request that has ended; any thread}
     */
    boolean isHeld()
    {
        return 0 != holds.get();
    }

    @Override
    public void close()
    {
        // What a member may still read is left to it.
        if (!isHeld())
        {
            memory.close();
            if (null != checksums)
            {
                checksums.close();
            }
        }
    }
}
