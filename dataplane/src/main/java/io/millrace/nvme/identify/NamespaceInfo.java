package io.millrace.nvme.identify;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Properties of a namespace, decoded from its Identify Namespace data structure of the NVM command set (NVM Command Set
 * 1.0, section 4.1.5.1) and its Namespace Identification Descriptors. Immutable.
 *
 * @param nsid                 identifier.
 * @param identity             identifiers that are the same at every controller.
 * @param blockCount           size in blocks (NSZE); its bytes fit a long.
 * @param capacityBlocks       that may be allocated (NCAP), not above the size.
 * @param usedBlocks           that are allocated (NUSE), not above the size.
 * @param blockShift           log2 of the bytes of a block's data (LBADS), 9 to 24.
 * @param metadataBytes        of a block's metadata (MS); 0 for none.
 * @param extendedMetadata     whether the metadata of a block follow its data, instead of lying in memory of their own.
 * @param protectionType       of protection information, 0 for none; as reported, valid are 1 to 3 (DPS).
 * @param shared               whether several controllers may be attached (NMIC).
 * @param writeProtected       whether writes are refused (NSATTR).
 * @param deallocatedReadsZero whether deallocated blocks read as zeroes (DLFEAT).
 * @param anaGroup             ANA group, unsigned; 0 when it has none (ANAGRPID).
 * @param atomicWriteBlocks    that a write stores whole or not at all, also when power fails (NAWUPF); 0 when the
 *                             controller's own unit applies, 1 where writes are not atomic across a boundary, because
 *                             where they begin nobody knows (NABSN, NABSPF).
 * @param optimalWriteBlocks   size of writes that suits it best; 1 when it reports none (NOWS).
 * @param boundaryBlocks       that commands should not cross a multiple of, or 0 (NOIOB).
 * @param copyBlocksMax        of a Copy with one source range; 0 when it takes none (MSSRL, MCL).
 */
public record NamespaceInfo(
    int nsid,
    NamespaceIdentity identity,
    long blockCount,
    long capacityBlocks,
    long usedBlocks,
    int blockShift,
    int metadataBytes,
    boolean extendedMetadata,
    int protectionType,
    boolean shared,
    boolean writeProtected,
    boolean deallocatedReadsZero,
    int anaGroup,
    int atomicWriteBlocks,
    int optimalWriteBlocks,
    int boundaryBlocks,
    int copyBlocksMax)
{
    private static final int METADATA_BYTES_MASK = 0xFFFF;
    private static final int BLOCK_SHIFT_MIN = 9;
    private static final int BLOCK_SHIFT_MAX = 24;

    /**
     * Decodes and checks the data of a namespace.
     *
     * @param nsid        of the namespace.
     * @param data        Identify Namespace, {@value IdentifyNamespace#SIZE_BYTES} bytes.
     * @param descriptors Namespace Identification Descriptors; null when the controller has none, as those before 1.3.
     * @return the namespace; null when it is not active.
     * @throws InvalidIdentifyException when its format does not exist, or its size is out of bounds.
     */
    public static NamespaceInfo of(final int nsid, final DirectBuffer data, final DirectBuffer descriptors)
    {
        final IdentifyNamespace identify = new IdentifyNamespace();
        final IdentifyNamespaceWriteUnits units = new IdentifyNamespaceWriteUnits();
        identify.wrap(new UnsafeBuffer(data, 0, IdentifyNamespace.SIZE_BYTES), 0);
        units.wrap(identify.buffer(), 0);
        final long blocks = identify.size();
        if (0 == blocks)
        {
            return null;
        }
        final int format = format(nsid, identify);
        final int blockShift = blockShift(nsid, identify, format);
        return new NamespaceInfo(
            nsid,
            NamespaceIdentity.of(identify, descriptors),
            blocks,
            upTo(blocks, identify.capacity()),
            upTo(blocks, identify.utilization()),
            blockShift,
            format & METADATA_BYTES_MASK,
            0 != (identify.formattedSize() & IdentifyNamespace.METADATA_EXTENDED),
            identify.protectionSettings() & IdentifyNamespace.PROTECTION_TYPE_MASK,
            0 != (identify.multiPathCapabilities() & IdentifyNamespace.MULTI_PATH_SHARED),
            0 != (identify.attributes() & IdentifyNamespace.ATTRIBUTE_WRITE_PROTECTED),
            IdentifyNamespace.DEALLOCATE_READS_ZERO ==
                (identify.deallocateFeatures() & IdentifyNamespace.DEALLOCATE_READS_MASK),
            identify.anaGroupId(),
            atomicWriteBlocks(identify, units),
            0 == (identify.features() & IdentifyNamespace.FEATURE_OPTIMAL_SIZES_MASK) ? 1 :
                1 + units.optimalWriteSize(),
            units.optimalIoBoundary(),
            (int)Math.min(identify.copyRangeLimit(), Integer.toUnsignedLong(identify.copyLimit())));
    }

    private static int format(final int nsid, final IdentifyNamespace identify)
    {
        if (identify.formatIndex() > identify.formats())
        {
            throw new InvalidIdentifyException(name(nsid) + " in LBA format " + identify.formatIndex() + " of " +
                (identify.formats() + 1) + ": its Identify data are invalid");
        }
        return identify.format(identify.formatIndex());
    }

    private static int blockShift(final int nsid, final IdentifyNamespace identify, final int format)
    {
        final int blockShift = format >>> 16 & 0xFF;
        final long blocks = identify.size();
        if (blockShift < BLOCK_SHIFT_MIN || blockShift > BLOCK_SHIFT_MAX || blocks < 0 ||
            blocks > Long.MAX_VALUE >>> blockShift)
        {
            throw new InvalidIdentifyException(name(nsid) + " with " + Long.toUnsignedString(blocks) +
                " blocks of 2^" + blockShift + " bytes, of which 2^" + BLOCK_SHIFT_MIN + " to 2^" + BLOCK_SHIFT_MAX +
                " and less than 2^63 in all are possible: its Identify data are invalid");
        }
        return blockShift;
    }

    private static String name(final int nsid)
    {
        return "has namespace " + Integer.toUnsignedString(nsid);
    }

    private static long upTo(final long most, final long reported)
    {
        return Long.compareUnsigned(reported, most) > 0 ? most : reported;
    }

    private static int atomicWriteBlocks(final IdentifyNamespace identify, final IdentifyNamespaceWriteUnits units)
    {
        if (0 != units.atomicBoundary() || 0 != units.atomicBoundaryPowerFail())
        {
            return 1;
        }
        return 0 == (identify.features() & IdentifyNamespace.FEATURE_ATOMIC_UNITS) ? 0 :
            1 + units.atomicWriteUnitPowerFail();
    }

    /**
     * {@return bytes of a block's data}
     */
    public int blockSizeBytes()
    {
        return 1 << blockShift;
    }

    /**
     * {@return size in bytes}
     */
    public long sizeBytes()
    {
        return blockCount << blockShift;
    }
}
