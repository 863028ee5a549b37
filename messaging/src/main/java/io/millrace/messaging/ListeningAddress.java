package io.millrace.messaging;

import io.millrace.messaging.rdma.RdmaAcceptor;
import io.millrace.messaging.tcp.TcpAcceptor;
import java.net.InetSocketAddress;

/**
 * An address at which peers connect, by TCP and, where it is available, RDMA. The reactor's; the address is any
 * thread's.
 */
public final class ListeningAddress implements AutoCloseable
{
    private final Messaging messaging;
    private final TcpAcceptor tcp;
    private final EndpointAcceptor owner;
    private RdmaAcceptor rdma;
    private boolean isClosed;

    ListeningAddress(final Messaging messaging, final TcpAcceptor tcp, final EndpointAcceptor owner)
    {
        this.messaging = messaging;
        this.tcp = tcp;
        this.owner = owner;
    }

    /**
     * {@return the address with its port}
     */
    public InetSocketAddress address()
    {
        return tcp.address();
    }

    /**
     * {@return whether peers connect by RDMA too; the reactor's}
     */
    public boolean takesRdma()
    {
        return null != rdma;
    }

    boolean isClosed()
    {
        return isClosed;
    }

    void rdma(final RdmaAcceptor acceptor)
    {
        rdma = acceptor;
    }

    EndpointAcceptor owner()
    {
        return owner;
    }

    TcpAcceptor tcp()
    {
        return tcp;
    }

    /** Ends listening; endpoints go on. Any thread but another reactor's. A second call does nothing. */
    @Override
    public void close()
    {
        messaging.run(() ->
        {
            if (!isClosed)
            {
                isClosed = true;
                tcp.close();
                if (null != rdma)
                {
                    rdma.close();
                }
                messaging.remove(this);
            }
        });
    }
}
