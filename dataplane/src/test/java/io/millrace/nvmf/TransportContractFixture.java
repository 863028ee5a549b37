package io.millrace.nvmf;

import io.millrace.block.BlockDevice;
import io.millrace.memory.BufferPool;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import io.millrace.memory.MemoryRole;
import io.millrace.nvmf.config.SubsystemConfig;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.config.TargetListener;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.ControllerListener;
import io.millrace.nvmf.initiator.HostConfig;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.HostRequest;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.nvmf.queue.QueuePair;
import io.millrace.nvmf.transport.Transport;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.HeldClock;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import io.millrace.reactor.ReactorErrorHandler;
import io.millrace.seed.TestSeeds;
import io.millrace.status.DataPlaneCounters;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * A target and a host on either side of a transport.
 */
final class TransportContractFixture implements AutoCloseable
{
    static final String NQN = "nqn.2026-11.io.millrace:contract";
    static final int BLOCK_BYTES = 4096;
    private static final int TRANSFER_BYTES = 1 << 20;
    private static final long TIMEOUT_S = 20;
    private static final HostConfig HOST = HostConfig.random();

    private final Arena arena = Arena.ofShared();
    private final AtomicReference<Throwable> firstError = new AtomicReference<>();
    private final List<Reactor> reactors = new ArrayList<>();
    private final List<PollGroup> groups = new ArrayList<>();
    private final List<DmaMemory> memories = new ArrayList<>();
    private final List<RemoteController> controllers = new ArrayList<>();
    private final Function<Reactor, HostPollGroup> hosts;
    private final Consumer<MemorySegment> onHostMemory;
    private final Reactor hostReactor;
    private final BlockDevice device;
    private final Target target;
    private final Transport transport;
    private HostPollGroup hostGroup;
    private TransportAddress address;

    TransportContractFixture(
        final BlockDevice device,
        final int reactorCount,
        final long poolBytes,
        final MemoryRegistry registry,
        final BiFunction<Target, List<PollGroup>, Transport> transports,
        final Function<Reactor, HostPollGroup> hosts,
        final Consumer<MemorySegment> onHostMemory)
    {
        this(device, reactorCount, poolBytes, registry, transports, hosts, onHostMemory, null);
    }

    /** As above; the target goes by a clock, unless that is null. */
    TransportContractFixture(
        final BlockDevice device,
        final int reactorCount,
        final long poolBytes,
        final MemoryRegistry registry,
        final BiFunction<Target, List<PollGroup>, Transport> transports,
        final Function<Reactor, HostPollGroup> hosts,
        final Consumer<MemorySegment> onHostMemory,
        final HeldClock clock)
    {
        this.onHostMemory = onHostMemory;
        this.device = device;
        this.hosts = hosts;
        target = new Target(TargetConfig.defaults(), TargetListener.NONE);
        final Subsystem subsystem = new Subsystem(SubsystemConfig.open(NQN));
        subsystem.addNamespace(Namespace.of(NQN, 1, device));
        target.addSubsystem(subsystem);
        for (int i = 0; i < reactorCount; i++)
        {
            final Reactor reactor = null == clock ? begin("target-" + i) :
                clock.reactor(ReactorConfig.of("target-" + i, -1));
            if (null != clock)
            {
                reactor.start();
            }
            reactors.add(reactor);
            final DmaMemory memory = DmaMemory.map(poolBytes);
            memories.add(memory);
            registry.add(memory, MemoryRole.BUFFERS);
            final BufferPool pool = BufferPool.withFloors(
                memory.allocate(poolBytes, TRANSFER_BYTES), poolBytes, TRANSFER_BYTES);
            groups.add(get(reactor.call(() ->
            {
                reactor.addPoller(pool);
                return new PollGroup(reactor, target, pool);
            })));
        }
        hostReactor = begin("host");
        transport = transports.apply(target, List.copyOf(groups));
    }

    private Reactor begin(final String name)
    {
        final Reactor reactor = new Reactor(ReactorConfig.of(name, -1), new ReactorErrorHandler()
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
        reactor.start();
        return reactor;
    }

    void listen(final TransportAddress any)
    {
        address = transport.listen(any);
    }

    TransportAddress address()
    {
        return address;
    }

    Transport transport()
    {
        return transport;
    }

    Target target()
    {
        return target;
    }

    Subsystem subsystem()
    {
        return target.subsystem(NQN);
    }

    PollGroup group(final int index)
    {
        return groups.get(index);
    }

    long count(final DataPlaneCounters.Value value)
    {
        return transport.counters().get(value);
    }

    QueuePair queuePair(final RemoteController controller, final int queueId)
    {
        return subsystem().controllers().queuePair(controller.info().controllerId(), queueId);
    }

    /** Begins to connect; a controller that comes of it is closed in the end. */
    CompletableFuture<RemoteController> begin(final TransportAddress to, final String subsystemNqn)
    {
        if (null == hostGroup)
        {
            hostGroup = hosts.apply(hostReactor);
        }
        return RemoteController.connect(hostGroup, HOST, ConnectionConfig.to(to, subsystemNqn).keepAliveMs(0)
            .controllerLossTimeoutMs(0).build(), ControllerListener.NONE).thenApply((controller) ->
            {
                synchronized (controllers)
                {
                    controllers.add(controller);
                }
                return controller;
            });
    }

    RemoteController connect()
    {
        return get(begin(address, NQN));
    }

    RemoteQueuePair openQueue(final RemoteController controller)
    {
        return get(controller.openQueuePair(hostGroup));
    }

    /** Submits a command and answers its status to come. */
    CompletableFuture<Integer> submit(final RemoteQueuePair queue, final UnaryOperator<HostRequest> fill)
    {
        final CompletableFuture<Integer> status = new CompletableFuture<>();
        final HostRequest request =
            fill.apply(new HostRequest(null, (completed) -> status.complete(completed.status())));
        if (!get(hostReactor.call(() -> queue.submit(request))))
        {
            throw new AssertionError("no room for " + request);
        }
        return status;
    }

    int run(final RemoteQueuePair queue, final UnaryOperator<HostRequest> fill)
    {
        return get(submit(queue, fill));
    }

    MemorySegment memory(final long lengthBytes)
    {
        final long wholeBytes = Math.max(BLOCK_BYTES, lengthBytes + BLOCK_BYTES - 1 & -BLOCK_BYTES);
        final MemorySegment memory = arena.allocate(wholeBytes, BLOCK_BYTES);
        onHostMemory.accept(memory);
        return memory.asSlice(0, lengthBytes);
    }

    MemorySegment random(final long lengthBytes, final long seed)
    {
        final MemorySegment memory = memory(lengthBytes);
        final Random random = TestSeeds.fixed(seed);
        for (long i = 0; i + Long.BYTES <= memory.byteSize(); i += Long.BYTES)
        {
            memory.set(ValueLayout.JAVA_LONG, i, random.nextLong());
        }
        return memory;
    }

    /** Ends the connections of the host from one moment to the next, whatever is under way. */
    void cut()
    {
        hostGroup.close();
        hostGroup = null;
    }

    void endHosts()
    {
        final List<RemoteController> all;
        synchronized (controllers)
        {
            all = List.copyOf(controllers);
        }
        all.forEach((controller) -> get(controller.closeAsync()));
        if (null != hostGroup)
        {
            cut();
        }
    }

    int requestsInUse()
    {
        return groups.stream().mapToInt((group) -> get(group.reactor().call(group::requestsInUse))).sum();
    }

    long buffersInUseBytes()
    {
        return groups.stream()
            .mapToLong((group) -> get(group.reactor().call(() -> group.buffers().usedBytes()))).sum();
    }

    void awaitNothing()
    {
        await("connections to end", () -> 0 == transport.connectionCount());
        for (final PollGroup group : groups)
        {
            await("buffers to be back", () -> 0 == get(group.reactor().call(() -> group.buffers().usedBytes())));
            await("requests to end", () -> 0 == get(group.reactor().call(group::requestsInUse)));
            await("queue pairs to end", () -> 0 == get(group.reactor().call(group::queuePairs)));
        }
    }

    void await(final String what, final BooleanSupplier condition)
    {
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_S);
        while (!condition.getAsBoolean())
        {
            checkErrors();
            if (System.nanoTime() - deadlineNs > 0)
            {
                throw new AssertionError("waited in vain for " + what);
            }
            LockSupport.parkNanos(100_000);
        }
    }

    static <T> T get(final CompletableFuture<T> future)
    {
        try
        {
            return future.get(TIMEOUT_S, TimeUnit.SECONDS);
        }
        catch (final ExecutionException e)
        {
            throw new AssertionError("failed: " + e.getCause(), e.getCause());
        }
        catch (final InterruptedException | TimeoutException e)
        {
            throw new AssertionError("not done within " + TIMEOUT_S + " s", e);
        }
    }

    private void checkErrors()
    {
        if (null != firstError.get())
        {
            throw new AssertionError("a reactor failed", firstError.get());
        }
    }

    @Override
    public void close()
    {
        transport.close();
        groups.forEach((group) -> get(get(group.reactor().call(group::close))));
        hostReactor.close();
        reactors.forEach(Reactor::close);
        memories.forEach(DmaMemory::close);
        device.close();
        arena.close();
        checkErrors();
    }
}
