package io.millrace.nvmf.initiator.tcp;

import io.millrace.bindings.NativeMemory;
import io.millrace.memory.Crc32c;
import io.millrace.memory.Segments;
import io.millrace.nvmf.initiator.HostRequest;
import io.millrace.nvmf.tcp.pdu.CommonHeader;
import io.millrace.nvmf.tcp.pdu.DataPdu;
import io.millrace.nvmf.tcp.pdu.PduType;

/**
 * R2Ts whose data was not sent as H2CData PDUs yet, in order of arrival. PDUs are built only as the sender has room, so
 * a slow peer costs no memory; their payload stays in the user's memory. One connection's, on its reactor.
 */
final class ReadyToTransferQueue
{
    /** Least that a controller may take in one PDU. */
    static final int DATA_BYTES_MIN = 4096;
    /** Beyond this the socket is full anyway, and capsules that come later should not wait behind more. */
    private static final long PENDING_BYTES_MAX = 512 << 10;

    private final PduSender sender;
    private final DataPdu pdu = new DataPdu();
    private final Segments range = new Segments();

    private HostRequest head;
    private HostRequest tail;
    private int dataBytesMax;
    private int dataOffset;
    private int headerDigestBytes;
    private int dataDigestBytes;
    private int flags;

    ReadyToTransferQueue(final PduSender sender)
    {
        this.sender = sender;
    }

    /**
     * Forgets the last connection and sets the negotiated parameters of this one.
     *
     * @param headerDigest   digest follows each header.
     * @param dataDigest     digest follows each payload.
     * @param alignmentBytes of the data within a PDU.
     * @param maxDataBytes   of one PDU (MAXH2CDATA).
     */
    void reset(
        final boolean headerDigest, final boolean dataDigest, final int alignmentBytes, final int maxDataBytes)
    {
        head = null;
        tail = null;
        dataBytesMax = maxDataBytes;
        headerDigestBytes = headerDigest ? CommonHeader.DIGEST_SIZE_BYTES : 0;
        dataDigestBytes = dataDigest ? CommonHeader.DIGEST_SIZE_BYTES : 0;
        flags = (headerDigest ? CommonHeader.FLAG_HEADER_DIGEST : 0) |
            (dataDigest ? CommonHeader.FLAG_DATA_DIGEST : 0);
        final int headerBytes = DataPdu.SIZE_BYTES + headerDigestBytes;
        dataOffset = (headerBytes + alignmentBytes - 1) / alignmentBytes * alignmentBytes;
    }

    boolean isEmpty()
    {
        return null == head;
    }

    /**
     * Adds an R2T that was checked.
     *
     * @param request     whose data it is; it has no other R2T.
     * @param tag         to repeat in the PDUs.
     * @param offset      of the range in the request's payload.
     * @param lengthBytes of the range; positive.
     */
    void add(final HostRequest request, final int tag, final int offset, final int lengthBytes)
    {
        request.transfer().r2tTag = tag;
        request.transfer().r2tOffset = offset;
        request.transfer().r2tRemaining = lengthBytes;
        request.transfer().next = null;
        if (null == head)
        {
            head = request;
        }
        else
        {
            tail.transfer().next = request;
        }
        tail = request;
    }

    /**
     * Drops the rest of an R2T, because the command was answered before.
     *
     * @param request that has an R2T.
     */
    void drop(final HostRequest request)
    {
        HostRequest previous = null;
        HostRequest current = head;
        while (current != request)
        {
            previous = current;
            current = current.transfer().next;
        }
        unlink(previous, request);
        request.transfer().r2tRemaining = 0;
    }

    private void unlink(final HostRequest previous, final HostRequest request)
    {
        if (null == previous)
        {
            head = request.transfer().next;
        }
        else
        {
            previous.transfer().next = request.transfer().next;
        }
        if (tail == request)
        {
            tail = previous;
        }
        request.transfer().next = null;
    }

    /**
     * Builds PDUs while there are R2Ts and room.
     */
    void pump()
    {
        while (null != head && sender.pendingBytes() < PENDING_BYTES_MAX &&
            sender.hasRoom(dataOffset + dataDigestBytes, CapsuleWriter.VECTORS_MAX))
        {
            final HostRequest request = head;
            appendData(request);
            if (0 == request.transfer().r2tRemaining)
            {
                unlink(null, request);
            }
        }
    }

    private void appendData(final HostRequest request)
    {
        final int length = Math.min(request.transfer().r2tRemaining, dataBytesMax);
        final boolean last = length == request.transfer().r2tRemaining;
        request.payload().slice(request.transfer().r2tOffset, length, range);
        final int offset = sender.stage(dataOffset);
        pdu.wrap(sender.staging(), offset);
        pdu.set(PduType.H2C_DATA, last ? flags | CommonHeader.FLAG_LAST : flags, DataPdu.SIZE_BYTES, dataOffset,
            dataOffset + length + dataDigestBytes);
        pdu.setTransfer(request.commandId(), request.transfer().r2tTag, request.transfer().r2tOffset, length);
        final int headerEnd = DataPdu.SIZE_BYTES + headerDigestBytes;
        if (headerDigestBytes > 0)
        {
            NativeMemory.putInt(sender.address(offset + DataPdu.SIZE_BYTES),
                Crc32c.digest(sender.address(offset), DataPdu.SIZE_BYTES));
        }
        if (dataOffset > headerEnd)
        {
            NativeMemory.fill(sender.address(offset + headerEnd), dataOffset - headerEnd, (byte)0);
        }
        sender.attach(range);
        if (dataDigestBytes > 0)
        {
            final int digest = Crc32c.digest(range);
            NativeMemory.putInt(sender.address(sender.stage(dataDigestBytes)), digest);
        }
        request.transfer().r2tOffset += length;
        request.transfer().r2tRemaining -= length;
        request.transfer().transferredBytes += length;
        request.transfer().sendEndPosition = sender.appendedPosition();
    }
}
