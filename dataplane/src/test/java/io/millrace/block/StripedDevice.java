package io.millrace.block;

import io.millrace.block.memory.MemoryDevice;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.Segments;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Memory devices in stripes, which lend a read in as many segments as it touches strips, for tests. Requests that touch
 * more strips than a payload has segments are programming errors. Nothing is allocated per request.
 */
public final class StripedDevice implements BlockDevice
{
    private static final int REQUESTS_MAX = 2048;

    private final BlockGeometry geometry;
    private final List<MemoryDevice> members = new ArrayList<>();
    private final int stripBlocks;
    private BlockRequest lastLent;

    public StripedDevice(final long sizeBytes, final int blockBytes, final int stripBlocks, final int memberCount)
    {
        this.stripBlocks = stripBlocks;
        geometry = BlockGeometry.builder(blockBytes, sizeBytes / blockBytes)
            .lendsReads(true).completesInline(true).supportsCompare(true).build();
        for (int i = 0; i < memberCount; i++)
        {
            members.add(MemoryDevice.create("member" + i, sizeBytes / memberCount, blockBytes));
        }
    }

    /** The read that memory was lent to last. The reactor's thread only. */
    public BlockRequest lastLent()
    {
        return lastLent;
    }

    @Override
    public String name()
    {
        return "striped";
    }

    @Override
    public BlockGeometry geometry()
    {
        return geometry;
    }

    @Override
    public List<DmaMemory> lentMemory()
    {
        return members.stream().flatMap((member) -> member.lentMemory().stream()).toList();
    }

    @Override
    public void open(final ReactorContext context, final OpenListener listener)
    {
        final List<BlockChannel> channels = new ArrayList<>();
        members.forEach((member) -> member.open(context, new OpenListener()
        {
            @Override
            public void onOpened(final BlockChannel channel)
            {
                channels.add(channel);
            }

            @Override
            public void onOpenFailed(final BlockDeviceException reason)
            {
                throw reason;
            }
        }));
        listener.onOpened(new StripedChannel(channels));
    }

    @Override
    public void close()
    {
        members.forEach(MemoryDevice::close);
    }

    /** What a request has become: a request for each strip. */
    private static final class Slot
    {
        private final BlockRequest[] parts = new BlockRequest[Segments.COUNT_MAX];
        private final BlockChannel[] channels = new BlockChannel[Segments.COUNT_MAX];
        private final int index;
        private int count;

        private Slot(final int index)
        {
            this.index = index;
            for (int i = 0; i < parts.length; i++)
            {
                parts[i] = new BlockRequest(null, (completed) -> { });
            }
        }
    }

    private final class StripedChannel implements BlockChannel
    {
        private final BlockChannel[] channels;
        private final Slot[] slots = new Slot[REQUESTS_MAX];
        private final ArrayDeque<Slot> free = new ArrayDeque<>(2 * REQUESTS_MAX);
        private final Segments lent = new Segments();

        private StripedChannel(final List<BlockChannel> channels)
        {
            this.channels = channels.toArray(new BlockChannel[0]);
            for (int i = 0; i < slots.length; i++)
            {
                slots[i] = new Slot(i);
                free.add(slots[i]);
            }
        }

        @Override
        public boolean submit(final BlockRequest request)
        {
            if (BlockOperation.FLUSH == request.operation())
            {
                request.complete(BlockStatus.SUCCESS);
                return true;
            }
            if (free.isEmpty())
            {
                return false;
            }
            final Slot slot = free.poll();
            final boolean lends = request.lendable() && 0 == request.segments().count();
            if (!submitParts(request, slot, lends))
            {
                release(slot, lends);
                return false;
            }
            BlockStatus status = BlockStatus.SUCCESS;
            for (int i = 0; i < slot.count; i++)
            {
                status = BlockStatus.SUCCESS == status ? slot.parts[i].status() : status;
            }
            if (lends)
            {
                lend(request, slot);
            }
            else
            {
                release(slot, false);
            }
            request.complete(status);
            return true;
        }

        private boolean submitParts(final BlockRequest request, final Slot slot, final boolean lends)
        {
            slot.count = 0;
            int done = 0;
            while (done < request.blocks())
            {
                final long lba = request.lba() + done;
                final long strip = lba / stripBlocks;
                final int inStrip = (int)(lba % stripBlocks);
                final int blocks = Math.min(request.blocks() - done, stripBlocks - inStrip);
                final int blockBytes = geometry.blockSizeBytes();
                final BlockRequest part = slot.parts[slot.count].reset(
                    request.operation(), strip / channels.length * stripBlocks + inStrip, blocks).lendable(lends);
                if (!lends)
                {
                    request.segments().slice(done * blockBytes, blocks * blockBytes, part.segments());
                }
                final BlockChannel channel = channels[(int)(strip % channels.length)];
                if (!channel.submit(part))
                {
                    return false;
                }
                slot.channels[slot.count++] = channel;
                done += blocks;
            }
            return true;
        }

        private void lend(final BlockRequest request, final Slot slot)
        {
            lent.clear();
            for (int i = 0; i < slot.count; i++)
            {
                lent.add(slot.parts[i].segments().address(0), slot.parts[i].segments().lengthBytes(0));
            }
            request.lend(lent);
            request.channelSlot(slot.index);
            lastLent = request;
        }

        private void release(final Slot slot, final boolean lends)
        {
            for (int i = 0; lends && i < slot.count; i++)
            {
                slot.channels[i].releaseLoan(slot.parts[i]);
            }
            free.add(slot);
        }

        @Override
        public void releaseLoan(final BlockRequest request)
        {
            request.clearLent();
            release(slots[request.channelSlot()], true);
        }

        @Override
        public boolean isLoanWanted(final BlockRequest request)
        {
            final Slot slot = slots[request.channelSlot()];
            for (int i = 0; i < slot.count; i++)
            {
                if (slot.channels[i].isLoanWanted(slot.parts[i]))
                {
                    return true;
                }
            }
            return false;
        }

        @Override
        public int inFlight()
        {
            return 0;
        }

        @Override
        public int poll()
        {
            return 0;
        }

        @Override
        public void close(final CloseListener listener)
        {
            for (final BlockChannel channel : channels)
            {
                channel.close((closed) -> { });
            }
            listener.onClosed(this);
        }
    }
}
