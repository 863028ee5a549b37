package io.millrace.nvmf.tcp;

import io.millrace.nvmf.tcp.pdu.CapsuleCommand;
import io.millrace.nvmf.tcp.pdu.CommonHeader;
import io.millrace.nvmf.tcp.pdu.DataPdu;
import io.millrace.nvmf.tcp.pdu.FatalErrorStatus;
import io.millrace.nvmf.tcp.pdu.ICPdu;
import io.millrace.nvmf.tcp.pdu.PduType;
import io.millrace.nvmf.tcp.pdu.TerminationRequest;
import java.util.zip.CRC32C;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * PDUs as bytes, for tests: built for a host to send, and taken apart again. Digests are computed by {@code
 * java.util.zip}, not by what is under test.
 *
 * @param type   of {@link PduType}.
 * @param flags  of the common header.
 * @param header common and specific header.
 * @param data   of it, empty when there is none.
 */
record WirePdu(int type, int flags, byte[] header, byte[] data)
{
    static final byte[] NOTHING = {};

    static byte[] initializeRequest(final int dataAlignment, final Digests digests, final int maxR2t)
    {
        final byte[] bytes = new byte[ICPdu.SIZE_BYTES];
        final ICPdu pdu = new ICPdu();
        pdu.wrap(new UnsafeBuffer(bytes), 0);
        pdu.build(PduType.IC_REQ, dataAlignment, digests.bits(), maxR2t);
        return bytes;
    }

    static byte[] capsule(final Digests digests, final byte[] entry, final byte[] data)
    {
        final int headerBytes = CapsuleCommand.SIZE_BYTES + digests.headerBytes();
        final int digestBytes = 0 == data.length ? 0 : digests.dataBytes();
        final byte[] bytes = new byte[headerBytes + data.length + digestBytes];
        final CapsuleCommand pdu = new CapsuleCommand();
        pdu.wrap(new UnsafeBuffer(bytes), 0);
        pdu.build(digests.headerFlag() | (0 == data.length ? 0 : digests.dataFlag()),
            0 == data.length ? 0 : headerBytes, bytes.length);
        System.arraycopy(entry, 0, bytes, CapsuleCommand.ENTRY_OFFSET, entry.length);
        return seal(digests, bytes, CapsuleCommand.SIZE_BYTES, data, 0, data.length);
    }

    static byte[] h2cData(
        final Digests digests,
        final int commandId,
        final int transferTag,
        final byte[] source,
        final int offset,
        final int length,
        final boolean last)
    {
        final int headerBytes = DataPdu.SIZE_BYTES + digests.headerBytes();
        final byte[] bytes = new byte[headerBytes + length + digests.dataBytes()];
        final DataPdu pdu = new DataPdu();
        pdu.wrap(new UnsafeBuffer(bytes), 0);
        pdu.set(PduType.H2C_DATA,
            digests.headerFlag() | digests.dataFlag() | (last ? CommonHeader.FLAG_LAST : 0),
            DataPdu.SIZE_BYTES, headerBytes, bytes.length);
        pdu.setTransfer(commandId, transferTag, offset, length);
        return seal(digests, bytes, DataPdu.SIZE_BYTES, source, offset, length);
    }

    static byte[] terminationRequest(final FatalErrorStatus status)
    {
        final byte[] bytes = new byte[TerminationRequest.SIZE_BYTES + CommonHeader.SIZE_BYTES];
        final TerminationRequest pdu = new TerminationRequest();
        pdu.wrap(new UnsafeBuffer(bytes), 0);
        pdu.build(PduType.H2C_TERM_REQ, status, 0,
            new UnsafeBuffer(new byte[CommonHeader.SIZE_BYTES]), 0, CommonHeader.SIZE_BYTES);
        return bytes;
    }

    static int crc32c(final byte[] bytes, final int offset, final int length)
    {
        final CRC32C crc = new CRC32C();
        crc.update(bytes, offset, length);
        return (int)crc.getValue();
    }

    static void putInt(final byte[] bytes, final int offset, final int value)
    {
        new UnsafeBuffer(bytes).putInt(offset, value, java.nio.ByteOrder.LITTLE_ENDIAN);
    }

    static int getInt(final byte[] bytes, final int offset)
    {
        return new UnsafeBuffer(bytes).getInt(offset, java.nio.ByteOrder.LITTLE_ENDIAN);
    }

    int commandId()
    {
        final int offset = PduType.CAPSULE_RESPONSE == type ? 20 : 8;
        return header[offset] & 0xFF | (header[offset + 1] & 0xFF) << 8;
    }

    /**
     * {@return status of a response capsule, phase tag cut off}
     */
    int status()
    {
        return (header[22] & 0xFF | (header[23] & 0xFF) << 8) >>> 1;
    }

    int sqHead()
    {
        return header[16] & 0xFF | (header[17] & 0xFF) << 8;
    }

    int result0()
    {
        return getInt(header, 8);
    }

    int result1()
    {
        return getInt(header, 12);
    }

    int transferTag()
    {
        return header[10] & 0xFF | (header[11] & 0xFF) << 8;
    }

    boolean has(final int flag)
    {
        return 0 != (flags & flag);
    }

    FatalErrorStatus fatalStatus()
    {
        return FatalErrorStatus.of(header[8] & 0xFF | (header[9] & 0xFF) << 8);
    }

    int fatalInformation()
    {
        return getInt(header, 10);
    }

    @Override
    public String toString()
    {
        return "PDU type " + type + " flags " + flags + " data " + data.length +
            (PduType.C2H_TERM_REQ == type ? " " + fatalStatus() + " " + fatalInformation() : "") +
            (PduType.CAPSULE_RESPONSE == type ?
                " cid " + commandId() + " status " + Integer.toHexString(status()) : "");
    }

    private static byte[] seal(
        final Digests digests,
        final byte[] bytes,
        final int headerLength,
        final byte[] source,
        final int offset,
        final int length)
    {
        if (0 != digests.headerBytes())
        {
            putInt(bytes, headerLength, crc32c(bytes, 0, headerLength));
        }
        final int dataOffset = headerLength + digests.headerBytes();
        System.arraycopy(source, offset, bytes, dataOffset, length);
        if (0 != digests.dataBytes() && 0 != length)
        {
            putInt(bytes, dataOffset + length, crc32c(bytes, dataOffset, length));
        }
        return bytes;
    }
}
