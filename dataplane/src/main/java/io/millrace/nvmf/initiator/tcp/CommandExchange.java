package io.millrace.nvmf.initiator.tcp;

import io.millrace.memory.Segments;
import io.millrace.nvme.CompletionQueueEntry;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.initiator.CommandTable;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.HostRequest;
import io.millrace.nvmf.tcp.pdu.CapsuleResponse;
import io.millrace.nvmf.tcp.pdu.CommonHeader;
import io.millrace.nvmf.tcp.pdu.DataPdu;
import io.millrace.nvmf.tcp.pdu.FatalErrorStatus;
import io.millrace.nvmf.tcp.pdu.ReadyToTransfer;

/**
 * Commands and their answers on one connection: sends capsules and the data that R2Ts ask for, receives data and
 * responses, and completes each command once. A PDU for a command without an expected answer ends the connection,
 * through {@link PduHandler#onProtocolError}. One connection's, on its reactor.
 */
final class CommandExchange implements TransferHandler
{
    private final HostPollGroup group;
    private final PduSender sender;
    private final PduHandler connection;
    private final CommandTable commands;
    private final CapsuleWriter capsules;
    private final ReadyToTransferQueue grants;
    private final CompletionQueueEntry completionEntry = new CompletionQueueEntry();
    private int queueId;
    private HostRequest receiving;
    private int receivingBytes;
    private int receivingFlags;

    /**
     * Made once for all connections of a queue.
     *
     * @param group      whose clock completions carry.
     * @param sender     of the connection.
     * @param slotMax    most commands outstanding at once.
     * @param connection notified of protocol violations.
     */
    CommandExchange(
        final HostPollGroup group, final PduSender sender, final int slotMax, final PduHandler connection)
    {
        this.group = group;
        this.sender = sender;
        this.connection = connection;
        commands = new CommandTable(slotMax);
        capsules = new CapsuleWriter(sender);
        grants = new ReadyToTransferQueue(sender);
    }

    /**
     * Begins with a connection.
     *
     * @param newQueueId  0 for the admin queue.
     * @param commandsMax outstanding at once.
     */
    void open(final int newQueueId, final int commandsMax)
    {
        queueId = newQueueId;
        commands.reset(commandsMax);
    }

    /**
     * Sets the negotiated parameters.
     *
     * @param headerDigest   digest follows each header.
     * @param dataDigest     digest follows each payload.
     * @param alignmentBytes of the data within a PDU.
     * @param maxDataBytes   of one H2CData PDU (MAXH2CDATA).
     */
    void agree(final boolean headerDigest, final boolean dataDigest, final int alignmentBytes, final int maxDataBytes)
    {
        capsules.reset(headerDigest, dataDigest, alignmentBytes);
        grants.reset(headerDigest, dataDigest, alignmentBytes, maxDataBytes);
    }

    /**
     * Ends with a connection: nothing of it is sent or completed.
     *
     * @return the first of the commands that were outstanding, the others linked to it; null when there was none.
     */
    HostRequest close()
    {
        sender.reset();
        agree(false, false, 4, ReadyToTransferQueue.DATA_BYTES_MIN);
        receiving = null;
        return commands.removeAll();
    }

    CommandTable commands()
    {
        return commands;
    }

    /**
     * Sets how much data a capsule may carry.
     *
     * @param bytes of IOCCSZ without the entry.
     */
    void inCapsuleBytes(final int bytes)
    {
        capsules.inCapsuleBytes(bytes);
    }

    /**
     * {@return whether nothing waits to be sent}
     */
    boolean isSent()
    {
        return sender.isEmpty() && grants.isEmpty();
    }

    /**
     * Sends what waits.
     *
     * @param fd non-blocking socket.
     * @return 0 when all is sent, {@code -EAGAIN} when the rest must wait, or another negated errno.
     */
    int send(final int fd)
    {
        int result;
        do
        {
            grants.pump();
            result = sender.flush(fd);
        }
        while (0 == result && !grants.isEmpty());
        return result;
    }

    /**
     * Queues a command, to be sent with the next {@link #send}. The connection is ready.
     *
     * @param request filled and idle.
     * @return false when there is no room.
     */
    boolean submit(final HostRequest request)
    {
        if (commands.isFull() || !capsules.hasRoom())
        {
            return false;
        }
        commands.add(request, group.nowNs());
        request.transfer().r2tRemaining = 0;
        capsules.append(request);
        return true;
    }

    @Override
    public boolean onData(final DataPdu pdu, final Segments into)
    {
        final HostRequest request = commands.find(pdu.commandId());
        if (null == request || !request.receivesData())
        {
            refuseCommand(pdu, "C2HData", pdu.commandId(), DataPdu.COMMAND_ID_OFFSET,
                null == request ? null : "which expects none");
            return false;
        }
        if (!isSent(request))
        {
            refuse(pdu, FatalErrorStatus.SEQUENCE_ERROR, 0, "C2HData for " + name(pdu.commandId()) +
                ", which has not been sent");
            return false;
        }
        final long offset = Integer.toUnsignedLong(pdu.bufferOffset());
        final long length = Integer.toUnsignedLong(pdu.dataLength());
        if (0 == length || offset != request.transfer().transferredBytes || offset + length > request.lengthBytes())
        {
            refuse(pdu, FatalErrorStatus.DATA_OUT_OF_RANGE, 0, "C2HData for " + name(pdu.commandId()) + " of " +
                length + " bytes at offset " + offset +
                " where " + (request.lengthBytes() - request.transfer().transferredBytes) + " bytes from offset " +
                request.transfer().transferredBytes + " are expected");
            return false;
        }
        final int flags = pdu.flags();
        if (0 != (flags & CommonHeader.FLAG_SUCCESS) &&
            (0 == (flags & CommonHeader.FLAG_LAST) || offset + length < request.lengthBytes() && 0 != queueId))
        {
            refuse(pdu, FatalErrorStatus.INVALID_HEADER_FIELD, CommonHeader.FLAGS_OFFSET,
                "success of " + name(pdu.commandId()) + " after " + (offset + length) + " of " +
                request.lengthBytes() + " bytes");
            return false;
        }
        receiving = request;
        receivingBytes = (int)length;
        receivingFlags = flags;
        request.payload().slice((int)offset, receivingBytes, into);
        return true;
    }

    @Override
    public void onDataReceived()
    {
        final HostRequest request = receiving;
        receiving = null;
        request.transfer().transferredBytes += receivingBytes;
        if (0 != (receivingFlags & CommonHeader.FLAG_SUCCESS))
        {
            request.result(0, 0);
            answer(request, 0);
        }
    }

    @Override
    public void onResponse(final CapsuleResponse pdu)
    {
        completionEntry.wrap(pdu.buffer(), pdu.offset() + CapsuleResponse.ENTRY_OFFSET);
        final HostRequest request = commands.find(completionEntry.commandId());
        if (null == request)
        {
            refuseCommand(pdu, "CapsuleResp", completionEntry.commandId(), CapsuleResponse.ENTRY_OFFSET + 12, null);
            return;
        }
        final int status = NvmeStatus.ofField(completionEntry.statusField());
        if (0 == status && request.transfer().transferredBytes < request.lengthBytes() &&
            (0 != queueId || request.sendsData()))
        {
            refuse(pdu, FatalErrorStatus.SEQUENCE_ERROR, 0, "success of " + name(request.commandId()) + " after " +
                request.transfer().transferredBytes + " of " + request.lengthBytes() + " bytes");
            return;
        }
        if (0 == status && !isSent(request))
        {
            refuse(pdu, FatalErrorStatus.SEQUENCE_ERROR, 0, "success of " + name(request.commandId()) +
                ", whose last " + (request.transfer().sendEndPosition - sender.sentPosition()) +
                " bytes have not been sent");
            return;
        }
        request.result(completionEntry.result0(), completionEntry.result1());
        answer(request, status);
    }

    private void answer(final HostRequest request, final int status)
    {
        if (request.transfer().r2tRemaining > 0)
        {
            grants.drop(request);
        }
        if (isSent(request))
        {
            finish(request, status);
        }
        else
        {
            // The socket still has to read the user's buffer, so it stays owned by the queue.
            request.transfer().answerStatus = status;
            commands.answered(request);
        }
    }

    private boolean isSent(final HostRequest request)
    {
        return request.transfer().sendEndPosition <= sender.sentPosition();
    }

    /**
     * Completes commands that were answered and whose bytes have been sent meanwhile.
     */
    void completeAnswered()
    {
        HostRequest request = commands.takeAnswered();
        while (null != request)
        {
            final HostRequest next = request.takeNextAnswered();
            if (isSent(request))
            {
                finish(request, request.transfer().answerStatus);
            }
            else
            {
                commands.keepAnswered(request);
            }
            request = next;
        }
    }

    private void finish(final HostRequest request, final int status)
    {
        commands.remove(request);
        request.complete(status, group.nowNs());
    }

    @Override
    public void onReadyToTransfer(final ReadyToTransfer pdu)
    {
        final HostRequest request = commands.find(pdu.commandId());
        if (null == request || !request.sendsData())
        {
            refuseCommand(pdu, "R2T", pdu.commandId(), ReadyToTransfer.COMMAND_ID_OFFSET,
                null == request ? null : "which has no data to send");
            return;
        }
        if (request.transfer().r2tRemaining > 0)
        {
            refuse(pdu, FatalErrorStatus.LIMIT_EXCEEDED, 0, "R2T for " + name(pdu.commandId()) +
                " while one of it is outstanding");
            return;
        }
        final long offset = Integer.toUnsignedLong(pdu.bufferOffset());
        final long length = Integer.toUnsignedLong(pdu.dataLength());
        if (0 == length || offset != request.transfer().transferredBytes || offset + length > request.lengthBytes())
        {
            refuse(pdu, FatalErrorStatus.DATA_OUT_OF_RANGE, 0, "R2T for " + name(pdu.commandId()) + " of " +
                length + " bytes at offset " + offset +
                " where " + (request.lengthBytes() - request.transfer().transferredBytes) + " bytes from offset " +
                request.transfer().transferredBytes + " are left");
            return;
        }
        grants.add(request, pdu.transferTag(), (int)offset, (int)length);
    }

    private void refuseCommand(
        final CommonHeader pdu,
        final String pduName,
        final int commandId,
        final int commandIdOffset,
        final String mismatch)
    {
        final String reason = null != mismatch ? mismatch :
            commands.isAnswered(commandId) ? "which was answered before" : "which is not outstanding";
        refuse(pdu, FatalErrorStatus.INVALID_HEADER_FIELD, commandIdOffset,
            pduName + " for " + name(commandId) + ", " + reason);
    }

    private String name(final int commandId)
    {
        return "command " + commandId + " of queue " + queueId;
    }

    private void refuse(
        final CommonHeader pdu, final FatalErrorStatus status, final int information, final String reason)
    {
        connection.onProtocolError(status, information, pdu.offset(), pdu.headerLength(), reason);
    }
}
