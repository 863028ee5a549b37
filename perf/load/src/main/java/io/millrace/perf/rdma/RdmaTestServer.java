package io.millrace.perf.rdma;

import io.millrace.memory.DmaMemory;
import io.millrace.rdma.RdmaException;
import io.millrace.rdma.core.LinuxRdmaCore;
import io.millrace.rdma.core.RdmaCore;
import io.millrace.rdma.endpoint.CompletionStatus;
import io.millrace.rdma.endpoint.ConnectionHandler;
import io.millrace.rdma.endpoint.ConnectionManager;
import io.millrace.rdma.endpoint.ConnectionState;
import io.millrace.rdma.endpoint.QueuePairConfig;
import io.millrace.rdma.endpoint.RdmaConnection;
import io.millrace.rdma.endpoint.RdmaRegion;
import io.millrace.rdma.endpoint.RegionAccess;
import io.millrace.reactor.Reactor;
import io.millrace.validation.AddressText;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The other side of tests: takes messages, sends them back when asked to, and has memory to read and write. Serves up
 * to {@value #CLIENTS_MAX} clients at a time. Reactor's thread.
 */
public final class RdmaTestServer implements AutoCloseable
{
    private static final int CLIENTS_MAX = 16;
    private static final int BACKLOG = 16;
    private static final int CREDITS_MAX = 8;
    private static final long CREDIT = -1;

    private final ConnectionManager manager;
    private final Consumer<String> log;
    private final InetSocketAddress address;
    private final Set<Client> clients = new HashSet<>();

    /**
     * Listens.
     *
     * @param reactor that calls this.
     * @param local   address and port; port 0 for any.
     * @param log     takes a line for each client that comes, goes or is refused.
     * @throws RdmaException when there is no RDMA, or the address is in use or of no RDMA device.
     */
    public RdmaTestServer(final Reactor reactor, final InetSocketAddress local, final Consumer<String> log)
    {
        this(reactor, LinuxRdmaCore.INSTANCE, local, log);
    }

    /** As above, with another rdma-core. */
    RdmaTestServer(
        final Reactor reactor, final RdmaCore core, final InetSocketAddress local, final Consumer<String> log)
    {
        this.log = log;
        manager = new ConnectionManager(reactor, core, RdmaTests.COMPLETIONS_MAX);
        try
        {
            address = manager.listen(local, BACKLOG, this::onRequest);
        }
        catch (final RdmaException e)
        {
            manager.close();
            throw e;
        }
    }

    /**
     * {@return where it listens}
     */
    public InetSocketAddress address()
    {
        return address;
    }

    private void onRequest(final RdmaConnection request)
    {
        try
        {
            if (CLIENTS_MAX == clients.size())
            {
                throw new IllegalArgumentException("there are " + CLIENTS_MAX + " clients");
            }
            final Client client = new Client(request, RdmaHello.client(request.peerData()));
            clients.add(client);
            client.accept();
        }
        catch (final IllegalArgumentException | RdmaException e)
        {
            log.accept("refused " + AddressText.of(request.peerAddress()) + ": " + e.getMessage());
            if (ConnectionState.REQUESTED == request.state())
            {
                request.reject(reason(e.getMessage()));
            }
        }
    }

    private static byte[] reason(final String text)
    {
        final byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        return Arrays.copyOf(bytes, Math.min(bytes.length, ConnectionManager.REJECT_DATA_BYTES_MAX));
    }

    /** Ends all connections. */
    @Override
    public void close()
    {
        manager.close();
    }

    /** A client's connection: slots that messages come into, of which the first is also what is read and written. */
    private final class Client implements ConnectionHandler
    {
        private final RdmaConnection connection;
        private final RdmaHello.Client hello;
        private final QueuePairConfig config;
        private final DmaMemory memory;
        private final RdmaRegion region;
        private final String peer;
        private final int interval;
        private int uncredited;

        private Client(final RdmaConnection connection, final RdmaHello.Client hello)
        {
            this.connection = connection;
            this.hello = hello;
            interval = BandwidthTest.interval(hello.depth());
            peer = AddressText.of(connection.peerAddress());
            config = new QueuePairConfig(CREDITS_MAX + hello.depth(), hello.depth(), 1,
                Math.min(RdmaTest.INLINE_BYTES, hello.sizeBytes()), RdmaTests.READS);
            memory = DmaMemory.map((long)hello.sizeBytes() * hello.depth());
            try
            {
                region = connection.domain().register(
                    memory.address(), memory.lengthBytes(), RegionAccess.REMOTE_ALL);
            }
            catch (final RdmaException e)
            {
                memory.close();
                throw e;
            }
        }

        private void accept()
        {
            connection.accept(config, this, new RdmaHello.Server(memory.address(), region.remoteKey()).encode());
        }

        @Override
        public void onQueuePair(final RdmaConnection made)
        {
            for (int slot = 0; slot < hello.depth(); slot++)
            {
                receive(slot);
            }
        }

        private void receive(final long slot)
        {
            segment(slot, hello.sizeBytes());
            connection.queuePair().postReceive(slot);
        }

        private void segment(final long slot, final int bytes)
        {
            connection.queuePair().segment(
                memory.address() + slot * hello.sizeBytes(), bytes, region.localKey());
        }

        @Override
        public void onEstablished(final RdmaConnection established)
        {
            log.accept("connected " + peer);
        }

        @Override
        public void onReceived(final long slot, final CompletionStatus status, final int bytes, final int immediate)
        {
            if (CompletionStatus.SUCCESS != status)
            {
                return;
            }
            if (hello.isEcho())
            {
                echo(slot, bytes);
            }
            else
            {
                receive(slot);
                // Without room for it the next message makes up for it.
                if (++uncredited >= interval && connection.queuePair().postSend(CREDIT, false))
                {
                    uncredited -= interval;
                }
            }
        }

        /**
         * A message that the request holds itself leaves its memory free at once. Were that waited for, the next
         * message could come before, and its sender would wait for its receiver-not-ready timer.
         */
        private void echo(final long slot, final int bytes)
        {
            final boolean isInline = bytes <= connection.queuePair().inlineBytes();
            segment(slot, bytes);
            connection.queuePair().postSend(slot, !isInline);
            if (isInline)
            {
                receive(slot);
            }
        }

        /** Its memory is free for the next message. */
        @Override
        public void onSent(final long slot, final CompletionStatus status)
        {
            if (CompletionStatus.SUCCESS == status && CREDIT != slot)
            {
                receive(slot);
            }
        }

        @Override
        public void onClosed(final RdmaConnection closed, final String reason)
        {
            clients.remove(this);
            region.close();
            memory.close();
            log.accept("disconnected " + peer + ": " + reason);
        }
    }
}
