package io.millrace.nvmf.tcp.pdu;

/**
 * R2T: asks for data of a write (NVMe/TCP Transport 1.0, section 3.6.2.10, figure 28).
 */
public final class ReadyToTransfer extends TransferPdu
{
    /**
     * Creates a flyweight that wraps nothing.
     */
    public ReadyToTransfer()
    {
    }

    /**
     * Writes the whole header.
     *
     * @param headerDigest whether a header digest follows.
     * @param commandId    of the command, 16 bits.
     * @param transferTag  for the host to repeat, 16 bits.
     * @param bufferOffset of the data within the command's buffer.
     * @param dataLength   in bytes.
     */
    public void build(
        final boolean headerDigest,
        final int commandId,
        final int transferTag,
        final int bufferOffset,
        final int dataLength)
    {
        set(PduType.READY_TO_TRANSFER, headerDigest ? FLAG_HEADER_DIGEST : 0, SIZE_BYTES, 0,
            headerDigest ? SIZE_BYTES + DIGEST_SIZE_BYTES : SIZE_BYTES);
        setTransfer(commandId, transferTag, bufferOffset, dataLength);
    }
}
