package io.millrace.nvmf.initiator.tcp;

import io.millrace.nvmf.initiator.ConnectionListener;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.HostQueueTransport;
import io.millrace.nvmf.initiator.HostTransport;
import io.millrace.nvmf.transport.TransportAddress;

/**
 * NVMe/TCP for hosts: all connections of a reactor receive into one buffer, in turn.
 */
public final class TcpHostTransport implements HostTransport
{
    /** What an admin capsule may carry in any case (NVMe/TCP Transport 1.0, section 3.3.2.1.1). */
    private static final int ADMIN_IN_CAPSULE_BYTES = 8192;

    private final ReceiveBuffer receiveBuffer = new ReceiveBuffer();

    /**
     * Maps the receive buffer.
     */
    public TcpHostTransport()
    {
    }

    @Override
    public TransportAddress.Type type()
    {
        return TransportAddress.Type.TCP;
    }

    @Override
    public int adminInCapsuleBytes()
    {
        return ADMIN_IN_CAPSULE_BYTES;
    }

    @Override
    public int transferBytesMax()
    {
        return Integer.MAX_VALUE;
    }

    @Override
    public HostQueueTransport queue(final HostPollGroup group, final int slotMax, final ConnectionListener listener)
    {
        return new HostConnection(group, receiveBuffer, slotMax, listener);
    }

    @Override
    public void close()
    {
        receiveBuffer.close();
    }
}
