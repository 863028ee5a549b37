package io.millrace.block.discard;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockChannel;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.CloseListener;
import io.millrace.memory.Segments;

/**
 * Completes everything at once.
 */
final class DiscardChannel implements BlockChannel
{
    private final long zeroesAddress;
    private final int blockShift;

    DiscardChannel(final long zeroesAddress, final int blockShift)
    {
        this.zeroesAddress = zeroesAddress;
        this.blockShift = blockShift;
    }

    @Override
    public boolean submit(final BlockRequest request)
    {
        request.complete(switch (request.operation())
        {
            case READ -> read(request);
            case COMPARE -> compare(request);
            case WRITE, FLUSH, WRITE_ZEROES, DEALLOCATE, VERIFY, COPY -> BlockStatus.SUCCESS;
        });
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

    private BlockStatus read(final BlockRequest request)
    {
        final Segments segments = request.segments();
        if (request.lendable() && 0 == segments.count())
        {
            request.lend(zeroesAddress, request.blocks() << blockShift);
            return BlockStatus.SUCCESS;
        }
        for (int i = 0; i < segments.count(); i++)
        {
            NativeMemory.fill(segments.address(i), segments.lengthBytes(i), (byte)0);
        }
        return BlockStatus.SUCCESS;
    }

    private BlockStatus compare(final BlockRequest request)
    {
        final Segments segments = request.segments();
        return segments.isEqual(0, zeroesAddress, segments.totalBytes()) ?
            BlockStatus.SUCCESS : BlockStatus.COMPARE_FAILURE;
    }
}
