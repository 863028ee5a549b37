package io.millrace.nvmf.initiator;

import io.millrace.dataplane.HostTransports;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/**
 * The initiator on a reactor of its own.
 */
public final class HostFixture implements AutoCloseable
{
    public static final HostConfig HOST = HostConfig.random();

    public final Reactor reactor = new Reactor(ReactorConfig.of("test-host", -1));
    public final Arena arena = Arena.ofShared();
    public final HostPollGroup group;

    public HostFixture()
    {
        reactor.start();
        group = HostTransports.pollGroup(reactor);
    }

    public <T> T call(final Callable<T> task)
    {
        return Waits.get(reactor.call(task));
    }

    public MemorySegment memory(final long lengthBytes)
    {
        return arena.allocate(lengthBytes, 4096);
    }

    public RemoteController connect(final ConnectionConfig config)
    {
        return Waits.get(RemoteController.connect(group, HOST, config, ControllerListener.NONE));
    }

    public RemoteQueuePair queue(final RemoteController controller)
    {
        return Waits.get(controller.openQueuePair(group));
    }

    /** Submits a command, again while there is no room, and answers its status. */
    public CompletableFuture<Integer> submit(final RemoteQueuePair queue, final Fill fill)
    {
        final CompletableFuture<Integer> status = new CompletableFuture<>();
        final HostRequest request = new HostRequest(null, (done) -> status.complete(done.status()));
        queue.group().reactor().execute(() -> submit(queue, fill.apply(request)));
        return status;
    }

    private static void submit(final RemoteQueuePair queue, final HostRequest request)
    {
        if (!queue.submit(request))
        {
            queue.group().reactor().schedule(queue.group().reactor().nowNs() + 1_000_000,
                (nowNs) -> submit(queue, request));
        }
    }

    public int run(final RemoteQueuePair queue, final Fill fill)
    {
        return Waits.get(submit(queue, fill));
    }

    @Override
    public void close()
    {
        group.close();
        reactor.close();
        arena.close();
    }

    /** Fills a request. */
    @FunctionalInterface
    public interface Fill
    {
        HostRequest apply(HostRequest request);
    }
}
