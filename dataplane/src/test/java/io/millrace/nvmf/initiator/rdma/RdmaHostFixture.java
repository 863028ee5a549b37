package io.millrace.nvmf.initiator.rdma;

import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import io.millrace.memory.MemoryRole;
import io.millrace.nvmf.initiator.CapsuleLimits;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.ConnectionListener;
import io.millrace.nvmf.initiator.HostConfig;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.HostRequest;
import io.millrace.nvmf.initiator.Waits;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.rdma.model.ModelRdmaCore;
import io.millrace.rdma.model.RdmaModel;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import io.millrace.reactor.ReactorErrorHandler;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

/** One {@link RdmaHostQueue} to a {@link ScriptedController} on a model of RDMA, and what becomes of it. */
final class RdmaHostFixture implements AutoCloseable
{
    static final int SLOTS = 32;
    static final int MEMORY_BYTES = 32 << 20;
    static final HostConfig HOST = HostConfig.random();
    static final String NQN = "nqn.2026-11.io.millrace:scripted";

    final RdmaModel model;
    final ScriptedController controller;
    final DmaMemory memory = DmaMemory.map(MEMORY_BYTES);
    private final int slots;
    volatile CompletableFuture<Void> ready;
    volatile CompletableFuture<String> closed;
    final LinkedBlockingQueue<HostRequest> lost = new LinkedBlockingQueue<>();
    private final AtomicReference<Throwable> firstError = new AtomicReference<>();
    private final MemoryRegistry registry = new MemoryRegistry();
    private final ModelRdmaCore core;
    private final HostBuffers buffers;
    private final Reactor reactor = new Reactor(ReactorConfig.of("host", -1), new ReactorErrorHandler()
    {
        @Override
        public void onCommandError(final Reactor failed, final Runnable command, final Throwable error)
        {
            firstError.compareAndSet(null, error);
        }

        @Override
        public void onBrokenInvariant(final Reactor failed, final Object source, final Throwable error)
        {
            firstError.compareAndSet(null, error);
        }
    });
    private final HostPollGroup group;
    private final RdmaHostQueue queue;
    private volatile Runnable onLost = () -> { };

    RdmaHostFixture()
    {
        this(SLOTS);
    }

    RdmaHostFixture(final int slots)
    {
        this(new RdmaModel(), slots);
    }

    private RdmaHostFixture(final RdmaModel model, final int slots)
    {
        this(model, model.hostCore(), slots);
    }

    /** On another device of a model, which is closed with this. */
    RdmaHostFixture(final RdmaModel model, final ModelRdmaCore core, final int slots)
    {
        this.model = model;
        this.core = core;
        this.slots = slots;
        controller = new ScriptedController(model.targetCore(), model.targetDevice().address());
        buffers = new HostBuffers(registry, core);
        registry.add(memory, MemoryRole.BUFFERS);
        reactor.start();
        final RdmaHostTransport transport = new RdmaHostTransport(core, buffers);
        group = new HostPollGroup(reactor, List.of(transport));
        queue = call(() -> (RdmaHostQueue)transport.queue(group, slots, new Events()));
    }

    RdmaHostFixture open(final CapsuleLimits limits, final UnaryOperator<ConnectionConfig.Builder> settings)
    {
        return open(1, ScriptedController.CONTROLLER_ID, slots + 1, limits, settings);
    }

    RdmaHostFixture open(
        final int queueId,
        final int controllerId,
        final int entries,
        final CapsuleLimits limits,
        final UnaryOperator<ConnectionConfig.Builder> settings)
    {
        call(() ->
        {
            openHere(queueId, controllerId, entries, limits, settings);
            return null;
        });
        return this;
    }

    /** On the reactor. */
    void openHere(
        final int queueId,
        final int controllerId,
        final int entries,
        final CapsuleLimits limits,
        final UnaryOperator<ConnectionConfig.Builder> settings)
    {
        ready = new CompletableFuture<>();
        closed = new CompletableFuture<>();
        queue.open(settings.apply(ConnectionConfig.to(TransportAddress.Type.RDMA, controller.address(), NQN)).build(),
            HOST, queueId, controllerId, entries, limits);
    }

    RdmaHostFixture openReady(final CapsuleLimits limits, final UnaryOperator<ConnectionConfig.Builder> settings)
    {
        open(limits, settings);
        Waits.get(ready);
        return this;
    }

    RdmaHostQueue queue()
    {
        return queue;
    }

    void onLost(final Runnable action)
    {
        onLost = action;
    }

    MemoryRegistry registry()
    {
        return registry;
    }

    <T> T call(final Callable<T> task)
    {
        return Waits.get(reactor.call(task));
    }

    /** Whose reply is its status. */
    CompletableFuture<Integer> submit(final UnaryOperator<HostRequest> fill)
    {
        return submitRequest(fill).thenApply(HostRequest::status);
    }

    CompletableFuture<HostRequest> submitRequest(final UnaryOperator<HostRequest> fill)
    {
        return call(() -> submitOnReactor(fill));
    }

    /** On the reactor. */
    CompletableFuture<Integer> submitHere(final UnaryOperator<HostRequest> fill)
    {
        return submitOnReactor(fill).thenApply(HostRequest::status);
    }

    private CompletableFuture<HostRequest> submitOnReactor(final UnaryOperator<HostRequest> fill)
    {
        final CompletableFuture<HostRequest> done = new CompletableFuture<>();
        final HostRequest request = fill.apply(new HostRequest(null, (each) ->
        {
            if (!done.complete(each))
            {
                firstError.compareAndSet(null, new AssertionError("completed twice: " + each));
            }
        }));
        if (!queue.submit(request))
        {
            throw new AssertionError("no room for " + request);
        }
        return done;
    }

    private final class Events implements ConnectionListener
    {
        @Override
        public void onReady()
        {
            ready.complete(null);
        }

        @Override
        public void onLost(final HostRequest request)
        {
            onLost.run();
            lost.add(request);
        }

        @Override
        public void onClosed(final String reason)
        {
            closed.complete(reason);
        }
    }

    @Override
    public void close()
    {
        Waits.get(CompletableFuture.runAsync(group::close));
        call(() ->
        {
            queue.free();
            return null;
        });
        reactor.close();
        controller.close();
        buffers.close();
        memory.close();
        final List<String> violations = model.network().violations();
        final int resources = core.resources() + model.targetCore().resources();
        model.close();
        if (null != firstError.get())
        {
            throw new AssertionError("a reactor failed", firstError.get());
        }
        if (!violations.isEmpty() || 0 != resources)
        {
            throw new AssertionError("violations " + violations + ", resources " + resources);
        }
    }
}
