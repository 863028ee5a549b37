package io.millrace.nvmf.tcp.pdu;

/**
 * CapsuleCmd, 72 bytes of header and up to the in-capsule limit of data (NVMe/TCP Transport 1.0, section 3.6.2.6,
 * figure 24).
 *
 * <pre>
 *    0 common header
 *    8 submission queue entry, 64 bytes: wrap a SubmissionQueueEntry at ENTRY_OFFSET
 *   72 header digest, padding, data, data digest
 * </pre>
 */
public final class CapsuleCommand extends CommonHeader
{
    /** Size in bytes of the header: HLEN. */
    public static final int SIZE_BYTES = 72;
    /** Offset of the submission queue entry. */
    public static final int ENTRY_OFFSET = 8;

    /**
     * Creates a flyweight that wraps nothing.
     */
    public CapsuleCommand()
    {
    }

    /**
     * Sets the common header; the entry stays as it is.
     *
     * @param flags      digest bits.
     * @param dataOffset where data begins, 0 when there is none.
     * @param pduLength  of everything.
     */
    public void build(final int flags, final int dataOffset, final int pduLength)
    {
        set(PduType.CAPSULE_COMMAND, flags, SIZE_BYTES, dataOffset, pduLength);
    }
}
