package io.millrace.nvmf.initiator.tcp;

import io.millrace.bindings.NativeMemory;
import io.millrace.memory.Crc32c;
import io.millrace.memory.Segments;
import io.millrace.nvmf.initiator.HostMemory;
import io.millrace.nvmf.tcp.pdu.CapsuleResponse;
import io.millrace.nvmf.tcp.pdu.CommonHeader;
import io.millrace.nvmf.tcp.pdu.DataPdu;
import io.millrace.nvmf.tcp.pdu.FatalErrorStatus;
import io.millrace.nvmf.tcp.pdu.ICPdu;
import io.millrace.nvmf.tcp.pdu.PduType;
import io.millrace.nvmf.tcp.pdu.ReadyToTransfer;
import io.millrace.nvmf.tcp.pdu.TerminationRequest;
import io.millrace.reactor.Kernel;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Turns the byte stream of a controller into PDUs, in place. Whole PDUs are parsed in the poll group's receive buffer;
 * a partial header is kept until the next poll; data is copied once to its buffer, or received there directly when it
 * has not arrived yet. One connection's, on its reactor.
 * <p>
 * The header alone is checked here (type, lengths, flags, digests); its meaning is checked by the {@link PduHandler}
 * and a {@link TransferHandler}.
 */
final class PduReceiver implements AutoCloseable
{
    private final ReceiveBuffer receiveBuffer;
    private final UnsafeBuffer buffer;
    private final Kernel kernel;
    private final PduHandler handler;
    private final TransferHandler transfers;
    private final HostMemory carry = new HostMemory(ReceiveBuffer.HEADROOM_BYTES);
    private final ICPdu initializeConnection = new ICPdu();
    private final CapsuleResponse capsuleResponse = new CapsuleResponse();
    private final DataPdu dataPdu = new DataPdu();
    private final ReadyToTransfer readyToTransfer = new ReadyToTransfer();
    private final TerminationRequest terminationRequest = new TerminationRequest();

    /** Where the data of the present PDU belongs; empty outside of data. */
    private final Segments data = new Segments();
    private int carryBytes;
    private int headerDigestBytes;
    private int dataDigestBytes;
    private int dataReceivedBytes;
    private boolean digestDue;

    PduReceiver(
        final Kernel kernel,
        final ReceiveBuffer receiveBuffer,
        final PduHandler handler,
        final TransferHandler transfers)
    {
        this.kernel = kernel;
        this.receiveBuffer = receiveBuffer;
        this.buffer = receiveBuffer.buffer();
        this.handler = handler;
        this.transfers = transfers;
    }

    /**
     * Forgets the last connection.
     */
    void reset()
    {
        carryBytes = 0;
        headerDigestBytes = 0;
        dataDigestBytes = 0;
        data.clear();
        dataReceivedBytes = 0;
        digestDue = false;
    }

    /**
     * Sets the negotiated digests.
     *
     * @param header digest follows each header.
     * @param data   digest follows each payload.
     */
    void digests(final boolean header, final boolean data)
    {
        headerDigestBytes = header ? CommonHeader.DIGEST_SIZE_BYTES : 0;
        dataDigestBytes = data ? CommonHeader.DIGEST_SIZE_BYTES : 0;
    }

    /**
     * Receives once; {@link #process} must follow when the result is positive.
     *
     * @param fd          non-blocking socket.
     * @param windowBytes most to take beyond announced data.
     * @return bytes received, 0 at the end of the stream, or negated errno.
     */
    long receive(final int fd, final int windowBytes)
    {
        final int remaining = data.totalBytes() - dataReceivedBytes;
        if (remaining > 0)
        {
            return kernel.receiveMessage(fd, receiveBuffer.scatter(data, dataReceivedBytes, windowBytes));
        }
        return kernel.receive(fd, receiveBuffer.address() + carryBytes, windowBytes);
    }

    /**
     * Processes received bytes.
     *
     * @param receivedBytes positive result of {@link #receive}.
     */
    void process(final int receivedBytes)
    {
        final int remaining = data.totalBytes() - dataReceivedBytes;
        if (remaining > 0)
        {
            dataReceivedBytes += Math.min(remaining, receivedBytes);
            if (receivedBytes >= remaining)
            {
                onDataEnd();
                parse(receivedBytes - remaining);
            }
            return;
        }
        if (carryBytes > 0)
        {
            NativeMemory.copy(carry.address(), receiveBuffer.address(), carryBytes);
        }
        final int end = carryBytes + receivedBytes;
        carryBytes = 0;
        parse(end);
    }

    private void parse(final int end)
    {
        int position = 0;
        while (position < end && handler.isReceiving())
        {
            final int taken = digestDue ? takeDataDigest(position, end) : takePdu(position, end);
            if (0 == taken)
            {
                carryBytes = end - position;
                NativeMemory.copy(receiveBuffer.address() + position, carry.address(), carryBytes);
                return;
            }
            position += taken;
        }
    }

    private int takeDataDigest(final int position, final int end)
    {
        if (end - position < CommonHeader.DIGEST_SIZE_BYTES)
        {
            return 0;
        }
        digestDue = false;
        final int expected = Crc32c.digest(data);
        final int actual = NativeMemory.getInt(receiveBuffer.address() + position);
        if (expected != actual)
        {
            // No fatal error status exists for data digests: the host ends the connection of its own accord.
            handler.onProtocolError(FatalErrorStatus.RESERVED, 0, position, 0,
                "data digest is 0x" + Integer.toHexString(actual) + ", computed 0x" + Integer.toHexString(expected));
            return CommonHeader.DIGEST_SIZE_BYTES;
        }
        transfers.onDataReceived();
        return CommonHeader.DIGEST_SIZE_BYTES;
    }

    /**
     * {@return bytes taken; 0 when the header is not all there}
     */
    private int takePdu(final int position, final int end)
    {
        final int available = end - position;
        if (available < CommonHeader.SIZE_BYTES)
        {
            return 0;
        }
        capsuleResponse.wrap(buffer, position);
        final int type = capsuleResponse.type();
        if (!handler.accepts(type))
        {
            refuse(position, CommonHeader.SIZE_BYTES, FatalErrorStatus.SEQUENCE_ERROR, 0,
                "PDU of type 0x" + Integer.toHexString(type) + " must not come now");
            return available;
        }
        final int headerLength = capsuleResponse.headerLength();
        final int expectedLength = PduType.IC_RESP == type ?
            ICPdu.SIZE_BYTES : CapsuleResponse.SIZE_BYTES;
        if (headerLength != expectedLength)
        {
            refuse(position, CommonHeader.SIZE_BYTES, FatalErrorStatus.INVALID_HEADER_FIELD,
                CommonHeader.HEADER_LENGTH_OFFSET, "header length " + headerLength + " of PDU type 0x" +
                Integer.toHexString(type) + " is not " + expectedLength);
            return available;
        }
        final int digestBytes = carriesDigest(type) ? headerDigestBytes : 0;
        if (available < headerLength + digestBytes)
        {
            return 0;
        }
        if (digestBytes > 0 && !checkHeaderDigest(position, headerLength))
        {
            return available;
        }
        final int headerBytes = headerBytes(type, position, headerLength);
        if (headerBytes < 0)
        {
            return available;
        }
        if (available < headerBytes)
        {
            return 0;
        }
        return dispatch(type, position, headerBytes, available);
    }

    private int dispatch(final int type, final int position, final int headerBytes, final int available)
    {
        switch (type)
        {
            case PduType.CAPSULE_RESPONSE:
                transfers.onResponse(capsuleResponse);
                return headerBytes;

            case PduType.C2H_DATA:
                return takeData(position, headerBytes, available);

            case PduType.READY_TO_TRANSFER:
                readyToTransfer.wrap(buffer, position);
                transfers.onReadyToTransfer(readyToTransfer);
                return headerBytes;

            case PduType.IC_RESP:
                initializeConnection.wrap(buffer, position);
                handler.onICResp(initializeConnection);
                return headerBytes;

            default:
                terminationRequest.wrap(buffer, position);
                handler.onTermination(terminationRequest);
                return headerBytes;
        }
    }

    private int takeData(final int position, final int headerBytes, final int available)
    {
        dataPdu.wrap(buffer, position);
        if (!transfers.onData(dataPdu, data))
        {
            return available;
        }
        final int length = data.totalBytes();
        final int atHand = Math.min(length, available - headerBytes);
        data.copyIn(0, receiveBuffer.address() + position + headerBytes, atHand);
        dataReceivedBytes = atHand;
        if (atHand == length)
        {
            onDataEnd();
        }
        return headerBytes + atHand;
    }

    private void onDataEnd()
    {
        if (dataDigestBytes > 0)
        {
            digestDue = true;
        }
        else
        {
            transfers.onDataReceived();
        }
    }

    private static boolean carriesDigest(final int type)
    {
        return PduType.CAPSULE_RESPONSE == type || PduType.C2H_DATA == type ||
            PduType.READY_TO_TRANSFER == type;
    }

    private boolean checkHeaderDigest(final int position, final int headerLength)
    {
        final int expected = Crc32c.digest(receiveBuffer.address() + position, headerLength);
        final int actual = NativeMemory.getInt(receiveBuffer.address() + position + headerLength);
        if (expected != actual)
        {
            refuse(position, headerLength, FatalErrorStatus.HEADER_DIGEST_ERROR, actual, "header digest is 0x" +
                Integer.toHexString(actual) + ", computed 0x" + Integer.toHexString(expected));
            return false;
        }
        return true;
    }

    /**
     * {@return bytes before the data, digest and padding included; -1 when the header was refused}
     */
    private int headerBytes(final int type, final int position, final int headerLength)
    {
        final int pduLength = capsuleResponse.pduLength();
        switch (type)
        {
            case PduType.C2H_DATA:
                return dataHeaderBytes(position, pduLength);

            case PduType.C2H_TERM_REQ:
                return pduLength >= TerminationRequest.SIZE_BYTES && pduLength <= TerminationRequest.SIZE_BYTES_MAX ?
                    pduLength : refuseLength(position, headerLength, type, pduLength);

            case PduType.IC_RESP:
                return ICPdu.SIZE_BYTES == pduLength ?
                    pduLength : refuseLength(position, headerLength, type, pduLength);

            default:
                if (pduLength != headerLength + headerDigestBytes)
                {
                    return refuseLength(position, headerLength, type, pduLength);
                }
                return checkFlags(position, headerLength, CommonHeader.FLAG_HEADER_DIGEST) ? pduLength : -1;
        }
    }

    private int dataHeaderBytes(final int position, final int pduLength)
    {
        final int dataOffset = capsuleResponse.dataOffset();
        if (dataOffset < DataPdu.SIZE_BYTES + headerDigestBytes || 0 != (dataOffset & 3))
        {
            return refuse(position, DataPdu.SIZE_BYTES, FatalErrorStatus.INVALID_HEADER_FIELD,
                CommonHeader.DATA_OFFSET_OFFSET, "data offset " + dataOffset + " is below " +
                (DataPdu.SIZE_BYTES + headerDigestBytes) + " or no multiple of 4");
        }
        dataPdu.wrap(buffer, position);
        final long expected = dataOffset + Integer.toUnsignedLong(dataPdu.dataLength()) + dataDigestBytes;
        if (Integer.toUnsignedLong(pduLength) != expected)
        {
            return refuse(position, DataPdu.SIZE_BYTES, FatalErrorStatus.INVALID_HEADER_FIELD,
                CommonHeader.PDU_LENGTH_OFFSET, "PDU length " + Integer.toUnsignedString(pduLength) +
                " is not that of data offset, data and digest: " + expected);
        }
        return checkFlags(position, DataPdu.SIZE_BYTES,
            CommonHeader.FLAG_HEADER_DIGEST | CommonHeader.FLAG_DATA_DIGEST) ? dataOffset : -1;
    }

    private boolean checkFlags(final int position, final int headerLength, final int mask)
    {
        final int expected = mask & ((headerDigestBytes > 0 ? CommonHeader.FLAG_HEADER_DIGEST : 0) |
            (dataDigestBytes > 0 ? CommonHeader.FLAG_DATA_DIGEST : 0));
        if ((capsuleResponse.flags() & mask) != expected)
        {
            refuse(position, headerLength, FatalErrorStatus.INVALID_HEADER_FIELD, CommonHeader.FLAGS_OFFSET,
                "digest flags 0x" + Integer.toHexString(capsuleResponse.flags()) + " are not the negotiated ones");
            return false;
        }
        return true;
    }

    private int refuseLength(final int position, final int headerLength, final int type, final int pduLength)
    {
        return refuse(position, headerLength, FatalErrorStatus.INVALID_HEADER_FIELD,
            CommonHeader.PDU_LENGTH_OFFSET, "PDU length " + Integer.toUnsignedString(pduLength) +
            " does not fit PDU type 0x" + Integer.toHexString(type));
    }

    private int refuse(
        final int position,
        final int headerBytes,
        final FatalErrorStatus status,
        final int information,
        final String reason)
    {
        handler.onProtocolError(status, information, position, headerBytes, reason);
        return -1;
    }

    @Override
    public void close()
    {
        carry.close();
    }
}
