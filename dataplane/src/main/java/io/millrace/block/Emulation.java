package io.millrace.block;

/**
 * Submits to a channel what its device does itself, and emulates Compare where the device does not
 * ({@link BlockGeometry#supportsCompare()}), so that no device does. Whoever submits to a channel has one beside it:
 * the NVMe-oF target, and devices that are made of others. The channel's reactor only; nothing is allocated per
 * request.
 * <p>
 * Compare reads the range piece by piece into a buffer and compares there. A piece, at most 128 KiB, is read by one
 * request; nothing larger is compared as it was at one moment, which NVMe does not ask for either: only the fused
 * Compare and Write does, which is not offered.
 */
public final class Emulation
{
    private static final int REQUESTS_MAX = 8;

    private final BlockChannel channel;
    private final EmulationBuffers buffers;
    private final boolean isNative;
    private final int blockShift;
    private final ChannelQueue queue;
    /** Those that are free; made by the first emulated request, since most channels never have one. */
    private Slot free;
    private boolean hasSlots;
    private int inFlight;
    private boolean isClosing;

    /** One emulated request. */
    private static final class Slot
    {
        private final Emulation emulation;
        private final BlockRequest piece;
        private BlockRequest request;
        private long address;
        private int doneBytes;
        private Slot next;

        private Slot(final Emulation emulation)
        {
            this.emulation = emulation;
            piece = new BlockRequest(this, Emulation::onPiece);
        }
    }

    /**
     * Creates an emulation without requests.
     *
     * @param device  of the channel.
     * @param channel to submit to.
     * @param buffers of the reactor.
     */
    public Emulation(final BlockDevice device, final BlockChannel channel, final EmulationBuffers buffers)
    {
        this.channel = channel;
        this.buffers = buffers;
        final BlockGeometry geometry = device.geometry();
        isNative = geometry.supportsCompare();
        blockShift = geometry.blockShift();
        queue = new ChannelQueue(geometry, channel::submit);
    }

    /**
     * Submits a request, as {@link BlockChannel#submit} does.
     *
     * @param request filled and idle.
     * @return false when the request cannot be taken now.
     */
    public boolean submit(final BlockRequest request)
    {
        return isNative || BlockOperation.COMPARE != request.operation() ? channel.submit(request) : compare(request);
    }

    /**
     * {@return how many requests are emulated now; it is polled while there are some}
     */
    public int inFlight()
    {
        return inFlight;
    }

    /**
     * Goes on with what the channel refused.
     *
     * @return work that was done.
     */
    public int poll()
    {
        return queue.poll();
    }

    /**
     * {@return whether it waits for nothing but the channel}
     */
    public boolean canSleep()
    {
        return 0 == queue.size();
    }

    /**
     * The channel is going to be closed: ends what it has not taken. What it has taken ends as the channel closes.
     */
    public void close()
    {
        isClosing = true;
        for (BlockRequest piece = queue.removeFirst(); null != piece; piece = queue.removeFirst())
        {
            finish((Slot)piece.owner(), BlockStatus.ABORTED);
        }
    }

    private boolean compare(final BlockRequest request)
    {
        if (!buffers.exist())
        {
            request.complete(BlockStatus.NOT_SUPPORTED);
            return true;
        }
        makeSlots();
        final Slot slot = free;
        final long address = null == slot ? 0 : buffers.acquire();
        if (0 == address)
        {
            return false;
        }
        free = slot.next;
        inFlight++;
        slot.request = request;
        slot.address = address;
        slot.doneBytes = 0;
        read(slot);
        return true;
    }

    private void makeSlots()
    {
        if (!hasSlots)
        {
            hasSlots = true;
            for (int i = 0; i < REQUESTS_MAX; i++)
            {
                final Slot slot = new Slot(this);
                slot.next = free;
                free = slot;
            }
        }
    }

    private void read(final Slot slot)
    {
        final int leftBytes = (slot.request.blocks() << blockShift) - slot.doneBytes;
        final int pieceBytes = Math.min(buffers.bytes(slot.address), leftBytes);
        slot.piece
            .reset(BlockOperation.READ, slot.request.lba() + (slot.doneBytes >> blockShift), pieceBytes >> blockShift)
            .addSegment(slot.address, pieceBytes);
        queue.submit(slot.piece);
    }

    private static void onPiece(final BlockRequest piece)
    {
        final Slot slot = (Slot)piece.owner();
        slot.emulation.onPiece(slot);
    }

    private void onPiece(final Slot slot)
    {
        final BlockRequest piece = slot.piece;
        if (BlockStatus.SUCCESS != piece.status())
        {
            slot.request.failedFrom(piece);
            finish(slot, piece.status());
            return;
        }
        final int pieceBytes = piece.blocks() << blockShift;
        if (!slot.request.segments().isEqual(slot.doneBytes, slot.address, pieceBytes))
        {
            finish(slot, BlockStatus.COMPARE_FAILURE);
            return;
        }
        slot.doneBytes += pieceBytes;
        if (slot.doneBytes == slot.request.blocks() << blockShift)
        {
            finish(slot, BlockStatus.SUCCESS);
        }
        else if (isClosing)
        {
            finish(slot, BlockStatus.ABORTED);
        }
        else
        {
            read(slot);
        }
    }

    private void finish(final Slot slot, final BlockStatus status)
    {
        final BlockRequest request = slot.request;
        final long address = slot.address;
        final MemoryHold hold = slot.piece.hold();
        if (null == hold)
        {
            buffers.release(address);
        }
        else
        {
            // The device may still write to the buffer; the host's data it never had.
            slot.piece.clearHold();
            hold.whenReleased(() -> buffers.release(address));
        }
        slot.request = null;
        slot.next = free;
        free = slot;
        inFlight--;
        request.complete(status);
    }
}
