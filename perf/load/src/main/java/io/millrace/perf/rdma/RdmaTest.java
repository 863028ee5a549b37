package io.millrace.perf.rdma;

import io.millrace.memory.DmaMemory;
import io.millrace.rdma.RdmaException;
import io.millrace.rdma.endpoint.CompletionStatus;
import io.millrace.rdma.endpoint.ConnectionHandler;
import io.millrace.rdma.endpoint.QueuePairConfig;
import io.millrace.rdma.endpoint.RdmaConnection;
import io.millrace.rdma.endpoint.RdmaQueuePair;
import io.millrace.rdma.endpoint.RdmaRegion;
import io.millrace.rdma.endpoint.RegionAccess;
import io.millrace.validation.AddressText;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

/**
 * The client of a test: its connection, and memory as long as what is outstanding. Reactor's thread; the result is read
 * by another.
 *
 * @param <T> of the result.
 */
abstract class RdmaTest<T> implements ConnectionHandler
{
    /** Most that a request holds itself. */
    static final int INLINE_BYTES = 256;
    /** Requests besides those that are measured. */
    private static final int QUEUE_MIN = 8;

    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final DmaMemory memory;
    private final int depth;
    private RdmaConnection connection;
    private RdmaRegion region;
    private RdmaHello.Server server;
    final RdmaTestConfig config;

    RdmaTest(final RdmaTestConfig config, final int depth)
    {
        this.config = config;
        this.depth = depth;
        memory = DmaMemory.map((long)config.sizeBytes() * depth);
    }

    CompletableFuture<T> result()
    {
        return result;
    }

    abstract RdmaHello.Client hello();

    abstract void begin();

    QueuePairConfig queuePairConfig()
    {
        return new QueuePairConfig(
            QUEUE_MIN + depth, QUEUE_MIN + depth, 1, Math.min(INLINE_BYTES, config.sizeBytes()), RdmaTests.READS);
    }

    RdmaQueuePair queuePair()
    {
        return connection.queuePair();
    }

    RdmaConnection connection()
    {
        return connection;
    }

    /** {@return where a piece of the memory begins} */
    long address(final int slot)
    {
        return memory.address() + (long)slot * config.sizeBytes();
    }

    /** The next request has this piece of the memory. */
    void segment(final int slot)
    {
        queuePair().segment(address(slot), config.sizeBytes(), region.localKey());
    }

    /** There is no connection whose end would free the memory. */
    void free()
    {
        memory.close();
    }

    /** Posts an operation of the configured kind. */
    void post(final long id, final int slot, final boolean isSignalled)
    {
        segment(slot);
        final boolean isPosted = switch (config.operation())
        {
            case SEND -> queuePair().postSend(id, isSignalled);
            case READ -> queuePair().postRead(id, isSignalled, server.address(), server.key());
            case WRITE -> queuePair().postWrite(id, isSignalled, server.address(), server.key());
        };
        if (!isPosted)
        {
            throw new IllegalStateException("more outstanding than the queue holds");
        }
    }

    void end(final T value)
    {
        result.complete(value);
        connection.close("the test has ended");
    }

    @Override
    public void onQueuePair(final RdmaConnection made)
    {
        connection = made;
        region = made.domain().register(
            memory.address(), memory.lengthBytes(), made.domain().forReads(RegionAccess.LOCAL));
    }

    @Override
    public void onEstablished(final RdmaConnection established)
    {
        try
        {
            server = RdmaHello.server(established.peerData());
        }
        catch (final IllegalArgumentException e)
        {
            result.completeExceptionally(new RdmaException(e.getMessage()));
            established.close(e.getMessage());
            return;
        }
        begin();
    }

    @Override
    public void onSent(final long id, final CompletionStatus status)
    {
        if (CompletionStatus.SUCCESS == status)
        {
            onDone(id);
        }
    }

    abstract void onDone(long id);

    @Override
    public void onClosed(final RdmaConnection closed, final String reason)
    {
        if (null != region)
        {
            region.close();
        }
        memory.close();
        result.completeExceptionally(new RdmaException(failure(closed, reason)));
    }

    /** {@return why there is no connection, with what the server said} */
    final String failure(final RdmaConnection closed, final String reason)
    {
        final byte[] said = closed.peerData();
        return "the server at " + AddressText.of(config.server()) + ": " + reason +
            (reason.contains("refused") && 0 != said.length && ' ' <= said[0] && said[0] < 127 ?
                ": " + new String(said, StandardCharsets.US_ASCII).split("\0", 2)[0] : "");
    }
}
