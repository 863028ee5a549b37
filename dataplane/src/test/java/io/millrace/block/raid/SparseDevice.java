package io.millrace.block.raid;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockChannel;
import io.millrace.block.BlockGeometry;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.CloseListener;
import io.millrace.block.GrowableDevice;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.memory.DmaMemory;
import java.util.HashMap;
import java.util.Map;

/** A device in memory that has only the blocks that were written, for tests with large members. */
final class SparseDevice implements GrowableDevice
{
    private final String name;
    private volatile BlockGeometry geometry;
    private final Map<Long, byte[]> blocks = new HashMap<>();
    private final DmaMemory scratch;

    SparseDevice(final String name, final long sizeBytes, final int blockBytes)
    {
        this.name = name;
        geometry = BlockGeometry.builder(blockBytes, sizeBytes / blockBytes).completesInline(true).supportsCompare(true)
            .supportsWriteZeroes(true).supportsDeallocate(true).deallocatedReadsZero(true).build();
        scratch = DmaMemory.map(blockBytes);
    }

    @Override
    public void grow(final long sizeBytes)
    {
        geometry = geometry.grown(name, sizeBytes);
    }

    private synchronized BlockStatus execute(final BlockRequest request)
    {
        if (BlockOperation.FLUSH == request.operation())
        {
            return BlockStatus.SUCCESS;
        }
        final BlockGeometry present = geometry;
        if (!present.contains(request.lba(), request.blocks()))
        {
            return BlockStatus.OUT_OF_RANGE;
        }
        final int blockBytes = present.blockSizeBytes();
        for (int i = 0; i < request.blocks(); i++)
        {
            final long lba = request.lba() + i;
            switch (request.operation())
            {
                case READ ->
                {
                    NativeMemory.asByteBuffer(scratch.address(), blockBytes)
                        .put(blocks.getOrDefault(lba, new byte[blockBytes]));
                    request.segments().copyIn(i * blockBytes, scratch.address(), blockBytes);
                }
                case WRITE ->
                {
                    request.segments().copyOut(i * blockBytes, scratch.address(), blockBytes);
                    final byte[] bytes = new byte[blockBytes];
                    NativeMemory.asByteBuffer(scratch.address(), blockBytes).get(bytes);
                    blocks.put(lba, bytes);
                }
                case WRITE_ZEROES, DEALLOCATE -> blocks.remove(lba);
                default ->
                {
                    return BlockStatus.NOT_SUPPORTED;
                }
            }
        }
        return BlockStatus.SUCCESS;
    }

    @Override
    public String name()
    {
        return name;
    }

    @Override
    public BlockGeometry geometry()
    {
        return geometry;
    }

    @Override
    public void open(final ReactorContext context, final OpenListener listener)
    {
        listener.onOpened(new BlockChannel()
        {
            @Override
            public boolean submit(final BlockRequest request)
            {
                request.complete(execute(request));
                return true;
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
            public boolean canSleep()
            {
                return true;
            }

            @Override
            public void close(final CloseListener listener)
            {
                listener.onClosed(this);
            }
        });
    }

    @Override
    public void close()
    {
        scratch.close();
    }
}
