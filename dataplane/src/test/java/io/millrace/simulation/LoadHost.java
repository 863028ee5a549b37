package io.millrace.simulation;

import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.ControllerListener;
import io.millrace.nvmf.initiator.HostConfig;
import io.millrace.nvmf.initiator.HostMemory;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.HostRequest;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.nvmf.initiator.SimulatedHostGroup;
import io.millrace.nvmf.initiator.tcp.TcpHostTransport;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A host that keeps requests of one block outstanding on each of its queues.
 */
final class LoadHost
{
    private static final long LIMIT_NS = 10_000_000_000L;

    private final Simulator simulator;
    private final Simulator.Node node;
    private final HostPollGroup group;
    private final RemoteController controller;
    private final List<RemoteQueuePair> queues = new ArrayList<>();
    private final List<HostMemory> memories = new ArrayList<>();
    private long completed;
    private int outstanding;
    private boolean isEnding;

    LoadHost(final Simulator simulator, final HostConfig identity, final ConnectionConfig config, final int queueCount)
    {
        this.simulator = simulator;
        node = simulator.add("load", simulator.newProcess());
        group = new HostPollGroup(node.reactor().reactor(), List.of(new TcpHostTransport()));
        controller = await("a connection",
            RemoteController.connect(group, identity, config, ControllerListener.NONE));
        for (int i = 0; i < queueCount; i++)
        {
            queues.add(await("a queue", controller.openQueuePair(group)));
        }
    }

    private <T> T await(final String what, final CompletableFuture<T> future)
    {
        simulator.run(what, LIMIT_NS, future::isDone);
        return future.join();
    }

    /**
     * Begins.
     *
     * @param nsid       namespace of the requests.
     * @param depth      of each queue.
     * @param blockBytes of a block.
     */
    void begin(final int nsid, final int depth, final int blockBytes)
    {
        for (final RemoteQueuePair queue : queues)
        {
            for (int i = 0; i < depth; i++)
            {
                final HostMemory memory = new HostMemory(blockBytes);
                memories.add(memory);
                final HostRequest request = new HostRequest(this, (ended) ->
                {
                    outstanding--;
                    completed++;
                    if (!ended.isSuccess())
                    {
                        throw new AssertionError("a request ended with " + Integer.toHexString(ended.status()));
                    }
                    send(queue, ended, nsid, memory, blockBytes);
                });
                simulator.execute(node, () -> send(queue, request, nsid, memory, blockBytes));
            }
        }
    }

    private void send(
        final RemoteQueuePair queue,
        final HostRequest request,
        final int nsid,
        final HostMemory memory,
        final int blockBytes)
    {
        if (!isEnding)
        {
            outstanding++;
            if (!queue.submit(request.read(nsid, 0, 1, memory.address(), blockBytes)))
            {
                throw new AssertionError("a queue has no room");
            }
        }
    }

    /** {@return requests that have ended} */
    long completed()
    {
        return completed;
    }

    void close()
    {
        isEnding = true;
        simulator.run("the end of requests", LIMIT_NS, () -> 0 == outstanding);
        simulator.kernel().enter(node.process());
        await("the end of a host", controller.closeAsync());
        simulator.on(node, () -> SimulatedHostGroup.leave(group));
        simulator.remove(node);
        memories.forEach(HostMemory::close);
    }
}
