package io.millrace.nvmf.initiator;

import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.ConnectData;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The admin queue of a controller: commands with futures. For set-up and management: allocates. Lives on the
 * controller's reactor; futures are completed there.
 */
final class AdminQueue implements ConnectionListener
{
    /** Entries of the queue, as hosts usually ask for. */
    static final int ENTRIES = 32;

    private final HostMemory buffers = new HostMemory((ENTRIES - 1) * AdminCommand.DATA_BYTES_MAX);
    private final HostQueueTransport connection;
    private final CapsuleLimits capsules;
    private final int transferBytesMax;
    private final ConnectionConfig config;
    private final HostConfig host;
    private final Consumer<String> closedListener;
    private final ArrayDeque<Call> idleCalls = new ArrayDeque<>();
    private final ArrayDeque<Call> lostCalls = new ArrayDeque<>();
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private CompletableFuture<Void> opening;
    private CompletableFuture<Void> closing;

    /**
     * Maps what the queue needs.
     *
     * @param group          to live in.
     * @param config         where to.
     * @param host           as whom.
     * @param closedListener called with the reason when the queue is closed unexpectedly.
     */
    AdminQueue(
        final HostPollGroup group,
        final ConnectionConfig config,
        final HostConfig host,
        final Consumer<String> closedListener)
    {
        this.config = config;
        this.host = host;
        this.closedListener = closedListener;
        final HostTransport transport = group.transport(config);
        capsules = CapsuleLimits.ofAdmin(transport.adminInCapsuleBytes());
        transferBytesMax = transport.transferBytesMax();
        connection = transport.queue(group, ENTRIES - 1, this);
        for (int i = 0; i < ENTRIES - 1; i++)
        {
            idleCalls.add(new Call(buffers, i * AdminCommand.DATA_BYTES_MAX));
        }
    }

    CompletableFuture<Void> open()
    {
        opening = new CompletableFuture<>();
        connection.open(config, host, 0, ConnectData.CONTROLLER_ID_DYNAMIC, ENTRIES, capsules);
        return opening;
    }

    boolean isReady()
    {
        return connection.isReady();
    }

    int controllerId()
    {
        return connection.controllerId();
    }

    /** {@return the longest payload of a command over its transport, in bytes} */
    int transferBytesMax()
    {
        return transferBytesMax;
    }

    /**
     * Sends a command, as soon as a slot is free.
     *
     * @param command to send.
     * @return its answer, whatever its status; fails when the connection does.
     */
    CompletableFuture<AdminResult> call(final AdminCommand command)
    {
        final CompletableFuture<AdminResult> answer = new CompletableFuture<>();
        if (!connection.isReady())
        {
            answer.completeExceptionally(new InitiatorException("controller of " + config.subsystemNqn() + " at " +
                config.target() + " is not connected: wait until it is live"));
        }
        else if (!start(command, answer))
        {
            waiting.add(new Waiting(command, answer));
        }
        return answer;
    }

    private boolean start(final AdminCommand command, final CompletableFuture<AdminResult> answer)
    {
        final Call call = idleCalls.poll();
        if (null == call)
        {
            return false;
        }
        call.fill(command, answer);
        if (!connection.submit(call.request))
        {
            idleCalls.push(call);
            return false;
        }
        return true;
    }

    private void onAnswered(final Call call)
    {
        final CompletableFuture<AdminResult> answer = call.answer;
        final AdminResult result = call.result();
        idleCalls.push(call);
        if (!waiting.isEmpty() && start(waiting.peek().command, waiting.peek().answer))
        {
            waiting.remove();
        }
        answer.complete(result);
    }

    @Override
    public void onReady()
    {
        opening.complete(null);
    }

    @Override
    public void onLost(final HostRequest request)
    {
        lostCalls.add((Call)request.owner());
    }

    @Override
    public void onClosed(final String reason)
    {
        final InitiatorException failure = new InitiatorException(reason);
        for (Call call = lostCalls.poll(); null != call; call = lostCalls.poll())
        {
            call.request.state(RequestState.IDLE);
            idleCalls.push(call);
            call.answer.completeExceptionally(failure);
        }
        for (Waiting command = waiting.poll(); null != command; command = waiting.poll())
        {
            command.answer.completeExceptionally(failure);
        }
        opening.completeExceptionally(failure);
        if (null != closing)
        {
            final CompletableFuture<Void> closed = closing;
            closing = null;
            closed.complete(null);
        }
        else
        {
            closedListener.accept(reason);
        }
    }

    /**
     * Closes the connection; the queue may be opened again afterwards.
     *
     * @param reason in one sentence.
     * @return done when it is closed.
     */
    CompletableFuture<Void> close(final String reason)
    {
        if (connection.isClosed())
        {
            return CompletableFuture.completedFuture(null);
        }
        if (null == closing)
        {
            closing = new CompletableFuture<>();
        }
        connection.close(reason);
        return closing;
    }

    /**
     * Unmaps what the queue used. It is closed.
     */
    void free()
    {
        connection.free();
        buffers.close();
    }

    private record Waiting(AdminCommand command, CompletableFuture<AdminResult> answer)
    {
    }

    private final class Call
    {
        private final HostRequest request = new HostRequest(this, (answered) -> onAnswered(this));
        private final HostMemory memory;
        private final int offset;
        private CompletableFuture<AdminResult> answer;

        Call(final HostMemory memory, final int offset)
        {
            this.memory = memory;
            this.offset = offset;
        }

        void fill(final AdminCommand command, final CompletableFuture<AdminResult> newAnswer)
        {
            answer = newAnswer;
            memory.buffer().setMemory(offset, AdminCommand.DATA_BYTES_MAX, (byte)0);
            request.command(command.opcode(), command.nsid());
            request.cdw10 = command.cdw10();
            request.cdw11 = command.cdw11();
            request.cdw12 = command.cdw12();
            request.cdw13 = command.cdw13();
            request.cdw14 = command.cdw14();
            request.cdw15 = command.cdw15();
            request.parked = AdminOpcode.ASYNC_EVENT_REQUEST == command.opcode();
            if (command.dataBytes() > 0)
            {
                request.data(memory.address() + offset, command.dataBytes());
            }
        }

        AdminResult result()
        {
            final byte[] data = new byte[request.receivesData() ? request.lengthBytes() : 0];
            memory.buffer().getBytes(offset, data);
            return new AdminResult(request.status(), request.result0(), request.result1(), data);
        }
    }
}
