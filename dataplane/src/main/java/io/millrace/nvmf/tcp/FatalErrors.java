package io.millrace.nvmf.tcp;

import java.nio.ByteOrder;

/**
 * What a host did that ends its connection: it is counted and told, and answered with C2HTermReq behind what is queued
 * (NVMe/TCP Transport 1.0, section 3.6.2.5). Nothing the host sends is looked at afterwards. Its connection's reactor
 * only; not on the way of an I/O.
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
     * @param sender     of it.
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
     * @param fieldOffset  of it.
     * @param pdu          wrapped.
     * @param headerLength bytes of the PDU's header that have been looked at.
     * @return bytes of the PDU that are done with.
     */
    int invalid(final int fieldOffset, final CommonHeader pdu, final int headerLength)
    {
        return terminate(FatalErrorStatus.INVALID_HEADER_FIELD, fieldOffset, pdu, headerLength);
    }

    /**
     * A header digest is wrong.
     *
     * @param pdu          wrapped, its digest behind the header.
     * @param headerLength of the PDU.
     * @return bytes of the PDU that are done with.
     */
    int wrongHeaderDigest(final CommonHeader pdu, final int headerLength)
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
     * @return bytes of the PDU that are done with.
     */
    int terminate(
        final FatalErrorStatus status, final int information, final CommonHeader pdu, final int headerLength)
    {
        counters.onTermination(status);
        sender.terminate(status, information, pdu.buffer(), pdu.offset(), headerLength);
        final String reason = "fatal error of the host: " + status + ", information " + information;
        connection.queuePair().onProtocolError(reason);
        connection.drain(reason);
        return CommonHeader.SIZE_BYTES;
    }
}
