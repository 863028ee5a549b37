package io.millrace.block.raid;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockGeometry;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.memory.BufferPool;
import io.millrace.memory.DmaMemory;
import java.util.List;

/** An array whose channels have buffers that are long enough for all rows of a strip. For one reactor. */
final class RoomyArray implements BlockDevice
{
    private static final int BUFFERS_BYTES = 16 << 20;

    private final RaidDevice array;
    private final DmaMemory memory = DmaMemory.map(BUFFERS_BYTES);
    private final BufferPool buffers = new BufferPool(memory.address(), BUFFERS_BYTES, BUFFERS_BYTES / 8);

    RoomyArray(final RaidDevice array)
    {
        this.array = array;
    }

    @Override
    public String name()
    {
        return array.name();
    }

    @Override
    public BlockGeometry geometry()
    {
        return array.geometry();
    }

    @Override
    public List<BlockDevice> members()
    {
        return array.members();
    }

    @Override
    public void open(final ReactorContext context, final OpenListener listener)
    {
        array.open(new ReactorContext(context.reactor(), buffers, context.quarantine()), listener);
    }

    /** Frees the buffers alone. */
    @Override
    public void close()
    {
        memory.close();
    }
}
