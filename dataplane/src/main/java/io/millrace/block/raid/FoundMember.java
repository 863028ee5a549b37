package io.millrace.block.raid;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.raid.format.BitmapPage;
import io.millrace.block.raid.format.ForeignSignature;
import io.millrace.block.raid.format.InvalidSuperblockException;
import io.millrace.block.raid.format.MemberArea;
import io.millrace.block.raid.format.Superblock;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What was found on a device that is to be a member. Immutable.
 *
 * @param device     that was read.
 * @param superblock the newer of its two copies; null: the device has none.
 * @param foreign    what else it holds, as a noun; null: nothing that is known.
 */
record FoundMember(BlockDevice device, Superblock superblock, String foreign)
{
    /** Of the end of a device that is looked at. */
    static final int TAIL_BYTES = 128 << 10;

    /**
     * Reads a device.
     *
     * @param io     to read with.
     * @param device to read.
     * @return what was found.
     * @throws BlockDeviceException when it cannot be read, or both its superblocks are damaged.
     */
    static FoundMember read(final MemberIo io, final BlockDevice device)
    {
        final long sizeBytes = device.geometry().sizeBytes();
        if (sizeBytes <= MemberArea.DATA_OFFSET_BYTES)
        {
            return new FoundMember(device, null, null);
        }
        try (MemberIo.Member member = io.open(device))
        {
            final Superblock superblock = readSuperblock(member, device);
            if (null != superblock)
            {
                return new FoundMember(device, superblock, null);
            }
            final byte[] head = member.read(0, (int)Math.min(MemberIo.LENGTH_MAX, sizeBytes));
            final int tailBytes = (int)Math.min(TAIL_BYTES, sizeBytes);
            final byte[] tail = member.read(sizeBytes - tailBytes, tailBytes);
            return new FoundMember(
                device, null, ForeignSignature.find(new UnsafeBuffer(head), new UnsafeBuffer(tail), sizeBytes));
        }
    }

    /**
     * The newer of the two copies; one is enough when the other cannot be read or is damaged. Where a device ends since
     * it became larger, something may lie that was written for another array: the first copy tells which it is of.
     */
    private static Superblock readSuperblock(final MemberIo.Member member, final BlockDevice device)
    {
        final long[] offsets =
            {MemberArea.FIRST_SUPERBLOCK_BYTES, MemberArea.secondSuperblockOffset(device.geometry().sizeBytes())};
        RuntimeException problem = null;
        Superblock newest = null;
        for (final long offset : offsets)
        {
            try
            {
                final Superblock each =
                    Superblock.decode(new UnsafeBuffer(member.read(offset, Superblock.BYTES)), 0);
                newest = null == newest || isNewer(each, newest) ? each : newest;
            }
            catch (final InvalidSuperblockException | BlockDeviceException e)
            {
                problem = e;
            }
        }
        if (null == newest && null != problem)
        {
            throw new BlockDeviceException("device " + device.name() + " has no copy of its superblock that can be " +
                "used (" + problem.getMessage() + "): replace it if it is faulty, else erase both", problem);
        }
        return newest;
    }

    private static boolean isNewer(final Superblock each, final Superblock than)
    {
        return null != each && each.array().equals(than.array()) && each.eventCount() > than.eventCount();
    }

    /**
     * Erases what others may have at both ends of a device that has no data of an array.
     *
     * @param io     to write with.
     * @param device to erase.
     * @throws BlockDeviceException when it cannot be written.
     */
    static void wipe(final MemberIo io, final BlockDevice device)
    {
        final long sizeBytes = device.geometry().sizeBytes();
        final byte[] zeroes = new byte[MemberIo.LENGTH_MAX];
        try (MemberIo.Member open = io.open(device))
        {
            for (long offset = 0; offset < MemberArea.DATA_OFFSET_BYTES; offset += zeroes.length)
            {
                open.write(offset, zeroes);
            }
            final long tailOffset = Math.max(MemberArea.DATA_OFFSET_BYTES, sizeBytes - TAIL_BYTES);
            open.write(tailOffset, new byte[(int)(sizeBytes - tailOffset)]);
        }
    }

    /**
     * Writes both copies of a superblock, stable when this returns.
     *
     * @param io         to write with.
     * @param device     to write.
     * @param superblock for the device.
     * @throws BlockDeviceException when it cannot be written.
     */
    static void writeSuperblock(final MemberIo io, final BlockDevice device, final Superblock superblock)
    {
        final byte[] bytes = new byte[Superblock.BYTES];
        superblock.encode(new UnsafeBuffer(bytes), 0);
        try (MemberIo.Member open = io.open(device))
        {
            // A device that has become larger has no copy at its end while the first is written, nor may it get one.
            open.writeIfSpace(MemberArea.secondSuperblockOffset(device.geometry().sizeBytes()), bytes);
            open.write(MemberArea.FIRST_SUPERBLOCK_BYTES, bytes);
        }
    }

    /**
     * Reads the newest page of the write-intent bitmap.
     *
     * @param io         to read with.
     * @param superblock of the array.
     * @return the page; null: it has none that is valid and can be read.
     */
    BitmapPage readBitmap(final MemberIo io, final Superblock superblock)
    {
        BitmapPage newest = null;
        try (MemberIo.Member member = io.open(device))
        {
            for (int which = 0; which < MemberArea.BITMAP_PAGE_COUNT; which++)
            {
                final BitmapPage page = readPage(member, MemberArea.bitmapOffset(which));
                if (null != page && page.isValid(superblock.array(), superblock.memberBytes()) &&
                    (null == newest || page.sequence() > newest.sequence()))
                {
                    newest = page;
                }
            }
        }
        return newest;
    }

    /** Null when it cannot be read: other members have it, too. */
    private static BitmapPage readPage(final MemberIo.Member member, final long offset)
    {
        try
        {
            return new BitmapPage().wrap(new UnsafeBuffer(member.read(offset, BitmapPage.BYTES)), 0);
        }
        catch (final BlockDeviceException e)
        {
            return null;
        }
    }
}
