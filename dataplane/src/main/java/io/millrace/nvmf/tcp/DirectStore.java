package io.millrace.nvmf.tcp;

import io.millrace.bindings.NativeMemory;
import io.millrace.memory.Segments;
import io.millrace.nvmf.request.Request;

/**
 * Receives payload of a large write into memory of its device, without a copy, in whole blocks. Its connection's
 * reactor only.
 * <p>
 * The socket is asked first how much it has, and the device for as many whole blocks, which are its own for that one
 * call. So no reader sees a block of which a part is new, no host that stalls in a transfer holds a block, and a
 * connection that dies leaves each block old or new. What is not a whole block goes to the request's buffer, and from
 * there to the device with the next ones. Once blocks are not available, as they are lent or being written, the rest of
 * the PDU goes to the buffer, and to the device as a write.
 *
 * <pre>
 *   | stored           | in the buffer | to be received                                     |
 *                      |    blocks that will be complete, taken from the device   |
 *                                      | buffer | device                          | buffer |
 * </pre>
 */
final class DirectStore
{
    private final Segments memory = new Segments();
    private Request request;
    private long bufferAddress;
    private int blockBytes;
    private boolean isPrepared;
    /** Memory of the device from {@code request.storedBytes()} on, while prepared; length 0 for none. */
    private long takenAddress;
    private int takenBytes;
    /** Of the taken memory, what goes there from the buffer. */
    private int bufferedBytes;

    /**
     * Payload of a PDU is received.
     *
     * @param receiving whose payload; it {@link Request#mayStoreReceived may be stored}.
     */
    void begin(final Request receiving)
    {
        request = receiving;
        bufferAddress = receiving.data().address(0);
        blockBytes = 1 << receiving.namespace().blockShift();
    }

    /**
     * The payload is complete, or goes to the buffer from now on.
     */
    void end()
    {
        request = null;
        isPrepared = false;
    }

    /**
     * {@return whether payload goes to the device}
     */
    boolean isActive()
    {
        return null != request;
    }

    /**
     * {@return whether {@link #memory} is to be received into, and {@link #onReceived} has to follow}
     */
    boolean isPrepared()
    {
        return isPrepared;
    }

    /**
     * {@return memory to receive into}
     */
    Segments memory()
    {
        return memory;
    }

    /**
     * Takes memory of the device for what can be received now.
     *
     * @param offset         of the next byte in the request's payload.
     * @param leftBytes      of the PDU.
     * @param availableBytes that the socket has.
     * @return bytes to receive; all that are left of the PDU and no device's memory when that is not available.
     */
    int prepare(final int offset, final int leftBytes, final int availableBytes)
    {
        final int stored = request.storedBytes();
        final int blockMask = -blockBytes;
        final int completeEnd = offset + Math.min(leftBytes, availableBytes) & blockMask;
        takenBytes = Math.max(0, completeEnd - stored);
        if (0 != takenBytes)
        {
            takenAddress = request.beginStoring(takenBytes);
            if (0 == takenAddress)
            {
                end();
                return leftBytes;
            }
        }
        final int pduEnd = offset + leftBytes;
        final int directStart = Math.min(offset + blockBytes - 1 & blockMask, completeEnd);
        memory.clear();
        int next = offset;
        bufferedBytes = 0;
        if (0 != takenBytes)
        {
            bufferedBytes = directStart - stored;
            next = add(next, directStart, bufferAddress);
            next = add(next, completeEnd, takenAddress - stored);
        }
        // At most the rest of the block that is not complete: what arrives meanwhile goes to the device.
        next = add(next, Math.min(pduEnd, (next & blockMask) + blockBytes), bufferAddress);
        isPrepared = true;
        return next - offset;
    }

    /**
     * An attempt to receive has ended: returns the device's memory.
     *
     * @param offset of the next byte in the request's payload.
     */
    void onReceived(final int offset)
    {
        isPrepared = false;
        if (0 == takenBytes)
        {
            return;
        }
        final int stored = request.storedBytes();
        final int storedEnd = Math.max(stored, Math.min(offset & -blockBytes, stored + takenBytes));
        if (storedEnd > stored)
        {
            NativeMemory.copy(bufferAddress + stored, takenAddress, Math.min(bufferedBytes, storedEnd - stored));
        }
        // The socket gave less than it said that it had, which no kernel is known to do.
        final int tornStart = Math.max(storedEnd, stored + bufferedBytes);
        if (offset > tornStart && offset < stored + takenBytes)
        {
            NativeMemory.copy(takenAddress + tornStart - stored, bufferAddress + tornStart, offset - tornStart);
        }
        request.endStoring(takenBytes, storedEnd - stored);
    }

    private int add(final int start, final int limit, final long base)
    {
        if (limit > start)
        {
            memory.add(base + start, limit - start);
        }
        return Math.max(start, limit);
    }
}
