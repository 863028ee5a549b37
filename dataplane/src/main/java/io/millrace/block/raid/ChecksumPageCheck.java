package io.millrace.block.raid;

import io.millrace.block.raid.format.ChecksumArea;
import io.millrace.block.raid.format.ChecksumPage;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Whether pages of checksums count that were read of members. Blocks of one that does not have no checksums until it is
 * stored again, and operators are notified, of the first of a member at least. {@link ArrayWork}'s reactor only.
 */
final class ChecksumPageCheck
{
    /** Pages of a member that are announced; all are counted. */
    private static final int ANNOUNCED_MAX = 16;

    private final RaidDevice device;
    private final UnsafeBuffer buffer = new UnsafeBuffer(0, 0);
    private final ChecksumPage page = new ChecksumPage();

    /**
     * For members of an array.
     *
     * @param device with checksums.
     */
    ChecksumPageCheck(final RaidDevice device)
    {
        this.device = device;
    }

    /**
     * {@return whether a page counts}
     *
     * @param member  that it was read of.
     * @param number  of the page.
     * @param address of what was read.
     */
    boolean isValid(final RaidMember member, final int number, final long address)
    {
        buffer.wrap(address, ChecksumArea.PAGE_BYTES);
        if (!page.wrap(buffer, 0).isValid(member.id(), number))
        {
            onInvalid(member, number, "is damaged");
            return false;
        }
        if (!member.checksums().isLast(number, page.crc()))
        {
            onInvalid(member, number, "is an older one, so that the drive has lost a write");
            return false;
        }
        return true;
    }

    /**
     * A page cannot be read.
     *
     * @param member that has it.
     * @param number of the page.
     */
    void onUnreadable(final RaidMember member, final int number)
    {
        onInvalid(member, number, "cannot be read");
    }

    private void onInvalid(final RaidMember member, final int number, final String reason)
    {
        member.checksums().onInvalid(number);
        if (!member.checksums().wasStored(number))
        {
            // A rebuild has not come to store it yet.
            return;
        }
        final BlockChecksums checksums = device.pages().checksums();
        final long start = number * checksums.pageDataBytes();
        final long end = Math.min(start + checksums.pageDataBytes(), checksums.memberBytes());
        member.onInvalidChecksumPage();
        if (member.invalidChecksumPages() <= ANNOUNCED_MAX)
        {
            device.reports().announce("the page of checksums of " + member + " for its blocks from byte " + start +
                " to " + end + " of the data " + reason + ": they have none until a scrub has read them");
        }
    }
}
