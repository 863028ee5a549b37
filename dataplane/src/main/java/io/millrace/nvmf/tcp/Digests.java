package io.millrace.nvmf.tcp;

import io.millrace.bindings.NativeMemory;
import io.millrace.memory.Crc32c;
import io.millrace.nvmf.tcp.pdu.CommonHeader;
import io.millrace.nvmf.tcp.pdu.ICPdu;

/**
 * Which digests a connection negotiated, and how they are made and checked (NVMe/TCP Transport 1.0, section 3.3.1.1).
 * One constant for each combination. Stateless; any thread.
 */
enum Digests
{
    NONE(0),
    HEADER(ICPdu.DIGEST_HEADER),
    DATA(ICPdu.DIGEST_DATA),
    HEADER_AND_DATA(ICPdu.DIGEST_HEADER | ICPdu.DIGEST_DATA);

    private static final Digests[] VALUES = values();

    private final int bits;
    private final int headerBytes;
    private final int dataBytes;

    Digests(final int bits)
    {
        this.bits = bits;
        headerBytes = 0 != (bits & ICPdu.DIGEST_HEADER) ? CommonHeader.DIGEST_SIZE_BYTES : 0;
        dataBytes = 0 != (bits & ICPdu.DIGEST_DATA) ? CommonHeader.DIGEST_SIZE_BYTES : 0;
    }

    /**
     * {@return digests of the bits of an ICReq or ICResp; reserved bits are ignored}
     *
     * @param bits of the DGST field.
     */
    static Digests of(final int bits)
    {
        return VALUES[bits & HEADER_AND_DATA.bits];
    }

    /**
     * {@return bits of the DGST field}
     */
    int bits()
    {
        return bits;
    }

    /**
     * {@return length of the header digest, 0 when there is none}
     */
    int headerBytes()
    {
        return headerBytes;
    }

    /**
     * {@return length of the data digest, 0 when there is none}
     */
    int dataBytes()
    {
        return dataBytes;
    }

    /**
     * {@return HDGSTF when there is a header digest}
     */
    int headerFlag()
    {
        return bits & ICPdu.DIGEST_HEADER;
    }

    /**
     * {@return DDGSTF when there is a data digest}
     */
    int dataFlag()
    {
        return bits & ICPdu.DIGEST_DATA;
    }

    /**
     * Puts the digest of a header behind it, if there is to be one.
     *
     * @param address     of the header.
     * @param lengthBytes of the header.
     */
    void putHeaderDigest(final long address, final int lengthBytes)
    {
        if (0 != headerBytes)
        {
            NativeMemory.putInt(address + lengthBytes, Crc32c.digest(address, lengthBytes));
        }
    }

    /**
     * {@return whether bytes are followed by their digest}
     *
     * @param address     of the bytes.
     * @param lengthBytes of the bytes; 4 more must be there.
     */
    static boolean matches(final long address, final int lengthBytes)
    {
        return NativeMemory.getInt(address + lengthBytes) == Crc32c.digest(address, lengthBytes);
    }
}
