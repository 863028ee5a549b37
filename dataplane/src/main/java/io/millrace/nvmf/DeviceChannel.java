package io.millrace.nvmf;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.CloseListener;
import io.millrace.block.MemoryHold;
import io.millrace.block.MemoryQuarantine;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.memory.BufferPool;
import io.millrace.memory.BufferShare;

/**
 * One reactor's channel to a device, shared by the namespaces that show it, with the line of those who wait for room.
 * Its states are those of {@link DeviceChannelState}. Single-threaded; nothing here waits.
 * <p>
 * A device with a queue refuses when the queue is full: then everybody waits in order. A device that completes inline
 * refuses only a request that meets another's blocks (a loan, a writer): the others need not wait for that one. What
 * changes blocks tries first there, in each poll, however many reads wait for it to be done.
 * <p>
 * A buffer counts for the device while that has it, and for its connection before and after. The device has no more
 * than are free, so one that hangs leaves the others a part; and while somebody is in its line, who comes waits there
 * without a buffer. Only writes whose data has come wait with one.
 */
final class DeviceChannel implements OpenListener, CloseListener
{
    /** How long a command waits for a device to open, from its arrival on, before the host is asked to try again. */
    static final long OPEN_WAIT_NS = 5_000_000_000L;

    private static final int ATTEMPTS_PER_POLL = 64;
    /** A device may have one in so many bytes of the pool's floors when nothing else is free. */
    private static final int FLOOR_PART = 4;

    private final DeviceChannels owner;
    private final BlockDevice device;
    private final MemoryQuarantine quarantine = new MemoryQuarantine(this::onQuarantineChanged);
    private final BufferPool buffers;
    private final RequestLine line = new RequestLine();
    /** Those that change blocks, where the device refuses singly; all others are in the line. */
    private final RequestLine writers = new RequestLine();
    private final RequestLine openLine = new RequestLine();
    private final boolean refusesSingly;
    private DeviceChannelState state = DeviceChannelState.WAITING;
    private BlockChannel channel;
    private boolean isBusy;
    private int references;
    private int failures;
    private long heldBytes;
    /** Whose turn it is to take a buffer and go to the device; null when it is nobody's. */
    private Request admitted;
    private long waitCount;
    private long knownQuarantinedBytes;
    /** Made with the first, since most devices never have one. */
    private DeviceErrors errors;

    /**
     * Waits for its turn to be opened.
     *
     * @param owner  that opens it, and polls it while it is busy.
     * @param device to open.
     */
    DeviceChannel(final DeviceChannels owner, final BlockDevice device)
    {
        this.owner = owner;
        buffers = owner.buffers();
        this.device = device;
        refusesSingly = device.geometry().completesInline();
    }

    BlockDevice device()
    {
        return device;
    }

    DeviceChannelState state()
    {
        return state;
    }

    /**
     * {@return whether it takes requests; one that waits for its turn to be opened is opened for that if possible}
     */
    boolean openNow()
    {
        if (DeviceChannelState.WAITING == state)
        {
            owner.openNow(this);
        }
        return isOpen();
    }

    /**
     * {@return whether it takes requests}
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
     * A namespace needs it no more.
     *
     * @return whether none does.
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

    /** The time since it could not be opened is up. */
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
     * {@return whether the device has no request, and nobody waits}
     */
    boolean isIdle()
    {
        return 0 == line.size() && 0 == writers.size() && 0 == openLine.size() && !isInUse();
    }

    private boolean isInUse()
    {
        return null != channel && DeviceChannelState.CLOSED != state && 0 != channel.inFlight();
    }

    /** It is polled no more. */
    void onIdle()
    {
        isBusy = false;
    }

    boolean canSleep()
    {
        return 0 == line.size() && 0 == writers.size() && (0 == openLine.size() || state.isPending()) &&
            (!isInUse() || channel.canSleep());
    }

    /**
     * Has a command wait until the device is open or can be opened no more, but not for ever: it is carried out again
     * from its beginning then.
     *
     * @param request   of the command, which has nothing yet.
     * @param namespace of the command.
     * @return false when it is not to wait, or has waited.
     */
    boolean awaitOpen(final Request request, final NamespaceChannel namespace)
    {
        if (!mayAwaitOpen(request))
        {
            return false;
        }
        owner.onAwaited();
        if (DataPointer.isInCapsule(request.entry()))
        {
            // What came in the capsule is there only while the transport keeps it.
            request.phase(RequestPhase.CAPSULE_AWAITING_OPEN);
            return true;
        }
        request.phase(RequestPhase.AWAITING_OPEN);
        namespace.bind(request);
        openLine.add(request);
        becomeBusy();
        return true;
    }

    private boolean mayAwaitOpen(final Request request)
    {
        return state.isPending() && owner.reactor().nowNs() - request.startNs() < OPEN_WAIT_NS;
    }

    /**
     * {@return whether a command whose capsule the transport keeps until the device is open has to wait longer}
     *
     * @param request of the command.
     */
    boolean isAwaitedBy(final Request request)
    {
        return mayAwaitOpen(request);
    }

    /**
     * Takes a command out of the line of those that wait for the device to open.
     *
     * @param request that waits in it.
     */
    void cancelOpen(final Request request)
    {
        openLine.remove(request);
    }

    /**
     * Ends what waits for the device to open on behalf of a namespace that is taken away.
     *
     * @param namespace that is.
     * @param status    to fail commands with.
     */
    void failAwaitingOpen(final NamespaceChannel namespace, final int status)
    {
        for (int left = openLine.size(); left > 0; left--)
        {
            final Request request = openLine.first();
            openLine.remove(request);
            if (request.namespace() == namespace)
            {
                request.phase(RequestPhase.EXECUTING);
                request.queuePair().complete(request, status);
            }
            else
            {
                openLine.add(request);
            }
        }
    }

    /**
     * {@return whether a request may take a buffer for the device now, or has one}
     *
     * @param request that otherwise {@link #awaitAdmission waits}.
     */
    boolean admits(final Request request)
    {
        return RequestPayload.NONE != request.payload() || request == admitted ||
            (0 == line.size() || refusesSingly) && hasRoomForBuffers();
    }

    /**
     * Puts a request in line that has no buffer: it is carried out again when its turn comes.
     *
     * @param request that is bound to a namespace of the device.
     */
    void awaitAdmission(final Request request)
    {
        request.phase(RequestPhase.AWAITING_DEVICE);
        line.add(request);
        waitCount++;
        becomeBusy();
    }

    /**
     * {@return whether it has all the buffers that it may have, and somebody is in line}
     */
    boolean isAtItsBound()
    {
        return 0 != line.size() && !hasRoomForBuffers();
    }

    /**
     * The device has ended a request with an error.
     *
     * @param request with its status.
     */
    void onFailed(final BlockRequest request)
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
    void onReturned(final Request request)
    {
        final MemoryHold hold = request.blockRequest().hold();
        if (null != hold)
        {
            keep(request, hold);
        }
        else if (!refusesSingly)
        {
            heldBytes -= BufferPool.bufferBytes(request.pooledLength());
            request.share().pool().takeBack(request.share(), request.pooledLength());
        }
    }

    /** Takes a buffer from its request, as the device may still use it: it counts for the device until it is done. */
    private void keep(final Request request, final MemoryHold hold)
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
     * Hands a request to the device, or puts it in line.
     *
     * @param request whose block request is filled.
     */
    void submit(final Request request)
    {
        if (trySubmit(request))
        {
            return;
        }
        if (BlockOperation.READ != request.blockRequest().operation() || 0 == request.bufferAddress())
        {
            enqueue(request);
        }
        else if (request == admitted || 0 == line.size())
        {
            // A read has nothing to keep, so it waits without a buffer.
            request.queuePair().pollGroup().payloads().release(request);
            request.payload(RequestPayload.NONE);
            request.phase(RequestPhase.AWAITING_DEVICE);
            waitCount += request == admitted ? 0 : 1;
            line.addFirst(request);
            becomeBusy();
        }
        else
        {
            // It had its turn and had to wait for its buffer then.
            request.phase(RequestPhase.AWAITING_CHANNEL);
            line.addFirst(request);
            becomeBusy();
        }
    }

    /**
     * Hands a request to the device if that takes it now.
     *
     * @param request whose block request is filled.
     * @return false when it did not; when true the request may be another command's already.
     */
    boolean trySubmit(final Request request)
    {
        if (!refusesSingly && line.size() > 0 && request != admitted)
        {
            return false;
        }
        return offer(request);
    }

    /**
     * Puts a request in line, to be handed to the device in a later poll.
     *
     * @param request whose block request is filled.
     */
    void enqueue(final Request request)
    {
        request.phase(RequestPhase.AWAITING_CHANNEL);
        lineOf(request).add(request);
        waitCount++;
        becomeBusy();
    }

    /**
     * Takes a request out of the line.
     *
     * @param request that waits in it.
     */
    void cancel(final Request request)
    {
        lineOf(request).remove(request);
    }

    private RequestLine lineOf(final Request request)
    {
        return refusesSingly && RequestPhase.AWAITING_CHANNEL == request.phase() &&
            request.blockRequest().operation().changesData() ? writers : line;
    }

    /**
     * Takes back memory that the device lent.
     *
     * @param request it was lent to.
     */
    void giveBack(final Request request)
    {
        channel.giveBack(request.blockRequest());
        request.blockRequest().clearLent();
    }

    /**
     * {@return whether what the device lent keeps somebody from writing}
     *
     * @param request it was lent to.
     */
    boolean isLoanWanted(final Request request)
    {
        return channel.isLoanWanted(request.blockRequest());
    }

    /**
     * Lets the device go on, and tries those who wait.
     *
     * @return work that was done.
     */
    int poll()
    {
        final int work = isInUse() ? channel.poll() : 0;
        return work + (0 == writers.size() ? 0 : pollWriters()) + (0 == line.size() ? 0 : pollLine()) +
            (0 == openLine.size() ? 0 : pollOpenLine());
    }

    private int pollWriters()
    {
        int taken = 0;
        for (int left = Math.min(writers.size(), ATTEMPTS_PER_POLL); left > 0 && writers.size() > 0; left--)
        {
            final Request request = writers.first();
            writers.remove(request);
            if (offer(request))
            {
                taken++;
            }
            else
            {
                writers.add(request);
            }
        }
        return taken;
    }

    private int pollLine()
    {
        int taken = 0;
        for (int left = Math.min(line.size(), ATTEMPTS_PER_POLL); left > 0 && line.size() > 0; left--)
        {
            final Request request = line.first();
            if (RequestPhase.AWAITING_DEVICE == request.phase())
            {
                if (!hasRoomForBuffers())
                {
                    break;
                }
                admit(request);
                if (line.first() == request)
                {
                    break;
                }
                taken++;
                continue;
            }
            line.remove(request);
            if (offer(request))
            {
                taken++;
            }
            else
            {
                request.phase(RequestPhase.AWAITING_CHANNEL);
                if (!refusesSingly)
                {
                    line.addFirst(request);
                    break;
                }
                line.add(request);
            }
        }
        return taken;
    }

    /** Carries those out again that need not wait for the device to open any more. */
    private int pollOpenLine()
    {
        int resumed = 0;
        while (resumed < ATTEMPTS_PER_POLL && openLine.size() > 0 && !mayAwaitOpen(openLine.first()))
        {
            final Request request = openLine.first();
            openLine.remove(request);
            request.queuePair().intake().onOpenAwaited(request);
            resumed++;
        }
        return resumed;
    }

    /**
     * {@return how often a request had to wait for room}
     */
    long waitCount()
    {
        return waitCount;
    }

    private void admit(final Request request)
    {
        line.remove(request);
        admitted = request;
        request.queuePair().intake().onDeviceReady(request);
        admitted = null;
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
        request.phase(RequestPhase.STEPPING == before ? before : RequestPhase.SUBMITTED);
        if (isClosing())
        {
            // The next step of several, after the device was given up.
            request.blockRequest().complete(BlockStatus.ABORTED);
            return true;
        }
        if (channel.submit(request.blockRequest()))
        {
            if (!isBusy && 0 != channel.inFlight())
            {
                becomeBusy();
            }
            return true;
        }
        request.phase(before);
        if (isBuffered)
        {
            onReturned(request);
        }
        return false;
    }

    private boolean isClosing()
    {
        return DeviceChannelState.CLOSING == state || DeviceChannelState.CLOSED == state;
    }

    private void becomeBusy()
    {
        if (!isBusy)
        {
            isBusy = true;
            owner.addBusy(this);
        }
    }
}
