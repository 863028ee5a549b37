package io.millrace.reactor;

import java.util.concurrent.RejectedExecutionException;
import org.agrona.BufferUtil;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RecordDescriptor;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

/**
 * A message queue from other threads to a reactor: a ring of fixed-size records. Any thread offers, the consuming
 * reactor's thread takes; offering and taking allocate nothing. One record on the ring, little-endian:
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------------------------------------------------------+
 *  0|         record length, 64; not positive while it is written   |
 *  4|                             type                              |
 *  8|                            address                            |
 *   |                                                               |
 * 16|                        length in bytes                        |
 * 20|                             slot                              |
 * 24|                             word 0                            |
 *   |                                                               |
 * 32|                             word 1                            |
 *   |                                                               |
 * 40|                       reserved, 24 bytes                      |
 *  +---------------------------------------------------------------+
 * </pre>
 * A record is a cache line. Messages of one producer arrive in the order it offered them.
 */
public final class ReactorLink implements AutoCloseable
{
    /** Length of a record. */
    public static final int RECORD_BYTES = 64;

    private static final int BODY_BYTES = RECORD_BYTES - RecordDescriptor.HEADER_LENGTH;
    private static final int ADDRESS_OFFSET = 0;
    private static final int LENGTH_OFFSET = 8;
    private static final int SLOT_OFFSET = 12;
    private static final int WORD0_OFFSET = 16;
    private static final int WORD1_OFFSET = 24;
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
     * @param capacity how many messages fit; a power of two from 2 to 2^20.
     * @param listener notified of each message on the consumer's thread.
     * @throws IllegalArgumentException   when the capacity is out of bounds.
     * @throws RejectedExecutionException when the consumer has ended.
     */
    public ReactorLink(final Reactor consumer, final int capacity, final LinkListener listener)
    {
        if (capacity < 2 || capacity > CAPACITY_MAX || 1 != Integer.bitCount(capacity))
        {
            throw new IllegalArgumentException("link to reactor " + consumer.config().name() + ": capacity " +
                capacity + " is not a power of two from 2 to " + CAPACITY_MAX);
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
        final int index = ring.tryClaim(type, BODY_BYTES);
        if (index < 0)
        {
            return false;
        }
        buffer.putLong(index + ADDRESS_OFFSET, address);
        buffer.putInt(index + LENGTH_OFFSET, lengthBytes);
        buffer.putInt(index + SLOT_OFFSET, slot);
        buffer.putLong(index + WORD0_OFFSET, word0);
        buffer.putLong(index + WORD1_OFFSET, word1);
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
        listener.onMessage(
            type,
            source.getInt(index + SLOT_OFFSET),
            source.getLong(index + ADDRESS_OFFSET),
            source.getInt(index + LENGTH_OFFSET),
            source.getLong(index + WORD0_OFFSET),
            source.getLong(index + WORD1_OFFSET));
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
