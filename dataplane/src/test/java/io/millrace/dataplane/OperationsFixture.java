package io.millrace.dataplane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.millrace.block.fault.FaultPlan;
import io.millrace.dataplane.OperationException.Reason;
import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.config.SubsystemSettings;
import io.millrace.nvmf.config.TargetListener;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.ControllerListener;
import io.millrace.nvmf.initiator.HostConfig;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.HostRequest;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.rdma.core.LinuxRdmaCore;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.function.Executable;

/**
 * A managed data plane that begins with nothing, of two reactors if not said otherwise, and a host in the same process.
 */
final class OperationsFixture implements AutoCloseable
{
    static final String NQN = "nqn.2026-11.io.millrace:operations";
    static final int BLOCK = 4096;
    private static final long LIMIT_S = 60;

    final ConcurrentLinkedQueue<DataPlaneEvent> events = new ConcurrentLinkedQueue<>();
    final HostConfig host = HostConfig.random();
    final DataPlane dataPlane;
    final Arena arena = Arena.ofShared();
    private final Reactor reactor = new Reactor(ReactorConfig.of("ops-host", -1));
    private final HostPollGroup group;

    OperationsFixture()
    {
        this(2);
    }

    OperationsFixture(final int reactors)
    {
        this(reactors, TimeUnit.SECONDS.toMillis(2 * LIMIT_S));
    }

    OperationsFixture(final int reactors, final long closeWaitMs)
    {
        dataPlane = DataPlane.start(DataPlaneConfig.managed(
            IntStream.range(0, reactors).mapToObj((index) -> ReactorConfig.of("ops" + index, -1)).toList(),
            reactors * DataPlaneConfig.MEMORY_BYTES_MIN), TargetListener.NONE, events::add, closeWaitMs,
            LinuxRdmaCore.INSTANCE);
        reactor.start();
        group = get(reactor.call(() -> HostTransports.pollGroup(reactor)));
    }

    static <T> T get(final CompletableFuture<T> future)
    {
        try
        {
            return future.get(LIMIT_S, TimeUnit.SECONDS);
        }
        catch (final ExecutionException e)
        {
            throw new AssertionError("failed: " + e.getCause(), e.getCause());
        }
        catch (final InterruptedException | TimeoutException e)
        {
            throw new AssertionError("not done within " + LIMIT_S + " s", e);
        }
    }

    static Throwable failure(final CompletableFuture<?> future)
    {
        try
        {
            throw new AssertionError("succeeded with " + future.get(LIMIT_S, TimeUnit.SECONDS));
        }
        catch (final ExecutionException e)
        {
            return e.getCause();
        }
        catch (final InterruptedException | TimeoutException e)
        {
            throw new AssertionError("not done within " + LIMIT_S + " s", e);
        }
    }

    static void until(final String what, final BooleanSupplier condition)
    {
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_S);
        while (!condition.getAsBoolean())
        {
            if (System.nanoTime() - deadlineNs > 0)
            {
                throw new AssertionError("not so within " + LIMIT_S + " s: " + what);
            }
            LockSupport.parkNanos(200_000);
        }
    }

    static void refused(final Reason reason, final String sentence, final Executable operation)
    {
        final OperationException e = assertThrows(OperationException.class, operation);
        assertEquals(sentence, e.getMessage());
        assertEquals(reason, e.reason());
    }

    static long descriptors()
    {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd")))
        {
            return open.count();
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    static TransportAddress anyPort()
    {
        return TransportAddress.tcp("127.0.0.1", 0);
    }

    static SubsystemSettings settings(final String nqn, final boolean allowAnyHost)
    {
        return new SubsystemSettings(nqn, null, null, allowAnyHost, List.of(), List.of());
    }

    static CompletableFuture<Void> setFaults(final Devices devices, final String name, final FaultPlan plan)
    {
        return devices.modify(name, devices.get(name).config().properties()
            .with(FaultPlan.RULES, plan.properties("").values().get(FaultPlan.RULES))
            .with(FaultPlan.SEED, plan.seed()));
    }

    void memory(final String name, final int blocks)
    {
        dataPlane.devices().create(DeviceConfig.memory(name, (long)blocks * BLOCK, BLOCK));
    }

    void subsystem(final String nqn)
    {
        dataPlane.subsystems().create(settings(nqn, true));
    }

    void namespace(final String nqn, final int nsid, final String device)
    {
        dataPlane.namespaces().add(nqn, new SubsystemSettings.NamespaceSettings(nsid, device, null));
    }

    /** A subsystem with one namespace of 256 blocks on device mem0, and a listener. */
    TransportAddress serveVolume()
    {
        memory("mem0", 256);
        subsystem(NQN);
        namespace(NQN, 1, "mem0");
        return dataPlane.listeners().add(anyPort(), false);
    }

    CompletableFuture<RemoteController> tryConnect(
        final TransportAddress address, final HostConfig as, final ControllerListener listener)
    {
        return RemoteController.connect(group, as,
            ConnectionConfig.to(address, NQN).controllerLossTimeoutMs(0).build(), listener);
    }

    RemoteController connect(final TransportAddress address)
    {
        return get(tryConnect(address, host, ControllerListener.NONE));
    }

    RemoteQueuePair queue(final RemoteController controller)
    {
        return get(controller.openQueuePair(group));
    }

    CompletableFuture<Integer> submit(final RemoteQueuePair queue, final UnaryOperator<HostRequest> fill)
    {
        final CompletableFuture<Integer> status = new CompletableFuture<>();
        final HostRequest request = fill.apply(new HostRequest(null, (done) -> status.complete(done.status())));
        reactor.execute(() ->
        {
            if (!queue.submit(request))
            {
                status.completeExceptionally(new IllegalStateException("queue is full"));
            }
        });
        return status;
    }

    /** Runs something on the host's reactor. */
    <T> T onHost(final Callable<T> task)
    {
        return get(reactor.call(task));
    }

    int run(final RemoteQueuePair queue, final UnaryOperator<HostRequest> fill)
    {
        return get(submit(queue, fill));
    }

    int write(final RemoteQueuePair queue, final int nsid, final long lba)
    {
        final MemorySegment block = arena.allocate(BLOCK, BLOCK);
        return run(queue, (r) -> r.write(nsid, lba, 1, block.address(), BLOCK));
    }

    void awaitEvent(final ResourceKind kind, final ResourceChange change, final String name)
    {
        until(kind + " " + change + " " + name + " among " + events, () -> events.stream().anyMatch((event) ->
            kind == event.kind() && change == event.change() && name.equals(event.name())));
    }

    @Override
    public void close()
    {
        group.close();
        reactor.close();
        dataPlane.close();
        arena.close();
    }
}
