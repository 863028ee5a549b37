package io.millrace.block;

/**
 * Size, limits and abilities of a block device. Immutable.
 *
 * @param blockSizeBytes        512 or 4096.
 * @param blockCount            of the device.
 * @param maxTransferBytes      of one request; a multiple of the block size.
 * @param memoryAlignmentBytes  what segment addresses must be a multiple of; 1 when anything will do.
 * @param lendsReads            reads may be answered with the device's own memory; see {@link BlockRequest#lendable}.
 * @param completesInline       every request completes within {@code submit}, so that a write's segments may lie in memory
 *                              that is reused as soon as {@code submit} returns.
 * @param volatileWriteCache    writes without FUA are stable only after a flush.
 * @param supportsWriteZeroes   {@link BlockOperation#WRITE_ZEROES} works.
 * @param supportsDeallocate    {@link BlockOperation#DEALLOCATE} works.
 * @param deallocatedReadsZero  deallocated blocks read as zeroes.
 * @param readOnly              writes are refused.
 */
public record BlockGeometry(
    int blockSizeBytes,
    long blockCount,
    int maxTransferBytes,
    int memoryAlignmentBytes,
    boolean lendsReads,
    boolean completesInline,
    boolean volatileWriteCache,
    boolean supportsWriteZeroes,
    boolean supportsDeallocate,
    boolean deallocatedReadsZero,
    boolean readOnly)
{
    /** Default of {@link #maxTransferBytes()}: 1 MiB. */
    public static final int MAX_TRANSFER_BYTES_DEFAULT = 1 << 20;

    /**
     * Checks what can be checked.
     */
    public BlockGeometry
    {
        if (512 != blockSizeBytes && 4096 != blockSizeBytes)
        {
            throw new BlockDeviceException("block-size " + blockSizeBytes + " is not supported: use 512 or 4096");
        }
        if (blockCount < 1)
        {
            throw new BlockDeviceException("block count " + blockCount + " is below 1: give the device a larger size");
        }
        if (maxTransferBytes < blockSizeBytes || 0 != maxTransferBytes % blockSizeBytes)
        {
            throw new BlockDeviceException("largest transfer of " + maxTransferBytes +
                " bytes is not a positive multiple of the block size " + blockSizeBytes);
        }
    }

    /**
     * {@return size of the device in bytes}
     */
    public long sizeBytes()
    {
        return blockCount * blockSizeBytes;
    }

    /**
     * {@return log2 of the block size}
     */
    public int blockShift()
    {
        return Integer.numberOfTrailingZeros(blockSizeBytes);
    }

    /**
     * {@return whether a range lies inside the device; unsigned and overflow-safe}
     *
     * @param lba    first block.
     * @param blocks how many, at least 1.
     */
    public boolean contains(final long lba, final long blocks)
    {
        return lba >= 0 && blocks > 0 && blocks <= blockCount && lba <= blockCount - blocks;
    }
}
