package io.millrace.nvmf.queue;

import io.millrace.nvmf.config.Nqn;
import io.millrace.nvmf.request.DeviceChannel;
import io.millrace.nvmf.request.Request;
import io.millrace.nvmf.request.RequestPhase;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Holders of the I/O buffers of a reactor, found by visiting every command: for an occasional report when buffers run
 * short, never per I/O. On the reactor.
 */
public final class BufferUsage
{
    private static final class Sum
    {
        private long heldBytes;
        private int waiting;
        private long oldestNs = Long.MAX_VALUE;
    }

    private final long nowNs;
    private final Map<QueuePair, Sum> connections = new IdentityHashMap<>();
    private final Map<String, Sum> hosts = new HashMap<>();
    private final Map<DeviceChannel, Sum> devices = new IdentityHashMap<>();
    private long longestWaitNs;

    /**
     * Creates an empty report.
     *
     * @param nowNs on the reactor's clock.
     */
    BufferUsage(final long nowNs)
    {
        this.nowNs = nowNs;
    }

    /**
     * Adds a command of an I/O queue.
     *
     * @param queuePair   that it came in on.
     * @param request     the command's request.
     * @param bufferBytes of its buffer; 0 when it has none.
     */
    void add(final QueuePair queuePair, final Request request, final long bufferBytes)
    {
        switch (request.phase())
        {
            case AWAITING_BUFFER, CAPSULE_AWAITING_BUFFER ->
            {
                connection(queuePair).waiting++;
                host(queuePair).waiting++;
                longestWaitNs = Math.max(longestWaitNs, nowNs - request.startNs());
            }
            case AWAITING_DEVICE, AWAITING_CHANNEL -> device(request).waiting++;
            default ->
            {
            }
        }
        if (0 != bufferBytes)
        {
            if (RequestPhase.SUBMITTED == request.phase())
            {
                hold(device(request), request, bufferBytes);
            }
            else
            {
                hold(connection(queuePair), request, bufferBytes);
                hold(host(queuePair), request, bufferBytes);
            }
        }
    }

    /**
     * {@return age of the oldest command that waits for a buffer, in nanoseconds}
     */
    public long longestWaitNs()
    {
        return longestWaitNs;
    }

    /**
     * {@return the largest holders of each kind}
     *
     * @param count of each kind, at most.
     */
    public List<BufferHolder> largest(final int count)
    {
        final List<BufferHolder> holders = new ArrayList<>();
        hosts.forEach((nqn, sum) -> holders.add(holder(BufferHolder.Kind.HOST, Nqn.printable(nqn), sum)));
        devices.forEach((channel, sum) -> holders.add(
            holder(BufferHolder.Kind.DEVICE, channel.device().name(), sum)));
        final List<BufferHolder> largest = new ArrayList<>();
        for (final BufferHolder.Kind kind : BufferHolder.Kind.values())
        {
            if (BufferHolder.Kind.CONNECTION == kind)
            {
                connections.entrySet().stream()
                    .sorted(Comparator.comparingLong((Map.Entry<QueuePair, Sum> each) -> -each.getValue().heldBytes))
                    .limit(count)
                    .forEach((each) -> largest.add(holder(kind, name(each.getKey()), each.getValue())));
            }
            else
            {
                holders.stream().filter((each) -> kind == each.kind())
                    .sorted(Comparator.comparingLong(BufferHolder::heldBytes).reversed()).limit(count)
                    .forEach(largest::add);
            }
        }
        return largest;
    }

    private static String name(final QueuePair queuePair)
    {
        return queuePair.remote() + " queue " + queuePair.id() + " of controller " +
            queuePair.association().id();
    }

    private BufferHolder holder(final BufferHolder.Kind kind, final String name, final Sum sum)
    {
        return new BufferHolder(kind, name, sum.heldBytes, sum.waiting,
            Long.MAX_VALUE == sum.oldestNs ? 0 : nowNs - sum.oldestNs);
    }

    private static void hold(final Sum sum, final Request request, final long bufferBytes)
    {
        sum.heldBytes += bufferBytes;
        sum.oldestNs = Math.min(sum.oldestNs, request.startNs());
    }

    private Sum connection(final QueuePair queuePair)
    {
        return connections.computeIfAbsent(queuePair, (key) -> new Sum());
    }

    private Sum host(final QueuePair queuePair)
    {
        return hosts.computeIfAbsent(queuePair.association().hostNqn(), (key) -> new Sum());
    }

    private Sum device(final Request request)
    {
        return devices.computeIfAbsent(request.namespace().device(), (key) -> new Sum());
    }
}
