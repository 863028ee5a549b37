package io.millrace.simulation;

import io.millrace.bindings.NativeMemory;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.ControllerListener;
import io.millrace.nvmf.initiator.ControllerState;
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
 * A host: our initiator on a reactor of its own, and workers that each have one request outstanding at most.
 */
final class HostProcess implements ControllerListener
{
    private static final int STATUS_HOST = 0x370;
    private static final int STATUS_PATH_MASK = 0x7F0;
    private static final long RETRY_NS = 300_000;
    private static final long FAILED_NS = 100_000_000;
    /** Time-out of an attempt, a stall and the end of what was begun. */
    private static final long CONNECT_NS = 2_500_000_000L;
    private static final long CLOSE_NS = 5_000_000_000L;
    private static final long CONNECT_AGAIN_NS = 20_000_000;
    /** Until a host knows that a target ends its controller. */
    private static final long LOSS_NS = 500_000_000;
    private static final String SEQUENCE_ERROR = NvmeStatus.name(NvmeStatus.COMMAND_SEQUENCE_ERROR);
    private static final String NOT_TRIED = "while it is LIVE";

    private final Simulator simulator;
    private final Draw draw;
    private final History history;
    private final Workload workload;
    private final int number;
    private final HostConfig identity;
    private final ConnectionConfig config;
    /** Longest time of a request, unless something goes wrong. */
    private final long requestNs;
    /** How long after a cause, beside the time-out of commands, its connection may be lost. */
    private final long losesNs;
    private final Simulator.Node node;
    private final HostPollGroup group;
    private final List<RemoteQueuePair> queues = new ArrayList<>();
    private final List<Worker> workers = new ArrayList<>();
    /** Changes that failed without an answer, which may be executed for a while. */
    private List<Operation> unknown = new ArrayList<>();
    /** Of those, what should have been executed by now. */
    private final List<Operation> late = new ArrayList<>();
    private RemoteController controller;
    private boolean isConnecting;
    private boolean isClosing;
    /** A queue could not be opened: the target may have one of its id. */
    private boolean hasLostQueue;
    private int reconnects;

    HostProcess(
        final Simulator simulator,
        final History history,
        final Workload workload,
        final int number,
        final HostConfig identity,
        final ConnectionConfig config,
        final int workerCount,
        final long requestNs,
        final long losesNs)
    {
        this.simulator = simulator;
        draw = simulator.draw();
        this.history = history;
        this.workload = workload;
        this.number = number;
        this.identity = identity;
        this.config = config;
        this.requestNs = requestNs;
        this.losesNs = losesNs;
        node = simulator.add("host-" + number, simulator.newProcess());
        group = new HostPollGroup(node.reactor().reactor(), List.of(new TcpHostTransport()));
        for (int i = 0; i < workerCount; i++)
        {
            workers.add(new Worker(i));
        }
        connect();
    }

    Simulator.Node node()
    {
        return node;
    }

    String nqn()
    {
        return identity.hostNqn();
    }

    private void connect()
    {
        if (isClosing)
        {
            return;
        }
        isConnecting = true;
        simulator.deadlines().promise(
            "an attempt of host " + number + " to connect", simulator.nowNs(), CONNECT_NS, () -> !isConnecting);
        simulator.kernel().enter(node.process());
        RemoteController.connect(group, identity, config, this).whenComplete((connected, failure) ->
        {
            isConnecting = false;
            if (null == failure)
            {
                controller = connected;
                openQueue();
            }
            else
            {
                simulator.trace().note(simulator.nowNs(), "host " + number + " cannot connect: " + failure);
                simulator.after(CONNECT_AGAIN_NS, this::connect);
            }
        });
    }

    private void openQueue()
    {
        if (isClosing)
        {
            return;
        }
        controller.openQueuePair(group).whenComplete((queue, failure) ->
        {
            if (null != failure)
            {
                checkQueueFailure(failure);
                simulator.after(CONNECT_AGAIN_NS, () ->
                {
                    simulator.kernel().enter(node.process());
                    openQueue();
                });
                return;
            }
            queues.add(queue);
            simulator.trace().note(simulator.nowNs(), "host " + number + " has queue " + queue.queueId());
            if (1 == queues.size())
            {
                workers.forEach((worker) -> worker.next(draw.below(50_000)));
            }
            if (queues.size() < workload.queues())
            {
                openQueue();
            }
        });
    }

    /** A target refuses queues of a controller that it ends, which its host finds out about soon. */
    private void checkQueueFailure(final Throwable failure)
    {
        final boolean isOutOfSequence = failure.getMessage().contains(SEQUENCE_ERROR);
        if (isOutOfSequence && !hasLostQueue)
        {
            final int before = reconnects;
            // Not here: what a stage of a future throws nobody sees.
            simulator.after(LOSS_NS, () ->
            {
                if (before == reconnects)
                {
                    throw new AssertionError(
                        "host " + number + " has used the id of a queue that the target has: " + failure);
                }
            });
        }
        hasLostQueue |= !isOutOfSequence && !failure.getMessage().contains(NOT_TRIED);
    }

    /** Closes a queue that is idle, as what its end aborts may still be executed, and opens another. */
    void reopenQueue()
    {
        final RemoteQueuePair idle = queues.stream()
            .filter((queue) -> workers.stream().noneMatch((worker) -> worker.isUsing(queue))).findFirst().orElse(null);
        if (null != idle && queues.size() > 1 && queues.size() == workload.queues())
        {
            simulator.trace().note(simulator.nowNs(), "host " + number + " closes queue " + idle.queueId());
            queues.remove(idle);
            simulator.kernel().enter(node.process());
            idle.closeAsync().thenRun(this::openQueue);
        }
    }

    @Override
    public void onState(final RemoteController of, final ControllerState state, final String reason)
    {
        simulator.trace().note(simulator.nowNs(), "host " + number + " is " + state + ' ' + reason);
        if (workload.isRacing() && ControllerState.RECONNECTING == state)
        {
            throw new AssertionError("host " + number + " has lost its connection for no reason: " + reason);
        }
        if (ControllerState.RECONNECTING == state &&
            !simulator.deadlines().hadCause(simulator.nowNs() - config.commandTimeoutMs() * 1_000_000L - losesNs))
        {
            throw new AssertionError("host " + number + " has lost its connection without a cause: " + reason);
        }
        if (ControllerState.RECONNECTING == state)
        {
            reconnects++;
        }
        endLate();
    }

    @Override
    public void onDisassociated(final RemoteController of, final boolean isQuiesced)
    {
        final List<Operation> former = unknown;
        unknown = new ArrayList<>();
        simulator.after(isQuiesced ? 0 : of.info().commandEndMs(config.keepAliveMs()) * 1_000_000L, () ->
        {
            late.addAll(former);
            endLate();
        });
    }

    /**
     * What the docs promise: nothing of a former association is executed any more, from this moment. A target whose
     * device takes longer than it should does not let the host back before.
     */
    private void endLate()
    {
        if (null == controller || ControllerState.LIVE != controller.state())
        {
            return;
        }
        final long moment = simulator.moment();
        late.forEach((operation) ->
        {
            operation.end = moment;
            workload.settled(operation);
        });
        late.clear();
    }

    /** Workers go on. */
    void resume()
    {
        if (!queues.isEmpty())
        {
            workers.forEach((worker) -> worker.next(0));
        }
    }

    /** Ends the association and begins another. */
    void reset()
    {
        if (null != controller)
        {
            controller.reset("reset by the simulation");
        }
    }

    void close()
    {
        isClosing = true;
        simulator.run("the answer to host " + number, CLOSE_NS, () -> !isConnecting);
        if (null != controller)
        {
            simulator.kernel().enter(node.process());
            final CompletableFuture<Void> closed = controller.closeAsync();
            simulator.run("the end of host " + number, CLOSE_NS, closed::isDone);
        }
        simulator.on(node, () -> SimulatedHostGroup.leave(group));
        simulator.remove(node);
        workers.forEach((worker) -> worker.memory.close());
        if (0 != simulator.kernel().count(node.process()))
        {
            throw new AssertionError("host " + number + " has ended with descriptors open");
        }
    }

    private final class Worker
    {
        private final int index;
        private final HostMemory memory = new HostMemory(workload.bytesMax());
        private final HostRequest request = new HostRequest(this, this::onComplete);
        private Operation operation;
        private RemoteQueuePair queue;
        private boolean wasSent;
        private Deadlines.Wait wait;

        private Worker(final int index)
        {
            this.index = index;
        }

        private boolean isUsing(final RemoteQueuePair any)
        {
            return null != operation && queue == any;
        }

        private void next(final long delayNs)
        {
            simulator.after(delayNs, () -> simulator.execute(node, this::begin));
        }

        private void begin()
        {
            if (!workload.isGoingOn() || null != operation)
            {
                return;
            }
            queue = queues.get(draw.below(queues.size()));
            final Operation next = workload.next(number, simulator.moment());
            fill(next);
            operation = next;
            wasSent = queue.isLive();
            if (!queue.submit(request))
            {
                operation = null;
                next(RETRY_NS);
                return;
            }
            workload.begun(next);
            wait = simulator.deadlines().begin(next, simulator.nowNs(), requestNs);
            history.add(next);
            simulator.trace().add("submit", number, index);
            queue.flush();
        }

        private void fill(final Operation next)
        {
            switch (next.kind)
            {
                case READ -> request.read(1, next.block, next.blocks, memory.address(), bytes(next));
                case COMPARE ->
                {
                    workload.fill(memory.address(), next);
                    request.compare(1, next.block, next.blocks, memory.address(), bytes(next));
                }
                case VERIFY -> request.verify(1, next.block, next.blocks);
                case WRITE ->
                {
                    workload.fill(memory.address(), next);
                    request.write(1, next.block, next.blocks, memory.address(), bytes(next));
                }
                case ZERO -> request.writeZeroes(1, next.block, next.blocks, draw.oneIn(2));
                case DEALLOCATE ->
                {
                    NativeMemory.putLong(memory.address(), (long)next.blocks << Integer.SIZE);
                    NativeMemory.putLong(memory.address() + Long.BYTES, next.block);
                    request.deallocate(1, memory.address(), 1);
                }
                case FLUSH -> request.flush(1);
            }
            if (next.isDurable)
            {
                request.forceUnitAccess();
            }
        }

        private int bytes(final Operation of)
        {
            return of.blocks * workload.blockBytes();
        }

        private void onComplete(final HostRequest completed)
        {
            final Operation ended = operation;
            if (null == ended)
            {
                throw new AssertionError("host " + number + " got a second completion: " + completed);
            }
            operation = null;
            simulator.deadlines().end(wait);
            ended.isSuccess = completed.isSuccess();
            simulator.trace().add("complete", completed.status(), simulator.nowNs());
            ended.isMismatch = NvmeStatus.COMPARE_FAILURE == NvmeStatus.code(completed.status());
            if (workload.isSuccessExpected() && !ended.isSuccess && !ended.isMismatch)
            {
                throw new AssertionError(ended + " for no reason: " + completed);
            }
            if (!simulator.answers().isExpected(completed.status()))
            {
                throw new AssertionError(ended + " got an answer that nothing explains: " + completed);
            }
            if (wasSent && ended.changesData() &&
                STATUS_HOST == (completed.status() & STATUS_PATH_MASK))
            {
                unknown.add(ended);
            }
            else
            {
                ended.end = simulator.moment();
                workload.settled(ended);
            }
            if (completed.isSuccess() && Operation.Kind.READ == ended.kind)
            {
                ended.values = workload.values(memory.address(), ended);
            }
            workload.ended(ended);
            // Under an outage all requests would be gone at once otherwise.
            next(draw.between(0, STATUS_HOST == (completed.status() & STATUS_PATH_MASK) ?
                FAILED_NS : workload.thinkNs()));
        }
    }
}
