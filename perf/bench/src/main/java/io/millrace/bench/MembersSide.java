package io.millrace.bench;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockChannel;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.raid.format.MemberArea;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.memory.DmaMemory;
import io.millrace.parity.ParityEngine;

/**
 * What an array has to do at least for a request within one strip, or for a whole stripe: the same requests to the same
 * members and the same parity, without locks, bitmap, views and stripe requests. Members complete inline.
 */
final class MembersSide extends LoadSide
{
    private final BlockChannel[] channels;
    private final ArrayLayout layout;
    /** Null of an array without parity. */
    private final ParityEngine engine;
    private final Places places;
    private final BlockOperation operation;
    private final int lengthBytes;
    private final int blockShift;
    private final int lostCount;
    private final int dataCount;
    private final int parityCount;
    private final DmaMemory memory;
    private final BlockRequest request = new BlockRequest(this, (ended) ->
    {
        if (BlockStatus.SUCCESS != ended.status())
        {
            throw new IllegalStateException(ended.toString());
        }
    });
    private final long[] strips;
    private final long payload;

    /**
     * Makes a request.
     *
     * @param name        of the side.
     * @param channels    of the members by slot.
     * @param layout      of the array.
     * @param engine      of its parity; null without.
     * @param places      of requests on the array.
     * @param operation   a read or a write.
     * @param lengthBytes of a request: within a strip, or a whole stripe.
     * @param blockShift  of the members.
     * @param lostCount   slots from 0 on that cannot be read.
     */
    MembersSide(
        final String name,
        final BlockChannel[] channels,
        final ArrayLayout layout,
        final ParityEngine engine,
        final Places places,
        final BlockOperation operation,
        final int lengthBytes,
        final int blockShift,
        final int lostCount)
    {
        super(name);
        this.channels = channels;
        this.layout = layout;
        this.engine = engine;
        this.places = places;
        this.operation = operation;
        this.lengthBytes = lengthBytes;
        this.blockShift = blockShift;
        this.lostCount = lostCount;
        dataCount = layout.dataCount();
        parityCount = layout.parityCount();
        memory = DmaMemory.map((long)(dataCount + parityCount + 1) * layout.stripBytes() + lengthBytes);
        strips = new long[dataCount + parityCount];
        for (int i = 0; i < strips.length; i++)
        {
            strips[i] = memory.address() + (long)i * layout.stripBytes();
        }
        payload = memory.address() + (long)strips.length * layout.stripBytes();
    }

    @Override
    void run(final long count)
    {
        for (long i = 0; i < count; i++)
        {
            final long offset = places.next() * lengthBytes;
            if (0 == parityCount)
            {
                copies(offset);
            }
            else if (lengthBytes > layout.stripBytes())
            {
                wholeStripe(offset / lengthBytes);
            }
            else if (BlockOperation.READ == operation)
            {
                read(offset);
            }
            else
            {
                modify(offset);
            }
        }
    }

    private void member(
        final int slot, final BlockOperation what, final long offset, final long address, final int length)
    {
        request.reset(what, MemberArea.DATA_OFFSET_BYTES + offset >>> blockShift, length >>> blockShift)
            .addSegment(address, length);
        if (!channels[slot].submit(request))
        {
            throw new IllegalStateException("refused: " + request);
        }
    }

    private void copies(final long offset)
    {
        final long strip = offset >>> layout.stripShift();
        final int row = (int)(offset & layout.stripBytes() - 1);
        final int copyCount = layout.copyCount();
        if (BlockOperation.READ == operation)
        {
            final int copy = (int)(strip % copyCount);
            member(layout.slot(strip, copy), operation,
                (layout.memberStrip(strip, copy) << layout.stripShift()) + row, payload, lengthBytes);
            return;
        }
        for (int copy = 0; copy < copyCount; copy++)
        {
            member(layout.slot(strip, copy), operation,
                (layout.memberStrip(strip, copy) << layout.stripShift()) + row, payload, lengthBytes);
        }
    }

    private void wholeStripe(final long stripe)
    {
        final int bytes = layout.stripBytes();
        final long at = stripe << layout.stripShift();
        for (int index = 0; index < dataCount; index++)
        {
            strips[index] = payload + (long)index * bytes;
        }
        if (1 == parityCount)
        {
            engine.generateXor(strips, dataCount, bytes);
        }
        else
        {
            engine.generatePq(strips, dataCount, bytes);
        }
        for (int index = 0; index < strips.length; index++)
        {
            member(slot(stripe, index), BlockOperation.WRITE, at, strips[index], bytes);
        }
    }

    private int slot(final long stripe, final int index)
    {
        return index < dataCount ? layout.dataSlot(stripe, index) :
            layout.paritySlot(stripe, index - dataCount);
    }

    private void read(final long offset)
    {
        final long strip = offset >>> layout.stripShift();
        final long stripe = strip / dataCount;
        final int index = (int)(strip % dataCount);
        final long at = (stripe << layout.stripShift()) + (offset & layout.stripBytes() - 1);
        if (slot(stripe, index) >= lostCount)
        {
            member(slot(stripe, index), BlockOperation.READ, at, payload, lengthBytes);
            return;
        }
        int other = -1;
        int parityLeft = lostCount;
        for (int i = 0; i < strips.length; i++)
        {
            final int slot = slot(stripe, i);
            if (slot >= lostCount && (i < dataCount || parityLeft > 0))
            {
                member(slot, BlockOperation.READ, at, strips[i], lengthBytes);
            }
            else if (i != index && slot < lostCount)
            {
                other = i;
                parityLeft -= i < dataCount ? 0 : 1;
            }
        }
        if (1 == parityCount)
        {
            engine.recoverXor(strips, dataCount, lengthBytes, index);
        }
        else if (other >= 0)
        {
            engine.recoverPq(strips, dataCount, lengthBytes, Math.min(index, other), Math.max(index, other));
        }
        else
        {
            engine.recoverPq(strips, dataCount, lengthBytes, index);
        }
        NativeMemory.copy(strips[index], payload, lengthBytes);
    }

    private void modify(final long offset)
    {
        final long strip = offset >>> layout.stripShift();
        final long stripe = strip / dataCount;
        final int index = (int)(strip % dataCount);
        final long at = (stripe << layout.stripShift()) + (offset & layout.stripBytes() - 1);
        member(slot(stripe, index), BlockOperation.READ, at, strips[index], lengthBytes);
        for (int i = dataCount; i < strips.length; i++)
        {
            member(slot(stripe, i), BlockOperation.READ, at, strips[i], lengthBytes);
        }
        if (1 == parityCount)
        {
            engine.updateXor(strips[index], payload, strips[dataCount], lengthBytes);
        }
        else
        {
            engine.updatePq(strips[index], payload, index, strips[dataCount], strips[dataCount + 1], lengthBytes);
        }
        member(slot(stripe, index), BlockOperation.WRITE, at, payload, lengthBytes);
        for (int i = dataCount; i < strips.length; i++)
        {
            member(slot(stripe, i), BlockOperation.WRITE, at, strips[i], lengthBytes);
        }
    }

    @Override
    public void close()
    {
        memory.close();
    }
}
