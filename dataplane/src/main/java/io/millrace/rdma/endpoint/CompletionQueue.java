package io.millrace.rdma.endpoint;

import io.millrace.bindings.NativeException;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.linux.Epoll;
import io.millrace.bindings.verbs.Verbs;
import io.millrace.bindings.verbs.WorkCompletion;
import io.millrace.rdma.RdmaException;
import io.millrace.rdma.core.RdmaCore;
import io.millrace.reactor.Poller;
import io.millrace.reactor.Reactor;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Completion queue of a reactor: polled while there is work, armed before the reactor sleeps, so that the next
 * completion wakes it. Queue pairs reserve entries, so that it cannot overrun. Reactor's thread; nothing is allocated
 * for a completion.
 */
final class CompletionQueue implements Poller
{
    /** Completions of a cycle: others on the reactor wait no longer than for these. */
    private static final int BATCH = 64;
    private static final int TARGETS_MIN = 16;

    private final RdmaCore core;
    private final Reactor reactor;
    private final DeviceCounters counters;
    private final DeviceEvents events;
    private final Arena arena = Arena.ofShared();
    private final long entriesAddress = arena.allocate((long)BATCH * WorkCompletion.SIZE_BYTES, 64).address();
    private final long outAddress = arena.allocate(2L * Long.BYTES, Long.BYTES).address();
    private final long channelAddress;
    private final long cqAddress;
    private final int capacity;
    private final BitSet isTaken = new BitSet();
    private final List<Released> released = new ArrayList<>();
    private final DoorbellList doorbells = new DoorbellList();
    private CompletionTarget[] targets = new CompletionTarget[TARGETS_MIN];
    private int reserved;
    private boolean isArmed;
    private boolean isPolling;
    private boolean isClosed;
    /** Completions that were polled. */
    private long polled;

    /** Entries of a target that is gone: its completions were polled when so many were in all. */
    private record Released(int slot, int completions, long polledMax)
    {
    }

    CompletionQueue(
        final RdmaCore core,
        final Reactor reactor,
        final DeviceCounters counters,
        final DeviceEvents events,
        final long cqAddress,
        final long channelAddress,
        final int capacity)
    {
        this.core = core;
        this.reactor = reactor;
        this.counters = counters;
        this.events = events;
        this.cqAddress = cqAddress;
        this.channelAddress = channelAddress;
        this.capacity = capacity;
    }

    /** Makes one of a device and has the reactor poll it. */
    static CompletionQueue open(
        final RdmaCore core,
        final Reactor reactor,
        final DeviceCounters counters,
        final DeviceEvents events,
        final long contextAddress,
        final int entries)
    {
        final long channel = NativeException.check(
            "ibv_create_comp_channel", core.createChannel(contextAddress));
        final long cq = events.create(() -> core.createCq(contextAddress, entries, channel));
        if (cq < 0)
        {
            core.destroyChannel(channel);
            throw new NativeException("ibv_create_cq of " + entries + " entries", (int)-cq);
        }
        final CompletionQueue queue = new CompletionQueue(
            core, reactor, counters, events, cq, channel, core.entries(cq));
        reactor.register(core.channelDescriptor(channel), Epoll.EPOLLIN, (_) -> queue.onEvent());
        reactor.addPoller(queue);
        return queue;
    }

    RdmaCore core()
    {
        return core;
    }

    DeviceCounters counters()
    {
        return counters;
    }

    /** {@return the clock of the reactor's cycle} */
    long nowNs()
    {
        return reactor.nowNs();
    }

    /** {@return how many entries are not reserved} */
    int room()
    {
        return capacity - reserved;
    }

    long cqAddress()
    {
        return cqAddress;
    }

    /**
     * Reserves the entries of a queue pair, or of a shared receive queue.
     *
     * @param target      that will complete here.
     * @param completions it may have outstanding at once.
     * @return its number in completions' ids.
     * @throws RdmaException when there are not so many left.
     */
    int add(final CompletionTarget target, final int completions)
    {
        if (completions > capacity - reserved)
        {
            throw new RdmaException("a queue pair of " + completions + " requests does not fit the completion queue: " +
                (capacity - reserved) + " of " + capacity + " entries are left; use smaller queues");
        }
        final int slot = isTaken.nextClearBit(0);
        if (slot == targets.length)
        {
            targets = Arrays.copyOf(targets, 2 * targets.length);
        }
        isTaken.set(slot);
        targets[slot] = target;
        reserved += completions;
        return slot;
    }

    /**
     * Frees the entries of a queue pair that has been destroyed, as soon as nothing of it can be in the queue any
     * more.
     */
    void remove(final int slot, final int completions)
    {
        targets[slot] = null;
        released.add(new Released(slot, completions, polled + capacity));
    }

    /** Frees the first ones whose completions were polled: all, when the last poll has emptied the queue. */
    private void release(final int candidates, final boolean isEmptied)
    {
        int count = 0;
        while (count < candidates && (isEmptied || polled - released.get(count).polledMax >= 0))
        {
            final Released each = released.get(count++);
            isTaken.clear(each.slot);
            reserved -= each.completions;
        }
        released.subList(0, count).clear();
    }

    /** {@return those whose collected requests leave at the end of a poll} */
    DoorbellList doorbells()
    {
        return doorbells;
    }

    @Override
    public int poll()
    {
        return report() + doorbells.ring();
    }

    /** {@return how many completions it took} */
    private int report()
    {
        // A handler that has the queue drained would overwrite the entries that are being reported.
        if (isPolling)
        {
            return 0;
        }
        // What handlers remove may have completions that this poll leaves in the queue.
        final int candidates = released.size();
        final int count = core.poll(cqAddress, BATCH, entriesAddress);
        if (count < 0)
        {
            onBroken();
            return 0;
        }
        polled += count;
        isPolling = true;
        try
        {
            report(count);
        }
        finally
        {
            isPolling = false;
        }
        if (0 != candidates)
        {
            release(candidates, count < BATCH);
        }
        return count;
    }

    private void report(final int count)
    {
        // A handler may close the queue, and with it the entries.
        for (int i = 0; i < count && !isClosed; i++)
        {
            final long entry = entriesAddress + (long)i * WorkCompletion.SIZE_BYTES;
            final long id = WorkCompletion.id(entry);
            final CompletionTarget target = targets[RequestId.slot(id)];
            if (null == target)
            {
                continue;
            }
            if (RequestId.isReceive(id))
            {
                target.onReceived(RequestId.sequence(id), WorkCompletion.status(entry), entry);
            }
            else
            {
                target.onSent(RequestId.sequence(id), WorkCompletion.status(entry));
            }
        }
    }

    /** Nothing completes any more: the connections end by their own limits. */
    void onBroken()
    {
        for (final CompletionTarget target : targets)
        {
            if (null != target)
            {
                target.onBroken();
            }
        }
    }

    /**
     * Reports what has completed until now, as far as the queue is not being reported already: a provider drops the
     * completions of a queue pair that is destroyed, and with them what it took from a shared receive queue.
     */
    void drain()
    {
        int left = capacity;
        for (int count = report(); 0 != count && left > 0; count = isClosed ? 0 : report())
        {
            left -= count;
        }
    }

    /** {@return what the peer sent besides; 0 for nothing. Immediate data is in network byte order, a key in ours} */
    static int immediate(final int status, final long entry)
    {
        if (Verbs.IBV_WC_SUCCESS != status ||
            0 == (WorkCompletion.flags(entry) & (Verbs.IBV_WC_WITH_IMM | Verbs.IBV_WC_WITH_INV)))
        {
            return 0;
        }
        final int value = WorkCompletion.immediate(entry);
        return 0 != (WorkCompletion.flags(entry) & Verbs.IBV_WC_WITH_IMM) ? Integer.reverseBytes(value) : value;
    }

    /** A completion that came before the queue was armed is not announced: the reactor polls once more. */
    @Override
    public boolean canSleep()
    {
        if (!doorbells.isEmpty())
        {
            return false;
        }
        if (isArmed)
        {
            return true;
        }
        isArmed = 0 == core.requestNotification(cqAddress);
        return false;
    }

    /** What completed comes first: the peer waits for its answer, and to read the event takes a system call. */
    private void onEvent()
    {
        poll();
        if (!isClosed && 0 == core.cqEvent(channelAddress, outAddress, outAddress + Long.BYTES))
        {
            core.acknowledgeCqEvents(NativeMemory.getLong(outAddress), 1);
            isArmed = false;
        }
    }

    /**
     * Frees the queue. A device that is gone frees its part with its context, whatever it answers here.
     *
     * @return 0, or negated errno of what was not freed.
     */
    int close()
    {
        isClosed = true;
        reactor.removePoller(this);
        reactor.deregister(core.channelDescriptor(channelAddress));
        final int status = events.destroy(cqAddress, () -> core.destroyCq(cqAddress));
        final int channelStatus = core.destroyChannel(channelAddress);
        arena.close();
        // A channel is in use as long as its queue is not freed.
        return status < 0 ? status : channelStatus;
    }
}
