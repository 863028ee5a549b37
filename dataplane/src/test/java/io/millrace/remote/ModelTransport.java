package io.millrace.remote;

import io.millrace.nvmf.initiator.ConnectionListener;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.HostQueueTransport;
import io.millrace.nvmf.initiator.HostTransport;
import io.millrace.nvmf.transport.TransportAddress;

/** Reaches a {@link ModelTarget}, in place of TCP. */
record ModelTransport(ModelTarget target) implements HostTransport
{
    @Override
    public TransportAddress.Type type()
    {
        return TransportAddress.Type.TCP;
    }

    @Override
    public int adminInCapsuleBytes()
    {
        return 8192;
    }

    @Override
    public int transferBytesMax()
    {
        return Integer.MAX_VALUE;
    }

    @Override
    public HostQueueTransport queue(final HostPollGroup group, final int slotMax, final ConnectionListener listener)
    {
        return new ModelQueue(target, group, slotMax, listener);
    }

    @Override
    public void close()
    {
        // Maps nothing.
    }
}
