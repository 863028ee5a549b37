package io.millrace.nvmf.request;

import io.millrace.memory.BufferShare;
import io.millrace.memory.BufferWaiter;
import io.millrace.memory.Segments;
import io.millrace.nvmf.transport.DataPointer;

/**
 * Payload of a {@link Request}: where it is at its host, the memory that it moves to or from, and which part of it
 * moves now. A class above the request and not a part of it, so that no access costs another load. Not thread-safe; it
 * belongs to one reactor for its whole life.
 */
public abstract sealed class RequestData extends BufferWaiter permits Request
{
    private final Segments data = new Segments();
    private final DataPointer dataPointer = new DataPointer();
    private RequestPayload payload = RequestPayload.NONE;

    private BufferShare share;
    private long bufferAddress;
    /** Length that the buffer was asked for with. */
    private int pooledLength;

    private long inCapsuleAddress;
    /** Of all parts, when it moves its payload in parts; else 0. */
    private int wholeLength;
    private int partOffset;
    private boolean sendsData;
    private int transferredBytes;
    private int storedBytes;

    /** Of a slot that has no command. */
    RequestData()
    {
    }

    /** A new command has none of the payload of the last one. */
    final void beginData()
    {
        dataPointer.forget();
        inCapsuleAddress = 0;
        sendsData = false;
        transferredBytes = 0;
        storedBytes = 0;
        data.clear();
        wholeLength = 0;
        partOffset = 0;
        bufferAddress = 0;
        pooledLength = 0;
        payload = RequestPayload.NONE;
    }

    /**
     * The buffer that it waited for was assigned.
     *
     * @param address     of the buffer.
     * @param lengthBytes length in bytes.
     */
    final void onBufferTaken(final long address, final int lengthBytes)
    {
        buffer(share, address, lengthBytes);
        payload = RequestPayload.BUFFERED;
    }

    /**
     * {@return where the data of the command is at its host}
     */
    public final DataPointer dataPointer()
    {
        return dataPointer;
    }

    /**
     * Says where data that came with the capsule lies now, as the capsule was kept and is offered again. Valid only
     * while {@code CommandDispatcher.onCommand} runs.
     *
     * @param address start address.
     */
    public final void inCapsuleData(final long address)
    {
        inCapsuleAddress = address;
    }

    /**
     * {@return address of the command's data in its capsule; only when the pointer says that it is there}
     */
    public final long capsuleDataAddress()
    {
        return inCapsuleAddress + dataPointer.address();
    }

    /**
     * {@return memory that the payload, or its present part, moves to or from: one piece of a buffer, or as many as a
     * device has lent; empty when there is no payload}
     */
    public final Segments data()
    {
        return data;
    }

    /**
     * {@return length of the payload, or of its present part, in bytes}
     */
    public final int dataLength()
    {
        return data.totalBytes();
    }

    /**
     * {@return where in the payload its present part begins; 0 when it is not moved in parts}
     */
    public final int partOffset()
    {
        return partOffset;
    }

    /**
     * {@return whether no part of the payload follows the present one}
     */
    public final boolean isLastPart()
    {
        return 0 == wholeLength || partOffset + data.totalBytes() == wholeLength;
    }

    /**
     * {@return length of the payload with all of its parts, in bytes}
     */
    public final int wholeLength()
    {
        return 0 == wholeLength ? data.totalBytes() : wholeLength;
    }

    /**
     * Moves as much of the payload next as its buffer holds.
     *
     * @param lengthBytes of the payload.
     */
    public final void beginPart(final int lengthBytes)
    {
        beginPart(bufferAddress, pooledLength, lengthBytes);
    }

    /**
     * Moves a part of the payload next.
     *
     * @param address      where the part is, or goes.
     * @param partBytesMax how long it may be.
     * @param lengthBytes  of the payload.
     */
    public final void beginPart(final long address, final int partBytesMax, final int lengthBytes)
    {
        final int partBytes = Math.min(partBytesMax, lengthBytes - partOffset);
        data.set(address, partBytes);
        if (partBytes != lengthBytes)
        {
            wholeLength = lengthBytes;
        }
    }

    /** The present part, which is not the last, has been moved. */
    public final void endPart()
    {
        partOffset += data.totalBytes();
        storedBytes = 0;
    }

    /** No other part follows: the command has failed. */
    public final void endParts()
    {
        wholeLength = 0 == wholeLength ? 0 : partOffset + data.totalBytes();
    }

    /**
     * {@return address of its buffer of the pool, 0 when it has none}
     */
    public final long bufferAddress()
    {
        return bufferAddress;
    }

    /**
     * {@return length its buffer was asked for with}
     */
    public final int pooledLength()
    {
        return pooledLength;
    }

    final void buffer(final BufferShare holder, final long address, final int lengthBytes)
    {
        share = holder;
        bufferAddress = address;
        pooledLength = lengthBytes;
    }

    /**
     * {@return whose buffer it has; only while it has one}
     */
    final BufferShare share()
    {
        return share;
    }

    /**
     * {@return state of its payload memory}
     */
    public final RequestPayload payload()
    {
        return payload;
    }

    /**
     * Changes the state of its payload memory.
     *
     * @param newPayload state.
     */
    public final void payload(final RequestPayload newPayload)
    {
        payload = newPayload;
    }

    /**
     * {@return whether payload goes to the host before the completion}
     */
    public final boolean sendsData()
    {
        return sendsData;
    }

    /**
     * Says whether payload goes to the host before the completion.
     *
     * @param sends whether it does.
     */
    public final void sendsData(final boolean sends)
    {
        sendsData = sends;
    }

    /**
     * {@return bytes of payload the transport has moved; the transport's own}
     */
    public final int transferredBytes()
    {
        return transferredBytes;
    }

    /**
     * The transport's own.
     *
     * @param bytes of payload moved so far.
     */
    public final void transferredBytes(final int bytes)
    {
        transferredBytes = bytes;
    }

    /**
     * {@return bytes of the present part's beginning that the device has already, as they were received into memory
     * that it lent; the rest is in {@link #data()}}
     */
    public final int storedBytes()
    {
        return storedBytes;
    }

    final void storedBytes(final int bytes)
    {
        storedBytes = bytes;
    }
}
