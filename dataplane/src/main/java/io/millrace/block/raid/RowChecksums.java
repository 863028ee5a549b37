package io.millrace.block.raid;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.raid.format.ChecksumArea;
import io.millrace.block.raid.format.ChecksumPage;
import io.millrace.memory.Crc32c;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Checksums of the rows of a stripe request that holds their lock, to verify what it reads for a host: those that are
 * in memory, and those of pages that the request reads in addition where a member is missing or cannot read. While the
 * rows are locked nobody changes them, so that what is not in memory under the lock is what the members have stored. Of
 * one {@link ParityStripeRequest}; the reactor's only; allocates only when the array gets more slots or longer rows.
 */
final class RowChecksums
{
    static final int NO_PAGE = -1;

    /** It is not in memory, and its page was not read. */
    private static final int MISSING = 0;

    private final BlockChecksums checksums;
    private final StripeRows rows;
    private final UnsafeBuffer buffer = new UnsafeBuffer(0, 0);
    private final ChecksumPage page = new ChecksumPage();
    /** By strip, then by block of the rows. */
    private int[] entries = {};
    /** Of the entries; null: there are none. */
    private ArrayView view;
    private long start;
    private int blockCount;

    /**
     * Has none.
     *
     * @param checksums of the array.
     * @param rows      of the request.
     */
    RowChecksums(final BlockChecksums checksums, final StripeRows rows)
    {
        this.checksums = checksums;
        this.rows = rows;
    }

    /** Has none: the rows are written, or others are taken. */
    void clear()
    {
        view = null;
    }

    /**
     * Looks at what is in memory, unless it has done so for the same rows.
     *
     * @param present view of the plan.
     */
    void find(final ArrayView present)
    {
        final int count = rows.count() / checksums.blockBytes();
        if (present == view && start == rows.memberOffset() && count == blockCount)
        {
            return;
        }
        view = present;
        start = rows.memberOffset();
        blockCount = count;
        if (entries.length < count * rows.stripCount())
        {
            entries = new int[count * rows.stripCount()];
        }
        for (int index = 0; index < rows.stripCount(); index++)
        {
            for (int block = 0; block < count; block++)
            {
                entries[index * count + block] = rows.isReadable(index) ?
                    checksums.find(member(index).checksums(), checksums.block(start) + block) : BlockChecksums.UNKNOWN;
            }
        }
    }

    private RaidMember member(final int index)
    {
        return view.member(rows.slot(index));
    }

    /** {@return the first page that some strip lacks; {@link #NO_PAGE}: none} */
    int missingPage()
    {
        for (int block = 0; block < blockCount; block++)
        {
            for (int index = 0; index < rows.stripCount(); index++)
            {
                if (MISSING == entries[index * blockCount + block])
                {
                    return MemberChecksums.page(checksums.block(start) + block);
                }
            }
        }
        return NO_PAGE;
    }

    /**
     * {@return whether a strip lacks checksums of a page}
     *
     * @param index  of the strip.
     * @param number of the page.
     */
    boolean isMissing(final int index, final int number)
    {
        for (int block = 0; block < blockCount; block++)
        {
            if (MISSING == entries[index * blockCount + block] &&
                number == MemberChecksums.page(checksums.block(start) + block))
            {
                return true;
            }
        }
        return false;
    }

    /**
     * Takes what a page has that was read for a strip which lacks it.
     *
     * @param index   of the strip.
     * @param number  of the page.
     * @param address of the page; 0: it cannot be read.
     */
    void take(final int index, final int number, final long address)
    {
        final boolean isValid = 0 != address && isValid(member(index), number, address);
        for (int block = 0; block < blockCount; block++)
        {
            final int at = index * blockCount + block;
            final long ofMember = checksums.block(start) + block;
            if (MISSING == entries[at] && number == MemberChecksums.page(ofMember))
            {
                final int entry = isValid ? NativeMemory.getInt(
                    BlockChecksums.entryAddress(address, MemberChecksums.index(ofMember))) : ChecksumArea.UNKNOWN;
                entries[at] = ChecksumArea.isKnown(entry) ? entry : BlockChecksums.UNKNOWN;
            }
        }
    }

    private boolean isValid(final RaidMember member, final int number, final long address)
    {
        buffer.wrap(address, ChecksumArea.PAGE_BYTES);
        // An older one has other checksums of what was written since. So may be one in place of which another was
        // stored meanwhile: its rows are not verified, which is better than a right block that is taken for wrong.
        return page.wrap(buffer, 0).isValid(member.id(), number) &&
            member.checksums().isLast(number, page.crc());
    }

    /**
     * {@return blocks that have a checksum mismatch, of some that were read of a strip}
     *
     * @param present view of the plan.
     * @param index   of the strip.
     * @param offset  of the blocks in bytes of the member's data.
     * @param address of the blocks.
     * @param length  in bytes.
     */
    int wrong(final ArrayView present, final int index, final long offset, final long address, final int length)
    {
        int count = 0;
        final int blockBytes = checksums.blockBytes();
        final boolean isFound = present == view && start == rows.memberOffset();
        for (int done = 0; done < length; done += blockBytes)
        {
            final long block = checksums.block(offset + done);
            final int entry = isFound ? entries[index * blockCount + (int)(block - checksums.block(start))] :
                checksums.find(present.member(rows.slot(index)).checksums(), block);
            count += ChecksumArea.isKnown(entry) &&
                entry != ChecksumArea.entry(Crc32c.digest(address + done, blockBytes)) ? 1 : 0;
        }
        return count;
    }
}
