package io.millrace.block;

import io.millrace.memory.MemoryDomain;
import io.millrace.memory.Segments;

/**
 * Size, limits and capabilities of a block device. Immutable; made by {@link #builder}.
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
 *                              Such a device compares itself.
 * @param volatileWriteCache    writes without FUA are stable only after a flush.
 * @param supportsWriteZeroes   the device does {@link BlockOperation#WRITE_ZEROES} itself; else who submits has an
 *                              {@link Emulation}.
 * @param supportsVerify        the device does {@link BlockOperation#VERIFY} itself; else who submits has an
 *                              {@link Emulation}.
 * @param supportsDeallocate    {@link BlockOperation#DEALLOCATE} works.
 * @param deallocatedReadsZero  blocks read as zeroes after each {@link BlockOperation#DEALLOCATE} that succeeds, so
 *                              that it may stand for WRITE_ZEROES. Not so where the device may leave blocks as they
 *                              are, as an NVMe controller may after Dataset Management (NVM Command Set 1.0, section
 *                              3.2.3), whatever it reports of blocks that are deallocated.
 * @param readOnly              writes are refused.
 * @param supportsCopy          {@link BlockOperation#COPY} works.
 * @param supportsCompare       the device does {@link BlockOperation#COMPARE} itself; else who submits has an
 *                              {@link Emulation}.
 * @param optimalWriteBytes     size of writes, aligned to it, that suit the device best, such as the width of a stripe;
 *                              a multiple of the block size, at most {@link #maxTransferBytes}. The block size when
 *                              any will do.
 * @param atomicWriteBytes      a write of one segment of so much or less is stored whole or not at all, when power
 *                              fails and when other requests meet it; a power of two, at least the block size, at most
 *                              {@link #maxTransferBytes}.
 * @param memoryDomains         {@link MemoryDomain#bit}s of the domains that payload may lie in. A device that touches
 *                              payload by CPU takes the host's only.
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
    boolean supportsCopy,
    boolean supportsCompare,
    int optimalWriteBytes,
    int atomicWriteBytes,
    int memoryDomains)
{
    /** Default of {@link #maxTransferBytes()}: 1 MiB. */
    public static final int MAX_TRANSFER_BYTES_DEFAULT = 1 << 20;
    /** Largest {@link #optimalWriteBytes()} and {@link #atomicWriteBytes()} in blocks: what a host can be told. */
    private static final int WRITE_BLOCKS_MAX = 1 << 16;

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
        if (memoryAlignmentBytes < 1 || 1 != Integer.bitCount(memoryAlignmentBytes))
        {
            throw new BlockDeviceException("memory alignment of " + memoryAlignmentBytes +
                " bytes is not a power of two: use 1 when addresses may be any");
        }
        checkWriteSize("optimal write size", optimalWriteBytes, blockSizeBytes, maxTransferBytes);
        checkWriteSize("atomic write unit", atomicWriteBytes, blockSizeBytes, maxTransferBytes);
        if (1 != Integer.bitCount(atomicWriteBytes))
        {
            throw new BlockDeviceException("atomic write unit of " + atomicWriteBytes + " bytes is not a power of " +
                "two: use " + Integer.highestOneBit(atomicWriteBytes));
        }
        if (completesInline && !supportsCompare)
        {
            throw new BlockDeviceException("a device that completes inline compares itself, since the payload of an " +
                "emulated Compare is kept until its blocks are read: set supportsCompare");
        }
        if (0 == memoryDomains)
        {
            throw new BlockDeviceException("no memory domain: a device takes payload of one at least");
        }
    }

    private static void checkWriteSize(
        final String name, final int sizeBytes, final int blockSizeBytes, final int maxTransferBytes)
    {
        final int limitBytes = (int)Math.min(maxTransferBytes, (long)WRITE_BLOCKS_MAX * blockSizeBytes);
        if (sizeBytes < blockSizeBytes || 0 != sizeBytes % blockSizeBytes || sizeBytes > limitBytes)
        {
            throw new BlockDeviceException(name + " of " + sizeBytes + " bytes is not a multiple of the block size " +
                blockSizeBytes + " from " + blockSizeBytes + " to " + limitBytes);
        }
    }

    /**
     * Begins a geometry of a device that reads, writes and flushes, and nothing else.
     *
     * @param blockSizeBytes 512 or 4096.
     * @param blockCount     of the device.
     * @return a builder with {@link #MAX_TRANSFER_BYTES_DEFAULT}, memory alignment 1, every capability off, and the
     *     block size as optimal write size and atomic write unit; payload is in the host's memory.
     */
    public static Builder builder(final int blockSizeBytes, final long blockCount)
    {
        return new Builder(blockSizeBytes, blockCount);
    }

    /**
     * {@return a builder that begins with the values of this geometry}
     */
    public Builder toBuilder()
    {
        return new Builder(this);
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
        return toBuilder().blockCount(grownBlocks).build();
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
     * {@return whether the device can access the memory that a payload lies in; true when there is no payload}
     *
     * @param payload of a request.
     */
    public boolean accesses(final Segments payload)
    {
        return payload.domain().isIn(memoryDomains) || 0 == payload.count();
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

    /**
     * Collects the values of a geometry. Not thread-safe.
     */
    public static final class Builder
    {
        private final int blockSizeBytes;
        private long blockCount;
        private int maxTransferBytes = MAX_TRANSFER_BYTES_DEFAULT;
        private int memoryAlignmentBytes = 1;
        private boolean lendsReads;
        private boolean completesInline;
        private boolean volatileWriteCache;
        private boolean supportsWriteZeroes;
        private boolean supportsVerify;
        private boolean supportsDeallocate;
        private boolean deallocatedReadsZero;
        private boolean readOnly;
        private boolean supportsCopy;
        private boolean supportsCompare;
        private int optimalWriteBytes;
        private int atomicWriteBytes;
        private int memoryDomains = MemoryDomain.HOST.bit();

        private Builder(final int blockSizeBytes, final long blockCount)
        {
            this.blockSizeBytes = blockSizeBytes;
            this.blockCount = blockCount;
            optimalWriteBytes = blockSizeBytes;
            atomicWriteBytes = blockSizeBytes;
        }

        private Builder(final BlockGeometry geometry)
        {
            blockSizeBytes = geometry.blockSizeBytes;
            blockCount = geometry.blockCount;
            maxTransferBytes = geometry.maxTransferBytes;
            memoryAlignmentBytes = geometry.memoryAlignmentBytes;
            lendsReads = geometry.lendsReads;
            completesInline = geometry.completesInline;
            volatileWriteCache = geometry.volatileWriteCache;
            supportsWriteZeroes = geometry.supportsWriteZeroes;
            supportsVerify = geometry.supportsVerify;
            supportsDeallocate = geometry.supportsDeallocate;
            deallocatedReadsZero = geometry.deallocatedReadsZero;
            readOnly = geometry.readOnly;
            supportsCopy = geometry.supportsCopy;
            supportsCompare = geometry.supportsCompare;
            optimalWriteBytes = geometry.optimalWriteBytes;
            atomicWriteBytes = geometry.atomicWriteBytes;
            memoryDomains = geometry.memoryDomains;
        }

        /**
         * Sets {@link BlockGeometry#blockCount()}.
         *
         * @param value new value.
         * @return this, to chain.
         */
        public Builder blockCount(final long value)
        {
            blockCount = value;
            return this;
        }

        /**
         * Sets {@link BlockGeometry#maxTransferBytes()}.
         *
         * @param value new value.
         * @return this, to chain.
         */
        public Builder maxTransferBytes(final int value)
        {
            maxTransferBytes = value;
            return this;
        }

        /**
         * Sets {@link BlockGeometry#memoryAlignmentBytes()}.
         *
         * @param value new value.
         * @return this, to chain.
         */
        public Builder memoryAlignmentBytes(final int value)
        {
            memoryAlignmentBytes = value;
            return this;
        }

        /**
         * Sets {@link BlockGeometry#lendsReads()}.
         *
         * @param value new value.
         * @return this, to chain.
         */
        public Builder lendsReads(final boolean value)
        {
            lendsReads = value;
            return this;
        }

        /**
         * Sets {@link BlockGeometry#completesInline()}.
         *
         * @param value new value.
         * @return this, to chain.
         */
        public Builder completesInline(final boolean value)
        {
            completesInline = value;
            return this;
        }

        /**
         * Sets {@link BlockGeometry#volatileWriteCache()}.
         *
         * @param value new value.
         * @return this, to chain.
         */
        public Builder volatileWriteCache(final boolean value)
        {
            volatileWriteCache = value;
            return this;
        }

        /**
         * Sets {@link BlockGeometry#supportsWriteZeroes()}.
         *
         * @param value new value.
         * @return this, to chain.
         */
        public Builder supportsWriteZeroes(final boolean value)
        {
            supportsWriteZeroes = value;
            return this;
        }

        /**
         * Sets {@link BlockGeometry#supportsVerify()}.
         *
         * @param value new value.
         * @return this, to chain.
         */
        public Builder supportsVerify(final boolean value)
        {
            supportsVerify = value;
            return this;
        }

        /**
         * Sets {@link BlockGeometry#supportsDeallocate()}.
         *
         * @param value new value.
         * @return this, to chain.
         */
        public Builder supportsDeallocate(final boolean value)
        {
            supportsDeallocate = value;
            return this;
        }

        /**
         * Sets {@link BlockGeometry#deallocatedReadsZero()}.
         *
         * @param value new value.
         * @return this, to chain.
         */
        public Builder deallocatedReadsZero(final boolean value)
        {
            deallocatedReadsZero = value;
            return this;
        }

        /**
         * Sets {@link BlockGeometry#readOnly()}.
         *
         * @param value new value.
         * @return this, to chain.
         */
        public Builder readOnly(final boolean value)
        {
            readOnly = value;
            return this;
        }

        /**
         * Sets {@link BlockGeometry#supportsCopy()}.
         *
         * @param value new value.
         * @return this, to chain.
         */
        public Builder supportsCopy(final boolean value)
        {
            supportsCopy = value;
            return this;
        }

        /**
         * Sets {@link BlockGeometry#supportsCompare()}.
         *
         * @param value new value.
         * @return this, to chain.
         */
        public Builder supportsCompare(final boolean value)
        {
            supportsCompare = value;
            return this;
        }

        /**
         * Sets {@link BlockGeometry#optimalWriteBytes()}.
         *
         * @param value new value.
         * @return this, to chain.
         */
        public Builder optimalWriteBytes(final int value)
        {
            optimalWriteBytes = value;
            return this;
        }

        /**
         * Sets {@link BlockGeometry#atomicWriteBytes()}.
         *
         * @param value new value.
         * @return this, to chain.
         */
        public Builder atomicWriteBytes(final int value)
        {
            atomicWriteBytes = value;
            return this;
        }

        /**
         * Sets {@link BlockGeometry#memoryDomains()}.
         *
         * @param value new value.
         * @return this, to chain.
         */
        public Builder memoryDomains(final int value)
        {
            memoryDomains = value;
            return this;
        }

        /**
         * {@return the geometry}
         *
         * @throws BlockDeviceException when a value is out of its bounds; the message names it.
         */
        public BlockGeometry build()
        {
            return new BlockGeometry(blockSizeBytes, blockCount, maxTransferBytes, memoryAlignmentBytes, lendsReads,
                completesInline, volatileWriteCache, supportsWriteZeroes, supportsVerify, supportsDeallocate,
                deallocatedReadsZero, readOnly, supportsCopy, supportsCompare,
                optimalWriteBytes, atomicWriteBytes, memoryDomains);
        }
    }
}
