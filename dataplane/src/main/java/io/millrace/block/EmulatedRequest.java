package io.millrace.block;

/**
 * A request that is emulated, by parts: reads that are compared or dropped, or writes of zeroes. A pooled slot of an
 * {@link Emulation}. Single-threaded; nothing is allocated.
 */
final class EmulatedRequest
{
    /** How many parts the device may have at once: of zeroes, as reads share one buffer. */
    static final int PARTS_MAX = 4;

    private final Emulation emulation;
    /** Those that are free come first. */
    private final BlockRequest[] parts = new BlockRequest[PARTS_MAX];
    private int freeParts = PARTS_MAX;
    private BlockRequest request;
    private EmulationBuffers.Buffer buffer;
    private int sentBlocks;
    private BlockStatus status;
    private boolean isCancelled;
    private boolean isSending;
    private EmulatedRequest next;

    /**
     * Is free.
     *
     * @param emulation that it is of.
     */
    EmulatedRequest(final Emulation emulation)
    {
        this.emulation = emulation;
        for (int i = 0; i < PARTS_MAX; i++)
        {
            parts[i] = new BlockRequest(this, Emulation::onPart);
        }
    }

    void begin(final BlockRequest newRequest)
    {
        request = newRequest;
        sentBlocks = 0;
        status = BlockStatus.SUCCESS;
        isCancelled = false;
    }

    /** No further part is given to the device. */
    void cancel()
    {
        isCancelled = true;
    }

    boolean isCancelled()
    {
        return isCancelled;
    }

    /** {@return whether {@link Emulation#send} of it is under way, further up the stack} */
    boolean isSending()
    {
        return isSending;
    }

    void isSending(final boolean newIsSending)
    {
        isSending = newIsSending;
    }

    /** {@return the request, which has ended} */
    BlockRequest end()
    {
        final BlockRequest ended = request;
        request = null;
        buffer = null;
        return ended;
    }

    Emulation emulation()
    {
        return emulation;
    }

    BlockRequest request()
    {
        return request;
    }

    /** {@return its buffer; null while it is free or waits for one} */
    EmulationBuffers.Buffer buffer()
    {
        return buffer;
    }

    boolean writesZeroes()
    {
        return BlockOperation.WRITE_ZEROES == request.operation();
    }

    /** It has waited for this buffer. */
    void onBuffer(final EmulationBuffers.Buffer given)
    {
        buffer = given;
        emulation.send(this);
    }

    /** {@return whether another part may be sent now} */
    boolean hasNext()
    {
        return null != buffer && !isCancelled && BlockStatus.SUCCESS == status && sentBlocks < request.blocks() &&
            (PARTS_MAX == freeParts || 0 != freeParts && writesZeroes());
    }

    /**
     * {@return the next part}
     *
     * @param maxTransferBytes of the device.
     * @param blockShift       of the device.
     */
    BlockRequest next(final int maxTransferBytes, final int blockShift)
    {
        final int partBlocks = Math.min(
            Math.min(buffer.lengthBytes(), maxTransferBytes) >> blockShift, request.blocks() - sentBlocks);
        final BlockRequest part = parts[--freeParts];
        part.reset(writesZeroes() ? BlockOperation.WRITE : BlockOperation.READ, request.lba() + sentBlocks, partBlocks)
            .forceUnitAccess(request.forceUnitAccess())
            .addSegment(buffer.address(), partBlocks << blockShift);
        sentBlocks += partBlocks;
        return part;
    }

    /**
     * The device is done with a part, or never got it.
     *
     * @param part   with its status.
     * @param result of the request, if it is the first that is not success.
     */
    void onPart(final BlockRequest part, final BlockStatus result)
    {
        parts[freeParts++] = part;
        if (BlockStatus.SUCCESS == status)
        {
            status = result;
        }
    }

    /** {@return whether the device has no part of it} */
    boolean isIdle()
    {
        return PARTS_MAX == freeParts;
    }

    boolean isComplete()
    {
        return sentBlocks == request.blocks();
    }

    BlockStatus status()
    {
        return status;
    }

    EmulatedRequest next()
    {
        return next;
    }

    void next(final EmulatedRequest following)
    {
        next = following;
    }
}
