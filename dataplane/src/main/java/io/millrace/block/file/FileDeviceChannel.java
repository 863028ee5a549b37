package io.millrace.block.file;

import io.millrace.bindings.Errno;
import io.millrace.bindings.linux.CompletionEntry;
import io.millrace.bindings.linux.Epoll;
import io.millrace.block.BlockChannel;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.CloseListener;
import io.millrace.block.FailureCause;
import io.millrace.block.MemoryHold;
import io.millrace.block.MemoryQuarantine;
import io.millrace.block.ReactorContext;
import io.millrace.memory.DmaMemory;
import io.millrace.reactor.Reactor;

/**
 * One reactor's channel to a {@link FileDevice}. A request takes a slot, whose number is the cookie of its one entry in
 * the rings; its stages are
 * <pre>
 *   READ, WRITE                   TRANSFER, again for what a short transfer left, then SYNC when forced and buffered
 *   FLUSH                         SYNC
 *   WRITE_ZEROES, DEALLOCATE      ALLOCATE, then SYNC when forced
 * </pre>
 * {@code submit} fills entries; {@code poll} hands all of them over in one call.
 */
final class FileDeviceChannel implements BlockChannel
{
    private static final int PAGE_BYTES = 4096;
    private static final int NO_DESCRIPTOR = -1;
    /**
     * How many requests under way there must be for each one that is kept back to be handed over together with others.
     * An idle drive starts a request immediately, while the rest of a batch is still being parsed; the kernel also
     * holds back more than two requests of one call until it has seen all. With a busy drive, batches save system
     * calls.
     */
    private static final int IN_FLIGHT_PER_UNSUBMITTED = 32;
    /**
     * How long the reactor stays awake while requests are outstanding, from the last submission or completion on.
     * Drives complete many requests together, and a thread that has to be woken for them leaves the drive idle
     * meanwhile. The reactor sleeps while a drive takes longer.
     */
    private static final long AWAKE_NS = 1_000_000;

    /** What a slot's entry in the rings does. */
    private enum Stage
    {
        /** There is none. */
        FREE,
        /** Moves payload. */
        TRANSFER,
        /** Makes stable, or waits for the sync that does. */
        SYNC,
        /** Zeroes or gives back a range. */
        ALLOCATE,
        /** Its request was abandoned; the drive may still use the memory. */
        GIVEN_UP
    }

    /**
     * States of the channel.
     * <pre>
     *   OPEN - CLOSING - CLOSED
     *                  - LINGERING - CLOSED
     * </pre>
     */
    private enum State
    {
        /** Takes requests. */
        OPEN,
        /** Waits for what is in flight. */
        CLOSING,
        /** Nothing is in flight; it ends with the next cycle of the reactor. */
        ENDING,
        /** Its owner has been notified; memory is quarantined until the drive has completed the abandoned requests. */
        LINGERING,
        /** Rings and memory are gone. */
        CLOSED
    }

    private final FileDevice device;
    private final Reactor reactor;
    private final MemoryQuarantine quarantine;
    private final RingPair rings;
    private final RegisteredBuffers registered;
    private final int fd;
    private final EntryWriter entries;
    private final FileSync syncs;
    private final RangeOperation ranges;
    private final DmaMemory memory;
    private final long lengthAddress;
    private final int blockShift;
    private final boolean readOnly;
    private final boolean isDirect;

    private final BlockRequest[] requests;
    private final Stage[] stages;
    private final long[] doneBytes;
    private final int[] freeSlots;
    private int freeCount;
    private State state = State.OPEN;
    private boolean isWatched;
    private MemoryHold[] holds;
    private int givenUpCount;
    private long cancelTimer;
    private long giveUpTimer;
    private CloseListener closeListener;
    private long awakeUntilNs;

    private FileDeviceChannel(
        final FileDevice device,
        final ReactorContext context,
        final int fd,
        final RingPair rings,
        final RegisteredBuffers registered,
        final DmaMemory memory)
    {
        this.device = device;
        this.fd = fd;
        reactor = context.reactor();
        quarantine = context.quarantine();
        this.rings = rings;
        this.registered = registered;
        this.memory = memory;
        final int depth = device.config().queueDepth();
        blockShift = device.geometry().blockShift();
        readOnly = device.geometry().readOnly();
        isDirect = device.isDirect();
        requests = new BlockRequest[depth];
        stages = new Stage[depth];
        doneBytes = new long[depth];
        freeSlots = new int[depth];
        freeCount = depth;
        for (int i = 0; i < depth; i++)
        {
            stages[i] = Stage.FREE;
            freeSlots[i] = depth - 1 - i;
        }
        entries = new EntryWriter(
            device, fd, rings, registered, memory.allocate((long)depth * EntryWriter.IOVECS_BYTES, PAGE_BYTES));
        syncs = new FileSync(device, reactor, entries, depth, this::onSynced);
        ranges = new RangeOperation(device.capabilities(), entries, blockShift, depth);
        lengthAddress = memory.allocate(Long.BYTES, Long.BYTES);
    }

    /**
     * Makes rings and slots. Any thread; the channel is used once it is {@link #attach attached}.
     *
     * @param device  to reach.
     * @param context of the channel.
     * @return the channel.
     * @throws io.millrace.bindings.NativeException when a ring or memory is unavailable.
     */
    static FileDeviceChannel make(final FileDevice device, final ReactorContext context)
    {
        final int depth = device.config().queueDepth();
        final RingPair rings = RingPair.open(device.rings().opener(), depth, device.isPolled());
        final RegisteredBuffers registered = RegisteredBuffers.of(rings.first());
        DmaMemory memory = null;
        int fd = NO_DESCRIPTOR;
        try
        {
            device.memory().join(registered, context.reactor());
            memory = DmaMemory.map((long)depth * EntryWriter.IOVECS_BYTES + PAGE_BYTES);
            fd = device.acquireDescriptor();
            return new FileDeviceChannel(device, context, fd, rings, registered, memory);
        }
        catch (final RuntimeException e)
        {
            device.memory().leave(registered);
            rings.close();
            if (NO_DESCRIPTOR != fd)
            {
                device.releaseDescriptor(fd);
            }
            if (null != memory)
            {
                memory.close();
            }
            throw e;
        }
    }

    /**
     * Begins to use it. On the reactor.
     *
     * @throws io.millrace.bindings.NativeException when the kernel refuses; it is freed then.
     */
    void attach()
    {
        rings.enable();
        if (rings.control().eventFd() >= 0)
        {
            // Edge-triggered: the counter is never read.
            reactor.register(rings.control().eventFd(), Epoll.EPOLLIN | Epoll.EPOLLET, FileDeviceChannel::onSignal);
            isWatched = true;
        }
    }

    @Override
    public boolean submit(final BlockRequest request)
    {
        final BlockOperation operation = request.operation();
        if (readOnly && operation.changesData())
        {
            request.complete(BlockStatus.WRITE_PROTECTED);
            return true;
        }
        if (BlockOperation.COPY == operation || BlockOperation.VERIFY == operation ||
            BlockOperation.COMPARE == operation)
        {
            request.complete(BlockStatus.NOT_SUPPORTED);
            return true;
        }
        if (0 == freeCount || State.OPEN != state)
        {
            return false;
        }
        final int slot = freeSlots[--freeCount];
        requests[slot] = request;
        doneBytes[slot] = 0;
        awakeUntilNs = reactor.nowNs() + AWAKE_NS;
        switch (operation)
        {
            case READ, WRITE -> transfer(slot);
            case FLUSH -> sync(slot);
            case WRITE_ZEROES, DEALLOCATE -> allocate(slot);
            case COMPARE, VERIFY, COPY -> throw new IllegalStateException("was not refused: " + request);
        }
        if (rings.first().unsubmitted() * IN_FLIGHT_PER_UNSUBMITTED > inFlight())
        {
            rings.first().submit();
        }
        return true;
    }

    @Override
    public int poll()
    {
        if (freeCount == freeSlots.length)
        {
            return 0;
        }
        final int work =
            rings.hasTwoRings() ? poll(rings.first()) + poll(rings.control()) : poll(rings.first());
        if (State.CLOSING == state && freeCount == freeSlots.length)
        {
            reactor.cancel(cancelTimer);
            reactor.cancel(giveUpTimer);
            end();
        }
        return work;
    }

    @Override
    public boolean canSleep()
    {
        return freeCount == freeSlots.length || reactor.nowNs() - awakeUntilNs >= 0 && rings.arm();
    }

    @Override
    public int inFlight()
    {
        return freeSlots.length - freeCount - givenUpCount;
    }

    @Override
    public void close(final CloseListener listener)
    {
        closeListener = listener;
        if (freeCount == freeSlots.length)
        {
            // Not at once: the completion of the last request may close it, and its rings are looked at behind that.
            state = State.ENDING;
            reactor.schedule(reactor.nowNs(), (nowNs) -> end());
        }
        else
        {
            state = State.CLOSING;
            final CloseTimeouts times = device.closeTimeouts();
            cancelTimer = reactor.schedule(reactor.nowNs() + times.cancelNs(), (nowNs) -> rings.cancelAll());
            giveUpTimer = reactor.schedule(reactor.nowNs() + times.giveUpNs(), (nowNs) -> giveUp());
        }
    }

    /** Ends every request; the drive may still use their memory. */
    private void giveUp()
    {
        reactor.cancel(cancelTimer);
        state = State.LINGERING;
        device.addNote("requests were given up when a channel was closed: the drive does not answer");
        holds = new MemoryHold[requests.length];
        for (int slot = 0; slot < requests.length; slot++)
        {
            if (Stage.SYNC == stages[slot] && !syncs.hasEntry(slot))
            {
                finish(slot, BlockStatus.ABORTED);
            }
            else if (Stage.FREE != stages[slot])
            {
                final BlockRequest request = requests[slot];
                requests[slot] = null;
                stages[slot] = Stage.GIVEN_UP;
                givenUpCount++;
                holds[slot] = quarantine.completeHeld(request, BlockStatus.ABORTED);
            }
        }
        closeListener.onClosed(this);
        linger();
    }

    private void linger()
    {
        reactor.schedule(reactor.nowNs() + device.closeTimeouts().lingerNs(), (nowNs) ->
        {
            poll();
            if (0 == givenUpCount)
            {
                free();
            }
            else
            {
                linger();
            }
        });
    }

    private void onLate(final int slot)
    {
        stages[slot] = Stage.FREE;
        freeSlots[freeCount++] = slot;
        givenUpCount--;
        final MemoryHold hold = holds[slot];
        holds[slot] = null;
        hold.release();
    }

    private void end()
    {
        free();
        closeListener.onClosed(this);
    }

    /** Frees what it has. On the reactor, or when that has ended. */
    void free()
    {
        state = State.CLOSED;
        if (isWatched)
        {
            reactor.deregister(rings.control().eventFd());
        }
        device.memory().leave(registered);
        rings.close();
        device.releaseDescriptor(fd);
        memory.close();
    }

    private static void onSignal(final int events)
    {
        // It was only there to wake the reactor; the next poll finds what came.
        assert 0 != events;
    }

    private int poll(final Ring ring)
    {
        if (ring.isArmed())
        {
            ring.disarm();
        }
        ring.enter();
        int work = 0;
        for (long completion = ring.completion(); 0 != completion; completion = ring.completion())
        {
            final long cookie = CompletionEntry.userData(completion);
            final int result = CompletionEntry.result(completion);
            ring.consume();
            if (RingPair.CANCEL_COOKIE != cookie)
            {
                onCompletion((int)cookie, ring, result);
            }
            work++;
        }
        if (work > 0)
        {
            awakeUntilNs = reactor.nowNs() + AWAKE_NS;
        }
        return work;
    }

    private void onCompletion(final int slot, final Ring ring, final int result)
    {
        boolean isToRepeat = result < 0 && ErrnoStatus.isTransient(-result);
        if (ring.isPolled())
        {
            rings.onPolledCompletion();
            if (-Errno.EOPNOTSUPP == result)
            {
                isToRepeat = true;
                if (rings.stopPolling())
                {
                    device.addNote("the drive refused to be polled: its interrupts are waited for");
                }
            }
        }
        if (isToRepeat && Stage.GIVEN_UP != stages[slot])
        {
            again(slot);
            return;
        }
        switch (stages[slot])
        {
            case TRANSFER -> onTransferred(slot, result);
            case SYNC -> syncs.onCompletion(slot, result);
            case ALLOCATE -> onAllocated(slot, result);
            case GIVEN_UP -> onLate(slot);
            case FREE -> throw new IllegalStateException("completion for free slot " + slot + ", result " + result);
        }
    }

    private void again(final int slot)
    {
        switch (stages[slot])
        {
            case TRANSFER -> transfer(slot);
            case SYNC -> syncs.repeat(slot);
            case ALLOCATE -> allocate(slot);
            case FREE, GIVEN_UP -> throw new IllegalStateException("nothing to repeat for slot " + slot);
        }
    }

    private void onTransferred(final int slot, final int result)
    {
        if (advance(slot, result))
        {
            if (doneBytes[slot] == totalBytes(slot))
            {
                onWhollyTransferred(slot);
            }
            else
            {
                transfer(slot);
            }
        }
    }

    private void onWhollyTransferred(final int slot)
    {
        if (!isDirect && BlockOperation.WRITE == requests[slot].operation())
        {
            finishRange(slot);
        }
        else
        {
            finish(slot, BlockStatus.SUCCESS);
        }
    }

    private void onAllocated(final int slot, final int result)
    {
        if (isCut(slot))
        {
            // The kernel zeroes what is left of the range, and calls that success or an invalid range.
            finish(slot, outcome(slot, 0));
            return;
        }
        switch (ranges.onCompletion(slot, requests[slot], result))
        {
            case DONE -> finishRange(slot);
            case AGAIN -> allocate(slot);
            case IGNORED -> finish(slot, BlockStatus.SUCCESS);
            case FAILED -> finish(slot, outcome(slot, result));
        }
    }

    /** Whether the file or drive has become so small that it lacks blocks of the range. */
    private boolean isCut(final int slot)
    {
        final long lengthBytes = device.measure(lengthAddress);
        return lengthBytes >= 0 && offsetBytes(slot) + totalBytes(slot) > lengthBytes;
    }

    /**
     * Counts what was transferred.
     *
     * @return false when the request has ended with an error.
     */
    private boolean advance(final int slot, final int result)
    {
        // Direct I/O goes on at a block's start, so a torn block is transferred again.
        final int whole = result > 0 ? result & -(1 << blockShift) : 0;
        if (0 == whole)
        {
            finish(slot, outcome(slot, result));
            return false;
        }
        doneBytes[slot] += whole;
        return true;
    }

    private void transfer(final int slot)
    {
        stages[slot] = Stage.TRANSFER;
        entries.transfer(slot, requests[slot], doneBytes[slot]);
    }

    private void sync(final int slot)
    {
        stages[slot] = Stage.SYNC;
        syncs.begin(slot);
    }

    private void onSynced(final int slot, final int result)
    {
        finish(slot, result < 0 ? outcome(slot, result) : BlockStatus.SUCCESS);
    }

    private void allocate(final int slot)
    {
        stages[slot] = Stage.ALLOCATE;
        final BlockStatus status = ranges.begin(slot, requests[slot]);
        if (null != status)
        {
            finish(slot, status);
        }
    }

    private void finishRange(final int slot)
    {
        if (requests[slot].forceUnitAccess())
        {
            sync(slot);
        }
        else
        {
            finish(slot, BlockStatus.SUCCESS);
        }
    }

    private void finish(final int slot, final BlockStatus status)
    {
        final BlockRequest request = requests[slot];
        requests[slot] = null;
        stages[slot] = Stage.FREE;
        freeSlots[freeCount++] = slot;
        request.complete(status);
    }

    private long offsetBytes(final int slot)
    {
        return requests[slot].lba() << blockShift;
    }

    private long totalBytes(final int slot)
    {
        return (long)requests[slot].blocks() << blockShift;
    }

    /**
     * {@return how a request ends whose I/O failed, or moved not even a block}
     *
     * @param result negated errno, or the bytes moved.
     */
    private BlockStatus outcome(final int slot, final int result)
    {
        final long lengthBytes = device.measure(lengthAddress);
        if (0 == lengthBytes)
        {
            // The kernel leaves a drive that was removed without blocks: reads move nothing, writes find no space.
            return failure(slot, Errno.ENODEV);
        }
        if (result >= 0 || offsetBytes(slot) + totalBytes(slot) > lengthBytes)
        {
            device.health().onCut(lengthBytes, device.geometry().sizeBytes(), reactor);
            return BlockStatus.DEVICE_ERROR;
        }
        return failure(slot, -result);
    }

    private BlockStatus failure(final int slot, final int errno)
    {
        requests[slot].failed(FailureCause.ERRNO, errno);
        device.health().onError(errno, reactor);
        return ErrnoStatus.of(errno);
    }
}
