package io.millrace.nvmf;

import io.millrace.memory.BufferPool;
import io.millrace.memory.DmaMemory;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A real reactor with a poll group and a buffer pool, and the connections a test makes to it.
 */
final class TestReactor implements AutoCloseable
{
    /** The fuzzer instruments classes as they are loaded, which a first task waits for. */
    private static final int ANSWER_LIMIT_S = 60;
    private static final int POOL_BYTES = 4 << 20;

    private final Reactor reactor;
    private final DmaMemory memory = DmaMemory.map(POOL_BYTES);
    private final BufferPool buffers;
    private final PollGroup pollGroup;
    private final List<TestHost> hosts = new ArrayList<>();

    TestReactor(final String name, final Target target)
    {
        this(new Reactor(ReactorConfig.of(name, -1)), target);
    }

    /** A reactor that has not been started. */
    TestReactor(final Reactor reactor, final Target target)
    {
        this.reactor = reactor;
        buffers = new BufferPool(memory.address(), POOL_BYTES, target.config().maxTransferBytes());
        reactor.start();
        pollGroup = call(() ->
        {
            reactor.addPoller(buffers);
            return new PollGroup(reactor, target, buffers);
        });
    }

    Reactor reactor()
    {
        return reactor;
    }

    PollGroup pollGroup()
    {
        return pollGroup;
    }

    BufferPool buffers()
    {
        return buffers;
    }

    <T> T call(final Callable<T> task)
    {
        try
        {
            return reactor.call(task).get(ANSWER_LIMIT_S, TimeUnit.SECONDS);
        }
        catch (final ExecutionException e)
        {
            throw new AssertionError(e.getCause());
        }
        catch (final InterruptedException | TimeoutException e)
        {
            throw new AssertionError("reactor does not answer", e);
        }
    }

    void run(final Runnable task)
    {
        call(() ->
        {
            task.run();
            return null;
        });
    }

    TestHost connect(final TransportAddress local)
    {
        final TestHost host = new TestHost(this, local);
        hosts.add(host);
        return host;
    }

    /** Ends a connection that no test looks at any more, and keeps nothing of it. */
    void end(final TestHost host)
    {
        host.close();
        host.freeMemory();
        hosts.remove(host);
    }

    @Override
    public void close()
    {
        for (final TestHost host : hosts)
        {
            host.close();
        }
        final String left = call(() ->
        {
            pollGroup.close();
            return pollGroup.requestsInUse() + " requests, " + buffers.usedBytes() + " bytes, " +
                buffers.waiting() + " waiting, " +
                pollGroup.resources().payloads().reserve().usedBytes() + " of the reserve";
        });
        reactor.close();
        memory.close();
        hosts.forEach(TestHost::freeMemory);
        if (!"0 requests, 0 bytes, 0 waiting, 0 of the reserve".equals(left))
        {
            throw new AssertionError("leaked: " + left);
        }
    }
}
