package io.millrace.nvmf.tcp;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeMemory;
import io.millrace.memory.Crc32c;
import io.millrace.nvme.CompletionQueueEntry;
import io.millrace.nvmf.request.Request;
import io.millrace.nvmf.tcp.pdu.CapsuleResponse;
import io.millrace.nvmf.tcp.pdu.CommonHeader;
import io.millrace.nvmf.tcp.pdu.DataPdu;
import io.millrace.nvmf.tcp.pdu.FatalErrorStatus;
import io.millrace.nvmf.tcp.pdu.ICPdu;
import io.millrace.nvmf.tcp.pdu.PduType;
import io.millrace.nvmf.tcp.pdu.ReadyToTransfer;
import io.millrace.nvmf.tcp.pdu.TerminationRequest;
import io.millrace.reactor.Reactor;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Sending side of one connection: a queue of requests whose R2T or response is due, in order, with an ICResp before and
 * a C2HTermReq behind it. A flush gathers as much of the queue as one {@code sendmsg} carries; headers are built then,
 * payload is sent in place. What the socket did not take is gathered again later; of a partially sent response the
 * headers are kept, so that the rest matches the part already sent. Its connection's reactor only.
 */
final class PduSender
{
    /** Native bytes of its own: kept headers, ICResp, C2HTermReq. */
    static final int BLOCK_BYTES = GatherBuffer.ENTRY_BYTES_MAX + ICPdu.SIZE_BYTES +
        TerminationRequest.SIZE_BYTES_MAX;

    /** A flush is bounded; a connection with more to send stays in its group's list. */
    private static final int ROUNDS_MAX = 4;
    private static final int OPENING_OFFSET = GatherBuffer.ENTRY_BYTES_MAX;
    private static final int CLOSING_OFFSET = OPENING_OFFSET + ICPdu.SIZE_BYTES;

    private final TcpConnection connection;
    private final Reactor reactor;
    private final GatherBuffer gather;
    private final SlabPool blocks;
    private final boolean c2hSuccess;
    private final long blockAddress;
    private final UnsafeBuffer block;
    private final DataPdu dataPdu = new DataPdu();
    private final ReadyToTransfer readyToTransfer = new ReadyToTransfer();
    private final CapsuleResponse capsuleResponse = new CapsuleResponse();
    private final CompletionQueueEntry completion = new CompletionQueueEntry();
    private final ICPdu opening = new ICPdu();
    private final TerminationRequest closing = new TerminationRequest();
    private Digests digests = Digests.NONE;
    private int dataOffset = DataPdu.SIZE_BYTES;

    private Request head;
    /** Last queued request; of no meaning while none is queued. */
    private Request tail;
    /** Sent bytes of the first queued request; its headers are kept in the block when not 0. */
    private int headSentBytes;
    private long sentBytes;
    private int keptFirstLength;
    private int keptSecondLength;
    private int openingLeftBytes;
    private int closingBytes;
    private int closingLeftBytes;

    /**
     * Creates a sender with an empty queue. Borrows a block until it is {@link #close closed}.
     *
     * @param connection that it sends for.
     * @param group      of the connection.
     */
    PduSender(final TcpConnection connection, final TcpPollGroup group)
    {
        this.connection = connection;
        reactor = group.reactor();
        gather = group.gatherBuffer();
        c2hSuccess = group.config().c2hSuccess();
        blocks = group.senderBlocks();
        blockAddress = blocks.acquire();
        block = new UnsafeBuffer(blockAddress, BLOCK_BYTES);
    }

    /**
     * Queues the ICResp and sets the format of later PDUs. The ICResp itself never carries a digest.
     *
     * @param negotiated        digests.
     * @param hostDataAlignment HPDA of the host.
     * @param maxH2CDataBytes  MAXH2CDATA.
     */
    void open(final Digests negotiated, final int hostDataAlignment, final int maxH2CDataBytes)
    {
        digests = negotiated;
        final int alignment = (hostDataAlignment + 1) * 4;
        dataOffset = (DataPdu.SIZE_BYTES + negotiated.headerBytes() + alignment - 1) / alignment * alignment;
        opening.wrap(block, OPENING_OFFSET);
        opening.build(PduType.IC_RESP, 0, negotiated.bits(), maxH2CDataBytes);
        openingLeftBytes = ICPdu.SIZE_BYTES;
    }

    /**
     * Queues the C2HTermReq, behind everything else.
     *
     * @param status       what went wrong.
     * @param information  that belongs to the status.
     * @param header       that was processed.
     * @param headerOffset offset of the header.
     * @param headerLength length of the header.
     */
    void terminate(
        final FatalErrorStatus status,
        final int information,
        final UnsafeBuffer header,
        final int headerOffset,
        final int headerLength)
    {
        closing.wrap(block, CLOSING_OFFSET);
        closingBytes = closing.build(PduType.C2H_TERM_REQ, status, information,
            header, headerOffset, headerLength);
        closingLeftBytes = closingBytes;
    }

    /**
     * Adds a request at the end of the queue.
     *
     * @param request whose {@link TransferState} says what is to be sent.
     */
    void enqueue(final Request request)
    {
        request.next(null);
        if (null == head)
        {
            head = request;
        }
        else
        {
            tail.next(request);
        }
        tail = request;
    }

    /**
     * Removes a request from the queue.
     *
     * @param request that was queued.
     * @return false when part of it has left, so that the rest must follow.
     */
    boolean withdraw(final Request request)
    {
        if (request == head)
        {
            if (0 != headSentBytes)
            {
                return false;
            }
            head = request.next();
            return true;
        }
        Request before = head;
        while (null != before && request != before.next())
        {
            before = before.next();
        }
        if (null == before)
        {
            return false;
        }
        before.next(request.next());
        tail = request == tail ? before : tail;
        return true;
    }

    boolean isEmpty()
    {
        return null == head && 0 == openingLeftBytes && 0 == closingLeftBytes;
    }

    /**
     * Sends as much as the socket takes, and reports the result to {@link TcpConnection#onFlushed}.
     *
     * @return bytes sent.
     */
    long flush()
    {
        long total = 0;
        for (int round = 0; round < ROUNDS_MAX && !isEmpty(); round++)
        {
            gatherAll();
            final long wanted = gather.bytes();
            final long sent = gather.send(connection.fd());
            if (sent > 0)
            {
                total += sent;
                sentBytes += sent;
                advance(sent, reactor.clockNs());
                connection.queuePair().onFlushed();
            }
            if (sent < wanted)
            {
                if (sent >= 0 || -Errno.EAGAIN == sent)
                {
                    connection.onFlushed(SendState.BLOCKED);
                    return total;
                }
                if (-Errno.EINTR != sent)
                {
                    connection.onSocketError("send", (int)-sent);
                    return total;
                }
            }
        }
        connection.onFlushed(isEmpty() ? SendState.IDLE : SendState.QUEUED);
        return total;
    }

    /**
     * {@return bytes that the socket has taken in all}
     */
    long sentBytes()
    {
        return sentBytes;
    }

    /**
     * Returns memory that devices lent and that writers wait for, for a connection that cannot send: it is copied to
     * buffers while there are some.
     *
     * @return answers that were copied; inverted (~) when there were not enough buffers.
     */
    int copyLoans()
    {
        int copied = 0;
        for (Request request = head; null != request; request = request.next())
        {
            if (request.sendsData() && request.isLoanWanted())
            {
                if (!request.copyLoan())
                {
                    return ~copied;
                }
                copied++;
            }
        }
        return copied;
    }

    /**
     * Clears the queue; the queue pair ends the requests itself. Returns the block; nothing is sent any more.
     */
    void close()
    {
        head = null;
        headSentBytes = 0;
        openingLeftBytes = 0;
        closingLeftBytes = 0;
        blocks.release(blockAddress);
    }

    private void gatherAll()
    {
        gather.clear();
        if (0 != openingLeftBytes)
        {
            gather.add(blockAddress + OPENING_OFFSET + ICPdu.SIZE_BYTES - openingLeftBytes,
                openingLeftBytes);
        }
        Request request = head;
        if (0 != headSentBytes)
        {
            gather.addEntry(keptFirstLength, keptSecondLength, false);
            gatherRest(request);
            request = request.next();
        }
        while (null != request && gather.hasRoom())
        {
            gatherWhole(request);
            request = request.next();
        }
        if (null == request && 0 != closingLeftBytes)
        {
            gather.add(blockAddress + CLOSING_OFFSET + closingBytes - closingLeftBytes, closingLeftBytes);
        }
    }

    private void gatherRest(final Request request)
    {
        int skip = headSentBytes;
        if (skip < keptFirstLength)
        {
            gather.add(blockAddress + skip, keptFirstLength - skip);
            skip = 0;
        }
        else
        {
            skip -= keptFirstLength;
        }
        final int payloadBytes = payloadBytes(request);
        if (skip < payloadBytes)
        {
            gather.add(request.data(), skip);
            skip = 0;
        }
        else
        {
            skip -= payloadBytes;
        }
        gather.add(blockAddress + keptFirstLength + skip, keptSecondLength - skip);
    }

    private void gatherWhole(final Request request)
    {
        final int offset = gather.stagedBytes();
        final long address = gather.stagingAddress() + offset;
        if (TransferState.R2T_QUEUED == request.transportState())
        {
            readyToTransfer.wrap(gather.staging(), offset);
            readyToTransfer.build(0 != digests.headerBytes(), request.entry().commandId(), request.tag(),
                request.partOffset(), request.dataLength());
            digests.putHeaderDigest(address, ReadyToTransfer.SIZE_BYTES);
            gatherHeader(address, ReadyToTransfer.SIZE_BYTES + digests.headerBytes());
        }
        else if (0 != payloadBytes(request))
        {
            gatherData(request, offset, address);
        }
        else
        {
            gatherHeader(address, buildCapsule(request, offset));
        }
    }

    private void gatherHeader(final long address, final int lengthBytes)
    {
        gather.addEntry(lengthBytes, 0, true);
        gather.add(address, lengthBytes);
    }

    private void gatherData(final Request request, final int offset, final long address)
    {
        final int payloadBytes = request.dataLength();
        final boolean isLast = request.isLastPart();
        final boolean success = isLast && c2hSuccess && request.completionOptional();
        final int flags = (isLast ? CommonHeader.FLAG_LAST : 0) | (success ? CommonHeader.FLAG_SUCCESS : 0) |
            digests.headerFlag() | digests.dataFlag();
        dataPdu.wrap(gather.staging(), offset);
        dataPdu.set(PduType.C2H_DATA, flags, DataPdu.SIZE_BYTES, dataOffset,
            dataOffset + payloadBytes + digests.dataBytes());
        dataPdu.setTransfer(request.entry().commandId(), 0, request.partOffset(), payloadBytes);
        digests.putHeaderDigest(address, DataPdu.SIZE_BYTES);
        for (int pad = DataPdu.SIZE_BYTES + digests.headerBytes(); pad < dataOffset; pad += Integer.BYTES)
        {
            NativeMemory.putInt(address + pad, 0);
        }
        int second = 0;
        if (0 != digests.dataBytes())
        {
            NativeMemory.putInt(address + dataOffset, dataDigest(request));
            second = digests.dataBytes();
        }
        if (isLast && !success)
        {
            second += buildCapsule(request, offset + dataOffset + second);
        }
        gather.addEntry(dataOffset, second, true);
        gather.add(address, dataOffset);
        gather.add(request.data());
        gather.add(address + dataOffset, second);
    }

    private int buildCapsule(final Request request, final int offset)
    {
        capsuleResponse.wrap(gather.staging(), offset);
        capsuleResponse.build(0 != digests.headerBytes());
        completion.wrap(gather.staging(), offset + CapsuleResponse.ENTRY_OFFSET);
        connection.queuePair().writeCompletion(request, completion);
        digests.putHeaderDigest(gather.stagingAddress() + offset, CapsuleResponse.SIZE_BYTES);
        return CapsuleResponse.SIZE_BYTES + digests.headerBytes();
    }

    private static int dataDigest(final Request request)
    {
        if (TransferState.RESPONSE_DIGESTED != request.transportState())
        {
            request.transferredBytes(Crc32c.digest(request.data()));
            request.transportState(TransferState.RESPONSE_DIGESTED);
        }
        return request.transferredBytes();
    }

    private static int payloadBytes(final Request request)
    {
        return request.sendsData() && TransferState.R2T_QUEUED != request.transportState() ? request.dataLength() : 0;
    }

    private void advance(final long sentBytes, final long sentNs)
    {
        final int opened = (int)Math.min(sentBytes, openingLeftBytes);
        openingLeftBytes -= opened;
        long left = sentBytes - opened;
        for (int index = 0; left > 0 && index < gather.entryCount(); index++)
        {
            final Request request = head;
            final int first = gather.entryFirstLength(index);
            final int second = gather.entrySecondLength(index);
            final int wanted = first + payloadBytes(request) + second - headSentBytes;
            if (left < wanted)
            {
                keepHeaders(index, first, second);
                headSentBytes += (int)left;
                return;
            }
            left -= wanted;
            headSentBytes = 0;
            head = request.next();
            connection.onSent(request, sentNs);
        }
        closingLeftBytes -= (int)left;
    }

    private void keepHeaders(final int index, final int first, final int second)
    {
        if (0 == headSentBytes)
        {
            NativeMemory.copy(gather.entryAddress(index), blockAddress, first + second);
            keptFirstLength = first;
            keptSecondLength = second;
        }
    }
}
