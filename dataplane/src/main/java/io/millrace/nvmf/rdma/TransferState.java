package io.millrace.nvmf.rdma;

/**
 * What the transport has of a request: its {@code transportState}.
 */
final class TransferState
{
    /** Nothing. */
    static final int NONE = 0;
    /** Its data waits for an RDMA READ. */
    static final int READ_QUEUED = 1;
    /** Its data is being read. */
    static final int READING = 2;
    /** Its answer waits for room in the send queue. */
    static final int RESPONSE_QUEUED = 3;
    /** The device reads its memory. */
    static final int SENDING = 4;

    private TransferState()
    {
    }
}
