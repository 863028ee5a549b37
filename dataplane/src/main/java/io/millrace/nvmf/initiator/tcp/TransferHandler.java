package io.millrace.nvmf.initiator.tcp;

import io.millrace.memory.Segments;
import io.millrace.nvmf.tcp.pdu.CapsuleResponse;
import io.millrace.nvmf.tcp.pdu.DataPdu;
import io.millrace.nvmf.tcp.pdu.ReadyToTransfer;

/**
 * Receives from a {@link PduReceiver} well-formed PDUs of commands. Flyweights are valid only within the call.
 */
interface TransferHandler
{
    /**
     * A completion.
     *
     * @param pdu CapsuleResp.
     */
    void onResponse(CapsuleResponse pdu);

    /**
     * Data is about to come.
     *
     * @param pdu  C2HData.
     * @param into becomes the memory that its data belongs to: as long as the data.
     * @return whether it was accepted.
     */
    boolean onData(DataPdu pdu, Segments into);

    /**
     * All data of the last C2HData PDU is there, its digest matches.
     */
    void onDataReceived();

    /**
     * The controller wants data.
     *
     * @param pdu R2T.
     */
    void onReadyToTransfer(ReadyToTransfer pdu);
}
