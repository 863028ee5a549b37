package io.millrace.reactor;

import java.util.concurrent.RejectedExecutionException;
import org.agrona.BufferUtil;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

/**
 * A message queue from other threads to a reactor: a ring of fixed-size records. Any thread offers, the consuming
 * reactor's thread takes; offering and taking allocate nothing. Messages of one producer arrive in the order it offered
 * them.
 */
public final class ReactorLink implements AutoCloseable
{
    /** Length of a record. */
    public static final int RECORD_BYTES = DescriptorRecord.RECORD_BYTES;

    /** A ring of Agrona takes no message longer than an eighth of it. */
    private static final int CAPACITY_MIN = 8;
    private static final int CAPACITY_MAX = 1 << 20;
    /** A message starts an I/O, so one turn of a link is kept as short as that of other pollers. */
    private static final int MESSAGES_PER_POLL = 64;

    private final Reactor consumer;
    private final LinkListener listener;
    private final UnsafeBuffer buffer;
    private final ManyToOneRingBuffer ring;
    private final MessageHandler reader = this::read;
    private final Poller poller = new RingPoller();
    private volatile boolean closed;

    /**
     * Makes a link and adds its taking side to the consumer's pollers.
     *
     * @param consumer reactor that takes; not ended.
     * @param capacity how many messages fit; a power of two from 8 to 2^20.
     * @param listener notified of each message on the consumer's thread.
     * @throws IllegalArgumentException   when the capacity is out of bounds.
     * @throws RejectedExecutionException when the consumer has ended.
     */
    public ReactorLink(final Reactor consumer, final int capacity, final LinkListener listener)
    {
        if (capacity < CAPACITY_MIN || capacity > CAPACITY_MAX || 1 != Integer.bitCount(capacity))
        {
            throw new IllegalArgumentException("link to reactor " + consumer.config().name() + ": capacity " +
                capacity + " is not a power of two from " + CAPACITY_MIN + " to " + CAPACITY_MAX);
        }
        this.consumer = consumer;
        this.listener = listener;
        buffer = new UnsafeBuffer(BufferUtil.allocateDirectAligned(
            capacity * RECORD_BYTES + RingBufferDescriptor.TRAILER_LENGTH, 2 * RECORD_BYTES));
        ring = new ManyToOneRingBuffer(buffer);
        if (consumer.isOnThread())
        {
            consumer.addPoller(poller);
        }
        else
        {
            consumer.execute(this::attach);
        }
    }

    /**
     * Hands a message over and wakes the consumer when it sleeps. Any thread.
     *
     * @param type        positive.
     * @param slot        index of a request or another preallocated thing.
     * @param address     of the payload, which belongs to the consumer from now on, or 0.
     * @param lengthBytes of the payload.
     * @param word0       for the type's own use.
     * @param word1       for the type's own use.
     * @return false when the ring is full now or the link is closed: nothing was handed over.
     */
    public boolean offer(
        final int type, final int slot, final long address, final int lengthBytes, final long word0, final long word1)
    {
        if (closed)
        {
            return false;
        }
        final int index = ring.tryClaim(type, DescriptorRecord.BODY_BYTES);
        if (index < 0)
        {
            return false;
        }
        DescriptorRecord.write(buffer, index, slot, address, lengthBytes, word0, word1);
        ring.commit(index);
        consumer.wake();
        return true;
    }

    /**
     * {@return how many messages fit}
     */
    public int capacity()
    {
        return ring.capacity() / RECORD_BYTES;
    }

    /**
     * Rejects further messages, and delivers those on the ring: immediately on the consumer's thread or when it has
     * ended, else by its next command. Producers stop before this, since messages offered meanwhile may be lost. A
     * second call does nothing.
     */
    @Override
    public void close()
    {
        if (closed)
        {
            return;
        }
        closed = true;
        if (consumer.isOnThread())
        {
            detach();
            return;
        }
        try
        {
            consumer.execute(this::detach);
        }
        catch (final RejectedExecutionException ended)
        {
            drain();
        }
    }

    private void attach()
    {
        if (!closed)
        {
            consumer.addPoller(poller);
        }
    }

    private void detach()
    {
        consumer.removePoller(poller);
        drain();
    }

    private void drain()
    {
        while (ring.size() > 0)
        {
            ring.read(reader);
        }
    }

    private void read(final int type, final MutableDirectBuffer source, final int index, final int length)
    {
        DescriptorRecord.deliver(listener, type, source, index);
    }

    private final class RingPoller implements Poller
    {
        @Override
        public int poll()
        {
            return ring.read(reader, MESSAGES_PER_POLL);
        }

        @Override
        public boolean canSleep()
        {
            // Counts what is claimed too: its producer may be past the look at the sleeping flag.
            return 0 == ring.size();
        }
    }
}
