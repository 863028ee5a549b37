package io.millrace.block.raid;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.CloseListener;
import io.millrace.block.ForwardingDevice;
import io.millrace.block.MemoryHold;
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
final class LendableReads extends ForwardingDevice
{
    private static final int READ_BYTES_MAX = 16 << 10;
    private static final int SLOTS = 64;

    private final BlockDevice device;
    private final AtomicLong loans = new AtomicLong();

    LendableReads(final BlockDevice device)
    {
        super(device);
        this.device = device;
    }

    /** {@return reads that were answered in other memory} */
    long loans()
    {
        return loans.get();
    }

    @Override
    protected BlockChannel forward(final BlockChannel below, final ReactorContext context)
    {
        return new Forwarding(below);
    }

    private final class Forwarding extends Channel
    {
        private final DmaMemory memory = DmaMemory.map(SLOTS * READ_BYTES_MAX);
        private final Deque<Slot> free = new ArrayDeque<>();

        private Forwarding(final BlockChannel below)
        {
            super(below);
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
                return below.submit(request);
            }
            final Slot slot = free.pop();
            slot.outer = request;
            slot.part.reset(BlockOperation.READ, request.lba(), request.blocks())
                .forceUnitAccess(request.forceUnitAccess()).addSegment(slot.address, length).lendable(true);
            if (below.submit(slot.part))
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
                outer.failedAs(part, device);
            }
            if (part.lent())
            {
                loans.incrementAndGet();
                below.releaseLoan(part);
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
        public void close(final CloseListener listener)
        {
            below.close((closed) ->
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

        private Slot(final Forwarding channel, final long address)
        {
            this.address = address;
            part = new BlockRequest(this, (completed) -> channel.onComplete(this));
        }
    }
}
