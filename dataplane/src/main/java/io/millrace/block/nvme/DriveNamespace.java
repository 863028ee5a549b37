package io.millrace.block.nvme;

import io.millrace.block.BlockGeometry;
import io.millrace.block.nvme.queue.ControllerFailure;
import io.millrace.nvme.identify.ControllerInfo;
import io.millrace.nvme.identify.IdentifyControllerIo;
import io.millrace.nvme.identify.NamespaceInfo;

/**
 * A namespace that the driver can serve. Immutable.
 *
 * @param info     its properties.
 * @param metadata handling of its metadata.
 */
record DriveNamespace(NamespaceInfo info, MetadataMode metadata)
{
    /** Guard, application tag and reference tag of the 16-bit guard format. */
    private static final int PROTECTION_BYTES = 8;
    private static final int PROTECTION_TYPE_MAX = 3;

    /**
     * Checks that the driver can serve a namespace.
     *
     * @param info its properties.
     * @return the namespace.
     * @throws ControllerFailure when it has a format that is not supported.
     */
    static DriveNamespace of(final NamespaceInfo info)
    {
        final int blockBytes = info.blockSizeBytes();
        if (512 != blockBytes && 4096 != blockBytes)
        {
            throw new ControllerFailure("has namespace " + info.nsid() + " with blocks of " + blockBytes +
                " bytes, which are not supported: format it with blocks of 512 or 4096");
        }
        return new DriveNamespace(info, metadata(info));
    }

    private static MetadataMode metadata(final NamespaceInfo info)
    {
        final String name = "has namespace " + info.nsid();
        if (0 != info.protectionType())
        {
            if (PROTECTION_BYTES != info.metadataBytes() || info.protectionType() > PROTECTION_TYPE_MAX)
            {
                throw new ControllerFailure(name + " with protection information of type " + info.protectionType() +
                    " in " + info.metadataBytes() + " bytes of metadata, of which " + PROTECTION_BYTES +
                    " are supported: format it without, or with metadata of " + PROTECTION_BYTES + " bytes");
            }
            return MetadataMode.PROTECTION;
        }
        if (0 == info.metadataBytes())
        {
            return MetadataMode.NONE;
        }
        if (info.extendedMetadata())
        {
            throw new ControllerFailure(name + " with " + info.metadataBytes() +
                " bytes of metadata behind each block's data (extended), which is not supported: format it without, " +
                "or with separate metadata");
        }
        return MetadataMode.SEPARATE;
    }

    /**
     * {@return blocks of one source range of a Copy that has no other; 0 when it cannot be used}
     *
     * @param controller of the namespace.
     */
    int copyBlocksMax(final ControllerInfo controller)
    {
        // Reference tags say where a block lies: a copy has to give both ranges' in fields of their own. And separate
        // metadata would be copied, where writes leave zeroes. Neither is worthwhile here.
        return controller.offersCopy() && MetadataMode.NONE == metadata ? info.copyBlocksMax() : 0;
    }

    /**
     * {@return change that invalidates requests for an earlier state of the namespace, empty when only its size
     * differs; continues a sentence after {@code has}}
     *
     * @param before earlier state.
     */
    String change(final DriveNamespace before)
    {
        final NamespaceInfo old = before.info;
        if (!info.identity().mayBe(old.identity()))
        {
            return "another namespace " + info.nsid() + " than before, " + info.identity().text() + " instead of " +
                old.identity().text();
        }
        return info.blockShift() == old.blockShift() && info.metadataBytes() == old.metadataBytes() &&
            metadata == before.metadata && info.protectionType() == old.protectionType() ? "" :
            "namespace " + info.nsid() + " in another format than before";
    }

    /**
     * {@return as a block device}
     *
     * @param controller it belongs to.
     * @param limits     of commands to it.
     */
    BlockGeometry geometry(final ControllerInfo controller, final TransferLimits limits)
    {
        final boolean isWritable = !info.writeProtected();
        final int transferBytes =
            (int)Math.min(BlockGeometry.MAX_TRANSFER_BYTES_DEFAULT, controller.maxTransferBytes());
        final long optimalBytes = (long)info.optimalWriteBlocks() << info.blockShift();
        return BlockGeometry.builder(info.blockSizeBytes(), info.blockCount())
            .memoryAlignmentBytes(Integer.BYTES)
            .volatileWriteCache(controller.volatileWriteCache())
            .supportsWriteZeroes(isWritable && limits.zeroesBlocksMax() > 0)
            .supportsVerify(limits.verifyBlocksMax() > 0)
            // Metadata would be compared too, which nobody here knows.
            .supportsCompare(controller.offers(IdentifyControllerIo.NVM_COMPARE) && MetadataMode.NONE == metadata)
            .supportsDeallocate(isWritable && controller.offers(IdentifyControllerIo.NVM_DATASET_MANAGEMENT))
            .readOnly(!isWritable)
            .supportsCopy(isWritable && copyBlocksMax(controller) > 0)
            .optimalWriteBytes(optimalBytes > transferBytes ? info.blockSizeBytes() : (int)optimalBytes)
            // A longer write is more than one command.
            .atomicWriteBytes(Integer.highestOneBit((int)Math.min(transferBytes, atomicWriteBytes(controller))))
            .build();
    }

    private long atomicWriteBytes(final ControllerInfo controller)
    {
        // A write across an optimal boundary is split, and where a host's writes begin nobody knows.
        final int blocks = 0 != info.boundaryBlocks() ? 1 :
            0 == info.atomicWriteBlocks() ? controller.atomicWriteBlocks() : info.atomicWriteBlocks();
        return (long)blocks << info.blockShift();
    }
}
