package io.millrace.block.nvme;

import io.millrace.bindings.NativeMemory;
import io.millrace.memory.DmaMemory;
import io.millrace.nvme.identify.IdentifyNamespace;
import io.millrace.nvme.identify.IdentifyNamespaceWriteUnits;
import java.util.Arrays;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A namespace of a {@link ModelController}, and what it holds.
 */
final class ModelNamespace implements AutoCloseable
{
    final int blockBytes;
    final int metadataBytes;
    final boolean isExtended;
    final int protectionType;
    final int boundaryBlocks;
    final boolean isWriteProtected;
    final DmaMemory data;
    /** Limits of Copy in blocks: of a range, and of all. */
    int copyRangeMax = 100;
    int copyMax = 64;
    /** Cannot be read. */
    long badBlock = -1;
    final byte[] metadata;
    /** Descriptors that identify it, as Identify answers them; null when the controller does not know the command. */
    volatile byte[] descriptors;
    /** A block that cannot be read; none while it is negative. */
    volatile long badLba = -1;
    /** What a loss of power may bring back: stable content of blocks whose writes are in the volatile cache. */
    private final TreeMap<Long, byte[]> cached = new TreeMap<>();
    private long blocks;

    ModelNamespace(
        final long sizeBytes,
        final int blockBytes,
        final int metadataBytes,
        final boolean isExtended,
        final int protectionType,
        final int boundaryBlocks,
        final boolean isWriteProtected)
    {
        this.blockBytes = blockBytes;
        this.metadataBytes = metadataBytes;
        this.isExtended = isExtended;
        this.protectionType = protectionType;
        this.boundaryBlocks = boundaryBlocks;
        this.isWriteProtected = isWriteProtected;
        blocks = sizeBytes / blockBytes;
        data = DmaMemory.map(2 * sizeBytes);
        metadata = new byte[(int)(2 * blocks * metadataBytes)];
        Arrays.fill(metadata, (byte)0xEE);
    }

    static ModelNamespace of(final long sizeBytes, final int blockBytes)
    {
        return new ModelNamespace(sizeBytes, blockBytes, 0, false, 0, 0, false);
    }

    long blocks()
    {
        return blocks;
    }

    /** There is memory for twice the blocks that it began with. */
    void blocks(final long newBlocks)
    {
        blocks = newBlocks;
    }

    boolean contains(final long lba, final long count)
    {
        return lba >= 0 && count <= blocks && lba <= blocks - count;
    }

    boolean isBad(final long lba, final long count)
    {
        return badLba >= lba && badLba < lba + count;
    }

    long address(final long lba)
    {
        return data.address() + lba * blockBytes;
    }

    /**
     * Before blocks change.
     *
     * @param isCached whether the change goes to the volatile cache; else it is stable.
     */
    synchronized void change(final long lba, final long count, final boolean isCached)
    {
        for (long block = lba; block < lba + count; block++)
        {
            if (!isCached)
            {
                cached.remove(block);
            }
            else if (!cached.containsKey(block))
            {
                final byte[] stable = new byte[blockBytes];
                NativeMemory.asByteBuffer(address(block), blockBytes).get(stable);
                cached.put(block, stable);
            }
        }
    }

    /** Makes stable what is in the cache. */
    synchronized void flush()
    {
        cached.clear();
    }

    /** Brings back the stable content of some blocks in the cache; the others were written just before. */
    synchronized void losePower(final RandomGenerator random)
    {
        cached.forEach((block, stable) ->
        {
            if (random.nextBoolean())
            {
                NativeMemory.asByteBuffer(address(block), blockBytes).put(stable);
            }
        });
        cached.clear();
    }

    void zero(final long lba, final long count)
    {
        NativeMemory.fill(address(lba), count * blockBytes, (byte)0);
    }

    void identify(final UnsafeBuffer buffer)
    {
        final IdentifyNamespace identify = new IdentifyNamespace();
        identify.wrap(buffer, 0);
        identify.size(blocks).capacity(blocks).utilization(blocks).formats(0)
            .formattedSize(isExtended ? IdentifyNamespace.METADATA_EXTENDED : 0)
            .protectionSettings(protectionType)
            .deallocateFeatures(IdentifyNamespace.DEALLOCATE_READS_ZERO)
            .copyRangeLimit(copyRangeMax).copyLimit(copyMax).copyRangesLimit(3)
            .attributes(isWriteProtected ? IdentifyNamespace.ATTRIBUTE_WRITE_PROTECTED : 0)
            .format0(metadataBytes | Integer.numberOfTrailingZeros(blockBytes) << 16);
        final IdentifyNamespaceWriteUnits units = new IdentifyNamespaceWriteUnits();
        units.wrap(buffer, 0);
        units.optimalIoBoundary(boundaryBlocks);
    }

    @Override
    public void close()
    {
        data.close();
    }
}
