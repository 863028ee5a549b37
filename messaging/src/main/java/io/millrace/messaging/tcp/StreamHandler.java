package io.millrace.messaging.tcp;

import io.millrace.messaging.transport.EndpointStatus;

/**
 * Owner of a stream: a link, or the acceptor until the hello tells which link. Called by {@link TcpStream#poll}.
 */
interface StreamHandler
{
    /** The connection was made; only of a stream that connects. */
    void onConnected(TcpStream stream);

    /** The first bytes of the peer, not checked yet. */
    void onHello(TcpStream stream, long helloAddress);

    /** A frame, whose payload is there. */
    void onFrame(TcpStream stream, long address, int payloadBytes);

    /**
     * A header of bulk; its payload follows.
     *
     * @return where its payload goes, 0 when there is none or the stream failed.
     */
    long onBulk(TcpStream stream, long headerAddress);

    /** The payload of the last header of bulk is there. */
    void onPayload(TcpStream stream);

    /** The stream cannot go on. */
    void onFailed(TcpStream stream, EndpointStatus status, String reason);
}
