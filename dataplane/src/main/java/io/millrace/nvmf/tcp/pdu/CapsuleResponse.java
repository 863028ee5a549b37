package io.millrace.nvmf.tcp.pdu;

/**
 * CapsuleResp, 24 bytes (NVMe/TCP Transport 1.0, section 3.6.2.7, figure 25).
 *
 * <pre>
 *    0 common header
 *    8 completion queue entry, 16 bytes: wrap a CompletionQueueEntry at ENTRY_OFFSET
 *   24 header digest
 * </pre>
 */
public final class CapsuleResponse extends CommonHeader
{
    /** Size in bytes of the header: HLEN. */
    public static final int SIZE_BYTES = 24;
    /** Offset of the completion queue entry. */
    public static final int ENTRY_OFFSET = 8;

    /**
     * Creates a flyweight that wraps nothing.
     */
    public CapsuleResponse()
    {
    }

    /**
     * Sets the common header; the entry stays as it is.
     *
     * @param headerDigest whether a header digest follows.
     */
    public void build(final boolean headerDigest)
    {
        set(PduType.CAPSULE_RESPONSE, headerDigest ? FLAG_HEADER_DIGEST : 0, SIZE_BYTES, 0,
            headerDigest ? SIZE_BYTES + DIGEST_SIZE_BYTES : SIZE_BYTES);
    }
}
