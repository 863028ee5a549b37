package io.millrace.lab.guest;

import io.millrace.bindings.NativeMemory;
import io.millrace.rdma.endpoint.CompletionStatus;
import io.millrace.rdma.endpoint.ConnectionManager;
import io.millrace.rdma.endpoint.QueuePairConfig;
import io.millrace.rdma.endpoint.RdmaConnection;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;

/**
 * The other side of {@code rping -c} of rdma-core: in each round it reads the client's text by RDMA READ, and writes it
 * to another place of the client by RDMA WRITE; the client compares. Arguments: address and port. Ends with the
 * client.
 */
public final class RpingServer
{
    private static final int INFO_BYTES = 16;
    private static final int TEXT = 4096;
    private static final int SENT = 8192;
    private static final long READ = 1;
    private static final long WRITE = 2;
    private static final long SEND = 3;

    private boolean isSource = true;
    private int textBytes;
    private int rounds;

    private RpingServer()
    {
    }

    /** Serves one client. */
    public static void main(final String[] args) throws Exception
    {
        final Reactor reactor = new Reactor(ReactorConfig.of("rping", -1));
        final CountDownLatch ended = new CountDownLatch(1);
        final RpingServer server = new RpingServer();
        reactor.start();
        final ConnectionManager manager = reactor.call(() -> new ConnectionManager(reactor)).get();
        reactor.call(() -> manager.listen(new InetSocketAddress(args[0], Integer.parseInt(args[1])), 1, (request) ->
            request.accept(new QueuePairConfig(16, 16, 1, 0, 1), server.peer(ended), new byte[0]))).get();
        System.out.println("LISTENING");
        ended.await();
        reactor.call(() ->
        {
            manager.close();
            return null;
        }).get();
        reactor.close();
    }

    private RdmaPeer peer(final CountDownLatch ended)
    {
        return new RdmaPeer((peer) ->
        {
            peer.at(0, INFO_BYTES).postReceive(0);
            peer.at(INFO_BYTES, INFO_BYTES).postReceive(1);
        })
        {
            @Override
            public void onReceived(final long id, final CompletionStatus status, final int bytes, final int immediate)
            {
                if (CompletionStatus.SUCCESS == status)
                {
                    onInfo(this, id);
                }
            }

            @Override
            public void onSent(final long id, final CompletionStatus status)
            {
                if (CompletionStatus.SUCCESS != status)
                {
                    System.out.println("FAILED " + id + " " + status);
                }
                else if (SEND != id)
                {
                    // The client goes on when it gets a message, whatever is in it.
                    at(SENT, INFO_BYTES).postSend(SEND, false);
                }
            }

            @Override
            public void onClosed(
                final RdmaConnection closed, final String reason)
            {
                super.onClosed(closed, reason);
                System.out.println("VALUE rping-rounds " + rounds);
                System.out.println("VALUE rping-reason " + reason);
                ended.countDown();
            }
        };
    }

    /** {@code struct rping_rdma_info}: address, key and length, in network byte order. */
    private void onInfo(final RdmaPeer peer, final long id)
    {
        final long info = peer.memory.address() + id * INFO_BYTES;
        final long address = Long.reverseBytes(NativeMemory.getLong(info));
        final int key = Integer.reverseBytes(NativeMemory.getInt(info + Long.BYTES));
        final int bytes = Integer.reverseBytes(NativeMemory.getInt(info + Long.BYTES + Integer.BYTES));
        peer.at((int)id * INFO_BYTES, INFO_BYTES).postReceive(id);
        if (isSource)
        {
            textBytes = bytes;
            peer.at(TEXT, bytes).postRead(READ, true, address, key);
        }
        else
        {
            rounds++;
            peer.at(TEXT, textBytes).postWrite(WRITE, true, address, key);
        }
        isSource = !isSource;
    }
}
