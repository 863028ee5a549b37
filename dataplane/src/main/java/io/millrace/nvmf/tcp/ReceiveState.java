package io.millrace.nvmf.tcp;

/**
 * Meaning of the next byte of a connection's stream.
 *
 * <pre>
 *            H2CData, payload not all here       rest arrived, data digest on
 *   HEADER ---------------------------> PAYLOAD ----------------------> DIGEST
 *   |  ^ ^                                 |                              |
 *   |  | +---------------------------------+------------------------------+
 *   |  |             payload complete            digest here
 *   v  |
 *   STALLED  (a capsule cannot be dispatched; checked in every poll)
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
     * A whole capsule is here, but the queue pair cannot take it, for example because there is no buffer for its data,
     * nor can it be deferred; nothing is received meanwhile.
     */
    STALLED
}
