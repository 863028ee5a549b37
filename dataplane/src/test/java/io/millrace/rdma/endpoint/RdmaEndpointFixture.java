package io.millrace.rdma.endpoint;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.rdma.core.RdmaCore;
import io.millrace.rdma.model.RdmaProcesses;
import java.net.InetSocketAddress;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/**
 * Two nodes, one of which listens, on whatever device: on a model in each build, on soft-RoCE in the lab.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
public abstract class RdmaEndpointFixture
{
    /** Sizes of the queue pairs. */
    protected static final QueuePairConfig SIZES = new QueuePairConfig(64, 64, 4, 64, 4);

    private static final long CONNECT_NS = TimeUnit.SECONDS.toNanos(30);
    static final int RECEIVES = 32;
    static final int RECEIVE_BYTES = 64;
    static final int HALF = RdmaNode.BYTES / 2;

    /** One side; the other one. */
    protected RdmaNode host;
    /** One that listens. */
    protected RdmaNode target;
    /** Where it listens. */
    protected InetSocketAddress listening;
    /** Ends of a connection. */
    protected RecordingPeer client;
    /** Ends of a connection. */
    protected RecordingPeer server;

    final LinkedBlockingQueue<RecordingPeer> accepted = new LinkedBlockingQueue<>();
    final LinkedBlockingQueue<RdmaConnection> waiting = new LinkedBlockingQueue<>();
    volatile Consumer<RecordingPeer> onServerQueuePair;
    /** From which accepted ends take receive requests; null: they have their own. */
    volatile Function<RdmaDomain, SharedReceiveQueue> serverShared;

    /**
     * {@return what both sides run on}
     */
    protected abstract RdmaProcesses processes();

    /** {@return rdma-core of the side that listens} */
    RdmaCore targetCore()
    {
        return processes().targetCore();
    }

    /** {@return the side that listens} */
    RdmaNode startTarget()
    {
        return new RdmaNode("target", targetCore());
    }

    final InetSocketAddress targetAddress()
    {
        return processes().targetAddress();
    }

    @BeforeEach
    void start()
    {
        host = new RdmaNode("host", processes().hostCore());
        target = startTarget();
        onServerQueuePair = (peer) -> postReceives(target, peer);
        listening = target.call(() -> target.manager().listen(targetAddress(), 8, acceptor()));
    }

    /**
     * {@return who accepts, refuses or keeps requests, by their private data}
     */
    protected final Acceptor acceptor()
    {
        return (request) ->
        {
            switch (new String(request.peerData(), 0, 4, US_ASCII))
            {
                case "no  " -> request.reject("full".getBytes(US_ASCII));
                case "wait" -> waiting.add(request);
                default ->
                {
                    final RecordingPeer peer = new RecordingPeer(onServerQueuePair, serverShared);
                    request.accept(SIZES, peer, "welcome".getBytes(US_ASCII));
                    accepted.add(peer);
                }
            }
        };
    }

    @AfterEach
    void stop()
    {
        host.close();
        target.close();
        processes().close();
    }

    static void postReceives(final RdmaNode node, final RecordingPeer peer)
    {
        for (int i = 0; i < RECEIVES; i++)
        {
            assertTrue(peer.at(node.address() + i * RECEIVE_BYTES, RECEIVE_BYTES).postReceive(i));
        }
    }

    /**
     * Begins to connect.
     *
     * @param address of the peer.
     * @param data    private data.
     * @return the end that connects.
     */
    protected final RecordingPeer connect(final InetSocketAddress address, final String data)
    {
        final RecordingPeer peer = new RecordingPeer((made) -> postReceives(host, made));
        host.call(() -> host.manager().connect(address, SIZES, peer, data.getBytes(US_ASCII), CONNECT_NS));
        return peer;
    }

    /**
     * Connects both sides.
     *
     * @throws InterruptedException when the test is stopped.
     */
    protected final void open() throws InterruptedException
    {
        client = connect(listening, "hello");
        client.expect("established");
        server = accepted.poll(60, TimeUnit.SECONDS);
        server.expect("established");
    }

    /**
     * Ends the connection.
     *
     * @throws InterruptedException when the test is stopped.
     */
    protected final void close() throws InterruptedException
    {
        host.run(() -> client.connection().close("done"));
        assertEquals("done", client.closed());
        assertEquals("the peer ended the connection", server.closed());
    }

    /**
     * {@return where data of the host may be}
     */
    protected final long hostData()
    {
        return host.address() + HALF;
    }

    /**
     * {@return where data of the target may be}
     */
    protected final long targetData()
    {
        return target.address() + HALF;
    }

    /**
     * {@return the key of the target's memory}
     */
    protected final int targetKey()
    {
        return target.call(() -> (int)server.connection().keys().remoteKey(targetData(), HALF));
    }
}
