package io.millrace.export;

import io.millrace.bindings.generated.spdk.spdk_h;
import io.millrace.bindings.spdk.SpdkIo;
import io.millrace.block.BlockCompletionListener;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;

/**
 * A slot for a request of SPDK to a device; reused.
 */
final class ExportRequest
{
    private final int slot;
    private final BlockRequest blockRequest;
    private long io;

    /**
     * Makes the slot.
     *
     * @param slot     of SPDK's requests on the reactor.
     * @param listener notified of every completion; the owner of the block request is this.
     */
    ExportRequest(final int slot, final BlockCompletionListener listener)
    {
        this.slot = slot;
        blockRequest = new BlockRequest(this, listener);
    }

    int slot()
    {
        return slot;
    }

    /** {@return address of SPDK's request} */
    long io()
    {
        return io;
    }

    BlockRequest blockRequest()
    {
        return blockRequest;
    }

    /**
     * Begins a new use.
     *
     * @param newIo address of SPDK's request, whose range SPDK has checked.
     */
    void fill(final long newIo)
    {
        io = newIo;
        final BlockOperation operation = operation(SpdkIo.type(newIo));
        if (BlockOperation.FLUSH == operation)
        {
            blockRequest.reset(operation, 0, 0);
            return;
        }
        final int blocks = Math.toIntExact(SpdkIo.blocks(newIo));
        if (BlockOperation.COPY == operation)
        {
            blockRequest.resetCopy(SpdkIo.source(newIo), SpdkIo.first(newIo), blocks);
            return;
        }
        blockRequest.reset(operation, SpdkIo.first(newIo), blocks).forceUnitAccess(SpdkIo.isForced(newIo));
        if (BlockOperation.DEALLOCATE == operation || BlockOperation.WRITE_ZEROES == operation)
        {
            return;
        }
        for (int i = 0; i < SpdkIo.pieces(newIo); i++)
        {
            blockRequest.addSegment(SpdkIo.address(newIo, i), (int)SpdkIo.lengthBytes(newIo, i));
        }
    }

    private static BlockOperation operation(final int type)
    {
        return spdk_h.MILLRACE_SPDK_READV() == type ? BlockOperation.READ :
            spdk_h.MILLRACE_SPDK_WRITEV() == type ? BlockOperation.WRITE :
            spdk_h.MILLRACE_SPDK_FLUSH() == type ? BlockOperation.FLUSH :
            spdk_h.MILLRACE_SPDK_WRITE_ZEROES() == type ? BlockOperation.WRITE_ZEROES :
            spdk_h.MILLRACE_SPDK_UNMAP() == type ? BlockOperation.DEALLOCATE :
            spdk_h.MILLRACE_SPDK_COPY() == type ? BlockOperation.COPY : BlockOperation.COMPARE;
    }
}
