package io.millrace.block.raid;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.raid.format.ChecksumArea;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.Crc32c;

/**
 * Checksums of a page of every member, to verify blocks with: those that are stored, and over these what is in memory.
 * {@link ArrayWork}'s reactor only. Blocks of a page that cannot be read or is not valid have no checksums.
 */
final class ChecksumWindow
{
    private static final int NO_PAGE = -1;

    private final RaidDevice device;
    private final RaidChannel channel;
    private final BlockChecksums checksums;
    private final ChecksumPageCheck check;
    private final int window;
    private final Part[] parts = new Part[RaidLevel.MEMBERS_MAX];
    private ArrayView view;
    private int page = NO_PAGE;
    private int outstanding;

    /** The page of a member. */
    private final class Part
    {
        private final BlockRequest request = new BlockRequest(this, (ended) -> onRead());
        private RaidMember member;
        /** That it has of the member. */
        private int readPage = NO_PAGE;
        private boolean isBusy;
        /** A member may still write to its memory, though the part has ended. */
        private boolean isRetired;

        void begin(final RaidMember of, final long address)
        {
            member = of;
            readPage = NO_PAGE;
            isBusy = true;
            outstanding++;
            final int shift = channel.blockShift();
            request.reset(
                BlockOperation.READ, checksums.storedOffset(page) >>> shift, ChecksumArea.PAGE_BYTES >>> shift)
                .addSegment(address, ChecksumArea.PAGE_BYTES);
            channel.submit(of, request);
        }

        private void onRead()
        {
            isBusy = false;
            outstanding--;
            isRetired |= null != request.hold();
            device.pages().hold(request);
            final BlockStatus status = request.status();
            if (BlockStatus.SUCCESS != status && BlockStatus.MEDIA_ERROR != status)
            {
                device.onMemberFailed(member, "READ ended with", status);
            }
            else if (NO_PAGE != page)
            {
                take(status);
            }
        }

        /** The window has not been left meanwhile, from when on the page may be stored and leave memory. */
        private void take(final BlockStatus status)
        {
            readPage = BlockStatus.SUCCESS == status && (isInMemory() ||
                check.isValid(member, page, checksums.windowAddress(window, member.index()))) ? page : NO_PAGE;
            if (BlockStatus.MEDIA_ERROR == status && !isInMemory())
            {
                check.onUnreadable(member, page);
            }
        }

        /** Whether nothing that was read counts: it may be what was being stored meanwhile. */
        private boolean isInMemory()
        {
            final int slot = member.checksums().findSlot(page);
            return member.checksums().isUnknown(page) ||
                BlockChecksums.NO_SLOT != slot && checksums.isLoaded(slot);
        }
    }

    /**
     * Has no page.
     *
     * @param device  with checksums.
     * @param channel to its members.
     * @param window  number of it, below {@link BlockChecksums#WINDOWS}.
     */
    ChecksumWindow(final RaidDevice device, final RaidChannel channel, final int window)
    {
        this.device = device;
        this.channel = channel;
        this.window = window;
        checksums = device.pages().checksums();
        check = new ChecksumPageCheck(device);
        for (int i = 0; i < parts.length; i++)
        {
            parts[i] = new Part();
        }
    }

    /**
     * {@return whether it reads a page, by the present view}
     */
    boolean isBusy()
    {
        return 0 != outstanding;
    }

    /**
     * {@return offset in a member's data behind the blocks of the page that has a block}
     *
     * @param memberOffset of the block.
     */
    long end(final long memberOffset)
    {
        return (checksums.page(memberOffset) + 1L) * checksums.pageDataBytes();
    }

    /**
     * {@return whether it has the page of an offset, by the present view}
     *
     * @param memberOffset in bytes of a member's data.
     */
    boolean has(final long memberOffset)
    {
        return !isBusy() && checksums.page(memberOffset) == page && device.view() == view;
    }

    /**
     * Gets the page of an offset, unless it has it.
     *
     * @param memberOffset in bytes of a member's data.
     * @return whether it has it; else it is being read.
     */
    boolean move(final long memberOffset)
    {
        if (isBusy())
        {
            return false;
        }
        if (has(memberOffset))
        {
            return true;
        }
        page = checksums.page(memberOffset);
        // Before it is read: what is stored from here on stays in memory.
        checksums.windowPage(window, page);
        view = device.view();
        for (int slot = 0; slot < view.slotCount(); slot++)
        {
            final RaidMember member = view.member(slot);
            if (view.isWritable(slot) && !parts[member.index()].isRetired)
            {
                parts[member.index()].begin(member, checksums.windowAddress(window, member.index()));
            }
        }
        return !isBusy();
    }

    /** Has no page from here on, nor keeps one in memory. */
    void leave()
    {
        page = NO_PAGE;
        checksums.windowPage(window, NO_PAGE);
    }

    /** {@return the checksum of a block as it is stored or in memory} */
    private int entry(final RaidMember member, final long block)
    {
        final int index = MemberChecksums.index(block);
        if (MemberChecksums.page(block) != page || member.checksums().isUnknown(page))
        {
            return ChecksumArea.UNKNOWN;
        }
        final int slot = member.checksums().findSlot(page);
        final int inMemory = BlockChecksums.NO_SLOT == slot ? 0 : checksums.entry(slot, index);
        if (0 != inMemory)
        {
            return inMemory;
        }
        final Part part = parts[member.index()];
        return part.member != member || part.readPage != page || part.isRetired ? ChecksumArea.UNKNOWN :
            NativeMemory.getInt(BlockChecksums.entryAddress(checksums.windowAddress(window, member.index()), index));
    }

    /**
     * Verifies blocks that were read, under the lock of their rows.
     *
     * @param member  that has them.
     * @param offset  in bytes of its data.
     * @param address of the blocks.
     * @param length  in bytes.
     * @return how many have a checksum mismatch, in the upper half, and how many have none, in the lower one.
     */
    long verify(final RaidMember member, final long offset, final long address, final int length)
    {
        long result = 0;
        final int blockBytes = checksums.blockBytes();
        for (int done = 0; done < length; done += blockBytes)
        {
            final int entry = entry(member, checksums.block(offset + done));
            if (!ChecksumArea.isKnown(entry))
            {
                result++;
            }
            else if (entry != ChecksumArea.entry(Crc32c.digest(address + done, blockBytes)))
            {
                result += 1L << Integer.SIZE;
            }
        }
        return result;
    }

    /** {@return count of the blocks with a checksum mismatch} */
    static int wrong(final long verified)
    {
        return (int)(verified >>> Integer.SIZE);
    }

    /** {@return count of the blocks without one} */
    static int unknown(final long verified)
    {
        return (int)verified;
    }
}
