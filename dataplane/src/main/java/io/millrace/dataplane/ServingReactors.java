package io.millrace.dataplane;

import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.dataplane.config.SettingException;
import io.millrace.dataplane.snapshot.ReactorSnapshot;
import io.millrace.memory.BufferPool;
import io.millrace.memory.DmaMemory;
import io.millrace.nvmf.PollGroup;
import io.millrace.reactor.CpuAffinity;
import io.millrace.reactor.Housekeeping;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import io.millrace.reactor.ReactorErrorHandler;
import io.millrace.reactor.ReactorException;
import io.millrace.status.StatusFile;
import io.millrace.status.StatusPart;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The reactors of a data plane, each with its poll group, its buffers and the publisher of its counters. Used by the
 * thread that starts or closes the data plane; what is read of it afterwards does not change.
 */
final class ServingReactors
{
    private final DataPlaneConfig config;
    private final Operations operations;
    private final StatusFile status;
    private final Devices devices;
    private final long closeWaitMs;
    private final List<Reactor> reactors = new ArrayList<>();
    private final List<PollGroup> groups = new ArrayList<>();
    private final List<StatusPublisher> publishers = new ArrayList<>();
    private boolean hasClosedGroups;

    /**
     * Starts nothing yet.
     *
     * @param config      of the data plane.
     * @param operations  of the data plane.
     * @param status      with a part for each reactor.
     * @param devices     whose background work ends before the reactors do.
     * @param closeWaitMs how long devices may take to close.
     */
    ServingReactors(
        final DataPlaneConfig config,
        final Operations operations,
        final StatusFile status,
        final Devices devices,
        final long closeWaitMs)
    {
        this.config = config;
        this.operations = operations;
        this.status = status;
        this.devices = devices;
        this.closeWaitMs = closeWaitMs;
    }

    /**
     * Refuses CPUs that the process may not run on.
     *
     * @param settings of the reactors.
     * @throws SettingException naming the first such CPU.
     */
    static void checkCpus(final List<ReactorConfig> settings)
    {
        final BitSet allowed = Housekeeping.allowed();
        for (int i = 0; i < settings.size(); i++)
        {
            final ReactorConfig reactor = settings.get(i);
            if (reactor.cpu() >= 0 && !allowed.get(reactor.cpu()))
            {
                throw new SettingException("reactors[" + i + "].cpu", reactor.cpu(),
                    "not among the CPUs this process may run on, " + CpuAffinity.format(allowed),
                    "use one of them, or any");
            }
        }
    }

    /**
     * Starts them all.
     *
     * @param memory  that buffers are from.
     * @param started gets what is to be closed, the last first.
     * @throws SettingException naming the reactor that cannot run.
     */
    void start(final DmaMemory memory, final Deque<AutoCloseable> started)
    {
        for (int i = 0; i < config.reactors().size(); i++)
        {
            start(i, memory, started);
        }
    }

    /**
     * {@return the reactors, in the order of their configuration}
     */
    List<Reactor> reactors()
    {
        return List.copyOf(reactors);
    }

    /**
     * {@return their poll groups}
     */
    List<PollGroup> groups()
    {
        return List.copyOf(groups);
    }

    /**
     * {@return figures of each reactor now; any thread}
     */
    List<ReactorSnapshot> snapshots()
    {
        final List<ReactorSnapshot> snapshots = new ArrayList<>(groups.size());
        for (int i = 0; i < groups.size(); i++)
        {
            snapshots.add(ReactorSnapshot.of(i, groups.get(i)));
        }
        return snapshots;
    }

    /**
     * Has the first reactor publish what is the data plane's as a whole, too.
     *
     * @param memoryNote what is to be known of its memory; empty for nothing.
     * @param transports that count connections.
     */
    void publish(final String memoryNote, final Transports transports)
    {
        on(reactors.getFirst(), () ->
        {
            publishers.getFirst().include(operations, config.memoryBytes(), memoryNote, transports);
            return null;
        });
    }

    private void start(final int index, final DmaMemory memory, final Deque<AutoCloseable> started)
    {
        final int bufferBytes = config.limits().maxTransferBytes();
        final long poolBytes = config.memoryBytes() / config.reactors().size() & -bufferBytes;
        final ReactorConfig settings = config.reactors().get(index);
        final Reactor reactor = new Reactor(settings,
            new RecordingErrorHandler(ReactorErrorHandler.standard(), status));
        try
        {
            reactor.start();
        }
        catch (final ReactorException e)
        {
            throw new SettingException("reactors[" + index + "]", settings.name(), e.getMessage(), "", e);
        }
        started.push(reactor);
        reactors.add(reactor);
        final long poolAddress = memory.allocate(poolBytes, bufferBytes);
        final PollGroup group = on(reactor, () ->
        {
            final BufferPool buffers = BufferPool.withFloors(poolAddress, poolBytes, bufferBytes);
            reactor.addPoller(buffers);
            final StatusPart part = status.part(index);
            if (null != status.path())
            {
                part.onLoss(operations::onError);
            }
            final PollGroup made = new PollGroup(reactor, operations.target(), buffers, part);
            publishers.add(new StatusPublisher(index, made, part));
            reactor.addPoller(publishers.getLast());
            return made;
        });
        groups.add(group);
        started.push(() ->
        {
            // The first call closes all groups, so that unresponsive devices are waited for together.
            closeGroups();
            on(reactor, () ->
            {
                reactor.removePoller(publishers.get(index));
                reactor.removePoller(group.buffers());
                return null;
            });
        });
    }

    private void closeGroups()
    {
        if (hasClosedGroups)
        {
            return;
        }
        hasClosedGroups = true;
        awaitGroups();
        // Requests of namespaces may wait for background work, and what it stores last is of an idle device.
        awaitBackground();
    }

    private void awaitGroups()
    {
        Reactor.checkMayBlock("the end of a data plane");
        final List<CompletableFuture<Void>> closing = new ArrayList<>();
        for (final PollGroup group : groups)
        {
            closing.add(on(group.reactor(), group::close));
        }
        try
        {
            CompletableFuture.allOf(closing.toArray(CompletableFuture[]::new)).get(closeWaitMs, TimeUnit.MILLISECONDS);
        }
        catch (final TimeoutException e)
        {
            for (final PollGroup group : groups)
            {
                final List<String> left = on(group.reactor(), group::closingDevices);
                if (!left.isEmpty())
                {
                    operations.onError("reactor " + group.reactor().config().name() + " ends while " +
                        String.join(", ", left) + " did not close within " +
                        TimeUnit.MILLISECONDS.toSeconds(closeWaitMs) +
                        " s: what is in flight there is lost");
                }
            }
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
        catch (final ExecutionException e)
        {
            throw new IllegalStateException(e.getCause());
        }
    }

    private void awaitBackground()
    {
        Reactor.checkMayBlock("the end of the devices' own work");
        try
        {
            devices.stop().get(closeWaitMs, TimeUnit.MILLISECONDS);
        }
        catch (final TimeoutException e)
        {
            operations.onError("background work of devices did not end within " +
                TimeUnit.MILLISECONDS.toSeconds(closeWaitMs) + " s: it is begun again when they are opened again");
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
        catch (final ExecutionException e)
        {
            throw new IllegalStateException(e.getCause());
        }
    }

    private static <T> T on(final Reactor reactor, final Callable<T> task)
    {
        Reactor.checkMayBlock("a task of another reactor");
        try
        {
            return reactor.call(task).join();
        }
        catch (final CompletionException e)
        {
            if (e.getCause() instanceof final RuntimeException cause)
            {
                throw cause;
            }
            throw new IllegalStateException("reactor " + reactor.config().name() + " could not be prepared", e);
        }
    }
}
