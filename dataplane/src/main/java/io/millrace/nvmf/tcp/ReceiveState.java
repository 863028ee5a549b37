package io.millrace.nvmf.tcp;

/**
 * What the next byte of a connection's stream is.
 *
 * <pre>
 *            H2CData, payload not all here       rest arrived, data digest on
 *   HEADER ---------------------------> PAYLOAD ----------------------> DIGEST
 *   |  ^ ^                                 |                              |
 *   |  | +---------------------------------+------------------------------+
 *   |  |             payload complete            digest here
 *   v  |
 *   STALLED  (a capsule cannot go on; looked at in every poll)
 * </pre>
 */
enum ReceiveState
{
    /** A PDU begins; also while a header or a capsule is here in part. */
    HEADER,
    /** Within the payload of an H2CData PDU: goes straight to the memory of its request. */
    PAYLOAD,
    /** Behind the payload of an H2CData PDU: its data digest. */
    DIGEST,
    /**
     * A whole capsule is here, but the queue pair cannot take it, such as for want of a buffer for its data, nor can it
     * be put aside; nothing is received meanwhile.
     */
    STALLED
}
