package io.millrace.messaging.tcp;

import io.millrace.bindings.Errno;
import io.millrace.bindings.linux.MessageHeader;
import io.millrace.reactor.Kernel;
import java.lang.foreign.Arena;

/**
 * What waits to be sent on a stream, in its order: bytes of a ring, and memory elsewhere that is not copied. One
 * stream's.
 */
final class SendQueue implements AutoCloseable
{
    private static final int PARTS_MAX = 1024;
    private static final int PARTS_OF_A_CALL = 64;
    private static final int PARTS_MASK = PARTS_MAX - 1;

    private final Arena arena = Arena.ofShared();
    private long ring;
    private int capacity;
    private final long messageAddress;
    private final long iovecAddress;
    private final RegionTable regions;
    private final long[] addresses = new long[PARTS_MAX];
    private final long[] lengths = new long[PARTS_MAX];
    /** Of the region that the part lies in; 0 for others. */
    private final long[] keys = new long[PARTS_MAX];
    private int first;
    private int parts;
    private int head;
    private int tail;
    private long queuedBytes;
    private long sentBytes;

    SendQueue(final int capacity, final RegionTable regions)
    {
        this.capacity = capacity;
        this.regions = regions;
        ring = arena.allocate(capacity, 64).address();
        messageAddress = arena.allocate(MessageHeader.SIZE_BYTES, Long.BYTES).address();
        iovecAddress = arena.allocate((long)PARTS_OF_A_CALL * MessageHeader.IOVEC_SIZE_BYTES, Long.BYTES).address();
    }

    /** Makes a larger ring; what is queued is sent from the one before. */
    void grow(final int ringBytes)
    {
        ring = arena.allocate(ringBytes, 64).address();
        capacity = ringBytes;
        head = 0;
        tail = 0;
    }

    boolean isEmpty()
    {
        return 0 == parts;
    }

    /** {@return how many bytes were ever added: where in the stream what is added next begins} */
    long queuedBytes()
    {
        return queuedBytes;
    }

    /** {@return how many bytes the kernel has taken: it has copied them, and their memory is free} */
    long sentBytes()
    {
        return sentBytes;
    }

    /** {@return where bytes can be written that {@link #commit} sends, or 0} */
    long claim(final int bytes)
    {
        // Two more: a frame may begin again at the ring's start, and a payload may follow it.
        if (parts > PARTS_MAX - 2)
        {
            return 0;
        }
        if (head >= tail)
        {
            if (capacity - head >= bytes)
            {
                return ring + head;
            }
            if (tail > bytes)
            {
                head = 0;
                return ring;
            }
            return 0;
        }
        return tail - head > bytes ? ring + head : 0;
    }

    void commit(final int bytes)
    {
        final long address = ring + head;
        head += bytes;
        if (parts > 0)
        {
            final int last = first + parts - 1 & PARTS_MASK;
            if (isRing(last) && addresses[last] + lengths[last] == address)
            {
                lengths[last] += bytes;
                queuedBytes += bytes;
                return;
            }
        }
        add(address, bytes, 0);
    }

    /** Adds memory; the room for it was there when its header was claimed. */
    void add(final long address, final long lengthBytes, final long key)
    {
        final int index = first + parts & PARTS_MASK;
        addresses[index] = address;
        lengths[index] = lengthBytes;
        keys[index] = key;
        parts++;
        queuedBytes += lengthBytes;
    }

    private boolean isRing(final int index)
    {
        return addresses[index] >= ring && addresses[index] < ring + capacity;
    }

    /**
     * Sends what the socket takes.
     *
     * @return bytes, 0 when it takes none, or negated errno; {@code -EACCES} when memory that is to be sent was
     *     revoked.
     */
    long flush(final Kernel kernel, final int fd)
    {
        long wanted = 0;
        int count = 0;
        for (; count < parts && count < PARTS_OF_A_CALL; count++)
        {
            final int index = first + count & PARTS_MASK;
            if (0 != keys[index] && !regions.isValid(keys[index]))
            {
                return -Errno.EACCES;
            }
            MessageHeader.setIovec(
                iovecAddress + (long)count * MessageHeader.IOVEC_SIZE_BYTES, addresses[index], lengths[index]);
            wanted += lengths[index];
        }
        if (0 == wanted)
        {
            return 0;
        }
        // One call for one part and for several. send(2) takes a single part some 100 ns faster, but of two calls here
        // the one that a profile calls rare is compiled without inlining what captures errno, which then allocates.
        MessageHeader.set(messageAddress, iovecAddress, count);
        final long sent = kernel.sendMessage(fd, messageAddress);
        if (sent < 0)
        {
            return -Errno.EAGAIN == sent || -Errno.EINTR == sent ? 0 : sent;
        }
        onSent(sent);
        return sent;
    }

    private void onSent(final long bytes)
    {
        long left = bytes;
        sentBytes += bytes;
        while (left > 0)
        {
            final long done = Math.min(left, lengths[first]);
            addresses[first] += done;
            lengths[first] -= done;
            left -= done;
            if (isRingEnd(first))
            {
                tail = (int)(addresses[first] - ring);
            }
            if (0 == lengths[first])
            {
                first = first + 1 & PARTS_MASK;
                parts--;
            }
        }
        if (0 == parts)
        {
            // Recently used memory is in the cache.
            head = 0;
            tail = 0;
        }
    }

    /** A part that was sent wholly may end where the ring does. */
    private boolean isRingEnd(final int index)
    {
        return addresses[index] > ring && addresses[index] <= ring + capacity;
    }

    @Override
    public void close()
    {
        arena.close();
    }
}
