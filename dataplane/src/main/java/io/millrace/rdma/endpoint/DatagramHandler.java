package io.millrace.rdma.endpoint;

import java.net.InetSocketAddress;

/**
 * Owner of a {@link DatagramQueuePair}. Called on the reactor's thread; it may post and close.
 */
public interface DatagramHandler
{
    /**
     * The queue pair is there: post receive requests.
     *
     * @param pair that is open.
     */
    void onOpen(DatagramQueuePair pair);

    /**
     * A peer asks where datagrams for this queue pair go.
     *
     * @param peer address of the peer.
     * @param data what it said; zeros may follow.
     * @return whether it is answered; otherwise it is refused.
     */
    boolean onRequest(InetSocketAddress peer, byte[] data);

    /**
     * A datagram has left, or not: nobody confirms that it arrived.
     *
     * @param id     that it was posted with.
     * @param status how it ended.
     */
    void onSent(long id, CompletionStatus status);

    /**
     * A receive request ended. The payload lies {@value DatagramQueuePair#HEADER_BYTES} bytes behind the beginning of
     * its memory.
     *
     * @param id        that it was posted with.
     * @param status    how it ended; of another than success nothing else is valid.
     * @param bytes     of the payload.
     * @param immediate immediate data; 0 when the peer sent none.
     * @param source    number of the queue pair that sent it.
     */
    void onReceived(long id, CompletionStatus status, int bytes, int immediate, int source);

    /**
     * The queue pair is gone, or could not be made; the device uses none of its memory.
     *
     * @param pair   that must not be used.
     * @param reason why, and what to check, in a sentence.
     */
    void onClosed(DatagramQueuePair pair, String reason);
}
