package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockGeometry;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.CloseListener;
import io.millrace.block.MemoryHold;
import io.millrace.block.MemoryQuarantine;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * A device with a queue of bounded length that completes requests when and how a test says, and remembers what was
 * asked. One reactor at a time; touched on that reactor only.
 */
final class ManualDevice implements BlockDevice
{
    static final int MAX_TRANSFER_BYTES = 1 << 20;

    private final BlockGeometry geometry;
    private final int capacity;
    private final Deque<BlockRequest> queue = new ArrayDeque<>();
    private final List<String> asked = new ArrayList<>();
    private BlockStatus automatic;
    private boolean opensLater;
    private boolean closesLater;
    private String openFailure;
    private Runnable opening;
    private Runnable closing;
    private MemoryQuarantine quarantine;
    private int openings;
    private int loans;
    private int openChannels;

    ManualDevice(final BlockGeometry geometry, final int capacity)
    {
        this.geometry = geometry;
        this.capacity = capacity;
    }

    /** With a volatile cache and every ability but Copy. */
    static ManualDevice create(final int capacity)
    {
        return new ManualDevice(BlockGeometry.builder(512, 1L << 32)
            .maxTransferBytes(MAX_TRANSFER_BYTES)
            .memoryAlignmentBytes(512)
            .volatileWriteCache(true)
            .supportsWriteZeroes(true)
            .supportsVerify(true)
            .supportsCompare(true)
            .supportsDeallocate(true)
            .deallocatedReadsZero(true)
            .build(),
            capacity);
    }

    /** Takes payload of other domains than {@link #create}. */
    static ManualDevice createWithDomains(final int memoryDomains, final int capacity)
    {
        return new ManualDevice(
            create(capacity).geometry().toBuilder().memoryDomains(memoryDomains).build(), capacity);
    }

    /** Copies too. */
    static ManualDevice createCopying(final int capacity)
    {
        return new ManualDevice(BlockGeometry.builder(512, 1L << 32)
            .maxTransferBytes(MAX_TRANSFER_BYTES)
            .memoryAlignmentBytes(512)
            .volatileWriteCache(true)
            .supportsWriteZeroes(true)
            .supportsVerify(true)
            .supportsCompare(true)
            .supportsDeallocate(true)
            .deallocatedReadsZero(true)
            .supportsCopy(true)
            .build(), capacity);
    }

    /** Completes everything at once with a status from now on; null waits again. */
    void automatic(final BlockStatus status)
    {
        automatic = status;
    }

    List<String> asked()
    {
        return asked;
    }

    int waiting()
    {
        return queue.size();
    }

    int openChannels()
    {
        return openChannels;
    }

    BlockRequest first()
    {
        return queue.peek();
    }

    void completeFirst(final BlockStatus status)
    {
        queue.remove().complete(status);
    }

    /** Ends the first though the device may go on using its memory. */
    MemoryHold completeFirstHeld(final BlockStatus status)
    {
        return quarantine.completeHeld(queue.remove(), status);
    }

    /** Answers the first, a lendable read, in other memory, though the device may go on using that of the request. */
    MemoryHold completeFirstLent(final long address)
    {
        final BlockRequest request = queue.remove();
        assertTrue(request.lendable());
        request.lend(address, request.segments().totalBytes());
        loans++;
        return quarantine.completeHeld(request, BlockStatus.SUCCESS);
    }

    /** {@return how many answers are not given back} */
    int loans()
    {
        return loans;
    }

    /** Whether an open is answered by {@link #finishOpening} only. */
    void opensLater(final boolean isLater)
    {
        opensLater = isLater;
    }

    /** Whether a close is answered by {@link #finishClosing} only. */
    void closesLater(final boolean isLater)
    {
        closesLater = isLater;
    }

    /** What an open is refused with from now on; null for nothing. */
    void openFailure(final String reason)
    {
        openFailure = reason;
    }

    boolean isOpening()
    {
        return null != opening;
    }

    boolean isClosing()
    {
        return null != closing;
    }

    int openings()
    {
        return openings;
    }

    void finishOpening()
    {
        final Runnable action = opening;
        opening = null;
        action.run();
    }

    void finishClosing()
    {
        final Runnable action = closing;
        closing = null;
        action.run();
    }

    @Override
    public String name()
    {
        return "manual";
    }

    @Override
    public BlockGeometry geometry()
    {
        return geometry;
    }

    @Override
    public void open(final ReactorContext context, final OpenListener listener)
    {
        openings++;
        if (opensLater)
        {
            opening = () -> answerOpen(context, listener);
        }
        else
        {
            answerOpen(context, listener);
        }
    }

    private void answerOpen(final ReactorContext context, final OpenListener listener)
    {
        if (null != openFailure)
        {
            listener.onOpenFailed(new BlockDeviceException(openFailure));
        }
        else
        {
            quarantine = context.quarantine();
            openChannels++;
            listener.onOpened(new Channel());
        }
    }

    @Override
    public void close()
    {
    }

    private final class Channel implements BlockChannel
    {
        @Override
        public boolean submit(final BlockRequest request)
        {
            if (queue.size() >= capacity)
            {
                return false;
            }
            asked.add(request.operation() + (BlockOperation.COPY == request.operation() ?
                " " + request.sourceLba() + " to" : "") + " " + request.lba() + "+" + request.blocks() +
                (request.forceUnitAccess() ? " FUA" : ""));
            if (null != automatic)
            {
                request.complete(automatic);
            }
            else
            {
                queue.add(request);
            }
            return true;
        }

        @Override
        public void releaseLoan(final BlockRequest request)
        {
            loans--;
        }

        @Override
        public int inFlight()
        {
            return queue.size();
        }

        @Override
        public int poll()
        {
            return 0;
        }

        @Override
        public void close(final CloseListener listener)
        {
            if (closesLater)
            {
                closing = () -> finishClosing(listener);
            }
            else
            {
                finishClosing(listener);
            }
        }

        private void finishClosing(final CloseListener listener)
        {
            openChannels--;
            while (!queue.isEmpty())
            {
                completeFirst(BlockStatus.ABORTED);
            }
            listener.onClosed(this);
        }
    }
}
