package io.millrace.messaging.transport;

import java.util.ArrayList;
import java.util.function.Consumer;

/**
 * Memory of a connection for messages that are larger than a slot: powers of two, kept for the next of that size. One
 * connection's.
 */
public final class BulkPool implements AutoCloseable
{
    /** Least block. */
    public static final int BLOCK_BYTES_MIN = 64 << 10;
    private static final int CLASSES = Long.SIZE;

    private final long bytesMax;
    private final Consumer<MessageMemory> onFree;
    private final ArrayList<ArrayList<MessageMemory>> free = new ArrayList<>(CLASSES);
    private final ArrayList<MessageMemory> all = new ArrayList<>();
    private long bytes;

    /**
     * Makes an empty one.
     *
     * @param bytesMax that it may hold.
     * @param onFree   takes each block before it is freed, unless the pool is closed.
     */
    public BulkPool(final long bytesMax, final Consumer<MessageMemory> onFree)
    {
        this.onFree = onFree;
        this.bytesMax = bytesMax;
        for (int i = 0; i < CLASSES; i++)
        {
            free.add(new ArrayList<>());
        }
    }

    private static int classOf(final long lengthBytes)
    {
        return Long.SIZE - Long.numberOfLeadingZeros(Math.max(BLOCK_BYTES_MIN, lengthBytes) - 1);
    }

    /**
     * Takes a block, a used one if there is one.
     *
     * @param lengthBytes that are needed.
     * @return the block, or null when its bound is reached: try again when one was released.
     */
    public MessageMemory take(final long lengthBytes)
    {
        final int sizeClass = classOf(lengthBytes);
        final ArrayList<MessageMemory> blocks = free.get(sizeClass);
        if (!blocks.isEmpty())
        {
            return blocks.removeLast();
        }
        final long blockBytes = 1L << sizeClass;
        if (bytes + blockBytes > bytesMax)
        {
            trim();
        }
        // One is always possible, so that a message of any allowed size arrives.
        if (bytes + blockBytes > bytesMax && bytes > 0)
        {
            return null;
        }
        final MessageMemory made = new MessageMemory(blockBytes, true);
        all.add(made);
        bytes += blockBytes;
        return made;
    }

    /** Frees unused blocks: their sizes are not those that are needed now. */
    private void trim()
    {
        for (final ArrayList<MessageMemory> blocks : free)
        {
            while (!blocks.isEmpty())
            {
                final MessageMemory block = blocks.removeLast();
                all.remove(block);
                bytes -= block.lengthBytes();
                onFree.accept(block);
                block.close();
            }
        }
    }

    /**
     * Gives a block back.
     *
     * @param block that nothing uses any more.
     */
    public void release(final MessageMemory block)
    {
        free.get(classOf(block.lengthBytes())).add(block);
    }

    /**
     * {@return how many blocks are taken}
     */
    public int taken()
    {
        int unused = 0;
        for (final ArrayList<MessageMemory> blocks : free)
        {
            unused += blocks.size();
        }
        return all.size() - unused;
    }

    /** Frees all of it, also what is taken: the transport uses none of it any more. */
    @Override
    public void close()
    {
        all.forEach(MessageMemory::close);
        all.clear();
        free.forEach(ArrayList::clear);
        bytes = 0;
    }
}
