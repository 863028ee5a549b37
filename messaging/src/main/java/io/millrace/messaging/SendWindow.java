package io.millrace.messaging;

import io.millrace.messaging.transport.MessageMemory;
import java.nio.ByteBuffer;

/**
 * Messages that were sent and not acknowledged, in their order. One connection's.
 */
final class SendWindow
{
    private final int window;
    private final int mask;
    private final long[] ids;
    /** Of what is offered; 0 for eager messages. */
    private final long[] keys;
    private final MessageMemory[] blocks;
    /** Memory of callers that the peer reads: what nobody refers to the collector frees. */
    private final ByteBuffer[] sources;
    private long next;
    private long acknowledged;

    /**
     * Makes an empty one.
     *
     * @param window messages that the peer takes before it acknowledges the first.
     */
    SendWindow(final int window)
    {
        this.window = window;
        final int size = Integer.highestOneBit(window) << 1;
        mask = size - 1;
        ids = new long[size];
        keys = new long[size];
        blocks = new MessageMemory[size];
        sources = new ByteBuffer[size];
    }

    boolean hasRoom()
    {
        return next - acknowledged < window;
    }

    boolean isEmpty()
    {
        return next == acknowledged;
    }

    long next()
    {
        return next;
    }

    long acknowledged()
    {
        return acknowledged;
    }

    void add(final long id, final long key, final MessageMemory block, final ByteBuffer source)
    {
        final int index = (int)next & mask;
        ids[index] = id;
        keys[index] = key;
        blocks[index] = block;
        sources[index] = source;
        next++;
    }

    /** {@return whether a peer can have acknowledged so many} */
    boolean isValid(final long count)
    {
        return count >= acknowledged && count <= next;
    }

    long firstId()
    {
        return ids[(int)acknowledged & mask];
    }

    long firstKey()
    {
        return keys[(int)acknowledged & mask];
    }

    MessageMemory firstBlock()
    {
        return blocks[(int)acknowledged & mask];
    }

    void removeFirst()
    {
        final int index = (int)acknowledged & mask;
        blocks[index] = null;
        sources[index] = null;
        acknowledged++;
    }
}
