package io.millrace.bindings.spdk;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.spdk.millrace_spdk_message;
import io.millrace.bindings.generated.spdk.millrace_spdk_queue;
import io.millrace.bindings.generated.spdk.millrace_spdk_queues;
import io.millrace.bindings.generated.spdk.spdk_h;
import java.lang.foreign.MemorySegment;

/**
 * Messages between Java and SPDK of one reactor, {@code millrace_spdk_queues} of {@code native/spdk/millrace_spdk.h}.
 * Both sides are the reactor's thread, so that accesses need no order. Allocates nothing.
 */
public final class SpdkQueues
{
    private static final int PLACES = spdk_h.MILLRACE_SPDK_PLACES();
    private static final int PLACE_MASK = PLACES - 1;
    private static final long MESSAGE_BYTES = millrace_spdk_message.sizeof();
    private static final long HEAD = millrace_spdk_queue.head$offset();
    private static final long TAIL = millrace_spdk_queue.tail$offset();
    private static final long MESSAGES = millrace_spdk_queue.messages$offset();
    private static final long TYPE = millrace_spdk_message.type$offset();
    private static final long SLOT = millrace_spdk_message.slot$offset();
    private static final long ADDRESS = millrace_spdk_message.address$offset();
    private static final long WORD0 = millrace_spdk_message.word0$offset();
    private static final long WORD1 = millrace_spdk_message.word1$offset();
    private static final long LENGTH = millrace_spdk_message.length$offset();

    private final long toNative;
    private final long toJava;

    /** Notified of messages. */
    @FunctionalInterface
    public interface Listener
    {
        /**
         * A message of SPDK. It may add messages, and call SPDK.
         *
         * @param type   {@code MILLRACE_SPDK_*}.
         * @param slot   as the type has it.
         * @param length as the type has it.
         * @param word0  as the type has it.
         * @param word1  as the type has it.
         */
        void onMessage(int type, int slot, int length, long word0, long word1);
    }

    /**
     * Queues of a reactor.
     *
     * @param reactor that was created; not freed as long as they are used.
     */
    public SpdkQueues(final MemorySegment reactor)
    {
        this(SpdkReactorCalls.queues(reactor));
    }

    SpdkQueues(final long address)
    {
        toNative = address + millrace_spdk_queues.to_native$offset();
        toJava = address + millrace_spdk_queues.to_java$offset();
    }

    /**
     * Adds a message to SPDK, which takes it with the next poll.
     *
     * @param type    {@code MILLRACE_SPDK_*}.
     * @param slot    as the type has it.
     * @param address as the type has it.
     * @param length  as the type has it.
     * @param word0   as the type has it.
     * @param word1   as the type has it.
     * @return false when there is no place.
     */
    public boolean add(
        final int type, final int slot, final long address, final int length, final long word0, final long word1)
    {
        final int tail = NativeMemory.getInt(toNative + TAIL);
        if (PLACES == tail - NativeMemory.getInt(toNative + HEAD))
        {
            return false;
        }
        final long message = message(toNative, tail);
        NativeMemory.putInt(message + TYPE, type);
        NativeMemory.putInt(message + SLOT, slot);
        NativeMemory.putLong(message + ADDRESS, address);
        NativeMemory.putLong(message + WORD0, word0);
        NativeMemory.putLong(message + WORD1, word1);
        NativeMemory.putInt(message + LENGTH, length);
        NativeMemory.putInt(toNative + TAIL, tail + 1);
        return true;
    }

    /**
     * {@return whether messages to SPDK wait}
     */
    public boolean hasMessages()
    {
        return NativeMemory.getInt(toNative + TAIL) != NativeMemory.getInt(toNative + HEAD);
    }

    /**
     * {@return whether messages of SPDK wait}
     */
    public boolean hasAnswers()
    {
        return NativeMemory.getInt(toJava + TAIL) != NativeMemory.getInt(toJava + HEAD);
    }

    /**
     * Delivers messages of SPDK that wait. One that the listener fails on is not delivered again. Not by the listener.
     *
     * @param listener notified of each.
     * @return how many.
     */
    public int deliver(final Listener listener)
    {
        return hasAnswers() ? deliverWaiting(listener) : 0;
    }

    /** By itself: compiled into a loop that mostly finds nothing, it would be compiled as what is rare. */
    private int deliverWaiting(final Listener listener)
    {
        final int tail = NativeMemory.getInt(toJava + TAIL);
        int head = NativeMemory.getInt(toJava + HEAD);
        final int count = tail - head;
        do
        {
            final long message = message(toJava, head++);
            NativeMemory.putInt(toJava + HEAD, head);
            listener.onMessage(NativeMemory.getInt(message + TYPE), NativeMemory.getInt(message + SLOT),
                NativeMemory.getInt(message + LENGTH), NativeMemory.getLong(message + WORD0),
                NativeMemory.getLong(message + WORD1));
        }
        while (head != tail);
        if (head == NativeMemory.getInt(toJava + TAIL))
        {
            NativeMemory.putInt(toJava + HEAD, 0);
            NativeMemory.putInt(toJava + TAIL, 0);
        }
        return count;
    }

    private static long message(final long queue, final int number)
    {
        return queue + MESSAGES + (number & PLACE_MASK) * MESSAGE_BYTES;
    }
}
