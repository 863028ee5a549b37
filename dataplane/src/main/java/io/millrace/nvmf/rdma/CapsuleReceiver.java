package io.millrace.nvmf.rdma;

import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.nvmf.queue.CommandDispatcher;
import io.millrace.nvmf.request.Request;
import io.millrace.rdma.endpoint.RdmaQueuePair;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Receives the capsules of a queue into its receive buffers and has them executed, in their order. A capsule that has
 * to wait stays in its buffer, and those behind it in theirs: the host's device finds fewer receive requests meanwhile,
 * never none that its queue's size promises. Its queue's reactor only; nothing is allocated for a capsule.
 */
final class CapsuleReceiver
{
    private final RdmaQueue queue;
    private final CapsuleBuffers buffers;
    private final int[] numbers;
    private final int localKey;
    private final UnsafeBuffer view = new UnsafeBuffer(0, 0);
    private final CommandDispatcher dispatcher;
    /** Capsules that wait, in their order: place of the buffer, and bytes that came in it. */
    private final int[] waiting;
    private final int[] waitingBytes;
    private int head;
    private int count;
    /** Command of the first one that waits, once it has a slot. */
    private Request begun;

    /**
     * Has posted nothing yet.
     *
     * @param queue    that receives.
     * @param buffers  of its reactor.
     * @param numbers  of its buffers.
     * @param localKey of their memory.
     */
    CapsuleReceiver(final RdmaQueue queue, final CapsuleBuffers buffers, final int[] numbers, final int localKey)
    {
        this.queue = queue;
        this.buffers = buffers;
        this.numbers = numbers;
        this.localKey = localKey;
        dispatcher = queue.queuePair().dispatcher();
        waiting = new int[numbers.length];
        waitingBytes = new int[numbers.length];
    }

    /** Posts every receive buffer. */
    void open()
    {
        for (int i = 0; i < numbers.length; i++)
        {
            post(i);
        }
    }

    private void post(final int index)
    {
        final RdmaQueuePair pair = queue.pair();
        pair.segment(buffers.capsuleAddress(numbers[index]), buffers.capsuleBytes(), localKey).postReceive(index);
    }

    /**
     * A capsule came.
     *
     * @param index of its buffer among those of the queue.
     * @param bytes of it.
     */
    void onReceived(final int index, final int bytes)
    {
        if (bytes < SubmissionQueueEntry.SIZE_BYTES)
        {
            queue.onProtocolError("capsule of " + bytes + " bytes: a command has " + SubmissionQueueEntry.SIZE_BYTES);
            return;
        }
        if (0 == count && execute(index, bytes))
        {
            return;
        }
        final int last = (head + count) % waiting.length;
        waiting[last] = index;
        waitingBytes[last] = bytes;
        count++;
        if (1 == count)
        {
            queue.onStalled();
        }
    }

    /** {@return false when the capsule has to wait} */
    private boolean execute(final int index, final int bytes)
    {
        final long address = buffers.capsuleAddress(numbers[index]);
        final long dataAddress = address + SubmissionQueueEntry.SIZE_BYTES;
        if (null == begun)
        {
            view.wrap(address, SubmissionQueueEntry.SIZE_BYTES);
            begun = dispatcher.begin(view, 0);
            if (null == begun)
            {
                if (dispatcher.awaitsSlot(0))
                {
                    return false;
                }
                queue.onProtocolError("more commands than the queue has entries");
                return true;
            }
            begun.dataPointer(queue.dataPointers(), dataAddress, bytes - SubmissionQueueEntry.SIZE_BYTES);
        }
        else
        {
            begun.inCapsuleData(dataAddress);
        }
        if (!dispatcher.onCommand(begun))
        {
            return false;
        }
        begun = null;
        post(index);
        return true;
    }

    boolean isWaiting()
    {
        return 0 != count;
    }

    /** {@return whether the first capsule that waits can be executed now, as far as is known} */
    boolean isResumable()
    {
        return 0 != count && (null == begun ? dispatcher.hasSlot() : dispatcher.isResumable(begun));
    }

    /**
     * Executes capsules that wait, until one has to wait on.
     *
     * @return how many.
     */
    int resume()
    {
        int executed = 0;
        while (0 != count && queue.isReady() && execute(waiting[head], waitingBytes[head]))
        {
            executed++;
            // The queue may have been closed by the command.
            if (0 != count)
            {
                head = (head + 1) % waiting.length;
                count--;
            }
        }
        return executed;
    }

    /** Forgets what waits. */
    void close()
    {
        count = 0;
        begun = null;
    }
}
