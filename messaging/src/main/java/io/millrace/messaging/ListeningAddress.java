package io.millrace.messaging;

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
    private final RdmaListening rdma;
    private boolean isClosed;

    ListeningAddress(final Messaging messaging, final TcpAcceptor tcp, final EndpointAcceptor owner)
    {
        this.messaging = messaging;
        this.tcp = tcp;
        this.owner = owner;
        rdma = new RdmaListening(messaging, this);
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
        return rdma.isListening();
    }

    RdmaListening rdma()
    {
        return rdma;
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
                rdma.close();
                messaging.remove(this);
            }
        });
    }
}
