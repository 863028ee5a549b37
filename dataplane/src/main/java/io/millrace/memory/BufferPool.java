package io.millrace.memory;

import io.millrace.reactor.Poller;

/**
 * One reactor's I/O buffers, contiguous and aligned to their own size, in power-of-two sizes from 4 KiB to the largest
 * transfer, carved out of one region by a buddy scheme. Nothing fails: a request without a buffer waits.
 * Single-threaded; taking, waiting and giving back allocate nothing.
 * <p>
 * <b>Shares.</b> A buffer is held by a {@link BufferShare}, that of a connection, and by its {@link BufferGroup}, that
 * of a host. How much one may hold depends on what is free: a share gets another buffer while it holds less than that,
 * a group while it holds less than twice that, and no buffer is larger than half of it. So one share gets half of an
 * unused pool and one group two thirds, a share that never releases its buffers leaves a part, and the next one gets a
 * share of that part.
 * <p>
 * <b>Floors.</b> A limit by what is free approaches zero when enough groups keep all that they get. So a part of the
 * pool may be reserved for floors: a group that holds less than one such buffer gets one, whatever others hold, while
 * there are some. A larger request that can be split gets a buffer for a part.
 * <p>
 * <b>Waiting.</b> Each share has a queue, and those whose share allows it are served in turn, one buffer a turn; a
 * share at its limit is passed over and delays no others. When the free memory is too fragmented for a share that holds
 * nothing, the pool gathers one of the largest buffers for it, while all others use the rest.
 */
public final class BufferPool implements Poller
{
    /** Smallest buffer. */
    public static final int BUFFER_BYTES_MIN = 4096;

    private static final int BUFFER_SHIFT_MIN = Integer.numberOfTrailingZeros(BUFFER_BYTES_MIN);
    /** A grant starts an I/O, so one turn of the pool is kept as short as that of other pollers. */
    private static final int GRANTS_PER_POLL = 64;
    private static final int ATTEMPTS_PER_POLL = 256;
    private static final int NO_ORDER = Integer.MAX_VALUE;
    /** Largest floor: who waits for no more never gets less than it waits for. */
    public static final int FLOOR_BUFFER_BYTES_MAX = 32 << 10;

    private final long address;
    private final long lengthBytes;
    /** Of the part that is shared, which comes first; floors are behind it. */
    private final long sharedBytes;
    private final BufferFloors floors;
    private final int bufferBytesMax;
    private final BuddyAllocator buddies;
    /**
     * The buffer that came back last, free but not merged with its neighbours: the next request of its size gets it
     * without splitting them again. {@link BuddyAllocator#NONE} when there is none, and always while somebody waits.
     */
    private int keptUnit = BuddyAllocator.NONE;
    private int keptOrder;
    private long usedBytes;
    private long usedSharedBytes;
    private long highWaterBytes;
    private long waitCount;

    private final ShareRing queues = new ShareRing();
    private final BufferClaim claim;
    private int waiting;
    /** Whether a waiter may be served: then buffers are handed out in turn only. */
    private boolean isDue;
    /** Queues in a row that could not be served since something changed. */
    private int passedOver;
    /** Free bytes, and order of a free block, from which on a waiter may be served. */
    private long dueFreeBytes = Long.MAX_VALUE;
    private int dueOrder = NO_ORDER;
    /** Whether memory may be gathered for a share that was passed over. */
    private boolean isClaimWanted;

    /**
     * Makes a pool without floors over a region.
     *
     * @param address        of the region; a multiple of the largest buffer's size.
     * @param lengthBytes    of the region; a multiple of the largest buffer's size, below 8 TiB.
     * @param bufferBytesMax largest buffer; a power of two from {@link #BUFFER_BYTES_MIN} to 1 GiB.
     * @throws IllegalArgumentException when one of them is not so.
     */
    public BufferPool(final long address, final long lengthBytes, final int bufferBytesMax)
    {
        this(new BufferLayout(address, lengthBytes, bufferBytesMax, 0, BUFFER_BYTES_MIN));
    }

    /**
     * Makes a pool over a region, with an eighth of it, or one largest buffer if that is more, for floors of up to
     * 32 KiB. A region of less than four largest buffers has none.
     *
     * @param address        of the region; a multiple of the largest buffer's size.
     * @param lengthBytes    of the region; a multiple of the largest buffer's size, below 8 TiB.
     * @param bufferBytesMax largest buffer; a power of two from {@link #BUFFER_BYTES_MIN} to 1 GiB.
     * @return the pool.
     * @throws IllegalArgumentException when one of them is not so.
     */
    public static BufferPool withFloors(final long address, final long lengthBytes, final int bufferBytesMax)
    {
        return new BufferPool(BufferLayout.withFloors(address, lengthBytes, bufferBytesMax));
    }

    /**
     * Makes a pool.
     *
     * @param layout region and sizes.
     */
    public BufferPool(final BufferLayout layout)
    {
        address = layout.address();
        lengthBytes = layout.lengthBytes();
        bufferBytesMax = layout.bufferBytesMax();
        sharedBytes = layout.sharedBytes();
        floors = new BufferFloors(address + sharedBytes, layout.floorBytes(), layout.floorBufferBytes());
        buddies = new BuddyAllocator((int)(sharedBytes >>> BUFFER_SHIFT_MIN), order(bufferBytesMax));
        claim = new BufferClaim(buddies, bufferBytesMax, sharedBytes, 0 != layout.floorBytes());
    }

    /**
     * Makes a share, which is forgotten when it is empty and nobody uses it any more.
     *
     * @param group that it is limited with, of this pool alone.
     * @return a share that holds nothing.
     */
    public BufferShare newShare(final BufferGroup group)
    {
        return new BufferShare(this, group);
    }

    /**
     * Takes a buffer if there is one, the share allows it, and no waiter has to be served before.
     *
     * @param share       that holds it.
     * @param lengthBytes wanted, from 1 to the largest buffer.
     * @return its address, or 0: then {@link #await} a buffer.
     */
    public long acquire(final BufferShare share, final int lengthBytes)
    {
        final int order = checkedOrder(lengthBytes);
        return isDue || 0 != share.waiting || !admits(share, bytes(order)) ? 0 : take(share, order);
    }

    /**
     * Waits for a buffer.
     *
     * @param waiter      notified when it is there, from {@link #poll()}; not waiting yet.
     * @param share       that will hold it.
     * @param lengthBytes wanted, from 1 to the largest buffer.
     */
    public void await(final BufferWaiter waiter, final BufferShare share, final int lengthBytes)
    {
        await(waiter, share, lengthBytes, false);
    }

    /**
     * Waits for a buffer, or for a smaller one if the share only gets a floor.
     *
     * @param waiter      notified when it is there, from {@link #poll()}, with its length; not waiting yet.
     * @param share       that will hold it.
     * @param lengthBytes wanted, from 1 to the largest buffer.
     */
    public void awaitPart(final BufferWaiter waiter, final BufferShare share, final int lengthBytes)
    {
        await(waiter, share, lengthBytes, true);
    }

    private void await(
        final BufferWaiter waiter, final BufferShare share, final int lengthBytes, final boolean isDivisible)
    {
        checkedOrder(lengthBytes);
        if (null != waiter.awaited)
        {
            throw new IllegalStateException("waits for a buffer already: " + waiter);
        }
        mergeKept();
        waiter.isDivisible = isDivisible;
        share.add(waiter, lengthBytes);
        waiting++;
        waitCount++;
        if (1 == share.waiting)
        {
            queues.add(share);
            if (!isServable(share, waiter))
            {
                onPassedOver(share, lengthBytes);
            }
            else
            {
                becomeDue();
            }
        }
    }

    /**
     * Leaves the queue.
     *
     * @param waiter that need not be notified any more.
     * @return false when it was not waiting.
     */
    public boolean cancel(final BufferWaiter waiter)
    {
        final BufferShare share = waiter.awaited;
        if (null == share)
        {
            return false;
        }
        final boolean wasFirst = waiter == share.first;
        remove(share, waiter);
        if (wasFirst)
        {
            // The next one may want less.
            becomeDue();
        }
        return true;
    }

    /**
     * Gives a buffer back.
     *
     * @param share       that holds it.
     * @param address     from {@link #acquire} or {@link BufferWaiter#onBuffer}.
     * @param lengthBytes that was asked for.
     * @throws IllegalStateException when no such buffer is handed out: the owner lost count, so no buffer can be
     *     trusted.
     */
    public void release(final BufferShare share, final long address, final int lengthBytes)
    {
        final int order = checkedOrder(lengthBytes);
        final long offset = address - this.address;
        if (floors.contains(address))
        {
            releaseFloor(share, address, order);
            return;
        }
        final int unit = (int)(offset >>> BUFFER_SHIFT_MIN);
        if (offset < 0 || offset >= sharedBytes || 0 != (offset & (BUFFER_BYTES_MIN - 1)) ||
            !buddies.isTaken(unit, order) || unit == keptUnit)
        {
            throw brokenRelease(address, lengthBytes, offset);
        }
        final long bytes = bytes(order);
        usedBytes -= bytes;
        usedSharedBytes -= bytes;
        share.hold(-bytes);
        if (0 == waiting)
        {
            mergeKept();
            keptUnit = unit;
            keptOrder = order;
            return;
        }
        final int merged = buddies.giveBack(unit, order);
        if (merged >= dueOrder || freeBytes() >= dueFreeBytes || share.hasWaiting())
        {
            becomeDue();
        }
    }

    private void mergeKept()
    {
        if (BuddyAllocator.NONE != keptUnit)
        {
            buddies.giveBack(keptUnit, keptOrder);
            keptUnit = BuddyAllocator.NONE;
        }
    }

    private void releaseFloor(final BufferShare share, final long address, final int order)
    {
        if (!floors.giveBack(share.group, address, order))
        {
            throw brokenRelease(address, BUFFER_BYTES_MIN << order, address - this.address);
        }
        usedBytes -= bytes(order);
        share.hold(-bytes(order));
        if (0 != waiting)
        {
            becomeDue();
        }
    }

    /**
     * Lends a buffer to a device or other user: it is counted there, and not for the share.
     *
     * @param share       that holds the buffer.
     * @param lengthBytes that was asked for.
     */
    public void lend(final BufferShare share, final int lengthBytes)
    {
        share.hold(-bytes(order(lengthBytes)));
        if (0 != waiting && share.hasWaiting())
        {
            becomeDue();
        }
    }

    /**
     * Ends the loan of a buffer: the share counts it again.
     *
     * @param share       that holds the buffer.
     * @param lengthBytes that was asked for.
     */
    public void takeBack(final BufferShare share, final int lengthBytes)
    {
        share.hold(bytes(order(lengthBytes)));
    }

    /**
     * {@return size of the buffer that a request of a length gets}
     *
     * @param lengthBytes from 1 to the largest buffer.
     */
    public static int bufferBytes(final int lengthBytes)
    {
        return BUFFER_BYTES_MIN << order(lengthBytes);
    }

    /**
     * {@return free bytes, rounded to buffer sizes; without floors}
     */
    public long freeBytes()
    {
        return sharedBytes - usedSharedBytes - ((long)buddies.claimedUnits() << BUFFER_SHIFT_MIN);
    }

    /**
     * {@return bytes of the region that are for floors}
     */
    public long floorBytes()
    {
        return floors.lengthBytes();
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
        return waiting;
    }

    /**
     * Hands free buffers to the waiters, in turn.
     *
     * @return how many were handed out.
     */
    @Override
    public int poll()
    {
        if (0 == waiting)
        {
            return 0;
        }
        int granted = null == claim.share() ? 0 : pollClaim();
        for (int left = ATTEMPTS_PER_POLL; isDue && left > 0 && granted < GRANTS_PER_POLL; left--)
        {
            if (passedOver >= queues.size())
            {
                isDue = false;
                break;
            }
            granted += serve(queues.next());
        }
        if (!isDue && isClaimWanted && null == claim.share())
        {
            isClaimWanted = false;
            claim.begin(queues, freeBytes());
        }
        return granted;
    }

    /**
     * {@return false while a waiter may be served, or memory be gathered for one}
     */
    @Override
    public boolean canSleep()
    {
        return 0 == waiting || !isDue && !claim.isReady() && (!isClaimWanted || null != claim.share());
    }

    private int serve(final BufferShare share)
    {
        final BufferWaiter first = share.first;
        final int wantedBytes = first.awaitedBytes;
        final boolean isShared = isSharedServable(share, wantedBytes);
        if (!isShared && !isFloorServable(share, first))
        {
            passedOver++;
            onPassedOver(share, wantedBytes);
            return 0;
        }
        becomeDue();
        final int grantedBytes = isShared ? wantedBytes : Math.min(wantedBytes, floors.bufferBytes());
        final long granting =
            isShared ? take(share, order(wantedBytes)) : takeFloor(share, order(grantedBytes));
        remove(share, first);
        first.onBuffer(granting, grantedBytes);
        return 1;
    }

    /**
     * {@return whether a share may have a buffer, and there is one}
     */
    private boolean isServable(final BufferShare share, final BufferWaiter waiter)
    {
        return isSharedServable(share, waiter.awaitedBytes) || isFloorServable(share, waiter);
    }

    private boolean isSharedServable(final BufferShare share, final int wantedBytes)
    {
        final int order = order(wantedBytes);
        return admits(share, bytes(order)) && buddies.isAvailable(order);
    }

    private boolean isFloorServable(final BufferShare share, final BufferWaiter waiter)
    {
        return floors.admits(share.group) && (waiter.isDivisible || waiter.awaitedBytes <= floors.bufferBytes());
    }

    private boolean admits(final BufferShare share, final long bytes)
    {
        final long free = freeBytes();
        return share.heldBytes < free && share.group.heldBytes < 2 * free && 2 * bytes <= free;
    }

    /** Records when the first of a queue may be served. */
    private void onPassedOver(final BufferShare share, final int wantedBytes)
    {
        final long bytes = bufferBytes(wantedBytes);
        final long needed = Math.max(2 * bytes, Math.max(share.heldBytes, share.group.heldBytes / 2) + 1);
        if (needed > freeBytes())
        {
            dueFreeBytes = Math.min(dueFreeBytes, needed);
        }
        else
        {
            dueOrder = Math.min(dueOrder, order(wantedBytes));
        }
        isClaimWanted |= claim.admits(share, bytes, freeBytes());
    }

    private void becomeDue()
    {
        isDue = 0 != waiting;
        passedOver = 0;
        dueFreeBytes = Long.MAX_VALUE;
        dueOrder = NO_ORDER;
        isClaimWanted = false;
    }

    private int pollClaim()
    {
        if (claim.isReady())
        {
            final BufferShare share = claim.share();
            final BufferWaiter first = share.first;
            final int wantedBytes = first.awaitedBytes;
            final long granting = onTaken(share, order(wantedBytes), claim.take(order(wantedBytes)));
            remove(share, first);
            becomeDue();
            first.onBuffer(granting, wantedBytes);
            return 1;
        }
        if (claim.retries())
        {
            becomeDue();
        }
        return 0;
    }

    private void remove(final BufferShare share, final BufferWaiter waiter)
    {
        final boolean isClaimed = share == claim.share() && waiter == share.first;
        share.remove(waiter);
        waiting--;
        isDue &= 0 != waiting;
        if (isClaimed)
        {
            claim.end();
            becomeDue();
        }
        if (0 == share.waiting)
        {
            queues.remove(share);
        }
    }

    private long take(final BufferShare share, final int order)
    {
        final int kept = keptUnit;
        if (BuddyAllocator.NONE != kept && keptOrder == order)
        {
            keptUnit = BuddyAllocator.NONE;
            return onTaken(share, order, kept);
        }
        mergeKept();
        final int unit = buddies.take(order);
        return BuddyAllocator.NONE == unit ? 0 : onTaken(share, order, unit);
    }

    private long onTaken(final BufferShare share, final int order, final int unit)
    {
        usedSharedBytes += bytes(order);
        onTaken(share, order);
        return address + ((long)unit << BUFFER_SHIFT_MIN);
    }

    private long takeFloor(final BufferShare share, final int order)
    {
        final long taken = floors.take(share.group, order);
        onTaken(share, order);
        return taken;
    }

    private void onTaken(final BufferShare share, final int order)
    {
        final long bytes = bytes(order);
        share.hold(bytes);
        usedBytes += bytes;
        if (usedBytes > highWaterBytes)
        {
            highWaterBytes = usedBytes;
        }
    }

    private static long bytes(final int order)
    {
        return (long)BUFFER_BYTES_MIN << order;
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

    static int order(final int wantedBytes)
    {
        return 32 - Integer.numberOfLeadingZeros((wantedBytes - 1) >>> BUFFER_SHIFT_MIN);
    }

    private IllegalStateException brokenRelease(final long released, final int releasedBytes, final long offset)
    {
        mergeKept();
        final String what = offset < 0 || offset >= lengthBytes ?
            "outside of the pool at 0x" + Long.toHexString(address) + " with " + lengthBytes + " bytes" :
            offset >= sharedBytes ? "a floor" : buddies.describe((int)(offset >>> BUFFER_SHIFT_MIN));
        return new IllegalStateException("release of 0x" + Long.toHexString(released) + " with " + releasedBytes +
            " bytes, which is not handed out: " + what);
    }
}
