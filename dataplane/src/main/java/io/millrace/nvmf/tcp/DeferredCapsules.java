package io.millrace.nvmf.tcp;

import io.millrace.bindings.NativeMemory;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Whole capsules of one connection that wait for slots, in order. They are copied so that the stream behind them can be
 * parsed: it may hold the data of commands that have the slots. Stored in blocks of {@link DeferralBlocks}, borrowed
 * while there are capsules. Its connection's reactor only.
 */
final class DeferredCapsules
{
    /** Capsules that lie one behind the other; none lies in two blocks. */
    private static final class Block
    {
        private final long address;
        private int startBytes;
        private int endBytes;
        private Block next;

        private Block(final long address)
        {
            this.address = address;
        }
    }

    private final DeferralBlocks blocks;
    private final String hostAddress;
    private final UnsafeBuffer view = new UnsafeBuffer(0, 0);
    private DeferralBlocks.Share share;
    private Block first;
    private Block last;
    private int blockCount;
    private int count;

    /**
     * Creates an empty instance.
     *
     * @param blocks      that they lie in.
     * @param hostAddress of the connection.
     */
    DeferredCapsules(final DeferralBlocks blocks, final String hostAddress)
    {
        this.blocks = blocks;
        this.hostAddress = hostAddress;
    }

    boolean isEmpty()
    {
        return 0 == count;
    }

    /**
     * {@return how many there are}
     */
    int count()
    {
        return count;
    }

    /**
     * {@return whether one more may be added}
     *
     * @param length of it in bytes.
     */
    boolean hasRoom(final int length)
    {
        return null != last && length <= blocks.blockBytes() - last.endBytes ||
            blocks.mayAcquire(blockCount, hostAddress);
    }

    /**
     * Copies a capsule; there {@link #hasRoom is room}.
     *
     * @param start  of the capsule.
     * @param length of it in bytes.
     */
    void add(final long start, final int length)
    {
        if (null == last || length > blocks.blockBytes() - last.endBytes)
        {
            grow();
        }
        NativeMemory.copy(start, last.address + last.endBytes, length);
        last.endBytes += length;
        count++;
    }

    /**
     * {@return where the first one begins}
     */
    long address()
    {
        return first.address + first.startBytes;
    }

    /**
     * {@return the block of the first one, as a buffer whose offset 0 is {@link #viewAddress()}; until the next call}
     */
    UnsafeBuffer view()
    {
        view.wrap(first.address, blocks.blockBytes());
        return view;
    }

    long viewAddress()
    {
        return first.address;
    }

    /**
     * Forgets the first one; nothing when there is none.
     */
    void remove()
    {
        if (0 == count)
        {
            return;
        }
        count--;
        first.startBytes += WireHeader.pduLength(address());
        if (first.startBytes == first.endBytes)
        {
            releaseFirst();
        }
    }

    /**
     * Forgets all of them.
     */
    void close()
    {
        count = 0;
        while (null != first)
        {
            releaseFirst();
        }
    }

    private void grow()
    {
        if (null == share)
        {
            share = blocks.join(hostAddress);
        }
        final Block block = new Block(blocks.acquire(share));
        if (null == last)
        {
            first = block;
        }
        else
        {
            last.next = block;
        }
        last = block;
        blockCount++;
    }

    private void releaseFirst()
    {
        blocks.release(first.address, share);
        blockCount--;
        first = first.next;
        if (null == first)
        {
            last = null;
            blocks.leave(share);
            share = null;
        }
    }
}
