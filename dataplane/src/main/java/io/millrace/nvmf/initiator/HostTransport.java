package io.millrace.nvmf.initiator;

import io.millrace.nvmf.transport.TransportAddress;

/**
 * The host's side of one transport on one reactor: makes the queues of a {@link HostPollGroup}, and has what they
 * share. Made on any thread; used on the reactor; closed when its poll group has left the reactor.
 */
public interface HostTransport extends AutoCloseable
{
    /**
     * {@return the transport that it is}
     */
    TransportAddress.Type type();

    /**
     * {@return data that the capsule of an admin command may carry whatever the controller says, in bytes}
     */
    int adminInCapsuleBytes();

    /**
     * {@return the longest payload of a command, in bytes; a multiple of 4096 unless it is the largest integer}
     */
    int transferBytesMax();

    /**
     * Maps what a queue needs; connects nothing.
     *
     * @param group    whose turns it shares.
     * @param slotMax  most commands outstanding at once.
     * @param listener notified of what happens to it.
     * @return the queue, closed.
     */
    HostQueueTransport queue(HostPollGroup group, int slotMax, ConnectionListener listener);

    /**
     * Frees what the queues shared. They are closed.
     */
    @Override
    void close();
}
