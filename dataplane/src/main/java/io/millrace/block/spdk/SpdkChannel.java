package io.millrace.block.spdk;

import io.millrace.bindings.Errno;
import io.millrace.bindings.generated.spdk.spdk_h;
import io.millrace.bindings.spdk.SpdkBdev;
import io.millrace.block.BlockChannel;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.CloseListener;
import io.millrace.block.FailureCause;
import io.millrace.block.MemoryHold;
import io.millrace.block.ReactorContext;
import io.millrace.block.status.CommandStatus;
import io.millrace.spdk.SpdkBdevListener;
import io.millrace.spdk.SpdkReactor;

/**
 * One reactor's channel to a bdev. A request takes a slot, of the channel and of the bdev alike, and goes to SPDK with
 * the next poll of the {@link SpdkReactor}, which all channels of the reactor share.
 * <p>
 * A close waits for requests. What takes too long is ended by a reset of the bdev; what does not end then either is
 * given up, its memory held until SPDK is done with it.
 */
final class SpdkChannel implements BlockChannel, SpdkBdevListener
{
    /** Requests at a time. */
    private static final int SLOTS = 256;
    /** The slot of a reset. */
    private static final int RESET_SLOT = SLOTS;
    /** The slot of what ends the requests that wait in SPDK. */
    private static final int ABORT_SLOT = SLOTS + 1;
    private static final long RESET_AFTER_NS = 10_000_000_000L;
    private static final long GIVE_UP_AFTER_NS = 10_000_000_000L;
    private static final long NO_TIMER = -1;

    /**
     * States of the channel.
     * <pre>
     *   OPEN - CLOSING - CLOSED
     *                  - LINGERING - CLOSED
     * </pre>
     */
    private enum State
    {
        OPEN,
        /** Waits for its requests. */
        CLOSING,
        /** Its owner was notified; SPDK still has requests that were given up. */
        LINGERING,
        CLOSED
    }

    private final SpdkDevice device;
    private final ReactorContext context;
    private final SpdkReactor spdkReactor;
    private final SegmentVectors vectors;
    private final int blockShift;
    private final BlockRequest[] requests = new BlockRequest[SLOTS];
    private final MemoryHold[] holds = new MemoryHold[SLOTS];
    private final int[] freeSlots = new int[SLOTS];
    private int freeCount = SLOTS;
    /** Null when it was removed, and closed. */
    private SpdkBdev bdev;
    private boolean isRemoved;
    private boolean isResetting;
    private boolean isAborting;
    private State state = State.OPEN;
    private CloseListener closeListener;
    private long closeTimer = NO_TIMER;

    /**
     * Opens the bdev. On the reactor.
     *
     * @param device      of the channel.
     * @param context     of the channel.
     * @param spdkReactor of its reactor.
     * @throws io.millrace.bindings.NativeException with the errno of SPDK.
     */
    SpdkChannel(final SpdkDevice device, final ReactorContext context, final SpdkReactor spdkReactor)
    {
        this.device = device;
        this.context = context;
        this.spdkReactor = spdkReactor;
        bdev = spdkReactor.open(device.bdevName(), !device.geometry().readOnly(), SLOTS + 2, this);
        blockShift = device.geometry().blockShift();
        vectors = new SegmentVectors(SLOTS);
        for (int i = 0; i < SLOTS; i++)
        {
            freeSlots[i] = SLOTS - 1 - i;
        }
    }

    @Override
    public boolean submit(final BlockRequest request)
    {
        if (isRemoved || device.isRefused())
        {
            request.complete(BlockStatus.DEVICE_ERROR);
            return true;
        }
        if (!isSupported(request.operation()))
        {
            request.complete(BlockStatus.NOT_SUPPORTED);
            return true;
        }
        if (0 == freeCount)
        {
            return false;
        }
        final int slot = freeSlots[freeCount - 1];
        if (!hand(request, slot))
        {
            return false;
        }
        freeCount--;
        requests[slot] = request;
        return true;
    }

    /** What the bdev's module lacks SPDK emulates in part, with buffers that long requests do not fit into. */
    private boolean isSupported(final BlockOperation operation)
    {
        return switch (operation)
        {
            case COPY -> device.geometry().supportsCopy();
            case COMPARE -> device.geometry().supportsCompare();
            case VERIFY -> false;
            case DEALLOCATE -> device.geometry().supportsDeallocate();
            case WRITE_ZEROES -> device.geometry().supportsWriteZeroes();
            case READ, WRITE, FLUSH -> true;
        };
    }

    private boolean hand(final BlockRequest request, final int slot)
    {
        final boolean force = request.forceUnitAccess();
        return switch (request.operation())
        {
            case READ -> transfer(
                request, slot, spdk_h.MILLRACE_SPDK_READ(), spdk_h.MILLRACE_SPDK_READV());
            case WRITE -> force ?
                transfer(request, slot, spdk_h.MILLRACE_SPDK_WRITE_FUA(), spdk_h.MILLRACE_SPDK_WRITEV_FUA()) :
                transfer(request, slot, spdk_h.MILLRACE_SPDK_WRITE(), spdk_h.MILLRACE_SPDK_WRITEV());
            case COMPARE -> transfer(
                request, slot, spdk_h.MILLRACE_SPDK_COMPARE(), spdk_h.MILLRACE_SPDK_COMPAREV());
            case FLUSH -> spdkReactor.submit(spdk_h.MILLRACE_SPDK_FLUSH(), slot, device.geometry().blockCount(), 0, 0,
                bdev.address());
            case WRITE_ZEROES -> range(request, slot, force ?
                spdk_h.MILLRACE_SPDK_WRITE_ZEROES_FUA() : spdk_h.MILLRACE_SPDK_WRITE_ZEROES());
            case DEALLOCATE -> range(request, slot, force ?
                spdk_h.MILLRACE_SPDK_UNMAP_FUA() : spdk_h.MILLRACE_SPDK_UNMAP());
            case COPY -> spdkReactor.submit(
                force ? spdk_h.MILLRACE_SPDK_COPY_FUA() : spdk_h.MILLRACE_SPDK_COPY(), slot, request.sourceLba(),
                request.blocks(), request.lba(), bdev.address());
            case VERIFY -> throw new IllegalStateException(
                "device " + device.name() + " does no " + BlockOperation.VERIFY + ": its submitter emulates it");
        };
    }

    private boolean transfer(final BlockRequest request, final int slot, final int type, final int vectorType)
    {
        final int count = request.segments().count();
        return 1 == count ?
            spdkReactor.submit(type, slot, request.segments().address(0), request.blocks() << blockShift, request.lba(),
                bdev.address()) :
            spdkReactor.submit(vectorType, slot, vectors.write(slot, request.segments()), count, request.lba(),
                bdev.address());
    }

    private boolean range(final BlockRequest request, final int slot, final int type)
    {
        return spdkReactor.submit(type, slot, request.blocks(), 0, request.lba(), bdev.address());
    }

    @Override
    public void onCompletion(final int slot, final int status, final int errno)
    {
        if (RESET_SLOT == slot)
        {
            isResetting = false;
        }
        else if (ABORT_SLOT == slot)
        {
            isAborting = false;
        }
        else
        {
            final BlockRequest request = requests[slot];
            requests[slot] = null;
            freeSlots[freeCount++] = slot;
            if (null == request)
            {
                final MemoryHold hold = holds[slot];
                holds[slot] = null;
                hold.release();
            }
            else if (0 == status)
            {
                request.complete(BlockStatus.SUCCESS);
            }
            else
            {
                fail(request, status, errno);
            }
        }
        advance();
    }

    private void fail(final BlockRequest request, final int status, final int errno)
    {
        if (errno > 0)
        {
            request.failed(FailureCause.ERRNO, errno);
        }
        else
        {
            request.failedWithNvme(status);
        }
        request.complete(device.isRefused() ? BlockStatus.DEVICE_ERROR :
            Errno.ENOSPC == errno ? BlockStatus.CAPACITY_EXCEEDED : CommandStatus.of(status));
    }

    @Override
    public void onRemoved()
    {
        isRemoved = true;
        advance();
    }

    @Override
    public void onRefused(final boolean isRefused)
    {
        // The device observes its paths.
    }

    @Override
    public void onResized(final long blockCount)
    {
        // The device observes its size.
    }

    /** Closes the bdev when it is to be, and has no requests any more. */
    private void advance()
    {
        if (SLOTS == freeCount && !isResetting && !isAborting)
        {
            if (isRemoved && null != bdev)
            {
                closeBdev();
            }
            if (State.CLOSING == state || State.LINGERING == state)
            {
                close();
            }
        }
    }

    private void closeBdev()
    {
        spdkReactor.close(bdev, this);
        bdev = null;
        vectors.close();
    }

    private void close()
    {
        cancelTimer();
        final boolean isOwnerWaiting = State.CLOSING == state;
        state = State.CLOSED;
        if (null != bdev)
        {
            closeBdev();
        }
        device.release(spdkReactor, isOwnerWaiting ? () -> closeListener.onClosed(this) : SpdkChannel::nothing);
    }

    @Override
    public int poll()
    {
        // The SPDK thread of the reactor is polled for all channels.
        if (device.isRefused() && SLOTS != freeCount && !isAborting && null != bdev)
        {
            isAborting = spdkReactor.submit(spdk_h.MILLRACE_SPDK_ABORT(), ABORT_SLOT, 0, 0, 0, bdev.address());
        }
        return 0;
    }

    @Override
    public int inFlight()
    {
        return State.LINGERING == state ? 0 : SLOTS - freeCount;
    }

    @Override
    public void close(final CloseListener listener)
    {
        closeListener = listener;
        state = State.CLOSING;
        closeTimer = context.reactor().schedule(context.reactor().nowNs() + RESET_AFTER_NS, (nowNs) -> reset());
        advance();
    }

    private void reset()
    {
        closeTimer = context.reactor().schedule(context.reactor().nowNs() + GIVE_UP_AFTER_NS, (nowNs) -> giveUp());
        isResetting = spdkReactor.reset(RESET_SLOT, bdev.address());
    }

    private void giveUp()
    {
        closeTimer = NO_TIMER;
        state = State.LINGERING;
        for (int i = 0; i < SLOTS; i++)
        {
            final BlockRequest request = requests[i];
            if (null != request)
            {
                requests[i] = null;
                holds[i] = context.quarantine().completeHeld(request, BlockStatus.ABORTED);
            }
        }
        closeListener.onClosed(this);
    }

    private void cancelTimer()
    {
        if (NO_TIMER != closeTimer)
        {
            context.reactor().cancel(closeTimer);
            closeTimer = NO_TIMER;
        }
    }

    private static void nothing()
    {
        // The owner was notified when requests were given up.
    }
}
