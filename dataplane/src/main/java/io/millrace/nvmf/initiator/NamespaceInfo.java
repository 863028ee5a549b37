package io.millrace.nvmf.initiator;

import io.millrace.nvme.IdentifyNamespace;
import io.millrace.nvme.NamespaceDescriptor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.UUID;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Properties that a controller reported for a namespace. Immutable.
 *
 * @param nsid                 identifier.
 * @param blockCount           size in blocks.
 * @param capacityBlocks       that may be allocated.
 * @param usedBlocks           that are allocated.
 * @param blockSizeBytes       of a block's data.
 * @param metadataBytes        of a block's metadata; 0 for none.
 * @param nguid                globally unique identifier in hexadecimal; empty when it has none.
 * @param eui64                extended unique identifier in hexadecimal; empty when it has none.
 * @param uuid                 UUID; empty when it has none.
 * @param shared               whether several controllers may be attached.
 * @param writeProtected       whether writes are refused.
 * @param deallocatedReadsZero whether deallocated blocks read as zeroes.
 * @param anaGroup             ANA group; 0 when it has none.
 * @param atomicWriteBlocks    that a write stores whole or not at all, also when power fails (NAWUPF); 0 when the
 *                             controller's own unit applies.
 * @param optimalWriteBlocks   size of writes that suits it best (NOWS); 0 when it reports none.
 */
public record NamespaceInfo(
    int nsid,
    long blockCount,
    long capacityBlocks,
    long usedBlocks,
    int blockSizeBytes,
    int metadataBytes,
    String nguid,
    String eui64,
    String uuid,
    boolean shared,
    boolean writeProtected,
    boolean deallocatedReadsZero,
    int anaGroup,
    int atomicWriteBlocks,
    int optimalWriteBlocks)
{
    private static final int FORMATS_OFFSET = 128;
    private static final int NGUID_BYTES = 16;
    private static final int BLOCK_SHIFT_MIN = 9;
    private static final int BLOCK_SHIFT_MAX = 24;

    /**
     * {@return size in bytes}
     */
    public long sizeBytes()
    {
        return blockCount * blockSizeBytes;
    }

    /**
     * Reads identify data.
     *
     * @param nsid        of the namespace.
     * @param data        Identify Namespace.
     * @param descriptors Namespace Identification Descriptors; empty when the controller has none.
     * @return the namespace; null when it is not active.
     */
    static NamespaceInfo parse(final int nsid, final byte[] data, final byte[] descriptors)
    {
        final IdentifyNamespace identify = new IdentifyNamespace();
        final UnsafeBuffer buffer = new UnsafeBuffer(data);
        identify.wrap(buffer, 0);
        if (0 == identify.size())
        {
            return null;
        }
        final int formatted = identify.formattedSize();
        final int index = formatted & 0xF | formatted >>> 1 & 0x30;
        final int format = buffer.getInt(FORMATS_OFFSET + 4 * index, ByteOrder.LITTLE_ENDIAN);
        final int shift = format >>> 16 & 0xFF;
        if (shift < BLOCK_SHIFT_MIN || shift > BLOCK_SHIFT_MAX)
        {
            throw new InitiatorException("namespace " + nsid + " reports blocks of 2^" + shift +
                " bytes: 2^" + BLOCK_SHIFT_MIN + " to 2^" + BLOCK_SHIFT_MAX + " are possible");
        }
        final byte[] nguid = new byte[NGUID_BYTES];
        identify.nguid(nguid);
        final byte[] eui64 = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(identify.eui64()).array();
        return new NamespaceInfo(
            nsid,
            identify.size(),
            identify.capacity(),
            identify.utilization(),
            1 << shift,
            format & 0xFFFF,
            hex(nguid),
            hex(eui64),
            uuid(descriptors),
            0 != (identify.multiPathCapabilities() & IdentifyNamespace.MULTI_PATH_SHARED),
            0 != (identify.attributes() & IdentifyNamespace.ATTRIBUTE_WRITE_PROTECTED),
            IdentifyNamespace.DEALLOCATE_READS_ZERO ==
                (identify.deallocateFeatures() & IdentifyNamespace.DEALLOCATE_READS_MASK),
            identify.anaGroupId(),
            0 == (identify.features() & IdentifyNamespace.FEATURE_ATOMIC_UNITS) ? 0 :
                1 + identify.atomicWriteUnitPowerFail(),
            0 == (identify.features() & IdentifyNamespace.FEATURE_OPTIMAL_SIZES_MASK) ? 0 :
                1 + identify.optimalWriteSize());
    }

    private static String hex(final byte[] bytes)
    {
        for (final byte value : bytes)
        {
            if (0 != value)
            {
                return HexFormat.of().formatHex(bytes);
            }
        }
        return "";
    }

    private static String uuid(final byte[] descriptors)
    {
        final NamespaceDescriptor descriptor = new NamespaceDescriptor();
        final UnsafeBuffer buffer = new UnsafeBuffer(descriptors);
        int offset = 0;
        while (offset + NamespaceDescriptor.HEADER_BYTES <= descriptors.length)
        {
            descriptor.wrap(buffer, offset);
            final int start = offset + NamespaceDescriptor.HEADER_BYTES;
            final int length = descriptor.length();
            if (0 == length || start + length > descriptors.length)
            {
                return "";
            }
            if (NamespaceDescriptor.TYPE_UUID == descriptor.type() && 16 == length)
            {
                return new UUID(buffer.getLong(start, ByteOrder.BIG_ENDIAN),
                    buffer.getLong(start + 8, ByteOrder.BIG_ENDIAN)).toString();
            }
            offset = start + length;
        }
        return "";
    }
}
