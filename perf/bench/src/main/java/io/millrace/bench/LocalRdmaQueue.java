package io.millrace.bench;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.verbs.ibv_recv_wr;
import io.millrace.bindings.generated.verbs.ibv_sge;
import io.millrace.bindings.generated.verbs.ibv_wc;
import io.millrace.bindings.generated.verbs.verbs_h;
import io.millrace.bindings.verbs.Verbs;
import io.millrace.bindings.verbs.WorkCompletion;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.reactor.Reactor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A queue of {@link LocalRdmaHost}: sends the same capsule as often as it is asked to, up to its depth at a time.
 * {@link #run} on a thread of its own, the rest on the reactor.
 */
final class LocalRdmaQueue
{
    static final int CAPSULE_BYTES_MAX = 64 + 4096;

    private static final long LIMIT_NS = 60_000_000_000L;
    private static final long LOOK_NS = 1_000_000L;
    private static final int COMMAND_ID_OFFSET = 2;
    private static final int STATUS_OFFSET = 14;
    private static final int COMMAND_IDS = 1 << 12;
    private static final long SEND_ID = verbs_h.IBV_SEND_WR_WR_ID();
    private static final long SEND_NEXT = verbs_h.IBV_SEND_WR_NEXT();
    private static final long SEND_SEGMENTS = verbs_h.IBV_SEND_WR_SG_LIST();
    private static final long SEND_OPCODE = verbs_h.IBV_SEND_WR_OPCODE();
    private static final long SEND_FLAGS = verbs_h.IBV_SEND_WR_SEND_FLAGS();
    private static final long RECEIVE_ID = ibv_recv_wr.wr_id$offset();
    private static final long RECEIVE_NEXT = ibv_recv_wr.next$offset();
    private static final long RECEIVE_SEGMENTS = ibv_recv_wr.sg_list$offset();
    private static final long SEGMENT_ADDRESS = ibv_sge.addr$offset();
    private static final long WC_ID = ibv_wc.wr_id$offset();
    private static final long WC_STATUS = ibv_wc.status$offset();
    private static final long WC_BYTES = ibv_wc.byte_len$offset();
    private static final long WC_FLAGS = ibv_wc.wc_flags$offset();

    private final Arena arena = Arena.ofShared();
    private final MemorySegment capsule = arena.allocate(CAPSULE_BYTES_MAX, 64);
    private final long capsuleAddress = capsule.address();
    private final int depth;
    private final int mask;
    private final long[] receiveIds;
    private final long[] receiveAddresses;
    private final long[] sentIds;
    private final boolean[] isAnswer;
    private int receiveHead;
    private int receiveTail;
    private int sentHead;
    private int sentTail;
    private int capsuleBytes;
    private int outstanding;
    private int nextId;
    private int answerStatus;
    private int answerResult;
    private long posted;
    private long requested;
    private long sent;
    private long answered;
    private boolean isRunning;
    private volatile long endedRuns;
    private volatile Thread waiter;

    LocalRdmaQueue(final int entries)
    {
        depth = entries;
        final int capacity = Integer.highestOneBit(entries) << 3;
        mask = capacity - 1;
        receiveIds = new long[capacity];
        receiveAddresses = new long[capacity];
        sentIds = new long[capacity];
        isAnswer = new boolean[capacity];
    }

    /** {@return where the capsule is written before {@link #run}} */
    UnsafeBuffer capsule()
    {
        return new UnsafeBuffer(capsuleAddress, CAPSULE_BYTES_MAX);
    }

    /**
     * Sends the capsule and waits for the answers.
     *
     * @param reactor of the target.
     * @param bytes   of the capsule.
     * @param count   of times.
     * @return first double word of the last answer.
     */
    int run(final Reactor reactor, final int bytes, final int count)
    {
        final long runs = endedRuns + 1;
        waiter = Thread.currentThread();
        reactor.execute(() -> begin(bytes, count));
        final long deadlineNs = System.nanoTime() + LIMIT_NS;
        while (endedRuns < runs)
        {
            if (System.nanoTime() - deadlineNs > 0)
            {
                throw new IllegalStateException("no answers within 60 s: " + answered + " of " + requested);
            }
            LockSupport.parkNanos(this, LOOK_NS);
        }
        if (0 != answerStatus)
        {
            throw new IllegalStateException("answered with status field 0x" + Integer.toHexString(answerStatus));
        }
        return answerResult;
    }

    private void begin(final int bytes, final int count)
    {
        capsuleBytes = bytes;
        requested = count;
        sent = 0;
        answered = 0;
        posted = 0;
        isRunning = true;
    }

    /** {@return requests of the target's send queue in the last run} */
    long posted()
    {
        return posted;
    }

    int poll(final int first, final int max, final long completionsAddress)
    {
        int count = first;
        for (; sentHead != sentTail && count < max; count++)
        {
            final long entry = completionsAddress + (long)count * WorkCompletion.SIZE_BYTES;
            NativeMemory.putLong(entry + WC_ID, sentIds[sentHead & mask]);
            NativeMemory.putInt(entry + WC_STATUS, Verbs.IBV_WC_SUCCESS);
            NativeMemory.putInt(entry + WC_FLAGS, 0);
            if (isAnswer[sentHead & mask])
            {
                outstanding--;
            }
            sentHead++;
        }
        for (; sent < requested && outstanding < depth && receiveHead != receiveTail && count < max; count++)
        {
            final long entry = completionsAddress + (long)count * WorkCompletion.SIZE_BYTES;
            final long buffer = receiveAddresses[receiveHead & mask];
            copyCapsule(buffer);
            NativeMemory.putShort(buffer + COMMAND_ID_OFFSET, (short)(nextId++ & COMMAND_IDS - 1));
            NativeMemory.putLong(entry + WC_ID, receiveIds[receiveHead & mask]);
            NativeMemory.putInt(entry + WC_STATUS, Verbs.IBV_WC_SUCCESS);
            NativeMemory.putInt(entry + WC_BYTES, capsuleBytes);
            NativeMemory.putInt(entry + WC_FLAGS, 0);
            receiveHead++;
            outstanding++;
            sent++;
        }
        if (isRunning && 0 == outstanding && answered == requested)
        {
            isRunning = false;
            endedRuns++;
            LockSupport.unpark(waiter);
        }
        return count;
    }

    /** A call of the JVM's copy routine would cost more than these words. */
    private void copyCapsule(final long buffer)
    {
        for (int i = 0; i < SubmissionQueueEntry.SIZE_BYTES; i += Long.BYTES)
        {
            NativeMemory.putLong(buffer + i, NativeMemory.getLong(capsuleAddress + i));
        }
        if (capsuleBytes > SubmissionQueueEntry.SIZE_BYTES)
        {
            NativeMemory.copy(capsuleAddress + SubmissionQueueEntry.SIZE_BYTES,
                buffer + SubmissionQueueEntry.SIZE_BYTES, capsuleBytes - SubmissionQueueEntry.SIZE_BYTES);
        }
    }

    void postSend(final long requestAddress)
    {
        for (long request = requestAddress; 0 != request; request = NativeMemory.getLong(request + SEND_NEXT))
        {
            posted++;
            final int opcode = NativeMemory.getInt(request + SEND_OPCODE);
            final boolean answers = Verbs.IBV_WR_SEND == opcode || Verbs.IBV_WR_SEND_WITH_INV == opcode;
            if (answers)
            {
                final long completion = NativeMemory.getLong(
                    NativeMemory.getLong(request + SEND_SEGMENTS) + SEGMENT_ADDRESS);
                answerStatus |= NativeMemory.getShort(completion + STATUS_OFFSET) & 0xFFFE;
                answerResult = NativeMemory.getInt(completion);
                answered++;
            }
            if (0 != (NativeMemory.getInt(request + SEND_FLAGS) & Verbs.IBV_SEND_SIGNALED))
            {
                sentIds[sentTail & mask] = NativeMemory.getLong(request + SEND_ID);
                isAnswer[sentTail & mask] = answers;
                sentTail++;
            }
        }
    }

    void postReceive(final long requestAddress)
    {
        for (long request = requestAddress; 0 != request; request = NativeMemory.getLong(request + RECEIVE_NEXT))
        {
            receiveIds[receiveTail & mask] = NativeMemory.getLong(request + RECEIVE_ID);
            receiveAddresses[receiveTail & mask] = NativeMemory.getLong(
                NativeMemory.getLong(request + RECEIVE_SEGMENTS) + SEGMENT_ADDRESS);
            receiveTail++;
        }
    }

    void close()
    {
        arena.close();
    }
}
