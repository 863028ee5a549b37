package io.millrace.memory;

import io.millrace.reactor.Poller;

/**
 * One reactor's I/O buffers, contiguous and aligned to their own size, in power-of-two sizes from 4 KiB to the largest
 * transfer, carved out of one region by a buddy scheme. When it is empty requesters wait in order; nothing fails and
 * nobody overtakes, so a large request is not starved by small ones. Single-threaded; taking and giving back allocate
 * nothing.
 */
public final class BufferPool implements Poller
{
    /** Smallest buffer. */
    public static final int BUFFER_BYTES_MIN = 4096;

    private static final int BUFFER_SHIFT_MIN = Integer.numberOfTrailingZeros(BUFFER_BYTES_MIN);
    /** A grant starts an I/O, so one turn of the pool is kept as short as that of other pollers. */
    private static final int GRANTS_PER_POLL = 64;

    private final long address;
    private final long lengthBytes;
    private final int bufferBytesMax;
    private final BuddyAllocator buddies;
    private final WaiterQueue waiters = new WaiterQueue();
    private long usedBytes;
    private long highWaterBytes;
    private long waitCount;

    /**
     * Makes a pool over a region.
     *
     * @param address        of the region; a multiple of the largest buffer's size.
     * @param lengthBytes    of the region; a multiple of the largest buffer's size, below 8 TiB.
     * @param bufferBytesMax largest buffer; a power of two from {@link #BUFFER_BYTES_MIN} to 1 GiB.
     * @throws IllegalArgumentException when one of them is not so.
     */
    public BufferPool(final long address, final long lengthBytes, final int bufferBytesMax)
    {
        if (bufferBytesMax < BUFFER_BYTES_MIN || 1 != Integer.bitCount(bufferBytesMax))
        {
            throw new IllegalArgumentException("largest buffer: " + bufferBytesMax +
                " bytes is no power of two from " + BUFFER_BYTES_MIN + " to " + (1 << 30));
        }
        if (address <= 0 || 0 != (address & (bufferBytesMax - 1)))
        {
            throw new IllegalArgumentException("buffer pool: address 0x" + Long.toHexString(address) +
                " is no multiple of the largest buffer, " + bufferBytesMax + " bytes");
        }
        if (lengthBytes <= 0 || 0 != (lengthBytes & (bufferBytesMax - 1)) ||
            lengthBytes >>> BUFFER_SHIFT_MIN > Integer.MAX_VALUE)
        {
            throw new IllegalArgumentException("buffer pool: " + lengthBytes +
                " bytes is no multiple of the largest buffer, " + bufferBytesMax + " bytes, between that and 8 TiB");
        }
        this.address = address;
        this.lengthBytes = lengthBytes;
        this.bufferBytesMax = bufferBytesMax;
        buddies = new BuddyAllocator((int)(lengthBytes >>> BUFFER_SHIFT_MIN), order(bufferBytesMax));
    }

    /**
     * Takes a buffer if there is one and nobody waits.
     *
     * @param lengthBytes wanted, from 1 to the largest buffer.
     * @return its address, or 0: then {@link #await} a buffer.
     */
    public long acquire(final int lengthBytes)
    {
        final int order = checkedOrder(lengthBytes);
        return waiters.isEmpty() ? take(order) : 0;
    }

    /**
     * Waits in line for a buffer.
     *
     * @param waiter      told when it is there, from {@link #poll()}; not waiting yet.
     * @param lengthBytes wanted, from 1 to the largest buffer.
     */
    public void await(final BufferWaiter waiter, final int lengthBytes)
    {
        checkedOrder(lengthBytes);
        waiters.add(waiter, lengthBytes);
        waitCount++;
    }

    /**
     * Leaves the line.
     *
     * @param waiter that need not be told any more.
     * @return false when it was not waiting.
     */
    public boolean cancel(final BufferWaiter waiter)
    {
        return waiters.remove(waiter);
    }

    /**
     * Gives a buffer back.
     *
     * @param address     from {@link #acquire} or {@link BufferWaiter#onBuffer}.
     * @param lengthBytes that was asked for.
     * @throws IllegalStateException when no such buffer is handed out: the owner lost count, so no buffer can be
     *     trusted.
     */
    public void release(final long address, final int lengthBytes)
    {
        final int order = checkedOrder(lengthBytes);
        final long offset = address - this.address;
        if (offset < 0 || offset >= this.lengthBytes || 0 != (offset & (BUFFER_BYTES_MIN - 1)) ||
            !buddies.isTaken((int)(offset >>> BUFFER_SHIFT_MIN), order))
        {
            throw brokenRelease(address, lengthBytes, offset);
        }
        usedBytes -= (long)BUFFER_BYTES_MIN << order;
        buddies.giveBack((int)(offset >>> BUFFER_SHIFT_MIN), order);
    }

    /**
     * {@return largest buffer in bytes}
     */
    public int bufferBytesMax()
    {
        return bufferBytesMax;
    }

    /**
     * {@return length of the region in bytes}
     */
    public long lengthBytes()
    {
        return lengthBytes;
    }

    /**
     * {@return bytes that are handed out, rounded to buffer sizes}
     */
    public long usedBytes()
    {
        return usedBytes;
    }

    /**
     * {@return the most bytes that were handed out at one time}
     */
    public long highWaterBytes()
    {
        return highWaterBytes;
    }

    /**
     * {@return how many times a requester had to wait}
     */
    public long waitCount()
    {
        return waitCount;
    }

    /**
     * {@return how many wait now}
     */
    public int waiting()
    {
        return waiters.size();
    }

    /**
     * Hands freed buffers to those who wait, in order.
     *
     * @return how many were handed out.
     */
    @Override
    public int poll()
    {
        int granted = 0;
        while (granted < GRANTS_PER_POLL && !waiters.isEmpty())
        {
            final int wantedBytes = waiters.firstLengthBytes();
            final long granting = take(order(wantedBytes));
            if (0 == granting)
            {
                break;
            }
            waiters.removeFirst().onBuffer(granting, wantedBytes);
            granted++;
        }
        return granted;
    }

    /**
     * {@return false while the first in line could be served}
     */
    @Override
    public boolean canSleep()
    {
        return waiters.isEmpty() || !buddies.isAvailable(order(waiters.firstLengthBytes()));
    }

    private long take(final int order)
    {
        final int unit = buddies.take(order);
        if (BuddyAllocator.NONE == unit)
        {
            return 0;
        }
        usedBytes += (long)BUFFER_BYTES_MIN << order;
        if (usedBytes > highWaterBytes)
        {
            highWaterBytes = usedBytes;
        }
        return address + ((long)unit << BUFFER_SHIFT_MIN);
    }

    private int checkedOrder(final int wantedBytes)
    {
        if (wantedBytes <= 0 || wantedBytes > bufferBytesMax)
        {
            throw new IllegalArgumentException(
                "buffer of " + wantedBytes + " bytes: not between 1 and the largest buffer, " + bufferBytesMax);
        }
        return order(wantedBytes);
    }

    private static int order(final int wantedBytes)
    {
        return 32 - Integer.numberOfLeadingZeros((wantedBytes - 1) >>> BUFFER_SHIFT_MIN);
    }

    private IllegalStateException brokenRelease(final long released, final int releasedBytes, final long offset)
    {
        final String what = offset < 0 || offset >= lengthBytes ?
            "outside of the pool at 0x" + Long.toHexString(address) + " with " + lengthBytes + " bytes" :
            buddies.describe((int)(offset >>> BUFFER_SHIFT_MIN));
        return new IllegalStateException("release of 0x" + Long.toHexString(released) + " with " + releasedBytes +
            " bytes, which is not handed out: " + what);
    }
}
