package io.millrace.nvmf.initiator.tcp;

import io.millrace.nvmf.tcp.pdu.FatalErrorStatus;
import io.millrace.nvmf.tcp.pdu.ICPdu;
import io.millrace.nvmf.tcp.pdu.TerminationRequest;

/**
 * Receives from a {@link PduReceiver} well-formed PDUs of the connection itself, and protocol errors. Those of commands
 * go to a {@link TransferHandler}. Flyweights are valid only within the call.
 */
interface PduHandler
{
    /**
     * {@return whether to go on with the bytes at hand}
     */
    boolean isReceiving();

    /**
     * {@return whether a PDU of this type may come now}
     *
     * @param type of a controller's PDU.
     */
    boolean accepts(int type);

    /**
     * The connection's parameters.
     *
     * @param pdu ICResp.
     */
    void onICResp(ICPdu pdu);

    /**
     * The controller ends the connection.
     *
     * @param pdu C2HTermReq.
     */
    void onTermination(TerminationRequest pdu);

    /**
     * The bytes break the protocol. {@link #isReceiving()} is false afterwards.
     *
     * @param status       for the termination request.
     * @param information  that belongs to the status.
     * @param headerOffset of the header at fault in the receive buffer.
     * @param headerBytes  of it at hand.
     * @param reason       in words.
     */
    void onProtocolError(
        FatalErrorStatus status, int information, int headerOffset, int headerBytes, String reason);
}
