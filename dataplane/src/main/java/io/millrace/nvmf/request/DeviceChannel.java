package io.millrace.nvmf.request;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockGeometry;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.ChannelQueue;
import io.millrace.block.CloseListener;
import io.millrace.block.Emulation;
import io.millrace.block.FailureCause;
import io.millrace.block.MemoryHold;
import io.millrace.block.MemoryQuarantine;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.memory.BufferPool;
import io.millrace.memory.BufferShare;

/**
 * One reactor's channel to a device, shared by the namespaces on it, with the queue of requests that wait for room. Its
 * states are those of {@link DeviceChannelState}. Single-threaded; nothing here waits.
 * <p>
 * A device with a queue refuses requests when the queue is full: then all wait in order. A device that completes inline
 * refuses only a request that overlaps the blocks of another one (a loan, a writer): the others need not wait for it.
 * Requests that change blocks are tried first there, in each poll, however many reads wait for them.
 * <p>
 * A buffer counts for the device while the device has it, and for its connection before and after. A device has no more
 * buffers than are free, so one that hangs leaves a part to the others; while requests wait in its queue, new ones wait
 * there without a buffer. Only writes whose data has arrived wait with a buffer.
 */
public final class DeviceChannel implements OpenListener, CloseListener
{
    /** A device may have one in so many bytes of the pool's floors when nothing else is free. */
    private static final int FLOOR_PART = 4;

    private final DeviceChannels owner;
    private final BlockDevice device;
    private final MemoryQuarantine quarantine = new MemoryQuarantine(this::onQuarantineChanged);
    private final BufferPool buffers;
    private final ChannelQueue queue;
    private final OpenQueue openQueue;
    private final boolean refusesSingly;
    /** Of when this was created; the device may have grown since. */
    private final BlockGeometry geometry;
    private DeviceChannelState state = DeviceChannelState.WAITING;
    private BlockChannel channel;
    private Emulation emulation;
    private boolean isBusy;
    private int references;
    private int failures;
    private long heldBytes;
    /** The request that may take a buffer next and be submitted; null for none. */
    private Request admitted;
    private long waitCount;
    private long knownQuarantinedBytes;
    /** Created with the first error, since most devices never have one. */
    private DeviceErrors errors;

    /**
     * Creates a channel that waits to be opened.
     *
     * @param owner  that opens the channel, and polls it while it is busy.
     * @param device to open.
     */
    DeviceChannel(final DeviceChannels owner, final BlockDevice device)
    {
        this.owner = owner;
        buffers = owner.buffers();
        this.device = device;
        geometry = device.geometry();
        refusesSingly = geometry.completesInline();
        queue = new ChannelQueue(geometry, this::resubmit);
        openQueue = new OpenQueue(this, owner);
    }

    /**
     * {@return the device}
     */
    public BlockDevice device()
    {
        return device;
    }

    /**
     * {@return its state}
     */
    public DeviceChannelState state()
    {
        return state;
    }

    /**
     * {@return whether it accepts requests; a channel that waits to be opened is opened if possible}
     */
    public boolean openNow()
    {
        if (DeviceChannelState.WAITING == state)
        {
            owner.openNow(this);
        }
        return isOpen();
    }

    /**
     * {@return commands that wait for the device to open}
     */
    public OpenQueue openQueue()
    {
        return openQueue;
    }

    /**
     * {@return whether it accepts requests}
     */
    boolean isOpen()
    {
        return DeviceChannelState.OPEN == state;
    }

    void retain()
    {
        references++;
    }

    /**
     * A namespace no longer needs the channel.
     *
     * @return whether no namespace needs it.
     */
    boolean release()
    {
        references--;
        return 0 == references;
    }

    /** Its turn to be opened has come. */
    void open()
    {
        state = DeviceChannelState.OPENING;
        device.open(new ReactorContext(owner.reactor(), owner.buffers(), quarantine), this);
    }

    @Override
    public void onOpened(final BlockChannel opened)
    {
        channel = opened;
        emulation = new Emulation(device, opened, owner.emulationBuffers());
        owner.onAnswered();
        if (DeviceChannelState.ABANDONED == state)
        {
            beginClosing();
            return;
        }
        state = DeviceChannelState.OPEN;
        failures = 0;
    }

    @Override
    public void onOpenFailed(final BlockDeviceException reason)
    {
        owner.onAnswered();
        if (DeviceChannelState.ABANDONED == state)
        {
            leave();
            return;
        }
        state = DeviceChannelState.FAILED;
        failures++;
        owner.onOpenFailed(this, failures, reason.getMessage());
    }

    /** The delay after a failed open has passed. */
    void retry()
    {
        if (DeviceChannelState.FAILED == state)
        {
            state = DeviceChannelState.WAITING;
            owner.addWaiting(this);
        }
    }

    /** No namespace needs it any more. */
    void close()
    {
        switch (state)
        {
            case WAITING, FAILED -> leave();
            case OPENING -> state = DeviceChannelState.ABANDONED;
            case OPEN, SUSPENDED -> beginClosing();
            case ABANDONED, CLOSING, CLOSED -> throw new IllegalStateException(device.name() + " is " + state);
        }
    }

    private void beginClosing()
    {
        state = DeviceChannelState.CLOSING;
        emulation.close();
        channel.close(this);
    }

    @Override
    public void onClosed(final BlockChannel closed)
    {
        leave();
    }

    private void leave()
    {
        state = DeviceChannelState.CLOSED;
        if (null != errors)
        {
            errors.release();
        }
        owner.onClosed(this);
    }

    private void onQuarantineChanged()
    {
        final boolean isOver = quarantine.bytes() > owner.quarantineBytesMax();
        if (isOver && DeviceChannelState.OPEN == state)
        {
            state = DeviceChannelState.SUSPENDED;
            owner.onSuspended(this);
        }
        else if (!isOver && DeviceChannelState.SUSPENDED == state)
        {
            state = DeviceChannelState.OPEN;
        }
        owner.onQuarantined(quarantine.bytes() - knownQuarantinedBytes);
        knownQuarantinedBytes = quarantine.bytes();
    }

    /**
     * {@return bytes that the device may still use though their requests have ended}
     */
    long quarantinedBytes()
    {
        return quarantine.bytes();
    }

    /**
     * {@return whether the device has no request and none waits}
     */
    boolean isIdle()
    {
        return 0 == queue.size() && 0 == openQueue.size() && !isInUse();
    }

    private boolean isInUse()
    {
        return null != channel && DeviceChannelState.CLOSED != state && hasInFlight();
    }

    private boolean hasInFlight()
    {
        return 0 != channel.inFlight() || 0 != emulation.inFlight();
    }

    /** It is no longer polled. */
    void onIdle()
    {
        isBusy = false;
    }

    boolean canSleep()
    {
        return 0 == queue.size() && (0 == openQueue.size() || state.isPending()) &&
            (!isInUse() || channel.canSleep() && emulation.canSleep());
    }

    /**
     * {@return whether a request may take a buffer for the device now, or has one}
     *
     * @param request that otherwise {@link #awaitAdmission waits}.
     */
    public boolean admits(final Request request)
    {
        return RequestPayload.NONE != request.payload() || request == admitted ||
            !queue.isBlocking() && hasRoomForBuffers();
    }

    /**
     * Queues a request that has no buffer: it is executed again when it is first in the queue.
     *
     * @param request that is bound to a namespace of the device.
     */
    public void awaitAdmission(final Request request)
    {
        request.phase(RequestPhase.AWAITING_DEVICE);
        queue.add(request.blockRequest());
        waitCount++;
        becomeBusy();
    }

    /**
     * {@return whether it has all the buffers that it may have, and requests are queued}
     */
    boolean isAtBufferLimit()
    {
        return 0 != queue.size() && !hasRoomForBuffers();
    }

    /**
     * The device has ended a request with an error.
     *
     * @param request with its status.
     */
    public void onFailed(final BlockRequest request)
    {
        if (DeviceChannelState.CLOSED == state)
        {
            return;
        }
        if (null == errors)
        {
            errors = new DeviceErrors(owner, device);
        }
        errors.onFailed(request);
    }

    /**
     * The device is done with a request that has a buffer.
     *
     * @param request of the buffer.
     */
    public void onReturned(final Request request)
    {
        final MemoryHold hold = request.blockRequest().hold();
        if (null != hold)
        {
            quarantineBuffer(request, hold);
        }
        else if (!refusesSingly)
        {
            heldBytes -= BufferPool.bufferBytes(request.pooledLength());
            request.share().pool().takeBack(request.share(), request.pooledLength());
        }
    }

    /** Takes a buffer from its request, as the device may still use it: it counts for the device until it is done. */
    private void quarantineBuffer(final Request request, final MemoryHold hold)
    {
        if (refusesSingly)
        {
            // Who completes inline was lent nothing before.
            lend(request);
        }
        final BufferShare share = request.share();
        final long address = request.bufferAddress();
        final int lengthBytes = request.pooledLength();
        request.buffer(null, 0, 0);
        request.blockRequest().clearHold();
        hold.whenReleased(() ->
        {
            heldBytes -= BufferPool.bufferBytes(lengthBytes);
            share.pool().takeBack(share, lengthBytes);
            share.pool().release(share, address, lengthBytes);
        });
    }

    /**
     * Submits a request to the device, or queues it.
     *
     * @param request whose block request is filled.
     */
    public void submit(final Request request)
    {
        if (trySubmit(request))
        {
            return;
        }
        if (BlockOperation.READ != request.blockRequest().operation() || 0 == request.bufferAddress())
        {
            enqueue(request);
        }
        else if (request == admitted || !queue.isBlocking())
        {
            // A read has nothing to keep, so it waits without a buffer.
            PayloadBuffers.release(request);
            request.payload(RequestPayload.NONE);
            request.phase(RequestPhase.AWAITING_DEVICE);
            if (request == admitted)
            {
                // The queue, which is being polled, puts it back into its place.
                admitted = null;
                return;
            }
            waitCount++;
            queue.addFirst(request.blockRequest());
            becomeBusy();
        }
        else
        {
            // It was admitted, and then had to wait for its buffer.
            request.phase(RequestPhase.AWAITING_CHANNEL);
            queue.addFirst(request.blockRequest());
            becomeBusy();
        }
    }

    /**
     * Submits a request if the device accepts it now.
     *
     * @param request whose block request is filled.
     * @return false when it did not; when true the request may be another command's already.
     */
    public boolean trySubmit(final Request request)
    {
        if (queue.isBlocking() && request != admitted)
        {
            return false;
        }
        return offer(request);
    }

    /**
     * Queues a request, to be submitted in a later poll.
     *
     * @param request whose block request is filled.
     */
    public void enqueue(final Request request)
    {
        request.phase(RequestPhase.AWAITING_CHANNEL);
        queue.add(request.blockRequest());
        waitCount++;
        becomeBusy();
    }

    /**
     * Removes a request from the queue.
     *
     * @param request that waits in it.
     */
    public void cancel(final Request request)
    {
        queue.remove(request.blockRequest());
    }

    /**
     * Takes a request back that is emulated, and of which the device has had nothing. Its buffer is to be returned.
     *
     * @param request that was submitted.
     * @return false when the device may have it: then it completes.
     */
    public boolean withdraw(final Request request)
    {
        return emulation.withdraw(request.blockRequest());
    }

    /**
     * Sends no more of an emulated request to the device. It completes when the device is done with its parts.
     *
     * @param request that was submitted, and is not {@link #withdraw withdrawn}.
     */
    public void stopEmulation(final Request request)
    {
        emulation.cancel(request.blockRequest());
    }

    /**
     * Takes back memory that the device lent.
     *
     * @param request it was lent to.
     */
    public void releaseLoan(final Request request)
    {
        channel.releaseLoan(request.blockRequest());
        request.blockRequest().clearLent();
    }

    /**
     * {@return whether the device lends memory for writes, and accepts requests}
     */
    boolean lendsForWrites()
    {
        return isOpen() && channel.lendsForWrites();
    }

    /**
     * Takes memory of the device for a part of a write.
     *
     * @param offsetBytes of the part on the device.
     * @param lengthBytes of the part.
     * @return address of the part; 0 when it is not available now, or others wait for the device.
     */
    long lendForWrite(final long offsetBytes, final int lengthBytes)
    {
        return isOpen() && !queue.isBlocking() ? channel.lendForWrite(offsetBytes, lengthBytes) : 0;
    }

    /**
     * Returns memory that was taken for a part of a write.
     *
     * @param offsetBytes of the part on the device.
     * @param lengthBytes of the part.
     */
    void releaseWritten(final long offsetBytes, final int lengthBytes)
    {
        channel.releaseWritten(offsetBytes, lengthBytes);
    }

    /**
     * {@return whether a writer waits for memory that the device lent}
     *
     * @param request it was lent to.
     */
    boolean isLoanWanted(final Request request)
    {
        return channel.isLoanWanted(request.blockRequest());
    }

    /**
     * Polls the device, and retries the requests that wait.
     *
     * @return work that was done.
     */
    int poll()
    {
        final int work = isInUse() ? channel.poll() + emulation.poll() : 0;
        return work + queue.poll() + (0 == openQueue.size() ? 0 : openQueue.poll());
    }

    private boolean resubmit(final BlockRequest blockRequest)
    {
        final Request request = (Request)blockRequest.owner();
        if (RequestPhase.AWAITING_DEVICE == request.phase())
        {
            return hasRoomForBuffers() && admit(request);
        }
        return offer(request);
    }

    /**
     * {@return how often a request had to wait for room}
     */
    long waitCount()
    {
        return waitCount;
    }

    /** Executes a request that waited without a buffer; false when the device refuses it again. */
    private boolean admit(final Request request)
    {
        admitted = request;
        request.owner().resume(request);
        final boolean isTaken = null != admitted;
        admitted = null;
        return isTaken;
    }

    private boolean hasRoomForBuffers()
    {
        // Where hosts have no more than floors, one device may have a part of those.
        return 0 == heldBytes || heldBytes < Math.max(buffers.freeBytes(), buffers.floorBytes() / FLOOR_PART);
    }

    private void lend(final Request request)
    {
        heldBytes += BufferPool.bufferBytes(request.pooledLength());
        request.share().pool().lend(request.share(), request.pooledLength());
    }

    private boolean offer(final Request request)
    {
        final RequestPhase before = request.phase();
        final boolean isBuffered = !refusesSingly && 0 != request.bufferAddress();
        if (isBuffered)
        {
            lend(request);
        }
        if (RequestPhase.STEPPING != before)
        {
            request.phase(RequestPhase.SUBMITTED);
        }
        if (isClosing())
        {
            // The next step of several, after the device was released.
            request.blockRequest().complete(BlockStatus.ABORTED);
            return true;
        }
        if (!geometry.accesses(request.blockRequest().segments()))
        {
            refuseMemory(request.blockRequest());
            return true;
        }
        if (emulation.submit(request.blockRequest()))
        {
            if (!isBusy && hasInFlight())
            {
                becomeBusy();
            }
            return true;
        }
        if (RequestPhase.STEPPING != before)
        {
            request.phase(before);
        }
        if (isBuffered)
        {
            onReturned(request);
        }
        return false;
    }

    /** No engine may use an address that it cannot read. */
    private static void refuseMemory(final BlockRequest request)
    {
        request.failed(FailureCause.MEMORY_DOMAIN, request.segments().domain().id());
        request.complete(BlockStatus.NOT_SUPPORTED);
    }

    private boolean isClosing()
    {
        return DeviceChannelState.CLOSING == state || DeviceChannelState.CLOSED == state;
    }

    /** It has something to be polled for. */
    void becomeBusy()
    {
        if (!isBusy)
        {
            isBusy = true;
            owner.addBusy(this);
        }
    }
}
