package io.millrace.block.nvme;

import io.millrace.block.BlockGeometry;
import io.millrace.block.nvme.queue.ControllerFailure;
import io.millrace.nvme.IdentifyController;
import io.millrace.nvme.IdentifyNamespace;
import org.agrona.DirectBuffer;

/**
 * Validated properties of a namespace (NVM Command Set 1.0, section 4.1.5.1). Immutable.
 *
 * @param nsid                 namespace id.
 * @param blockCount           number of blocks.
 * @param blockShift           log2 of the bytes of a block's data.
 * @param metadataBytes        of a block.
 * @param metadata             what is done with them.
 * @param protectionType       of protection information, 0 for none.
 * @param boundaryBlocks       that commands had better not cross a multiple of, or 0 (NOIOB).
 * @param isWriteProtected     whether writes are refused.
 * @param identity             what the drive calls it.
 * @param optimalWriteBlocks   of writes that suit it best; 1 when it does not say (NOWS).
 * @param atomicWriteBlocks    that are written whole or not at all at power failure; 0 when it is its controller that
 *                             says (NAWUPF).
 * @param copyBlocksMax        of one source range of a Copy that has no other; 0 when it cannot be used.
 */
record NamespaceInfo(
    int nsid,
    long blockCount,
    int blockShift,
    int metadataBytes,
    MetadataMode metadata,
    int protectionType,
    int boundaryBlocks,
    boolean isWriteProtected,
    NamespaceIdentity identity,
    int optimalWriteBlocks,
    int atomicWriteBlocks,
    int copyBlocksMax)
{
    private static final int METADATA_BYTES_MASK = 0xFFFF;
    private static final int BLOCK_SHIFT_MIN = 9;
    private static final int BLOCK_SHIFT_MAX = 24;
    /** Guard, application tag and reference tag of the 16-bit guard format. */
    private static final int PROTECTION_BYTES = 8;
    private static final int PROTECTION_TYPE_MAX = 3;

    /**
     * Reads and checks.
     *
     * @param nsid        of the namespace.
     * @param identify    its data.
     * @param descriptors that identify it; zeroes where there are none.
     * @return its properties.
     * @throws ControllerFailure when it is not active, makes no sense or has a format that is not supported.
     */
    static NamespaceInfo of(final int nsid, final IdentifyNamespace identify, final DirectBuffer descriptors)
    {
        final String name = "has namespace " + nsid;
        final long blocks = identify.size();
        if (0 == blocks)
        {
            throw new ControllerFailure(
                "has no active namespace " + nsid + ": see 'millrace drive namespaces' for those it has");
        }
        if (identify.formatIndex() > identify.formats())
        {
            throw new ControllerFailure(name + " in LBA format " + identify.formatIndex() + " of " +
                (identify.formats() + 1) + ": its Identify data make no sense");
        }
        final int format = identify.format(identify.formatIndex());
        final int blockShift = format >>> 16 & 0xFF;
        if (blockShift < BLOCK_SHIFT_MIN || blockShift > BLOCK_SHIFT_MAX || blocks < 0 ||
            blocks > Long.MAX_VALUE >>> blockShift)
        {
            throw new ControllerFailure(name + " with " + Long.toUnsignedString(blocks) + " blocks of 2^" + blockShift +
                " bytes: its Identify data make no sense");
        }
        if (BLOCK_SHIFT_MIN != blockShift && 12 != blockShift)
        {
            throw new ControllerFailure(name + " with blocks of " + (1 << blockShift) +
                " bytes, which are not supported: format it with blocks of 512 or 4096");
        }
        final int metadataBytes = format & METADATA_BYTES_MASK;
        final int protectionType = identify.protectionSettings() & IdentifyNamespace.PROTECTION_TYPE_MASK;
        final MetadataMode metadata = metadata(name, identify, metadataBytes, protectionType);
        return new NamespaceInfo(
            nsid,
            blocks,
            blockShift,
            metadataBytes,
            metadata,
            protectionType,
            identify.optimalIoBoundary(),
            0 != (identify.attributes() & IdentifyNamespace.ATTRIBUTE_WRITE_PROTECTED),
            NamespaceIdentity.of(identify, descriptors),
            0 == (identify.features() & IdentifyNamespace.FEATURE_OPTIMAL_SIZES_MASK) ? 1 :
                identify.optimalWriteSize() + 1,
            atomicWriteBlocks(identify),
            copyBlocksMax(identify, metadata));
    }

    private static int atomicWriteBlocks(final IdentifyNamespace identify)
    {
        if (0 != identify.atomicBoundary() || 0 != identify.atomicBoundaryPowerFail() ||
            0 != identify.optimalIoBoundary())
        {
            // A write across a boundary is not atomic, or is split, and where a host's writes begin nobody knows.
            return 1;
        }
        return 0 == (identify.features() & IdentifyNamespace.FEATURE_ATOMIC_UNITS) ? 0 :
            identify.atomicWriteUnitPowerFail() + 1;
    }

    private static int copyBlocksMax(final IdentifyNamespace identify, final MetadataMode metadata)
    {
        // Reference tags say where a block lies: a copy has to give both ranges' in fields of their own. And separate
        // metadata would be copied, where writes leave zeroes. Neither is worthwhile here.
        return MetadataMode.NONE != metadata ? 0 :
            (int)Math.min(identify.copyRangeLimit(), identify.copyLimit() & 0xFFFF_FFFFL);
    }

    private static MetadataMode metadata(
        final String name, final IdentifyNamespace identify, final int metadataBytes, final int protectionType)
    {
        if (0 != protectionType)
        {
            if (PROTECTION_BYTES != metadataBytes || protectionType > PROTECTION_TYPE_MAX)
            {
                throw new ControllerFailure(name + " with protection information of type " + protectionType + " in " +
                    metadataBytes + " bytes of metadata, of which " + PROTECTION_BYTES +
                    " are supported: format it without, or with metadata of " + PROTECTION_BYTES + " bytes");
            }
            return MetadataMode.PROTECTION;
        }
        if (0 == metadataBytes)
        {
            return MetadataMode.NONE;
        }
        if (0 != (identify.formattedSize() & IdentifyNamespace.METADATA_EXTENDED))
        {
            throw new ControllerFailure(name + " with " + metadataBytes +
                " bytes of metadata behind each block's data (extended), which is not supported: format it without, " +
                "or with separate metadata");
        }
        return MetadataMode.SEPARATE;
    }

    /**
     * {@return bytes of a block's data}
     */
    int blockBytes()
    {
        return 1 << blockShift;
    }

    /**
     * {@return change that invalidates requests for an earlier state of the namespace, empty when only its size
     * differs; continues a sentence after {@code has}}
     *
     * @param before earlier state.
     */
    String change(final NamespaceInfo before)
    {
        if (!identity.mayBe(before.identity))
        {
            return "another namespace " + nsid + " than before, " + identity.text() + " instead of " +
                before.identity.text();
        }
        return blockShift == before.blockShift && metadataBytes == before.metadataBytes &&
            metadata == before.metadata && protectionType == before.protectionType ? "" :
            "namespace " + nsid + " in another format than before";
    }

    /**
     * {@return as a block device}
     *
     * @param controller it belongs to.
     */
    BlockGeometry geometry(final ControllerInfo controller)
    {
        final int transferBytes = Math.min(BlockGeometry.MAX_TRANSFER_BYTES_DEFAULT, controller.transferBytesMax());
        final long optimalBytes = (long)optimalWriteBlocks << blockShift;
        final long atomicBytes =
            (long)(0 == atomicWriteBlocks ? controller.atomicWriteBlocks() : atomicWriteBlocks) << blockShift;
        return BlockGeometry.builder(blockBytes(), blockCount)
            .memoryAlignmentBytes(Integer.BYTES)
            .volatileWriteCache(controller.isCachePresent())
            .supportsWriteZeroes(!isWriteProtected)
            .supportsVerify(true)
            // Metadata would be compared too, which nobody here knows.
            .supportsCompare(controller.offers(IdentifyController.NVM_COMPARE) && MetadataMode.NONE == metadata)
            .supportsDeallocate(!isWriteProtected && controller.offers(IdentifyController.NVM_DATASET_MANAGEMENT))
            .readOnly(isWriteProtected)
            .supportsCopy(!isWriteProtected && copyBlocksMax > 0 && controller.offers(IdentifyController.NVM_COPY))
            .optimalWriteBytes(optimalBytes > transferBytes ? blockBytes() : (int)optimalBytes)
            // A longer write is more than one command.
            .atomicWriteBytes(Integer.highestOneBit((int)Math.min(transferBytes, atomicBytes)))
            .build();
    }
}
