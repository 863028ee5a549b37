package io.millrace.simulation;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Bytes in order, as many as fit.
 */
final class ByteQueue
{
    private final UnsafeBuffer memory = new UnsafeBuffer(0, 0);
    private final byte[] bytes;
    private int head;
    private int size;

    ByteQueue(final int capacity)
    {
        bytes = new byte[capacity];
    }

    int size()
    {
        return size;
    }

    int room()
    {
        return bytes.length - size;
    }

    void clear()
    {
        head = 0;
        size = 0;
    }

    /** Appends from memory; there is room. */
    void append(final long address, final int count)
    {
        memory.wrap(address, count);
        final int tail = (head + size) % bytes.length;
        final int first = Math.min(count, bytes.length - tail);
        memory.getBytes(0, bytes, tail, first);
        memory.getBytes(first, bytes, 0, count - first);
        size += count;
    }

    /** {@return a byte so many before the end, from 1} */
    byte fromEnd(final int count)
    {
        return bytes[(head + size - count) % bytes.length];
    }

    /** Flips a bit of a byte so many before the end, from 1. */
    void flip(final int count, final int bit)
    {
        bytes[(head + size - count) % bytes.length] ^= (byte)(1 << bit);
    }

    /** Takes into memory; there are so many. */
    void take(final long address, final int count)
    {
        memory.wrap(address, count);
        final int first = Math.min(count, bytes.length - head);
        memory.putBytes(0, bytes, head, first);
        memory.putBytes(first, bytes, 0, count - first);
        drop(count);
    }

    /** Moves to another queue, which has room. */
    void move(final ByteQueue to, final int count)
    {
        int left = count;
        while (left > 0)
        {
            final int tail = (to.head + to.size) % to.bytes.length;
            final int step = Math.min(left, Math.min(bytes.length - head, to.bytes.length - tail));
            System.arraycopy(bytes, head, to.bytes, tail, step);
            to.size += step;
            drop(step);
            left -= step;
        }
    }

    private void drop(final int count)
    {
        head = (head + count) % bytes.length;
        size -= count;
    }
}
