package io.millrace.block;

/**
 * Size, limits and capabilities of a block device. Immutable.
 *
 * @param blockSizeBytes        512 or 4096.
 * @param blockCount            of the device.
 * @param maxTransferBytes      of one request with payload, and of one {@link BlockOperation#COPY}; a multiple of the
 *                              block size. {@link BlockOperation#WRITE_ZEROES}, {@link BlockOperation#VERIFY} and
 *                              {@link BlockOperation#DEALLOCATE} may cover any range of the device.
 * @param memoryAlignmentBytes  what segment addresses must be a multiple of; 1 when anything will do. Where it is more,
 *                              each segment's length is a multiple of the block size too.
 * @param lendsReads            reads may be answered with the device's own memory; see {@link BlockRequest#lendable}.
 * @param completesInline       a request with payload either completes within {@code submit} or is refused by it; it is
 *                              never kept. So a write's segments may lie in memory that is reused as soon as
 *                              {@code submit} returned true; refused, the submitter copies them before it tries again.
 * @param volatileWriteCache    writes without FUA are stable only after a flush.
 * @param supportsWriteZeroes   {@link BlockOperation#WRITE_ZEROES} works.
 * @param supportsVerify        {@link BlockOperation#VERIFY} works.
 * @param supportsDeallocate    {@link BlockOperation#DEALLOCATE} works.
 * @param deallocatedReadsZero  deallocated blocks read as zeroes.
 * @param readOnly              writes are refused.
 * @param supportsCopy          {@link BlockOperation#COPY} works.
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
    boolean supportsVerify,
    boolean supportsDeallocate,
    boolean deallocatedReadsZero,
    boolean readOnly,
    boolean supportsCopy)
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
     * Checks a configured size and turns it into blocks.
     *
     * @param name           of the device, for the message.
     * @param sizeBytes      of the device.
     * @param blockSizeBytes of the device.
     * @return count of blocks, at least 1.
     * @throws BlockDeviceException when the block size is neither 512 nor 4096, or the size not a positive multiple of
     *     it.
     */
    public static long blockCountOf(final String name, final long sizeBytes, final int blockSizeBytes)
    {
        if (512 != blockSizeBytes && 4096 != blockSizeBytes)
        {
            throw new BlockDeviceException(
                "device " + name + ": block-size " + blockSizeBytes + " is not supported: use 512 or 4096");
        }
        if (sizeBytes < blockSizeBytes || 0 != sizeBytes % blockSizeBytes)
        {
            throw new BlockDeviceException("device " + name + ": size " + sizeBytes +
                " bytes is not a positive multiple of block-size " + blockSizeBytes + ": use " +
                Math.max(blockSizeBytes, sizeBytes / blockSizeBytes * blockSizeBytes) + " or another multiple");
        }
        return sizeBytes / blockSizeBytes;
    }

    /**
     * Checks the size that a device is to grow to and returns its geometry of that size.
     *
     * @param name      of the device, for the message.
     * @param sizeBytes wanted.
     * @return this with another block count.
     * @throws BlockDeviceException when it is not a multiple of the block size or below the present size.
     */
    public BlockGeometry grown(final String name, final long sizeBytes)
    {
        final long grownBlocks = blockCountOf(name, sizeBytes, blockSizeBytes);
        if (grownBlocks < blockCount)
        {
            throw new BlockDeviceException("device " + name + ": size " + sizeBytes + " bytes is below its present " +
                sizeBytes() + ", and data is never truncated: use that size or a larger one");
        }
        return withBlockCount(grownBlocks);
    }

    /**
     * Changes {@link #blockCount()}.
     *
     * @param value new value.
     * @return a copy.
     */
    public BlockGeometry withBlockCount(final long value)
    {
        return new BlockGeometry(blockSizeBytes, value, maxTransferBytes, memoryAlignmentBytes, lendsReads,
            completesInline, volatileWriteCache, supportsWriteZeroes, supportsVerify, supportsDeallocate,
            deallocatedReadsZero, readOnly, supportsCopy);
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
     * {@return status of a copy that must not begin, because the device does not copy or a range lies outside it;
     * {@link BlockStatus#SUCCESS} when it may begin}
     *
     * @param request of the copy.
     */
    public BlockStatus checkCopy(final BlockRequest request)
    {
        if (!supportsCopy)
        {
            return BlockStatus.NOT_SUPPORTED;
        }
        return contains(request.sourceLba(), request.blocks()) && contains(request.lba(), request.blocks()) ?
            BlockStatus.SUCCESS : BlockStatus.OUT_OF_RANGE;
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
