package io.millrace.block.raid;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockGeometry;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.CloseListener;
import io.millrace.block.MemoryHold;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.Segments;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A device whose short reads may be answered by that below in other memory, as the target's are. Reads have memory of
 * this device's, which a member may keep, and are copied.
 */
final class LendableReads implements BlockDevice
{
    private static final int READ_BYTES_MAX = 16 << 10;
    private static final int SLOTS = 64;

    private final BlockDevice below;
    private final AtomicLong loans = new AtomicLong();

    LendableReads(final BlockDevice below)
    {
        this.below = below;
    }

    /** {@return reads that were answered in other memory} */
    long loans()
    {
        return loans.get();
    }

    @Override
    public String name()
    {
        return below.name();
    }

    @Override
    public BlockGeometry geometry()
    {
        return below.geometry();
    }

    @Override
    public void open(final ReactorContext context, final OpenListener listener)
    {
        below.open(context, new OpenListener()
        {
            @Override
            public void onOpened(final BlockChannel channel)
            {
                listener.onOpened(new Channel(channel));
            }

            @Override
            public void onOpenFailed(final BlockDeviceException reason)
            {
                listener.onOpenFailed(reason);
            }
        });
    }

    @Override
    public void close()
    {
        try
        {
            below.close();
        }
        catch (final Exception e)
        {
            throw new AssertionError(e);
        }
    }

    private final class Channel implements BlockChannel
    {
        private final BlockChannel inner;
        private final DmaMemory memory = DmaMemory.map(SLOTS * READ_BYTES_MAX);
        private final Deque<Slot> free = new ArrayDeque<>();

        private Channel(final BlockChannel inner)
        {
            this.inner = inner;
            for (int i = 0; i < SLOTS; i++)
            {
                free.push(new Slot(this, memory.address() + (long)i * READ_BYTES_MAX));
            }
        }

        @Override
        public boolean submit(final BlockRequest request)
        {
            final int length = request.segments().totalBytes();
            if (BlockOperation.READ != request.operation() || free.isEmpty() || length > READ_BYTES_MAX)
            {
                return inner.submit(request);
            }
            final Slot slot = free.pop();
            slot.outer = request;
            slot.part.reset(BlockOperation.READ, request.lba(), request.blocks())
                .forceUnitAccess(request.forceUnitAccess()).addSegment(slot.address, length).lendable(true);
            if (inner.submit(slot.part))
            {
                return true;
            }
            free.push(slot);
            return false;
        }

        private void onComplete(final Slot slot)
        {
            final BlockRequest outer = slot.outer;
            final BlockRequest part = slot.part;
            final BlockStatus status = part.status();
            final MemoryHold hold = part.hold();
            slot.outer = null;
            if (BlockStatus.SUCCESS == status)
            {
                copy(part.segments(), outer.segments());
            }
            else
            {
                outer.failedAs(part, below);
            }
            if (part.lent())
            {
                loans.incrementAndGet();
                inner.releaseLoan(part);
                part.clearLent();
            }
            if (null == hold)
            {
                free.push(slot);
            }
            else
            {
                part.clearHold();
                hold.whenReleased(() -> free.push(slot));
            }
            outer.complete(status);
        }

        private static void copy(final Segments from, final Segments into)
        {
            int offset = 0;
            for (int i = 0; i < from.count(); i++)
            {
                into.copyIn(offset, from.address(i), from.lengthBytes(i));
                offset += from.lengthBytes(i);
            }
        }

        @Override
        public int poll()
        {
            return inner.poll();
        }

        @Override
        public boolean canSleep()
        {
            return inner.canSleep();
        }

        @Override
        public int inFlight()
        {
            return inner.inFlight();
        }

        @Override
        public void close(final CloseListener listener)
        {
            inner.close((closed) ->
            {
                memory.close();
                listener.onClosed(this);
            });
        }
    }

    private static final class Slot
    {
        private final long address;
        private final BlockRequest part;
        private BlockRequest outer;

        private Slot(final Channel channel, final long address)
        {
            this.address = address;
            part = new BlockRequest(this, (completed) -> channel.onComplete(this));
        }
    }
}
