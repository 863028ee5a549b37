package io.millrace.nvme;

/**
 * SGL descriptors as they stand in bytes 24 to 39 of a submission queue entry (NVM Express Base 2.0, section 4.1.2):
 * address or offset in 8 bytes, length in 4, 3 reserved, then type in bits 7:4 and sub type in bits 3:0 of the last
 * byte. The values here are whole last bytes, as {@link SubmissionQueueEntry#sglType()} reads them.
 */
public final class SglDescriptor
{
    /** Size in bytes. */
    public static final int SIZE_BYTES = 16;

    /** Data block, sub type offset: data lies in the capsule, the address is an offset behind the entry. */
    public static final int DATA_BLOCK_OFFSET = 0x01;
    /** Keyed data block, sub type address: remote memory with its key (RDMA). */
    public static final int KEYED_ADDRESS = 0x40;
    /** Keyed data block whose key is invalidated by the answer (RDMA). */
    public static final int KEYED_ADDRESS_INVALIDATE = 0x4F;
    /** Transport data block, sub type Ah: data moves the way the transport has (TCP). */
    public static final int TRANSPORT_DATA_BLOCK = 0x5A;

    /** PSDT in bits 7:6 of the command's flags: SGL, metadata in one block. The only one that fabrics allow. */
    public static final int FLAGS_PSDT_SGL = 0x40;
    /** Mask of the fused operation in the command's flags. */
    public static final int FLAGS_FUSED_MASK = 0x03;

    /** Last segment, sub type offset: further descriptors lie in the capsule, the address is an offset there. */
    public static final int LAST_SEGMENT_OFFSET = 0x31;
    /** Longest keyed data block: its length has 24 bits. */
    public static final int KEYED_BYTES_MAX = 0xFF_FFFF;

    private static final int KEY_SHIFT = 24;
    private static final int TYPE_SHIFT = 56;

    private SglDescriptor()
    {
    }

    /**
     * {@return the second eight bytes of a keyed descriptor, little-endian; the first are its address}
     *
     * @param lengthBytes up to {@value #KEYED_BYTES_MAX}.
     * @param key         of the memory.
     */
    public static long keyed(final int lengthBytes, final int key)
    {
        return lengthBytes | Integer.toUnsignedLong(key) << KEY_SHIFT | (long)KEYED_ADDRESS << TYPE_SHIFT;
    }

    /**
     * {@return the second eight bytes of a descriptor without a key, little-endian; the first are its address or
     * offset}
     *
     * @param lengthBytes 32 bits, unsigned.
     * @param type        last byte of the descriptor.
     */
    public static long unkeyed(final int lengthBytes, final int type)
    {
        return Integer.toUnsignedLong(lengthBytes) | (long)type << TYPE_SHIFT;
    }
}
