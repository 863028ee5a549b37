package io.millrace.bench;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockGeometry;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.CloseListener;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.Segments;
import java.util.List;

/** Lends each block of a read as a piece of its own, every second one of its memory; keeps no data. */
final class PiecesDevice implements BlockDevice
{
    private static final long ALIGNMENT_BYTES = 2L << 20;

    private final BlockGeometry geometry;
    private final DmaMemory memory;
    private final long firstAddress;

    PiecesDevice(final long sizeBytes, final int blockBytes)
    {
        geometry = BlockGeometry.builder(blockBytes, sizeBytes / blockBytes)
            .lendsReads(true).completesInline(true).supportsCompare(true).build();
        memory = DmaMemory.map(2 * sizeBytes);
        firstAddress = memory.allocate(2 * sizeBytes, ALIGNMENT_BYTES);
    }

    @Override
    public String name()
    {
        return "pieces";
    }

    @Override
    public BlockGeometry geometry()
    {
        return geometry;
    }

    @Override
    public List<DmaMemory> lentMemory()
    {
        return List.of(memory);
    }

    @Override
    public void open(final ReactorContext context, final OpenListener listener)
    {
        listener.onOpened(new PiecesChannel());
    }

    @Override
    public void close()
    {
        memory.close();
    }

    private final class PiecesChannel implements BlockChannel
    {
        private final Segments lent = new Segments();

        @Override
        public boolean submit(final BlockRequest request)
        {
            if (BlockOperation.READ == request.operation())
            {
                final int blockBytes = geometry.blockSizeBytes();
                lent.clear();
                for (int i = 0; i < request.blocks(); i++)
                {
                    lent.add(firstAddress + 2 * (request.lba() + i) * blockBytes, blockBytes);
                }
                request.lend(lent);
            }
            request.complete(BlockStatus.SUCCESS);
            return true;
        }

        @Override
        public void releaseLoan(final BlockRequest request)
        {
            request.clearLent();
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
            listener.onClosed(this);
        }
    }
}
