package io.millrace.nvmf.queue;

import io.millrace.block.BlockCompletionListener;
import io.millrace.memory.BufferPool;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.config.TargetListener;
import io.millrace.nvmf.request.AdminTimeBudget;
import io.millrace.nvmf.request.PayloadBuffers;
import io.millrace.nvmf.request.QosAdmission;
import io.millrace.nvmf.request.QueuePairTransport;
import io.millrace.nvmf.request.RequestPool;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.Reactor;
import io.millrace.status.StatusPart;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What the queue pairs of a reactor share: slots, buffers, limits, the time of admin commands, counters, and who
 * executes their commands. Its reactor only; other threads may read its numbers.
 */
public final class ReactorResources implements AutoCloseable
{
    private final Reactor reactor;
    private final TargetListener listener;
    private final BufferPool buffers;
    private final int maxTransferBytes;
    private final CommandHandler io;
    private final CommandHandler admin;
    private final CommandHandler fabrics;
    private final RequestPool requests;
    private final PayloadBuffers payloads;
    private final QosAdmission qos;
    private final AdminTimeBudget adminTimeBudget;
    private final RefusedCommands refused;
    private final StatusPart status;
    private final HostTable hosts;
    private final Set<QueuePair> ioQueues = new LinkedHashSet<>();
    private int queuePairs;

    /**
     * Makes the resources of a reactor without queue pairs.
     *
     * @param reactor     that executes the commands.
     * @param config      of the target.
     * @param listener    of the target.
     * @param buffers     of the reactor.
     * @param status      of the reactor: where it counts.
     * @param io          executes commands of I/O queues.
     * @param completions told when devices are done with block requests.
     * @param admin       executes commands of admin queues.
     * @param fabrics     executes fabrics commands.
     */
    public ReactorResources(
        final Reactor reactor,
        final TargetConfig config,
        final TargetListener listener,
        final BufferPool buffers,
        final StatusPart status,
        final CommandHandler io,
        final BlockCompletionListener completions,
        final CommandHandler admin,
        final CommandHandler fabrics)
    {
        this.reactor = reactor;
        this.listener = listener;
        this.buffers = buffers;
        this.status = status;
        this.io = io;
        this.admin = admin;
        this.fabrics = fabrics;
        maxTransferBytes = config.maxTransferBytes();
        hosts = new HostTable(status);
        requests = new RequestPool(completions, config.capacity());
        payloads = new PayloadBuffers(buffers, maxTransferBytes);
        qos = new QosAdmission(reactor, buffers, payloads);
        refused = new RefusedCommands(reactor);
        adminTimeBudget = new AdminTimeBudget(reactor);
    }

    /**
     * {@return the reactor}
     */
    public Reactor reactor()
    {
        return reactor;
    }

    /**
     * {@return listener of the target}
     */
    public TargetListener listener()
    {
        return listener;
    }

    /**
     * {@return buffers of the reactor}
     */
    public BufferPool buffers()
    {
        return buffers;
    }

    /**
     * {@return largest transfer of a command}
     */
    public int maxTransferBytes()
    {
        return maxTransferBytes;
    }

    /**
     * {@return what executes commands of I/O queues}
     */
    CommandHandler io()
    {
        return io;
    }

    /**
     * {@return what executes commands of admin queues}
     */
    CommandHandler admin()
    {
        return admin;
    }

    /**
     * {@return what executes fabrics commands}
     */
    CommandHandler fabrics()
    {
        return fabrics;
    }

    /**
     * {@return slots for commands}
     */
    public RequestPool requests()
    {
        return requests;
    }

    /**
     * {@return buffers for payloads}
     */
    public PayloadBuffers payloads()
    {
        return payloads;
    }

    /**
     * {@return what applies limits}
     */
    public QosAdmission qos()
    {
        return qos;
    }

    /**
     * {@return what bounds the time of admin commands}
     */
    public AdminTimeBudget adminTimeBudget()
    {
        return adminTimeBudget;
    }

    /**
     * {@return commands that came before a change of ANA states which refuses them}
     */
    public RefusedCommands refused()
    {
        return refused;
    }

    StatusPart status()
    {
        return status;
    }

    HostTable hosts()
    {
        return hosts;
    }

    /**
     * {@return queue pairs there are, connected or not; other threads read it as it was a moment ago}
     */
    public int queuePairs()
    {
        return queuePairs;
    }

    /**
     * Makes the queue pair of a new connection.
     *
     * @param transport of the connection.
     * @param local     address that the host came in on.
     * @return a queue pair that waits for its Connect command.
     */
    public QueuePair newQueuePair(final QueuePairTransport transport, final TransportAddress local)
    {
        queuePairs++;
        return new QueuePair(this, transport, local);
    }

    /** A queue pair has ended. */
    void onLeft()
    {
        queuePairs--;
    }

    /**
     * {@return I/O queues that have connected here or have commands at a device, as they are now: ending one changes
     *     the list, but not this copy}
     */
    public List<QueuePair> ioQueues()
    {
        return new ArrayList<>(ioQueues);
    }

    /**
     * An I/O queue has connected.
     *
     * @param queuePair of this reactor.
     */
    void onIoQueue(final QueuePair queuePair)
    {
        ioQueues.add(queuePair);
    }

    /**
     * An I/O queue has no commands here any more.
     *
     * @param queuePair that was of this reactor.
     */
    void onIoQueueLeft(final QueuePair queuePair)
    {
        ioQueues.remove(queuePair);
    }

    /**
     * {@return present holders of its I/O buffers}
     */
    public BufferUsage bufferUsage()
    {
        final BufferUsage usage = new BufferUsage(reactor.nowNs());
        ioQueues.forEach((each) -> each.outstandingCommands().addTo(usage));
        return usage;
    }

    /** Unmaps what nobody uses any more: every queue pair has ended, and so has every request at a device. */
    @Override
    public void close()
    {
        payloads.close();
        requests.close();
    }
}
