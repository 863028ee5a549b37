package io.millrace.block.raid;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.raid.format.ChecksumArea;
import io.millrace.block.raid.format.ChecksumPage;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Stores pages of checksums that were changed, in passes over all of them, and takes those from memory that are stored
 * and that no write is near. A region of the write-intent bitmap is cleared only when its pages are stored, so that a
 * crash leaves none that is older than its blocks in a region that is not set. The reactor's only.
 */
final class ChecksumWriter
{
    private final RaidDevice device;
    private final RaidChannel channel;
    private final BlockChecksums checksums;
    private final ChecksumPageCheck check;
    private final UnsafeBuffer buffer = new UnsafeBuffer(0, 0);
    private final ChecksumPage sealed = new ChecksumPage();
    private final Part[] parts = new Part[BlockChecksums.WRITES_MAX];
    private boolean isPassing;
    private boolean isForced;
    /** Whether a forced pass is to begin. */
    private boolean isWanted;
    /** Of the present pass. */
    private List<RaidMember> members = List.of();
    private int nextSlot;
    private int nextMember;
    private int nextPage;
    private int busyCount;
    /** Passes that have ended. */
    private long passCount;
    /** Ended passes when one that was wanted has ended. */
    private long wantedCount;
    /** What that is for; null: nothing. */
    private Object purpose;

    /** A page that is being stored. */
    private final class Part
    {
        private final int index;
        private final BlockRequest request = new BlockRequest(this, (ended) -> onEnded());
        private RaidMember member;
        private int page;
        /** {@link BlockChecksums#NO_SLOT}: that of zeroes, of an unknown page. */
        private int slot;
        private boolean isReading;
        /** Of what is being written. */
        private int crc;
        /** It was read, and waits to be written. */
        private boolean isWaiting;
        /** Its member has failed, and may never end it. */
        private boolean isAbandoned;
        /** A member may still use its memory, though the part has ended: nobody else gets it. */
        private boolean isRetired;

        Part(final int index)
        {
            this.index = index;
        }

        boolean isFree()
        {
            return null == member && !isRetired;
        }

        void begin(final RaidMember of, final int newPage, final int newSlot)
        {
            member = of;
            page = newPage;
            slot = newSlot;
            isAbandoned = false;
            busyCount++;
            if (BlockChecksums.NO_SLOT == slot)
            {
                write();
                return;
            }
            checksums.beginWrite(slot);
            isReading = !checksums.isLoaded(slot);
            if (isReading)
            {
                submit(BlockOperation.READ, checksums.scratchAddress(index));
            }
            else
            {
                write();
            }
        }

        void write()
        {
            isWaiting = false;
            isReading = false;
            // Not as it is in memory, where writes change it before it is on the member.
            final long address = checksums.scratchAddress(index);
            if (BlockChecksums.NO_SLOT == slot)
            {
                NativeMemory.fill(address, ChecksumArea.PAGE_BYTES, (byte)0);
            }
            else
            {
                checksums.takeChanges(slot);
                NativeMemory.copy(checksums.address(slot), address, ChecksumArea.PAGE_BYTES);
            }
            buffer.wrap(address, ChecksumArea.PAGE_BYTES);
            crc = sealed.wrap(buffer, 0).seal(member.id(), page);
            // The member may have either one if this fails.
            member.checksums().storedCrc(page, 0);
            submit(BlockOperation.WRITE, address);
        }

        private void submit(final BlockOperation operation, final long address)
        {
            final int shift = channel.blockShift();
            request.reset(operation, checksums.storedOffset(page) >>> shift, ChecksumArea.PAGE_BYTES >>> shift)
                .addSegment(address, ChecksumArea.PAGE_BYTES);
            channel.submit(member, request);
        }

        private void onEnded()
        {
            final BlockStatus status = request.status();
            isRetired |= null != request.hold();
            device.pages().hold(request);
            if (isReading && (BlockStatus.SUCCESS == status || BlockStatus.MEDIA_ERROR == status))
            {
                merge(BlockStatus.SUCCESS == status);
                isWaiting = true;
                return;
            }
            if (BlockStatus.SUCCESS == status)
            {
                member.checksums().storedCrc(page, crc);
            }
            if (BlockChecksums.NO_SLOT == slot)
            {
                // A window that has read the page before goes on to see that it is unknown.
                if (BlockStatus.SUCCESS == status && !checksums.isViewed(page))
                {
                    member.checksums().onUnknownStored(page);
                }
            }
            else
            {
                checksums.endWrite(slot, BlockStatus.SUCCESS == status);
            }
            if (BlockStatus.SUCCESS != status)
            {
                device.onMemberFailed(member, "failed a metadata write:", status);
            }
            end();
        }

        private void merge(final boolean isRead)
        {
            final long address = checksums.scratchAddress(index);
            if (!isRead)
            {
                check.onUnreadable(member, page);
            }
            checksums.merge(slot, isRead && check.isValid(member, page, address) ? address : 0);
        }

        private void end()
        {
            busyCount -= isAbandoned ? 0 : 1;
            isAbandoned = false;
            member = null;
        }

        void poll()
        {
            if (null == member)
            {
                return;
            }
            final boolean isWritten = device.view().isWritten(member);
            if (isWaiting && !isWritten)
            {
                isWaiting = false;
                checksums.endWrite(slot, false);
                end();
            }
            else if (isWaiting)
            {
                write();
            }
            else if (!isWritten && !isAbandoned)
            {
                isAbandoned = true;
                busyCount--;
            }
        }
    }

    /**
     * Stores nothing yet.
     *
     * @param device  with checksums; of one without there is nothing to store.
     * @param channel to its members.
     */
    ChecksumWriter(final RaidDevice device, final RaidChannel channel)
    {
        this.device = device;
        this.channel = channel;
        checksums = device.pages().checksums();
        check = new ChecksumPageCheck(device);
        for (int i = 0; i < parts.length; i++)
        {
            parts[i] = new Part(i);
        }
    }

    /**
     * Stores pages of regions that are not in use soon, or all when few slots are left: then regions are cleared early,
     * whose pages need not be in memory.
     */
    void begin()
    {
        if (null != checksums && !isPassing)
        {
            beginPass(checksums.isShort());
            if (isForced && device.view().isComplete())
            {
                device.intent().forgetUse();
            }
        }
    }

    /**
     * Stores all pages that have changed when this is called for something first.
     *
     * @param newPurpose what is next when they are stored.
     * @return whether they are, or could not be; else to be called again.
     */
    boolean storeAll(final Object newPurpose)
    {
        if (null == checksums)
        {
            return true;
        }
        if (newPurpose != purpose)
        {
            purpose = newPurpose;
            isWanted = true;
            // One that goes on has passed some pages already.
            wantedCount = passCount + (isPassing ? 2 : 1);
        }
        if (isAwaited())
        {
            return false;
        }
        purpose = null;
        return true;
    }

    /**
     * {@return whether what {@link #storeAll} was called for waits}
     */
    boolean isAwaited()
    {
        return null != purpose && passCount < wantedCount;
    }

    private void beginPass(final boolean force)
    {
        isPassing = true;
        isForced = force;
        members = device.raidMembers();
        nextSlot = 0;
        nextMember = 0;
        nextPage = 0;
    }

    /**
     * {@return whether nothing can be begun before a completion or another call}
     */
    boolean canSleep()
    {
        if (null == checksums || channel.isHeld())
        {
            return true;
        }
        if (isWanted && !isPassing)
        {
            return false;
        }
        for (final Part part : parts)
        {
            if (part.isWaiting || null != part.member && !part.isAbandoned && !device.view().isWritten(part.member))
            {
                return false;
            }
        }
        return !isPassing || (isIssued() ? 0 != busyCount : !hasFreePart());
    }

    private boolean hasFreePart()
    {
        for (final Part part : parts)
        {
            if (part.isFree())
            {
                return true;
            }
        }
        return false;
    }

    private boolean isIssued()
    {
        return nextSlot == checksums.slotCount() && nextMember >= members.size();
    }

    /** Goes on, unless the channel is held. */
    int poll()
    {
        if (null == checksums || channel.isHeld())
        {
            return 0;
        }
        for (final Part part : parts)
        {
            part.poll();
        }
        if (isWanted && !isPassing)
        {
            isWanted = wantedCount > passCount + 1;
            beginPass(true);
        }
        if (!isPassing)
        {
            return 0;
        }
        int begun = 0;
        for (final Part part : parts)
        {
            if (part.isFree() && beginNext(part))
            {
                begun++;
            }
        }
        if (0 == busyCount && isIssued())
        {
            isPassing = false;
            passCount++;
            releaseUnused();
        }
        return begun;
    }

    private boolean beginNext(final Part part)
    {
        while (nextSlot < checksums.slotCount())
        {
            final int slot = nextSlot;
            nextSlot++;
            final RaidMember member = checksums.isDirty(slot) ? member(checksums.owner(slot)) : null;
            if (null != member && !checksums.isWriting(slot) && (isForced || isIdle(checksums.pageOf(slot))))
            {
                part.begin(member, checksums.pageOf(slot), slot);
                return true;
            }
        }
        for (; nextMember < members.size(); nextMember++, nextPage = 0)
        {
            final RaidMember member = members.get(nextMember);
            if (!hasBlocks(device.view(), member) || !member.checksums().hasUnknown())
            {
                continue;
            }
            while (nextPage < checksums.pageCount())
            {
                final int page = nextPage;
                nextPage++;
                if (member.checksums().isUnknown(page))
                {
                    part.begin(member, page, BlockChecksums.NO_SLOT);
                    return true;
                }
            }
        }
        return false;
    }

    /** {@return the member that has pages; null: it is not in the array any more} */
    private RaidMember member(final MemberChecksums of)
    {
        for (final RaidMember each : device.raidMembers())
        {
            if (each.checksums() == of)
            {
                return device.view().isWritten(each) ? each : null;
            }
        }
        return null;
    }

    /** Whether a member is written blocks of the array: a journal device is not. */
    private static boolean hasBlocks(final ArrayView view, final RaidMember member)
    {
        return member != view.journalDevice() && view.isWritten(member);
    }

    private int firstRegion(final int page)
    {
        return device.intent().region(page * checksums.pageDataBytes());
    }

    private int lastRegion(final int page)
    {
        return device.intent().region(
            Math.min((page + 1) * checksums.pageDataBytes(), checksums.memberBytes()) - 1);
    }

    private boolean isIdle(final int page)
    {
        for (int region = firstRegion(page); region <= lastRegion(page); region++)
        {
            if (device.intent().isUsed(region))
            {
                return false;
            }
        }
        return true;
    }

    private void releaseUnused()
    {
        for (int slot = 0; slot < checksums.slotCount(); slot++)
        {
            final MemberChecksums owner = checksums.owner(slot);
            if (null != owner && !checksums.isWriting(slot) && !checksums.isViewed(checksums.pageOf(slot)) &&
                canRelease(slot, null == member(owner)))
            {
                owner.release(checksums.pageOf(slot), slot);
            }
        }
    }

    /**
     * Whether no write changes a page: none is in its regions, and none can enter these before this reactor has stored
     * their bits, or none that enters knows the member.
     */
    private boolean canRelease(final int slot, final boolean hasLeft)
    {
        final int page = checksums.pageOf(slot);
        for (int region = firstRegion(page); region <= lastRegion(page); region++)
        {
            if (device.intent().isEntered(region) || !hasLeft && device.intent().isDirty(region))
            {
                return false;
            }
        }
        return hasLeft || checksums.isStored(slot);
    }

    /**
     * {@return whether pages of all members that a region has a part of are stored; any thread}
     *
     * @param device with checksums.
     * @param region of the write-intent bitmap.
     */
    static boolean isStored(final RaidDevice device, final int region)
    {
        final BlockChecksums checksums = device.pages().checksums();
        final long start = region * device.intent().regionBytes();
        final long end = Math.min(start + device.intent().regionBytes(), checksums.memberBytes());
        final ArrayView view = device.view();
        for (final RaidMember member : device.raidMembers())
        {
            for (int page = checksums.page(start); hasBlocks(view, member) && page <= checksums.page(end - 1); page++)
            {
                if (!member.checksums().isStored(page))
                {
                    return false;
                }
            }
        }
        return true;
    }

    /**
     * {@return whether all pages are stored}
     */
    boolean isAllStored()
    {
        for (int region = 0; null != checksums && region < device.intent().regionCount(); region++)
        {
            if (!isStored(device, region))
            {
                return false;
            }
        }
        return true;
    }
}
