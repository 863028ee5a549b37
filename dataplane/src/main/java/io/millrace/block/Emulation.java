package io.millrace.block;

import io.millrace.memory.MemoryDomain;

/**
 * Submits to a channel what its device does itself, and emulates Compare, Verify and Write Zeroes where the device does
 * not ({@link BlockGeometry#supportsCompare()} and so on, or {@link BlockStatus#NOT_SUPPORTED}), so that no device
 * does. Whoever submits to a channel has one beside it: the NVMe-oF target, and devices that are made of others. What a
 * fault rule ends as not supported is not emulated, nor a Compare of a device that completes inline, whose payload need
 * not outlast its submission. The channel's reactor only; nothing is allocated per request.
 * <p>
 * Emulated requests are done in parts of at most 128 KiB: Compare and Verify read one after another into a buffer and
 * compare there, or drop the data; Write Zeroes writes from a buffer of zeroes, up to four parts at once. Each part has
 * FUA when the request has it. Nothing larger than a part is compared as it was at one moment, which NVMe does not ask
 * for either: only the fused Compare and Write does, which is not offered. Of a write of zeroes that fails, some parts
 * may be written, as of any write. Requests that wait for a buffer or for others are taken all the same, and queued
 * here: the device is not full, and goes on with reads and writes. Whoever has no use for them any more, as their host
 * is gone, {@link #withdraw withdraws} and {@link #cancel cancels} them.
 */
public final class Emulation
{
    private static final int REQUESTS_MAX = 8;

    private final BlockDevice device;
    private final BlockChannel channel;
    private final EmulationBuffers buffers;
    private final boolean isPossible;
    private final int emulatedOperations;
    /** Emulated at once, or when the device completes them as not supported. */
    private final int optionalOperations;
    private final int blockShift;
    private final int maxTransferBytes;
    private final ChannelQueue queue;
    private final BlockCompletionListener fallback = this::emulate;
    /** Those that wait for a slot. */
    private final RequestList waiting = new RequestList();
    /** Made by the first emulated request, since most channels never have one. */
    private EmulatedRequest[] slots;
    private EmulatedRequest free;
    private int inFlight;
    private boolean isClosing;

    /**
     * Creates an emulation without requests.
     *
     * @param device  of the channel.
     * @param channel to submit to.
     * @param buffers of the reactor.
     */
    public Emulation(final BlockDevice device, final BlockChannel channel, final EmulationBuffers buffers)
    {
        this.device = device;
        this.channel = channel;
        this.buffers = buffers;
        final BlockGeometry geometry = device.geometry();
        emulatedOperations = (geometry.supportsCompare() ? 0 : bit(BlockOperation.COMPARE)) |
            (geometry.supportsVerify() ? 0 : bit(BlockOperation.VERIFY)) |
            (geometry.supportsWriteZeroes() ? 0 : bit(BlockOperation.WRITE_ZEROES));
        optionalOperations = bit(BlockOperation.VERIFY) | bit(BlockOperation.WRITE_ZEROES) |
            (geometry.completesInline() ? 0 : bit(BlockOperation.COMPARE));
        isPossible = buffers.exist() && MemoryDomain.HOST.isIn(geometry.memoryDomains());
        blockShift = geometry.blockShift();
        maxTransferBytes = geometry.maxTransferBytes();
        queue = new ChannelQueue(geometry, this::submitPart);
    }

    private static int bit(final BlockOperation operation)
    {
        return 1 << operation.ordinal();
    }

    /**
     * Submits a request, as {@link BlockChannel#submit} does.
     *
     * @param request filled and idle.
     * @return false when the request cannot be taken now.
     */
    public boolean submit(final BlockRequest request)
    {
        return 0 == (optionalOperations & bit(request.operation())) ?
            channel.submit(request) : submitOptional(request);
    }

    private boolean submitOptional(final BlockRequest request)
    {
        if (0 != (emulatedOperations & bit(request.operation())))
        {
            emulate(request);
            return true;
        }
        request.fallback(fallback);
        if (channel.submit(request))
        {
            return true;
        }
        request.fallback(null);
        return false;
    }

    /**
     * {@return how many requests are emulated now; it is polled while there are some}
     */
    public int inFlight()
    {
        return inFlight;
    }

    /**
     * Goes on with what the channel refused, and begins what waits.
     *
     * @return work that was done.
     */
    public int poll()
    {
        if (0 == inFlight)
        {
            return 0;
        }
        begin();
        return queue.poll();
    }

    /**
     * {@return whether it waits for nothing but the channel and the reactor's buffers}
     */
    public boolean canSleep()
    {
        return 0 == queue.size() && (0 == waiting.size() || null == free);
    }

    /**
     * Gives a request back that is emulated, and of which no part has been sent. No other is begun before the next
     * {@link #poll()}: whoever withdraws several begins none of them.
     *
     * @param request submitted and not complete.
     * @return whether it is the submitter's again, without a completion; false when nothing was changed.
     */
    public boolean withdraw(final BlockRequest request)
    {
        if (!isEmulated(request))
        {
            return false;
        }
        if (waiting.contains(request))
        {
            waiting.remove(request);
        }
        else
        {
            final EmulatedRequest slot = find(request);
            if (null == slot || null != slot.buffer())
            {
                return false;
            }
            buffers.cancel(slot);
            free(slot);
        }
        inFlight--;
        return true;
    }

    /**
     * Gives no further part of a request to the device. It ends, in a later call, when the device is done with the
     * parts that it has: aborted, if any is missing. A request that is not emulated is not changed; one that the device
     * completes as not supported is not emulated any more, but ends aborted.
     *
     * @param request submitted and not complete, which cannot be {@link #withdraw withdrawn}.
     */
    public void cancel(final BlockRequest request)
    {
        if (request.isTried())
        {
            request.cancelFallback();
        }
        else if (isEmulated(request))
        {
            final EmulatedRequest slot = find(request);
            if (null != slot)
            {
                slot.cancel();
            }
        }
    }

    /** Whether it waits here or has a slot, unless it is just being completed. */
    private boolean isEmulated(final BlockRequest request)
    {
        return 0 != inFlight && 0 != (optionalOperations & bit(request.operation())) && !request.isTried();
    }

    private EmulatedRequest find(final BlockRequest request)
    {
        for (int i = 0; null != slots && i < REQUESTS_MAX; i++)
        {
            if (slots[i].request() == request)
            {
                return slots[i];
            }
        }
        return null;
    }

    /**
     * The channel is going to be closed: ends what it has not taken. What it has taken ends as the channel closes.
     */
    public void close()
    {
        isClosing = true;
        while (0 != waiting.size())
        {
            complete(waiting.removeFirst(), BlockStatus.ABORTED);
        }
        // Before others end, whose buffers they would get.
        for (int i = 0; null != slots && i < REQUESTS_MAX; i++)
        {
            final EmulatedRequest slot = slots[i];
            if (null != slot.request() && null == slot.buffer())
            {
                buffers.cancel(slot);
                finish(slot, BlockStatus.ABORTED);
            }
        }
        for (BlockRequest part = queue.removeFirst(); null != part; part = queue.removeFirst())
        {
            onPart((EmulatedRequest)part.owner(), part, BlockStatus.ABORTED);
        }
    }

    /**
     * Emulates a request, which is the emulation's until it is complete.
     *
     * @param request that the device does not do.
     */
    void emulate(final BlockRequest request)
    {
        inFlight++;
        if (isClosing)
        {
            complete(request, BlockStatus.ABORTED);
        }
        else if (!isPossible)
        {
            complete(request, BlockStatus.NOT_SUPPORTED);
        }
        else if (!device.geometry().contains(request.lba(), request.blocks()))
        {
            complete(request, BlockStatus.OUT_OF_RANGE);
        }
        else
        {
            waiting.add(request);
            makeSlots();
            begin();
        }
    }

    private void makeSlots()
    {
        if (null == slots)
        {
            slots = new EmulatedRequest[REQUESTS_MAX];
            for (int i = 0; i < REQUESTS_MAX; i++)
            {
                slots[i] = new EmulatedRequest(this);
                slots[i].next(free);
                free = slots[i];
            }
        }
    }

    private void begin()
    {
        while (0 != waiting.size() && null != free)
        {
            final EmulatedRequest slot = free;
            free = slot.next();
            slot.next(null);
            slot.begin(waiting.removeFirst());
            buffers.acquire(slot);
        }
    }

    /**
     * Sends as many parts as may be with the device, and ends the request when it has none left. A part that the
     * channel completes inline goes on in the loop here: a request of many parts would use up the stack otherwise.
     *
     * @param slot that has a buffer.
     */
    void send(final EmulatedRequest slot)
    {
        if (slot.isSending())
        {
            return;
        }
        slot.isSending(true);
        while (!isClosing && slot.hasNext())
        {
            queue.submit(slot.next(maxTransferBytes, blockShift));
        }
        slot.isSending(false);
        if (slot.isIdle())
        {
            final BlockStatus ended = BlockStatus.SUCCESS != slot.status() || slot.isComplete() ?
                slot.status() : BlockStatus.ABORTED;
            if (slot.isCancelled() && BlockStatus.ABORTED == ended)
            {
                slot.request().failed(FailureCause.CANCELLED, 0);
            }
            finish(slot, ended);
        }
    }

    private boolean submitPart(final BlockRequest part)
    {
        final EmulatedRequest slot = (EmulatedRequest)part.owner();
        if (!slot.isCancelled())
        {
            return channel.submit(part);
        }
        onPart(slot, part, BlockStatus.ABORTED);
        return true;
    }

    /**
     * The device has completed a part.
     *
     * @param part with its status.
     */
    static void onPart(final BlockRequest part)
    {
        final EmulatedRequest slot = (EmulatedRequest)part.owner();
        slot.emulation().onPart(slot, part, part.status());
    }

    private void onPart(final EmulatedRequest slot, final BlockRequest part, final BlockStatus status)
    {
        BlockStatus result = status;
        if (BlockStatus.SUCCESS != status)
        {
            onFailed(slot, part);
        }
        else if (BlockOperation.COMPARE == slot.request().operation() && !isEqual(slot.request(), part))
        {
            result = BlockStatus.COMPARE_FAILURE;
        }
        slot.onPart(part, result);
        send(slot);
    }

    private boolean isEqual(final BlockRequest request, final BlockRequest part)
    {
        return request.segments().isEqual((int)(part.lba() - request.lba()) << blockShift,
            part.segments().address(0), part.blocks() << blockShift);
    }

    private void onFailed(final EmulatedRequest slot, final BlockRequest part)
    {
        slot.request().failedFrom(part);
        final MemoryHold hold = part.hold();
        if (null != hold)
        {
            // The device may still use the buffer; the host's data it never had.
            final EmulationBuffers.Buffer buffer = slot.buffer();
            part.clearHold();
            buffers.retain(buffer);
            hold.whenReleased(() -> buffers.release(buffer));
        }
    }

    private void finish(final EmulatedRequest slot, final BlockStatus status)
    {
        final EmulationBuffers.Buffer buffer = slot.buffer();
        final BlockRequest request = free(slot);
        if (null != buffer)
        {
            buffers.release(buffer);
        }
        complete(request, status);
        begin();
    }

    /** {@return the request that the slot had} */
    private BlockRequest free(final EmulatedRequest slot)
    {
        final BlockRequest request = slot.end();
        slot.next(free);
        free = slot;
        return request;
    }

    private void complete(final BlockRequest request, final BlockStatus status)
    {
        inFlight--;
        request.complete(status);
    }
}
