package io.millrace.nvmf.tcp;

import io.millrace.memory.Crc32c;
import io.millrace.memory.Segments;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.request.Request;
import io.millrace.nvmf.tcp.pdu.CommonHeader;
import io.millrace.nvmf.tcp.pdu.DataPdu;
import io.millrace.nvmf.tcp.pdu.FatalErrorStatus;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Receives the H2CData that a connection's R2Ts asked for: the requests that wait for it, and the progress of the
 * present H2CData PDU (NVMe/TCP Transport 1.0, section 3.3.2.2). Payload that came with its header is copied to the
 * memory of the request, the rest is received there directly. Its connection's reactor only.
 */
final class H2CDataReceiver
{
    private static final int TRANSFERS_INITIAL = 16;
    /** Size from which copying the payload costs more than the system call that avoids it. */
    private static final int LARGE_BYTES = 16 << 10;

    private final TcpConnection connection;
    private final FatalErrors errors;
    private final TcpCounters counters;
    private final int dataBytesMax;
    private final DataPdu pdu = new DataPdu();
    /** Requests whose data the host sends, by tag. */
    private Request[] transfers = new Request[TRANSFERS_INITIAL];
    /** Sequence numbers of their R2Ts, counted from 0, by tag. */
    private int[] sequences = new int[TRANSFERS_INITIAL];
    private int nextSequence;
    private int transferCount;
    private int largeCount;
    private Request request;
    private final DirectStore direct = new DirectStore();
    /** Data of the present PDU, which goes behind what its request has, and how much of it has come. */
    private int pduDataBytes;
    private int receivedBytes;

    H2CDataReceiver(
        final TcpConnection connection, final FatalErrors errors, final TcpCounters counters, final int dataBytesMax)
    {
        this.connection = connection;
        this.errors = errors;
        this.counters = counters;
        this.dataBytesMax = dataBytesMax;
    }

    /**
     * The host may now send data for a request: its R2T has left.
     *
     * @param expected with its tag.
     */
    void expect(final Request expected)
    {
        final int tag = expected.tag();
        if (tag >= transfers.length)
        {
            transfers = Arrays.copyOf(transfers, Math.max(tag + 1, 2 * transfers.length));
            sequences = Arrays.copyOf(sequences, transfers.length);
        }
        sequences[tag] = nextSequence++;
        if (0 == transferCount)
        {
            connection.onDataAwaited();
        }
        transferCount++;
        expected.transferredBytes(0);
        expected.transportState(TransferState.AWAITING_DATA);
        transfers[tag] = expected;
        if (expected.dataLength() >= LARGE_BYTES)
        {
            largeCount++;
        }
    }

    /**
     * {@return whether a large payload is being received or was requested}
     */
    boolean expectsLarge()
    {
        return 0 != largeCount;
    }

    /**
     * Says where data of the present PDU is to be received next, in {@link #memory}, before each attempt. What was
     * received is reported to {@link #onPayload}, or {@link #onNothing}, before anything else.
     *
     * @param buffer that receives.
     * @param fd     of the socket.
     * @return bytes to receive; fewer than {@link #leftBytes} when the rest goes elsewhere.
     */
    int prepare(final ReceiveBuffer buffer, final int fd)
    {
        final int left = leftBytes();
        return direct.isActive() ? direct.prepare(nextOffset(), left, buffer.availableBytes(fd)) : left;
    }

    /**
     * {@return memory that the next data is received into; only while {@link #leftBytes} is not 0}
     */
    Segments memory()
    {
        return direct.isPrepared() ? direct.memory() : request.data();
    }

    /**
     * {@return where in {@link #memory} the next byte goes}
     */
    int memoryOffset()
    {
        return direct.isPrepared() ? 0 : nextOffset();
    }

    private int nextOffset()
    {
        return request.transferredBytes() + receivedBytes;
    }

    /**
     * {@return data of the present PDU that has not arrived, in bytes; 0 outside of data}
     */
    int leftBytes()
    {
        return pduDataBytes - receivedBytes;
    }

    /**
     * {@return whether data that was asked for has not come}
     */
    boolean isAwaiting()
    {
        return 0 != transferCount;
    }

    /**
     * {@return a number that changes with each received byte of the oldest incomplete transfer; only while
     * {@link #isAwaiting}. Visits all transfers}
     */
    long progress()
    {
        Request oldest = null;
        for (final Request each : transfers)
        {
            if (null != each && (null == oldest || sequences[each.tag()] - sequences[oldest.tag()] < 0))
            {
                oldest = each;
            }
        }
        // Hosts send in the order of the R2Ts, or interleave them; a slow one is busy with the first.
        final int partBytes = oldest == request ? receivedBytes : 0;
        return (long)sequences[oldest.tag()] << Integer.SIZE | oldest.transferredBytes() + partBytes;
    }

    /**
     * Forgets everything.
     */
    void clear()
    {
        transferCount = 0;
        Arrays.fill(transfers, null);
        request = null;
        direct.end();
        pduDataBytes = 0;
        receivedBytes = 0;
        largeCount = 0;
    }

    /**
     * An H2CData PDU begins: checks its header, then takes what is here of its payload.
     *
     * @param digests   negotiated.
     * @param view      that holds the PDU.
     * @param offset    of the PDU.
     * @param available bytes of it that are here, at least a common header.
     * @return consumed bytes, 0 when more are needed first. {@link #leftBytes()} says what is missing.
     */
    int onPdu(final Digests digests, final UnsafeBuffer view, final int offset, final long available)
    {
        pdu.wrap(view, offset);
        if (DataPdu.SIZE_BYTES != pdu.headerLength())
        {
            return errors.onInvalidField(CommonHeader.HEADER_LENGTH_OFFSET, pdu, CommonHeader.SIZE_BYTES);
        }
        if ((digests.headerFlag() | digests.dataFlag()) !=
            (pdu.flags() & (CommonHeader.FLAG_HEADER_DIGEST | CommonHeader.FLAG_DATA_DIGEST)))
        {
            return errors.onInvalidField(CommonHeader.FLAGS_OFFSET, pdu, CommonHeader.SIZE_BYTES);
        }
        final int headerBytes = DataPdu.SIZE_BYTES + digests.headerBytes();
        if (available < headerBytes)
        {
            return 0;
        }
        final long address = view.addressOffset() + offset;
        if (0 != digests.headerBytes() && !Digests.matches(address, DataPdu.SIZE_BYTES))
        {
            return errors.onHeaderDigestError(pdu, DataPdu.SIZE_BYTES);
        }
        if (headerBytes != pdu.dataOffset())
        {
            return errors.onInvalidField(CommonHeader.DATA_OFFSET_OFFSET, pdu, DataPdu.SIZE_BYTES);
        }
        final int tag = pdu.transferTag();
        final Request addressed = tag < transfers.length ? transfers[tag] : null;
        if (null == addressed)
        {
            return errors.onInvalidField(DataPdu.TRANSFER_TAG_OFFSET, pdu, DataPdu.SIZE_BYTES);
        }
        if (addressed.entry().commandId() != pdu.commandId())
        {
            return errors.onInvalidField(DataPdu.COMMAND_ID_OFFSET, pdu, DataPdu.SIZE_BYTES);
        }
        if (!isInOrder(addressed, headerBytes + digests.dataBytes()))
        {
            return CommonHeader.SIZE_BYTES;
        }
        request = addressed;
        pduDataBytes = pdu.dataLength();
        final int here = (int)Math.min(pduDataBytes, available - headerBytes);
        addressed.data().copyIn(addressed.transferredBytes(), address + headerBytes, here);
        receivedBytes = here;
        // With a digest, data is not known to be right before all of it is here.
        if (0 == digests.dataBytes() && here < pduDataBytes && addressed.mayStoreReceived())
        {
            direct.begin(addressed);
        }
        return headerBytes + here;
    }

    /**
     * More of the data was received.
     *
     * @param received bytes of it.
     */
    void onPayload(final int received)
    {
        receivedBytes += received;
        if (direct.isPrepared())
        {
            direct.onReceived(nextOffset());
        }
    }

    /**
     * Nothing was received.
     */
    void onNothing()
    {
        if (direct.isPrepared())
        {
            direct.onReceived(nextOffset());
        }
    }

    /**
     * The data digest behind the payload is here.
     *
     * @param digest that the host sent.
     */
    void onDigest(final int digest)
    {
        if (Crc32c.digest(request.data(), request.transferredBytes(), pduDataBytes) != digest)
        {
            counters.onDataDigestError();
            request.transportState(TransferState.DATA_DIGEST_ERROR);
        }
    }

    /**
     * The PDU is complete, and with it perhaps the data of its request.
     */
    void onComplete()
    {
        final Request done = request;
        request = null;
        direct.end();
        done.transferredBytes(done.transferredBytes() + pduDataBytes);
        if (done.transferredBytes() == done.dataLength())
        {
            final boolean isSpoilt = TransferState.DATA_DIGEST_ERROR == done.transportState();
            transfers[done.tag()] = null;
            transferCount--;
            if (done.dataLength() >= LARGE_BYTES)
            {
                largeCount--;
            }
            done.transportState(TransferState.NONE);
            if (isSpoilt)
            {
                connection.queuePair().dispatcher().onDataError(done, NvmeStatus.TRANSIENT_TRANSPORT_ERROR);
            }
            else
            {
                connection.queuePair().dispatcher().onDataReceived(done);
            }
        }
    }

    private boolean isInOrder(final Request addressed, final int overheadBytes)
    {
        final int dataBytes = pdu.dataLength();
        // Within what the R2T asked for.
        final long dataStart = Integer.toUnsignedLong(pdu.bufferOffset()) - addressed.partOffset();
        if (Integer.compareUnsigned(dataBytes, dataBytesMax) > 0)
        {
            errors.terminate(FatalErrorStatus.LIMIT_EXCEEDED, 0, pdu, DataPdu.SIZE_BYTES);
        }
        else if (dataStart + dataBytes > addressed.dataLength())
        {
            errors.terminate(FatalErrorStatus.DATA_OUT_OF_RANGE, 0, pdu, DataPdu.SIZE_BYTES);
        }
        else if (dataStart != addressed.transferredBytes())
        {
            errors.terminate(FatalErrorStatus.SEQUENCE_ERROR, 0, pdu, DataPdu.SIZE_BYTES);
        }
        else if (0 == dataBytes || 0 != (dataBytes & 3))
        {
            errors.onInvalidField(DataPdu.DATA_LENGTH_OFFSET, pdu, DataPdu.SIZE_BYTES);
        }
        else if (pdu.pduLength() != overheadBytes + dataBytes)
        {
            errors.onInvalidField(CommonHeader.PDU_LENGTH_OFFSET, pdu, DataPdu.SIZE_BYTES);
        }
        else if (0 != (pdu.flags() & CommonHeader.FLAG_LAST) != (dataStart + dataBytes == addressed.dataLength()))
        {
            errors.onInvalidField(CommonHeader.FLAGS_OFFSET, pdu, DataPdu.SIZE_BYTES);
        }
        else
        {
            return true;
        }
        return false;
    }
}
