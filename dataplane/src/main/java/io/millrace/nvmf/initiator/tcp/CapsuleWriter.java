package io.millrace.nvmf.initiator.tcp;

import io.millrace.bindings.NativeMemory;
import io.millrace.memory.Crc32c;
import io.millrace.memory.Segments;
import io.millrace.nvme.SglDescriptor;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.nvmf.initiator.HostRequest;
import io.millrace.nvmf.tcp.pdu.CapsuleCommand;
import io.millrace.nvmf.tcp.pdu.CommonHeader;
import java.nio.ByteOrder;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Writes commands as capsules, with in-capsule data where it fits. One connection's, on its reactor.
 */
final class CapsuleWriter
{
    private static final int SGL_RESERVED_OFFSET = 36;
    /** Header, payload and data digest. */
    static final int VECTORS_MAX = Segments.COUNT_MAX + 2;

    private final PduSender sender;
    private final CapsuleCommand capsule = new CapsuleCommand();
    private final SubmissionQueueEntry entry = new SubmissionQueueEntry();
    private int headerDigestBytes;
    private int dataDigestBytes;
    private int flags;
    private int dataOffset;
    private int inCapsuleBytes;

    CapsuleWriter(final PduSender sender)
    {
        this.sender = sender;
    }

    /**
     * Sets the negotiated parameters of a connection.
     *
     * @param headerDigest   digest follows each header.
     * @param dataDigest     digest follows each payload.
     * @param alignmentBytes of the data within a PDU.
     */
    void reset(final boolean headerDigest, final boolean dataDigest, final int alignmentBytes)
    {
        headerDigestBytes = headerDigest ? CommonHeader.DIGEST_SIZE_BYTES : 0;
        dataDigestBytes = dataDigest ? CommonHeader.DIGEST_SIZE_BYTES : 0;
        flags = (headerDigest ? CommonHeader.FLAG_HEADER_DIGEST : 0) |
            (dataDigest ? CommonHeader.FLAG_DATA_DIGEST : 0);
        dataOffset = (CapsuleCommand.SIZE_BYTES + headerDigestBytes + alignmentBytes - 1) /
            alignmentBytes * alignmentBytes;
    }

    /**
     * Sets how much data a capsule may carry.
     *
     * @param bytes of IOCCSZ without the entry.
     */
    void inCapsuleBytes(final int bytes)
    {
        inCapsuleBytes = bytes;
    }

    boolean hasRoom()
    {
        return sender.hasRoom(dataOffset + CommonHeader.DIGEST_SIZE_BYTES, VECTORS_MAX);
    }

    /**
     * Appends a command to what is to be sent. {@link #hasRoom} was asked.
     *
     * @param request with its identifier.
     */
    void append(final HostRequest request)
    {
        final boolean inCapsule = request.sendsData() && request.lengthBytes() <= inCapsuleBytes;
        final int digestEnd = CapsuleCommand.SIZE_BYTES + headerDigestBytes;
        final int headerBytes = inCapsule ? dataOffset : digestEnd;
        final int offset = sender.stage(headerBytes);
        final UnsafeBuffer staging = sender.staging();
        capsule.wrap(staging, offset);
        if (inCapsule)
        {
            capsule.build(flags, dataOffset, dataOffset + request.lengthBytes() + dataDigestBytes);
        }
        else
        {
            capsule.build(flags & CommonHeader.FLAG_HEADER_DIGEST, 0, headerBytes);
        }
        writeEntry(staging, offset + CapsuleCommand.ENTRY_OFFSET, request,
            inCapsule ? SglDescriptor.DATA_BLOCK_OFFSET : SglDescriptor.TRANSPORT_DATA_BLOCK);
        if (headerDigestBytes > 0)
        {
            NativeMemory.putInt(sender.address(offset + CapsuleCommand.SIZE_BYTES),
                Crc32c.digest(sender.address(offset), CapsuleCommand.SIZE_BYTES));
        }
        if (headerBytes > digestEnd)
        {
            NativeMemory.fill(sender.address(offset + digestEnd), headerBytes - digestEnd, (byte)0);
        }
        if (inCapsule)
        {
            sender.attach(request.payload());
            if (dataDigestBytes > 0)
            {
                final int digest = Crc32c.digest(request.payload());
                NativeMemory.putInt(sender.address(sender.stage(dataDigestBytes)), digest);
            }
        }
        request.transfer().transferredBytes = inCapsule ? request.lengthBytes() : 0;
        request.transfer().sendEndPosition = sender.appendedPosition();
    }

    private void writeEntry(
        final UnsafeBuffer staging, final int offset, final HostRequest request, final int sglType)
    {
        entry.wrap(staging, offset);
        request.writeEntry(entry);
        entry.sglAddress(0).sglLength(request.lengthBytes());
        // The type is the last of four bytes whose first three are reserved.
        staging.putInt(offset + SGL_RESERVED_OFFSET, sglType << 24, ByteOrder.LITTLE_ENDIAN);
    }
}
