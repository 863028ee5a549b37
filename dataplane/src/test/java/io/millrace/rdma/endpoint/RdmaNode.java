package io.millrace.rdma.endpoint;

import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import io.millrace.memory.MemoryRole;
import io.millrace.rdma.core.RdmaCore;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * A reactor with a connection manager and registered memory, for tests. Any thread.
 */
public final class RdmaNode implements AutoCloseable
{
    /** Size of the memory. */
    public static final int BYTES = 4 << 20;

    private static final int COMPLETIONS_MAX = 2048;
    private static final int WAIT_S = 60;

    private final Reactor reactor;
    private final DmaMemory dma = DmaMemory.map(BYTES);
    private final MemoryRegistry registry = new MemoryRegistry();
    private final RdmaMemory memory;
    private final ConnectionManager manager;

    /**
     * Starts one.
     *
     * @param name of its reactor.
     * @param core rdma-core.
     */
    public RdmaNode(final String name, final RdmaCore core)
    {
        this(core, new Reactor(ReactorConfig.of(name, -1)));
    }

    /**
     * Starts one.
     *
     * @param core    rdma-core.
     * @param reactor that does not run yet.
     */
    public RdmaNode(final RdmaCore core, final Reactor reactor)
    {
        this.reactor = reactor;
        memory = new RdmaMemory(core, RegionAccess.REMOTE_ALL);
        registry.add(dma, MemoryRole.BUFFERS);
        registry.addListener(memory);
        reactor.start();
        manager = call(() -> new ConnectionManager(reactor, memory, COMPLETIONS_MAX));
    }

    /**
     * Runs a task on the reactor and waits for it.
     *
     * @param task to run.
     * @param <T>  of its result.
     * @return its result.
     */
    public <T> T call(final Callable<T> task)
    {
        try
        {
            return reactor.call(task).get(WAIT_S, TimeUnit.SECONDS);
        }
        catch (final Exception e)
        {
            if (e.getCause() instanceof final RuntimeException cause)
            {
                throw cause;
            }
            throw new AssertionError(e);
        }
    }

    /**
     * Runs a task on the reactor and waits for it.
     *
     * @param task to run.
     */
    public void run(final Runnable task)
    {
        call(() ->
        {
            task.run();
            return null;
        });
    }

    /**
     * {@return its reactor}
     */
    public Reactor reactor()
    {
        return reactor;
    }

    /**
     * {@return its connection manager, for its reactor's thread}
     */
    public ConnectionManager manager()
    {
        return manager;
    }

    /**
     * {@return the registry with its memory}
     */
    public MemoryRegistry registry()
    {
        return registry;
    }

    /**
     * {@return where its memory begins}
     */
    public long address()
    {
        return dma.address();
    }

    @Override
    public void close()
    {
        run(manager::close);
        reactor.close();
        registry.removeListener(memory);
        memory.close();
        dma.close();
    }
}
