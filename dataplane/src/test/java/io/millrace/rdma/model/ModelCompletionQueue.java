package io.millrace.rdma.model;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.verbs.ibv_wc;
import io.millrace.bindings.verbs.Verbs;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;

/**
 * A completion queue. Under the monitor of its network.
 */
final class ModelCompletionQueue
{
    /** A completion; the places of its queue are free when it has been polled. */
    record Entry(
        ModelQueuePair pair, boolean isSend, int places, long id, int status, int opcode, int bytes, int flags,
        int immediate, int source)
    {
    }

    final ModelDevice device;
    final ModelCompletionChannel channel;
    final int capacity;
    final Set<ModelQueuePair> pairs = new HashSet<>();
    final long handle;
    private final ArrayDeque<Entry> entries = new ArrayDeque<>();
    private boolean isArmed;
    private boolean isOverrun;
    int unacknowledged;

    ModelCompletionQueue(
        final ModelDevice device, final ModelCompletionChannel channel, final int capacity, final long handle)
    {
        this.device = device;
        this.channel = channel;
        this.capacity = capacity;
        this.handle = handle;
    }

    void arm()
    {
        isArmed = true;
    }

    void add(final Entry entry)
    {
        if (isOverrun || device.isRemoved() || entry.pair.isOrphan())
        {
            return;
        }
        if (entries.size() == capacity)
        {
            overrun();
            return;
        }
        entries.add(entry);
        if (isArmed && null != channel)
        {
            isArmed = false;
            channel.add(this);
        }
    }

    void overrun()
    {
        isOverrun = true;
        device.event(Verbs.IBV_EVENT_CQ_ERR, device.core().handle(this));
        Set.copyOf(pairs).forEach(ModelQueuePair::fail);
    }

    int poll(final int max, final long completions)
    {
        if (isOverrun)
        {
            // Some providers answer an error; the event is what all have in common.
            return 0;
        }
        int count = 0;
        while (count < max && !entries.isEmpty())
        {
            final Entry entry = entries.poll();
            final long at = completions + count * ibv_wc.sizeof();
            NativeMemory.putLong(at + ibv_wc.wr_id$offset(), entry.id);
            NativeMemory.putInt(at + ibv_wc.status$offset(), entry.status);
            // Of one that failed these are not valid.
            final boolean isDone = 0 == entry.status;
            NativeMemory.putInt(at + ibv_wc.opcode$offset(), isDone ? entry.opcode : -1);
            NativeMemory.putInt(at + ibv_wc.byte_len$offset(), isDone ? entry.bytes : -1);
            NativeMemory.putInt(at + ibv_wc.wc_flags$offset(), isDone ? entry.flags : -1);
            NativeMemory.putInt(at + ibv_wc.imm_data$offset(), isDone ? entry.immediate : -1);
            NativeMemory.putInt(at + ibv_wc.qp_num$offset(), entry.pair.number());
            NativeMemory.putInt(at + ibv_wc.src_qp$offset(), isDone ? entry.source : -1);
            entry.pair.onPolled(entry.isSend, entry.places);
            count++;
        }
        return count;
    }

    /** A queue pair is destroyed, and its completions with it. */
    void remove(final ModelQueuePair pair)
    {
        pairs.remove(pair);
        entries.removeIf((entry) ->
        {
            if (entry.pair == pair)
            {
                pair.onPolled(entry.isSend, entry.places);
            }
            return entry.pair == pair;
        });
    }
}
