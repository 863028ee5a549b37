package io.millrace.block.raid;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockOperation;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A device of an array, in a slot or as a spare. Immutable but for the progress of its rebuild, the count of errors
 * that were corrected and the blocks that were lost, which {@link ArrayWork} alone changes, and for what it has
 * refused.
 */
final class RaidMember
{
    private final int index;
    private final BlockDevice device;
    private final UUID id;
    private final boolean lendsAtOnce;
    private final LostBlocks lostBlocks = new LostBlocks();
    private volatile long rebuiltBytes;
    private volatile long correctedErrors;
    private volatile MemberChecksums checksums;
    private final AtomicLong wrongBlocks = new AtomicLong();
    private volatile long invalidChecksumPages;
    private volatile boolean isZeroesRefused;
    private volatile boolean isDeallocateRefused;

    /**
     * A member as it was found.
     *
     * @param index        of its channel in each {@link RaidChannel}.
     * @param device       that stores its strips.
     * @param id           of its superblock.
     * @param rebuiltBytes of its data from the start that are valid; matters while its slot is being rebuilt.
     */
    RaidMember(final int index, final BlockDevice device, final UUID id, final long rebuiltBytes)
    {
        this.index = index;
        this.device = device;
        this.id = id;
        lendsAtOnce = null != device && device.geometry().completesInline() && device.geometry().lendsReads();
        this.rebuiltBytes = rebuiltBytes;
    }

    /**
     * A member that is not there, in a slot that failed: superblocks go on naming it.
     *
     * @param id of its superblock.
     * @return a member without index and device.
     */
    static RaidMember missing(final UUID id)
    {
        return new RaidMember(-1, null, id, 0);
    }

    int index()
    {
        return index;
    }

    BlockDevice device()
    {
        return device;
    }

    /**
     * {@return whether a read may be answered with the device's own memory, before its submission returns}
     */
    boolean lendsAtOnce()
    {
        return lendsAtOnce;
    }

    UUID id()
    {
        return id;
    }

    /**
     * {@return checksums of its blocks; null of an array without them}
     */
    MemberChecksums checksums()
    {
        return checksums;
    }

    /**
     * It has checksums. Before it has a slot.
     *
     * @param newChecksums of its blocks; null: none.
     * @return this.
     */
    RaidMember with(final MemberChecksums newChecksums)
    {
        checksums = newChecksums;
        return this;
    }

    LostBlocks lostBlocks()
    {
        return lostBlocks;
    }

    /**
     * {@return whether it does an operation as far as is known; any thread}
     *
     * @param operation that writes zeroes or deallocates.
     */
    boolean accepts(final BlockOperation operation)
    {
        return BlockOperation.DEALLOCATE == operation ?
            device.geometry().supportsDeallocate() && !isDeallocateRefused :
            device.geometry().supportsWriteZeroes() && !isZeroesRefused;
    }

    /**
     * It has ended an operation as not supported, and is not asked for it again. Any thread.
     *
     * @param operation that writes zeroes or deallocates.
     */
    void onRefused(final BlockOperation operation)
    {
        if (BlockOperation.DEALLOCATE == operation)
        {
            isDeallocateRefused = true;
        }
        else
        {
            isZeroesRefused = true;
        }
    }

    /**
     * {@return bytes of its data from the start that are valid; any thread}
     */
    long rebuiltBytes()
    {
        return rebuiltBytes;
    }

    void rebuiltBytes(final long bytes)
    {
        rebuiltBytes = bytes;
    }

    /**
     * {@return times that rows it could not read were rewritten with what others have, since it was assembled; any
     * thread}
     */
    long correctedErrors()
    {
        return correctedErrors;
    }

    /** Rows that it could not read were rewritten. {@link ArrayWork} alone. */
    void onCorrected()
    {
        correctedErrors = correctedErrors + 1;
    }

    /**
     * {@return times that blocks were found to have a checksum mismatch, since it was assembled; any thread}
     */
    long wrongBlocks()
    {
        return wrongBlocks.get();
    }

    /**
     * Blocks have a checksum mismatch. Any thread.
     *
     * @param count of the blocks.
     */
    void onWrong(final int count)
    {
        wrongBlocks.addAndGet(count);
    }

    /**
     * {@return pages of checksums that were not valid when they were read, since it was assembled; any thread}
     */
    long invalidChecksumPages()
    {
        return invalidChecksumPages;
    }

    /** A page of its checksums is not valid. {@link ArrayWork} alone. */
    void onInvalidChecksumPage()
    {
        invalidChecksumPages = invalidChecksumPages + 1;
    }

    @Override
    public String toString()
    {
        return null == device ? "missing " + id : device.name();
    }
}
