package io.millrace.nvmf.tcp;

/**
 * State of a request in this transport, as kept in {@code Request.transportState()}.
 *
 * <pre>
 *   NONE --receiveData--> R2T_QUEUED --R2T sent--> AWAITING_DATA --wrong digest--> DATA_DIGEST_ERROR
 *    ^                                                  |                               |
 *    +---------------------- all data arrived ----------+-------------------------------+
 *    |
 *    +--respond--> RESPONSE_QUEUED --first gathered, data digest on--> RESPONSE_DIGESTED --sent--> (idle)
 * </pre>
 */
final class TransferState
{
    /** With the queue pair or its device. */
    static final int NONE = 0;
    /** Its R2T waits to be sent. */
    static final int R2T_QUEUED = 1;
    /** Its R2T has been sent; H2CData with its tag is accepted. */
    static final int AWAITING_DATA = 2;
    /** As before; a data digest was wrong, so the command fails when all data is here. */
    static final int DATA_DIGEST_ERROR = 3;
    /** Its answer waits to be sent, in whole or in part. */
    static final int RESPONSE_QUEUED = 4;
    /** As before; the digest of its data is kept in {@code Request.transferredBytes()}. */
    static final int RESPONSE_DIGESTED = 5;

    private TransferState()
    {
    }
}
