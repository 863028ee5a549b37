package io.millrace.nvmf.queue;

import io.millrace.jfr.FlightEvents;
import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.nvmf.config.Nqn;
import io.millrace.nvmf.request.NamespaceChannel;
import io.millrace.nvmf.request.Request;
import io.millrace.status.IoOperation;
import io.millrace.status.LatencyBuckets;
import io.millrace.status.QueuePairCounters;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Counters and measurements of one queue pair, published in the status file. Reactor only; nothing is looked up,
 * allocated or timed per command.
 */
public final class QueuePairMeter
{
    private static final VarHandle LAST_COMMAND_NS;

    static
    {
        try
        {
            LAST_COMMAND_NS = MethodHandles.lookup().findVarHandle(QueuePairMeter.class, "lastCommandNs", long.class);
        }
        catch (final ReflectiveOperationException e)
        {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final ReactorResources resources;
    private QueuePairCounters published;
    private HostCounters host;
    private Association association;
    private int queueId;
    private long commands;
    private long bytesRead;
    private long bytesWritten;
    private long errors;
    @SuppressWarnings("unused")
    private long lastCommandNs;

    QueuePairMeter(final ReactorResources resources)
    {
        this.resources = resources;
    }

    /**
     * {@return commands that came}
     */
    long commands()
    {
        return commands;
    }

    /**
     * {@return bytes of reads that succeeded}
     */
    public long bytesRead()
    {
        return bytesRead;
    }

    /**
     * {@return bytes of writes that succeeded}
     */
    public long bytesWritten()
    {
        return bytesWritten;
    }

    /**
     * {@return commands that failed}
     */
    public long errors()
    {
        return errors;
    }

    /**
     * {@return when the last command came, on the clock of its reactor; any thread}
     */
    public long lastCommandNs()
    {
        return (long)LAST_COMMAND_NS.getOpaque(this);
    }

    /**
     * Its Connect command is right: others can see it from now on.
     *
     * @param owner association that it is a queue of.
     * @param id    0 for the admin queue.
     * @param depth entries of the queue.
     */
    void onConnected(final Association owner, final int id, final int depth)
    {
        association = owner;
        queueId = id;
        publish(depth);
    }

    private void publish(final int depth)
    {
        final String hostNqn = Nqn.printable(association.hostNqn());
        published = resources.status()
            .queuePair(association.subsystemNqn(), hostNqn, association.id(), queueId, depth);
        published.commands(commands);
        if (0 != queueId)
        {
            host = resources.hosts().join(hostNqn);
        }
    }

    /**
     * The connection is gone.
     */
    void onLeft()
    {
        if (null != published)
        {
            published.release();
            published = null;
        }
        if (null != host)
        {
            resources.hosts().leave(host);
            host = null;
        }
    }

    /**
     * A command came.
     *
     * @param nowNs on the reactor's clock.
     */
    void onCommand(final long nowNs)
    {
        LAST_COMMAND_NS.setOpaque(this, nowNs);
        commands++;
        if (null != published)
        {
            published.commands(commands);
        }
    }

    /**
     * A read, or a part of one, has succeeded.
     *
     * @param lengthBytes of it.
     */
    public void onRead(final int lengthBytes)
    {
        bytesRead += lengthBytes;
    }

    /**
     * A write, or a part of one, has succeeded.
     *
     * @param lengthBytes of it.
     */
    public void onWritten(final int lengthBytes)
    {
        bytesWritten += lengthBytes;
    }

    void onError()
    {
        errors++;
    }

    /**
     * The answer to a command has left.
     *
     * @param request the command's request.
     * @param sentNs  when it left, on the reactor's clock.
     */
    void onSent(final Request request, final long sentNs)
    {
        final long latencyNs = sentNs - request.startNs();
        if (latencyNs >= FlightEvents.slowRequestNs())
        {
            onSlow(request, latencyNs);
        }
        // Only I/O queue pairs have a host to count for.
        if (null != host)
        {
            final NamespaceChannel namespace = request.namespace();
            if (NvmeStatus.SUCCESS != request.status())
            {
                countError(request, namespace);
            }
            else if (null != namespace)
            {
                final int bucket = LatencyBuckets.index(latencyNs);
                final int opcode = request.entry().opcode();
                final IoOperation operation = operation(opcode);
                final int lengthBytes = IoOperation.OTHER == operation ? 0 : request.wholeLength();
                namespace.io().onSuccess(operation, lengthBytes, latencyNs, bucket);
                host.io().onSuccess(operation, lengthBytes, latencyNs, bucket);
            }
        }
    }

    /**
     * Some answers have left together.
     *
     * @param outstanding commands that have not been answered.
     */
    void onFlushed(final int outstanding)
    {
        if (null != published)
        {
            published.answered(commands - outstanding, bytesRead, bytesWritten, errors);
        }
    }

    private void onSlow(final Request request, final long latencyNs)
    {
        final SubmissionQueueEntry entry = request.entry();
        final int opcode = entry.opcode();
        // The answer to an event request is slow by its nature.
        if (null != association && (0 != queueId || AdminOpcode.ASYNC_EVENT_REQUEST != opcode))
        {
            FlightEvents.slowRequest(0 == queueId ? AdminOpcode.name(opcode) : IoOpcode.name(opcode),
                association.subsystemNqn(), AdminOpcode.FABRICS == opcode ? 0 : entry.namespaceId(),
                Nqn.printable(association.hostNqn()), association.id(), queueId, entry.commandId(), request.status(),
                request.wholeLength(), latencyNs);
        }
    }

    private void countError(final Request request, final NamespaceChannel namespace)
    {
        final int opcode = request.entry().opcode();
        if (AdminOpcode.FABRICS != opcode)
        {
            final IoOperation operation = operation(opcode);
            host.io().onError(operation);
            // A command whose parameters are wrong is bound to none.
            if (null != namespace)
            {
                namespace.io().onError(operation);
            }
        }
    }

    private static IoOperation operation(final int opcode)
    {
        return switch (opcode)
        {
            case IoOpcode.READ, IoOpcode.COMPARE -> IoOperation.READ;
            case IoOpcode.WRITE -> IoOperation.WRITE;
            default -> IoOperation.OTHER;
        };
    }
}
