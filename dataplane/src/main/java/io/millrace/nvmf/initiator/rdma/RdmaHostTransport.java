package io.millrace.nvmf.initiator.rdma;

import io.millrace.nvmf.initiator.ConnectionListener;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.HostQueueTransport;
import io.millrace.nvmf.initiator.HostTransport;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.rdma.core.LinuxRdmaCore;
import io.millrace.rdma.core.RdmaCore;
import io.millrace.rdma.endpoint.ConnectionManager;
import io.millrace.reactor.Reactor;

/**
 * NVMe/RDMA for hosts. rdma-core is not loaded, and nothing is looked for on this machine, before the first queue is
 * opened.
 */
public final class RdmaHostTransport implements HostTransport
{
    /** Longest payload of a command: one in several pieces has to fit the bounce buffer of its queue. */
    public static final int TRANSFER_BYTES_MAX = 4 << 20;
    private static final int COMPLETIONS_MAX = 32_768;

    /** Null for that of this machine, whose classes are loaded when it is used. */
    private final RdmaCore core;
    private final HostBuffers buffers;
    private ConnectionManager manager;

    /**
     * Without payload buffers that targets may access: every payload is copied.
     */
    public RdmaHostTransport()
    {
        this(null, null);
    }

    /**
     * With payload buffers that targets may access.
     *
     * @param buffers of the process; closed after this.
     */
    public RdmaHostTransport(final HostBuffers buffers)
    {
        this(null, buffers);
    }

    /**
     * With another rdma-core.
     *
     * @param core    rdma-core, the one of the buffers.
     * @param buffers as above; null for none.
     */
    public RdmaHostTransport(final RdmaCore core, final HostBuffers buffers)
    {
        this.core = core;
        this.buffers = buffers;
    }

    /**
     * {@return the connections of the reactor, which begin with the first call}
     *
     * @param reactor of the poll group.
     * @throws io.millrace.rdma.RdmaException when this machine has no RDMA, with what to do.
     */
    ConnectionManager connections(final Reactor reactor)
    {
        if (null == manager)
        {
            manager = null != buffers ? new ConnectionManager(reactor, buffers.memory(), COMPLETIONS_MAX) :
                new ConnectionManager(reactor, null == core ? LinuxRdmaCore.INSTANCE : core, COMPLETIONS_MAX);
        }
        return manager;
    }

    @Override
    public TransportAddress.Type type()
    {
        return TransportAddress.Type.RDMA;
    }

    /** A capsule of an admin command is its entry alone. */
    @Override
    public int adminInCapsuleBytes()
    {
        return 0;
    }

    @Override
    public int transferBytesMax()
    {
        return TRANSFER_BYTES_MAX;
    }

    @Override
    public HostQueueTransport queue(final HostPollGroup group, final int slotMax, final ConnectionListener listener)
    {
        return new RdmaHostQueue(this, group, slotMax, listener);
    }

    /** What is still open ends here: queue pairs first, then the commands that they carried. */
    @Override
    public void close()
    {
        if (null != manager)
        {
            manager.close();
            manager = null;
        }
    }
}
