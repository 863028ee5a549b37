package io.millrace.nvmf.tcp;

import io.millrace.nvmf.tcp.pdu.CommonHeader;
import io.millrace.nvmf.tcp.pdu.FatalErrorStatus;
import java.nio.ByteOrder;

/**
 * Handles fatal errors of a host, which end its connection: an error is counted and reported, and answered with
 * C2HTermReq behind the queued PDUs (NVMe/TCP Transport 1.0, section 3.6.2.5). Data that the host sends afterwards is
 * ignored. Its connection's reactor only; not on the I/O path.
 */
final class FatalErrors
{
    private final TcpConnection connection;
    private final PduSender sender;
    private final TcpCounters counters;

    /**
     * For the errors of a host.
     *
     * @param connection that they end.
     * @param sender     the connection's sender.
     * @param counters   that count them.
     */
    FatalErrors(final TcpConnection connection, final PduSender sender, final TcpCounters counters)
    {
        this.connection = connection;
        this.sender = sender;
        this.counters = counters;
    }

    /**
     * A field of a PDU is invalid.
     *
     * @param fieldOffset  offset of the field.
     * @param pdu          wrapped.
     * @param headerLength bytes of the PDU's header that have been looked at.
     * @return consumed bytes of the PDU.
     */
    int onInvalidField(final int fieldOffset, final CommonHeader pdu, final int headerLength)
    {
        return terminate(FatalErrorStatus.INVALID_HEADER_FIELD, fieldOffset, pdu, headerLength);
    }

    /**
     * A header digest is wrong.
     *
     * @param pdu          wrapped, its digest behind the header.
     * @param headerLength of the PDU.
     * @return consumed bytes of the PDU.
     */
    int onHeaderDigestError(final CommonHeader pdu, final int headerLength)
    {
        counters.onHeaderDigestError();
        return terminate(FatalErrorStatus.HEADER_DIGEST_ERROR,
            pdu.buffer().getInt(pdu.offset() + headerLength, ByteOrder.LITTLE_ENDIAN), pdu, headerLength);
    }

    /**
     * A fatal error of the host: sends what is queued and C2HTermReq, then ends.
     *
     * @param status       what went wrong.
     * @param information  that belongs to the status.
     * @param pdu          wrapped.
     * @param headerLength bytes of the PDU's header that have been looked at.
     * @return consumed bytes of the PDU.
     */
    int terminate(
        final FatalErrorStatus status, final int information, final CommonHeader pdu, final int headerLength)
    {
        sender.terminate(status, information, pdu.buffer(), pdu.offset(), headerLength);
        final String reason = "fatal error of the host: " + status + ", information " + information;
        connection.queuePair().onProtocolError(reason);
        connection.drain(reason);
        return CommonHeader.SIZE_BYTES;
    }
}
